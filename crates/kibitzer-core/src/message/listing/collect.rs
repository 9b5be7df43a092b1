//! Collection of the lines of one listing from a stream in which other lines may occur between them, and the parts that rows of
//! several listings share.
//!
//! | state | line | next state | result |
//! |---|---|---|---|
//! | `Waiting` | part of the listing | `Collecting` | `Continue` |
//! | `Collecting`, `Paged` | part of the listing, or empty | `Collecting` | `Continue` |
//! | `Collecting`, `Paged` | the pager's line | `Paged` | `Continue` |
//! | `Waiting`, `Collecting`, `Paged` | last line of the listing | `Done` | `Break` |
//! | `Waiting`, `Collecting`, `Paged` | one line over the limit | `TooLong` | `Break` |
//! | any | another line | unchanged | `None` |

use std::fmt;
use std::ops::ControlFlow;

use thiserror::Error;

use crate::chess::Color;
use crate::message::fields::{ClockReading, read_duration_ms};
use crate::message::{Handle, Rating, Titles};
use crate::scan::Cursor;
use crate::text::{Line, PlayerText, decode_received};

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
#[expect(unnameable_types, reason = "seals `Listing`")]
pub trait UnreadLines {
    /// Returns the lines of the reply that could not be parsed, for modification.
    fn unread_mut(&mut self) -> &mut Vec<Line>;
}

/// A reply that is a table. The trait is sealed: the listings of this crate implement it.
///
/// Lines are passed as the framer emits them: without prompt and line end, wrapped pieces joined.
pub trait Listing: Default + UnreadLines {
    /// Whether a known line ends the listing. Otherwise the listing ends with the reply, which only block mode or a prompt shows.
    #[doc(hidden)]
    const HAS_LAST_LINE: bool = false;

    /// Whether a reply without any line is an empty listing rather than an error.
    #[doc(hidden)]
    const MAY_BE_EMPTY: bool = false;

    /// Stores the values of a non-empty line. Returns `Break` if it is the last line of the listing, `Continue` for any other line of
    /// it, and `None`, without a change, if the line is not part of the listing (a tell, a board).
    #[doc(hidden)]
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

/// Reads a color, `W` or `B`.
pub(super) fn read_color_letter(at: &mut Cursor<'_>) -> Option<Color> {
    if at.eat(b"W") { Some(Color::White) } else { at.eat(b"B").then_some(Color::Black) }
}

/// A player's name, titles and rating as a listing shows them. `N` is [`ListedName`] in a listing that cuts names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedPlayer<N = Handle> {
    /// The name.
    pub name: N,
    /// The titles after the name; empty where the listing shows none.
    pub titles: Titles,
    /// The rating; `None` if the listing shows none. It may be 0: on FatICS for guests, on all servers in examined games.
    pub rating: Option<Rating>,
}

impl ListedPlayer {
    /// Reads a name with titles, `Foo(TM)(*)`.
    pub(super) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        let name = Handle::from_wire(Handle::read(at)?);
        Some(Self { name, titles: Titles::read(at), rating: None })
    }
}

impl ListedPlayer<ListedName> {
    /// Reads a rating and a name of the reply to `games`, `1500 Foo`. The name may be anything that [`ListedName::read`] accepts.
    pub(super) fn read_rating_and_name(at: &mut Cursor<'_>) -> Option<Self> {
        let rating = Some(Rating::read(at)?);
        let name = ListedName::read(at.expect(b" ")?, &ListedName::CUT_IN_GAMES)?;
        Some(Self { name, titles: Titles::default(), rating })
    }
}

/// A name in a listing. Servers cut it to the width of its column: in `games`, FICS cuts it to 11 characters, FatICS to 10.
/// Examined games may have made-up names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListedName {
    printed: Handle,
    may_be_cut: bool,
}

impl ListedName {
    /// Lengths of cut names in the reply to `games`: that of FatICS and that of FICS.
    pub(super) const CUT_IN_GAMES: [usize; 2] = [10, 11];

    /// Lengths of cut names in the replies to `history` and `stored`: those of FICS and its relatives, and of FatICS.
    pub(super) const CUT_IN_PAST_GAMES: [usize; 3] = [13, 14, 15];

    /// Reads a name after optional blanks: one or more bytes up to a blank, `(`, `)` or `[`. Accepts more than [`Handle::read`],
    /// because the players of an examined game may have arbitrary names. It may be cut if its length is one of `cut_lengths`.
    pub(super) fn read(at: &mut Cursor<'_>, cut_lengths: &[usize]) -> Option<Self> {
        let name = at.skip_whitespace().take_while(|b| !matches!(b, b' ' | b'(' | b')' | b'['));
        let may_be_cut = cut_lengths.contains(&name.len());
        (!name.is_empty()).then(|| Self { printed: Handle::from_wire(name), may_be_cut })
    }

    /// Returns the name as printed.
    pub fn as_str(&self) -> &str {
        self.printed.as_str()
    }

    /// Returns the name as printed, for servers that accept the start of a name in place of it.
    pub(crate) fn into_printed(self) -> Handle {
        self.printed
    }

    /// Returns the player's handle; `None` if the name may be cut, because it is as long as its column, or no account can have it.
    pub fn full(&self) -> Option<&Handle> {
        Some(&self.printed).filter(|name| !self.may_be_cut && Handle::is_name(name.as_str().as_bytes()))
    }
}

impl From<Handle> for ListedName {
    /// Returns the name as one that is not cut.
    fn from(printed: Handle) -> Self {
        Self { printed, may_be_cut: false }
    }
}

impl fmt::Display for ListedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.printed, f)
    }
}

/// The terms of a game as tables abbreviate them: `[psr 10  12]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedTerms {
    /// The letter before the kind: `p` for a private game; in FatICS's histories the speed (`b`, `l`, `s`).
    pub mark: Option<char>,
    /// The kind: b blitz, l lightning, s standard, u untimed, w wild, e examined, z crazyhouse, B bughouse, L losers,
    /// S suicide, x atomic, n nonstandard (FatICS's histories: plain chess); on FatICS 9 chess960, ? untimed, o slow, c by
    /// correspondence. `None` if the column is blank, as for unrated stored games on FatICS.
    pub kind: Option<char>,
    /// Whether the game is rated: `r` rather than `u`.
    pub rated: bool,
    /// Minutes on each clock at the start.
    pub initial_min: u32,
    /// Seconds added per move.
    pub increment_s: u32,
}

impl ListedTerms {
    /// Placeholder for the terms of an examined game on ICC, which does not list them.
    pub(super) const EXAMINED: Self =
        Self { mark: None, kind: Some('e'), rated: false, initial_min: 0, increment_s: 0 };

    /// Reads the terms in square brackets, `[psr 10  12]`; blanks between letters and numbers are optional.
    pub(in crate::message) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        let mark = read_letter_or_blank(at.expect(b"[")?).filter(|&mark| mark != ' ');
        // FatICS leaves the column of the kind blank for unrated stored games.
        let kind = if at.eat(b" ") { None } else { Some(read_kind_letter(at)?) };
        let terms = Self { mark, ..Self::read_after_kind(kind, at)? };
        at.skip_whitespace().expect(b"]")?;
        Some(terms)
    }

    /// Reads the terms in ICC's form without brackets, `bu  2  12`; wild games have a number in place of the kind: `20u  5  12`.
    pub(super) fn read_icc(at: &mut Cursor<'_>) -> Option<Self> {
        let is_wild = !at.take_while(|b| b.is_ascii_digit()).is_empty();
        let kind = if is_wild { 'w' } else { read_kind_letter(at)? };
        Self::read_after_kind(Some(kind), at)
    }

    /// Reads the terms after the letter of the kind, which is passed as `kind`.
    fn read_after_kind(kind: Option<char>, at: &mut Cursor<'_>) -> Option<Self> {
        let rated = at.eat(b"r");
        (rated || at.eat(b"u")).then_some(())?;
        let initial_min = at.skip_whitespace().number()?;
        at.skip_whitespace();
        Some(Self { mark: None, kind, rated, initial_min, increment_s: at.number()? })
    }
}

/// Reads the letter or digit of a kind, or FatICS's `?`.
fn read_kind_letter(at: &mut Cursor<'_>) -> Option<char> {
    read_letter_or_blank(at).filter(|&kind| kind.is_ascii_alphanumeric() || kind == '?')
}

/// Reads one printable ASCII character, which may be a blank.
fn read_letter_or_blank(at: &mut Cursor<'_>) -> Option<char> {
    let letter = at.peek().filter(|&b| b == b' ' || b.is_ascii_graphic())?;
    at.eat(&[letter]).then(|| char::from(letter))
}

/// Reads two numbers with a hyphen between them, each after optional blanks: the material ` 3-19`, with a pawn counted as 1, or the
/// rating range `   0- 999`.
pub(super) fn read_number_pair(at: &mut Cursor<'_>) -> Option<(u16, u16)> {
    let first = at.skip_whitespace().number()?;
    Some((first, at.expect(b"-")?.skip_whitespace().number()?))
}

/// Reads a clock after optional blanks: `0:10`, `-0:05`, `1:40:00`.
pub(super) fn read_padded_clock(at: &mut Cursor<'_>) -> Option<ClockReading> {
    let negative = at.skip_whitespace().eat(b"-");
    let ms = i64::from(read_duration_ms(at)?);
    Some(ClockReading::from_ms(if negative { -ms } else { ms }))
}

/// Parses the last line of a listing, `  6 games displayed (of 23 in progress).`: the number of rows shown and that of all rows, which
/// is `None` if the line does not have it. `things` is the second word in lower case, without its plural `s`.
///
/// Text after the numbers is ignored, because it differs between servers.
pub(super) fn parse_row_count(line: &[u8], things: &[u8]) -> Option<(u32, Option<u32>)> {
    let mut at = Cursor::new(line);
    let shown = at.skip_whitespace().number()?;
    let word = at.skip_whitespace().word_here()?.to_ascii_lowercase();
    (word.strip_suffix(b"s").unwrap_or(&word) == things).then_some(())?;
    let verb = at.skip_whitespace().take_while(|b| b.is_ascii_alphabetic());
    verb.eq_ignore_ascii_case(b"displayed").then_some(())?;
    let total = at.skip_whitespace().expect(b"(of").and_then(|at| at.skip_whitespace().number());
    Some((shown, total))
}

/// Parses the rest of the line as items that `read` reads, each followed by a blank or the end of the line. There may be none.
pub(super) fn parse_items<T>(mut at: Cursor<'_>, read: impl Fn(&mut Cursor<'_>) -> Option<T>) -> Option<Vec<T>> {
    let mut items = Vec::new();
    while at.expect_blank_rest().is_none() {
        items.push(read(&mut at)?);
        matches!(at.peek(), None | Some(b' ')).then_some(())?;
    }
    Some(items)
}

/// A setting or another value with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedValue {
    /// The name as the server prints it.
    pub name: String,
    /// The value, which players may have chosen.
    pub value: PlayerText,
}

impl NamedValue {
    /// Decodes a received name and value.
    pub(super) fn from_wire(name: &[u8], value: &[u8]) -> Self {
        Self { name: decode_received(name).into_owned(), value: PlayerText::from_wire(value) }
    }
}

/// Reads the rest of the line, decoded, without blanks at both ends.
pub(super) fn read_text(at: &mut Cursor<'_>) -> String {
    decode_received(at.take_rest().trim_ascii()).into_owned()
}

/// Reads the next word, decoded, after optional blanks; `None` at the end of the line.
pub(super) fn read_text_word(at: &mut Cursor<'_>) -> Option<String> {
    at.skip_whitespace();
    Some(decode_received(at.word_here()?).into_owned())
}

#[cfg(test)]
mod tests;
