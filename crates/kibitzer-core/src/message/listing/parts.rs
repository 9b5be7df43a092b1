//! Parts that several listings share.

use crate::chess::Color;
use crate::message::fields::{ClockReading, read_duration_ms};
use crate::message::{Handle, Rating, Titles};
use crate::scan::Cursor;
use crate::text::{PlayerText, decode_received};

/// Reads a color, `W` or `B`.
pub(super) fn read_color_letter(at: &mut Cursor<'_>) -> Option<Color> {
    if at.eat(b"W") { Some(Color::White) } else { at.eat(b"B").then_some(Color::Black) }
}

/// A player's name, titles and rating as a listing shows them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ListedPlayer {
    /// The name. `games` cuts it to 10 or 11 letters.
    pub name: Handle,
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

    /// Reads a rating and a name, `1500 Foo`. The name may be anything that [`read_free_name`] accepts.
    pub(super) fn read_rating_and_name(at: &mut Cursor<'_>) -> Option<Self> {
        let rating = Some(Rating::read(at)?);
        let name = read_free_name(at.expect(b" ")?)?;
        Some(Self { name, titles: Titles::default(), rating })
    }
}

/// Reads a player's name after optional blanks: one or more bytes up to a blank, `(`, `)` or `[`. Accepts more than [`Handle::read`],
/// because the players of an examined game may have arbitrary names.
pub(super) fn read_free_name(at: &mut Cursor<'_>) -> Option<Handle> {
    let name = at.skip_whitespace().take_while(|b| !matches!(b, b' ' | b'(' | b')' | b'['));
    (!name.is_empty()).then(|| Handle::from_wire(name))
}

/// The terms of a game as tables abbreviate them: `[psr 10  12]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameTerms {
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

impl GameTerms {
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

/// Decodes a name that the server printed, and a value, which players may have chosen.
pub(super) fn decode_field(name: &[u8], value: &[u8]) -> (String, PlayerText) {
    (decode_received(name).into_owned(), PlayerText::from_wire(value))
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
