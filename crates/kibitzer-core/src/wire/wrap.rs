//! Lines that a server broke at its width, and when a line may still be one of them.

use super::frame::Tag;
use crate::scan::find;

/// What starts every further piece of a wrapped line.
pub(super) const CONTINUATION: &[u8; 4] = b"\\   ";

/// The width at which servers cut a word that has no blank. FICS and FatICS by default, the FICS 1.6 family always.
const DEFAULT_WIDTH: usize = 79;

/// What is known about this server's line breaks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapping {
    /// `false` once `nowrap` is known to work.
    pub(super) enabled: bool,
    /// No line shorter than this is broken, but for one case: see [`may_continue`](Self::may_continue).
    pub(super) narrowest: usize,
    /// FatICS keeps the blank at a break; the others eat it.
    pub(super) keeps_blanks: bool,
}

impl Default for Wrapping {
    fn default() -> Self {
        Self { enabled: true, narrowest: 32, keeps_blanks: false }
    }
}

impl Wrapping {
    /// Whether a further piece may follow `line`, whose last piece is `piece`.
    ///
    /// A line that is complete as its tag has it never continues. Neither does one shorter than the narrowest width a user can
    /// set, unless it ends with a colon: the FICS 1.6 family first breaks at the blank behind `Foo tells you:` if the word
    /// that follows fills more than a line, and only then cuts the word.
    pub(super) fn may_continue(&self, tag: Tag, line: &[u8], piece: &[u8]) -> bool {
        self.enabled
            && !is_complete(tag, line)
            && (piece.len() >= self.narrowest || piece.ends_with(b":") || tag != Tag::None)
    }

    /// Whether `piece` was cut inside a word, so that joining must not add a blank.
    ///
    /// `physical_bytes` is the length of the piece with its continuation mark; `blank_follows` tells whether the next piece
    /// starts with a blank of its own. A piece of full width without any blank is one long word. Where the server keeps the
    /// blanks, a break without one is a cut.
    pub(super) fn is_cut_word(&self, piece: &[u8], physical_bytes: usize, blank_follows: bool) -> bool {
        !blank_follows && physical_bytes == DEFAULT_WIDTH && (self.keeps_blanks || !piece.contains(&b' '))
    }
}

/// Whether a line has all that its tag promises, so that nothing can follow.
fn is_complete(tag: Tag, line: &[u8]) -> bool {
    match tag {
        Tag::None => line.starts_with(b"{") && line.contains(&b'}'),
        Tag::Style12 => line.split(|&b| b == b' ').filter(|word| !word.is_empty()).count() > 30,
        Tag::Holding => line.trim_ascii_end().ends_with(b"]") || find(line, b" <- ").is_some(),
        Tag::Seek | Tag::NewSeek => find(line, b" f=").is_some(),
        Tag::GameInfo => find(line, b" ts=").is_some(),
        Tag::PendingTo | Tag::PendingFrom => is_whole_offer(line),
        Tag::Style10
        | Tag::Delta
        | Tag::SeeksRemoved
        | Tag::SeeksCleared
        | Tag::PendingRemoved
        | Tag::UserArrived
        | Tag::UserDeparted => true,
    }
}

/// An offer ends with `#`, a number (half moves, increment), `untimed` or `(adjourned)`.
fn is_whole_offer(line: &[u8]) -> bool {
    let last = line.trim_ascii_end().rsplit(|&b| b == b' ' || b == b'=').next().unwrap_or_default();
    last.iter().all(u8::is_ascii_digit) || matches!(last, b"#" | b"untimed" | b"(adjourned)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_continue(line: &str) -> bool {
        Wrapping::default().may_continue(Tag::of(line.as_bytes()), line.as_bytes(), line.as_bytes())
    }

    // Rules: transport W5, bugs 13
    #[test]
    fn only_lines_that_can_continue_wait() {
        let waits = [
            "Foo tells you: a line as long as the narrowest width",
            "Dripper tells you:",
            "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1",
            "<s> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=?",
            "<b1> game 6 white [PNBBB] black",
            "<pf> 7 w=Foo t=match p=Foo (1708) Bar (----) unrated blitz",
            "{Game 1 (Abcdefghijklmnopq vs. Zyxwvutsrqponmlkj) Creating unrated",
        ];
        for line in waits {
            assert!(may_continue(line), "{line}");
        }
        let complete = [
            "Foo tells you: hi",
            "(told Foo)",
            "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 9 A B 0 2 12 39 39 120 120 1 none (0:00) none 0",
            "<s> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=? rr=0-9999 a=t f=f",
            "<b1> game 6 white [PNBBB] black [PNB] ",
            "<b1> game 52 white [NB] black [N] <- BN",
            "<pf> 7 w=Foo t=match p=Foo (1708) Bar (----) unrated blitz 5 0",
            "<pf> 7 w=Foo t=draw p=#",
            "<d1> 314 5 e3 e2e3 100 59800 563",
            "{Game 107 (Abc vs. Bcd) Creating unrated blitz match.}",
        ];
        for line in complete {
            assert!(!may_continue(line), "{line}");
        }
    }
}
