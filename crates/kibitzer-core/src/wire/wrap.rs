//! Detection of lines that a server wrapped at its line width.

use super::frame::LineTag;
use super::quote::may_begin_heading;
use crate::scan::find;

/// The start of every further piece of a wrapped line.
pub(super) const CONTINUATION: &[u8; 4] = b"\\   ";

/// Line width at which servers wrap, in bytes: FICS and FatICS by default, the FICS 1.6 family always.
const DEFAULT_WIDTH: usize = 79;

/// Smallest line width that a user can set on FICS, in bytes.
const NARROWEST_WIDTH: usize = 32;

/// How the server wraps long lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wrapping {
    /// Whether the server wraps no lines; `true` once it has accepted `nowrap`.
    pub(super) is_unwrapped: bool,
    /// Whether the server keeps the blank at which it wraps (FatICS). The others drop it.
    pub(super) keeps_blanks: bool,
}

/// How the end of a server's output shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputEnd {
    /// By a prompt, so that a line can be held until the bytes after it arrive.
    Prompt,
    /// By nothing.
    Unmarked,
}

/// The last piece of a line, as received so far, and its place in the line.
#[derive(Clone, Copy, Debug)]
pub(super) enum LastPiece<'a> {
    First(&'a [u8]),
    Later(&'a [u8]),
}

impl Wrapping {
    /// Returns whether another piece may follow `line`, whose tag and last piece so far these are; always `false` for a server
    /// that wraps no lines.
    ///
    /// After output that ends with a prompt, any piece that is not empty may be followed by another one: lines are wrapped before the word that does not fit, so a piece may be short if a long word
    /// follows. Otherwise a piece shorter than the narrowest width is the last one, unless it may begin the heading of a quoted
    /// message: after a heading that is not recognized, a player's words could be protocol.
    ///
    /// A line with a tag or `{` may continue until it has all the fields of its kind. This is checked for its first piece only:
    /// a line that has several pieces already may have another one. A line of a quoted message always may continue.
    pub(super) fn may_continue(self, end: OutputEnd, tag: LineTag, line: &[u8], last: LastPiece<'_>) -> bool {
        if self.is_unwrapped {
            return false;
        }
        match last {
            LastPiece::First(piece) | LastPiece::Later(piece) if tag == LineTag::None && !line.starts_with(b"{") => {
                let is_short = piece.len() < NARROWEST_WIDTH;
                !is_short || (!piece.is_empty() && (end == OutputEnd::Prompt || may_begin_heading(line)))
            }
            LastPiece::First(_) => !has_all_fields(tag, line),
            LastPiece::Later(_) => true,
        }
    }

    /// Returns whether the server cut a word at the end of `piece`, so that joining must not add a blank.
    ///
    /// `physical_bytes` is the length of the piece with its continuation mark; `blank_follows` is whether the next piece starts
    /// with a blank of its own. A word is cut only if the piece has the full width and no blank follows. The piece then is part
    /// of one long word if it has no blank after its indent. A server that keeps the blanks has sent every blank itself, so that
    /// none is missing there.
    pub(super) fn is_cut_word(self, piece: &[u8], physical_bytes: usize, blank_follows: bool) -> bool {
        !blank_follows
            && physical_bytes == DEFAULT_WIDTH
            && (self.keeps_blanks || !piece.trim_ascii_start().contains(&b' '))
    }
}

/// Returns whether a line of one piece has all the fields of its tag, so that no further piece can follow.
///
/// Some lines have optional last fields: the clock and the lag of a board, a passed piece, more numbers. Without these they count
/// as complete, unless their length is that of a line wrapped at the default width.
fn has_all_fields(tag: LineTag, line: &[u8]) -> bool {
    let may_be_broken = (DEFAULT_WIDTH - 15..=DEFAULT_WIDTH + 1).contains(&line.len());
    match tag {
        LineTag::None => is_whole_game_line(line),
        LineTag::PlayerText => false,
        // Old servers end the line after 31 words, ICC too; FICS and FatICS send 33.
        LineTag::Style12 => match count_words(line) {
            ..=30 => false,
            31 | 32 => !may_be_broken,
            _ => true,
        },
        // The passed piece is optional, and comes last.
        LineTag::Holding => find(line, b" <- ").is_some() || (line.trim_ascii_end().ends_with(b"]") && !may_be_broken),
        // `f=` and `n=` are the last keys of their lines.
        LineTag::Seek | LineTag::NewSeek => find(line, b" f=").is_some(),
        LineTag::GameInfo => find(line, b" n=").is_some() || (find(line, b" ts=").is_some() && !may_be_broken),
        LineTag::PendingTo | LineTag::PendingFrom => is_whole_offer(line),
        LineTag::SeeksRemoved | LineTag::PendingRemoved => !may_be_broken,
        LineTag::CutStyle12
        | LineTag::Style10
        | LineTag::Delta
        | LineTag::SeeksCleared
        | LineTag::UserArrived
        | LineTag::UserDeparted => true,
    }
}

/// Returns whether `line`, a board with a continuation mark after it, has the length at which uhlin-fics cuts off boards: 81
/// bytes from field 15 on. The server sends the line end only with the next message.
///
/// Source: transcripts uhlinfics-style12-truncated-names.
pub(super) fn is_cut_board(line: &[u8]) -> bool {
    // Field 10 is `-1` or one digit.
    line.len() == 170 + usize::from(line.get(79) == Some(&b'-'))
}

/// Returns the number of words in a line, separated by blanks.
fn count_words(line: &[u8]) -> u32 {
    let starts_at_once = line.first().is_some_and(|&byte| byte != b' ');
    let next = line.get(1..).unwrap_or_default();
    // Counts in a byte, so that the compiler compares sixteen places at once.
    let n_later = line.chunks(255).zip(next.chunks(255)).map(|(bytes, next)| {
        let starts = bytes.iter().zip(next).map(|(&byte, &next)| u8::from(byte == b' ') & u8::from(next != b' '));
        u32::from(starts.sum::<u8>())
    });
    u32::from(starts_at_once) + n_later.sum::<u32>()
}

/// Returns whether a line that starts with `{` is complete: `{Game … match.}`, or `{Game …}` with a result after it.
fn is_whole_game_line(line: &[u8]) -> bool {
    let result = memchr::memrchr(b'}', line).and_then(|end| line.get(end + 1..)).unwrap_or_default();
    line.ends_with(b"match.}") || !result.trim_ascii().is_empty()
}

/// Returns whether the server cut an entity, such as `&#x263a;`, between `piece` and the next piece, which starts with `next`.
/// Joining must not add a blank then.
pub(super) fn cuts_entity(piece: &[u8], next: u8) -> bool {
    // `&#x` and six digits are the longest.
    let tail = piece.last_chunk::<9>().map_or(piece, |tail| tail);
    let entity = memchr::memrchr(b'&', tail).and_then(|start| tail.get(start..)).unwrap_or_default();
    match entity {
        [b'&', b'#'] => next == b'x',
        [b'&', b'#', b'x', digits @ ..] => {
            digits.iter().all(u8::is_ascii_hexdigit) && (next.is_ascii_hexdigit() || next == b';')
        }
        _ => false,
    }
}

/// Returns whether the line of a pending offer is complete: it ends with `#`, a number (half moves, increment), `untimed` or
/// `(adjourned)`.
fn is_whole_offer(line: &[u8]) -> bool {
    let last = line.trim_ascii_end().rsplit(|&b| b == b' ' || b == b'=').next().unwrap_or_default();
    last.iter().all(u8::is_ascii_digit) || matches!(last, b"#" | b"untimed" | b"(adjourned)")
}

#[cfg(test)]
mod tests;
