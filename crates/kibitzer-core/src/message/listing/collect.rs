//! Collection of the lines of one listing from a stream in which other lines may occur between them.
//!
//! | state | line | next state | result |
//! |---|---|---|---|
//! | `Waiting` | part of the listing | `Collecting` | `Continue` |
//! | `Collecting`, `Paged` | part of the listing, or empty | `Collecting` | `Continue` |
//! | `Collecting`, `Paged` | the pager's line | `Paged` | `Continue` |
//! | `Waiting`, `Collecting`, `Paged` | last line of the listing | `Done` | `Break` |
//! | `Waiting`, `Collecting`, `Paged` | one line over the limit | `TooLong` | `Break` |
//! | any | another line | unchanged | `None` |

use std::ops::ControlFlow;

use thiserror::Error;

use crate::text::Line;

/// Most lines of one listing; a longer one fails with [`ListingError::TooLong`]. The longest real ones (`who` on a full server, the
/// moves of a long game) have a few thousand.
const MAX_LINES: usize = 10_000;

/// The line that servers print after as many lines as the variable `height` allows; the rest of the reply follows only on request.
const PAGER: &[u8] = b"Type [next] to see next page.";

/// Reason why the lines do not form one complete listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ListingError {
    /// No line is part of such a listing.
    #[error("reply is not this listing")]
    NotThisReply,
    /// The last line is missing, or the pager waits for the command `next`.
    #[error("listing has no end")]
    Incomplete,
    /// There are more than 10,000 lines.
    #[error("listing is too long")]
    TooLong,
}

/// A reply with lines that may not be parsed.
pub trait UnreadLines {
    /// Returns the lines of the reply that could not be parsed, for modification.
    fn unread_mut(&mut self) -> &mut Vec<Line>;
}

/// A reply that is a table.
///
/// Lines are passed as the framer emits them: without prompt and line end, wrapped pieces joined.
pub trait Listing: Default + UnreadLines {
    /// Whether a known line ends the listing. Otherwise the listing ends with the reply, which only block mode or a prompt shows.
    const HAS_LAST_LINE: bool = false;

    /// Whether a reply without any line is an empty listing rather than an error.
    const MAY_BE_EMPTY: bool = false;

    /// Stores the values of a non-empty line. Returns `Break` if it is the last line of the listing, `Continue` for any other line of
    /// it, and `None`, without a change, if the line is not part of the listing (a tell, a board).
    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>>;

    /// Parses a complete reply. Lines that cannot be parsed are stored in the field `unread`; empty ones are ignored.
    ///
    /// Consumes no line after the last one of the listing, so that a caller who passes `&mut` to an iterator can process the rest.
    ///
    /// # Errors
    ///
    /// [`ListingError`] if no line is part of the listing, the end is missing, or there are too many lines.
    fn parse<'a>(lines: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, ListingError> {
        let mut collector = ListingCollector::default();
        for line in lines {
            match collector.add_line(line) {
                None => collector.store_unread(line),
                Some(ControlFlow::Break(())) => break,
                Some(ControlFlow::Continue(())) => {}
            }
        }
        collector.finish()
    }
}

/// Collects the lines of one listing from a stream of lines.
///
/// Pass every line to [`add_line`](Self::add_line) until it returns `Break` or the reply ends; then call [`finish`](Self::finish).
#[derive(Clone, Debug, Default)]
pub(crate) struct ListingCollector<L> {
    listing: L,
    progress: Progress,
    n_lines: usize,
}

/// The states in the table of the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    Waiting,
    Collecting,
    Paged,
    Done,
    TooLong,
}

impl<L: Listing> ListingCollector<L> {
    /// Adds a line if it is part of the listing. Empty lines and the pager's line are part of it after its first line.
    ///
    /// Returns `None` if the line is not part of the listing, or the listing is already complete or too long, and `Break` if it accepts
    /// no further lines, because this was the last one or one over the limit.
    pub(crate) fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        let is_started = matches!(self.progress, Progress::Collecting | Progress::Paged);
        let next = match line.trim_ascii() {
            _ if matches!(self.progress, Progress::Done | Progress::TooLong) => return None,
            b"" => is_started.then_some(Progress::Collecting)?,
            PAGER if is_started => Progress::Paged,
            _ => match self.listing.add_line(line)? {
                ControlFlow::Continue(()) => Progress::Collecting,
                ControlFlow::Break(()) => Progress::Done,
            },
        };
        self.progress = if self.count_line_within_limit() { next } else { Progress::TooLong };
        let is_over = matches!(self.progress, Progress::Done | Progress::TooLong);
        Some(if is_over { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }

    /// Returns the collected listing.
    ///
    /// # Errors
    ///
    /// [`ListingError`] if no line was part of the listing, the end is missing, or there were too many lines.
    pub(crate) fn finish(mut self) -> Result<L, ListingError> {
        match self.progress {
            Progress::Done => Ok(self.listing),
            Progress::Collecting if !L::HAS_LAST_LINE => Ok(self.listing),
            Progress::Waiting if L::MAY_BE_EMPTY && self.listing.unread_mut().is_empty() => Ok(self.listing),
            Progress::Waiting => Err(ListingError::NotThisReply),
            Progress::Collecting | Progress::Paged => Err(ListingError::Incomplete),
            Progress::TooLong => Err(ListingError::TooLong),
        }
    }

    /// Counts a line, and returns whether the count is still within [`MAX_LINES`].
    fn count_line_within_limit(&mut self) -> bool {
        self.n_lines += 1;
        self.n_lines <= MAX_LINES
    }

    /// Stores a line of the reply as unread, unless it is empty or follows the last line of the listing. One over the limit is
    /// dropped, and the listing fails as too long.
    pub(crate) fn store_unread(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() || self.progress == Progress::Done {
            return;
        }
        if self.count_line_within_limit() {
            self.listing.unread_mut().push(line.into());
        } else {
            self.progress = Progress::TooLong;
        }
    }
}

#[cfg(test)]
pub(super) mod testing {
    use super::*;

    /// Parses a reply written as one string.
    pub(crate) fn parse<L: Listing>(reply: &str) -> Result<L, ListingError> {
        L::parse(reply.lines().map(str::as_bytes))
    }

    /// Lines that can stand between the lines of any reply; none may be taken for a part of it.
    pub(crate) const ASYNC_LINES: &[&str] = &[
        "Bogoljubov tells you: async 1: x",
        "GuestHYMY(U) tells you:   1.  e4      (0:00.000)      c5      (0:00.123)",
        "Alekhine(53): 2. Nf3 (0:00) Nc6 (0:00)",
        "Alekhine(1882)[1] kibitzes: Blitz 1321 54.4 220 402 27 649 1417",
        "--> Alekhine 1500 290 1",
        "(kibitzed to 2 players)",
        ":Foo(TM) t-shouts: 3 players displayed.",
        "Bogoljubov has added 1 seconds to your clock.",
        "<d1> 1 6 a6 a7a6 586 299312 0",
        "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 1 Alice Boris -1 15 5 \
         39 39 892 900 1 P/e2-e4 (0:13) e4 0",
        "{Game 7 (Foo vs. Bar) Bar resigns} 1-0",
        "Notification: Boris has arrived.",
        "Challenge: Alekhine (2100) [white] Bogoljubov (1500) unrated blitz 2 12.",
    ];

    /// Feeds the reply with every [`ASYNC_LINES`] between any two of its lines; each of those must be refused.
    pub(crate) fn parse_with_async_lines_inserted<L: Listing>(reply: &str) -> Result<L, ListingError> {
        let mut collector = ListingCollector::<L>::default();
        for line in reply.lines() {
            assert!(collector.add_line(line.as_bytes()).is_some(), "{line}");
            for other in ASYNC_LINES {
                assert_eq!(collector.add_line(other.as_bytes()), None, "{other} after {line}");
            }
        }
        collector.finish()
    }
}

#[cfg(test)]
mod tests;
