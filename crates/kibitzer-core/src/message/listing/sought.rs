//! The reply to `sought`.

use super::collect::sealed::Sealed;
use super::parts::take_text;
use super::{End, ListedPlayer, Listing, Shown, Step};
use crate::chess::Color;
use crate::message::Rating;
use crate::scan::Cursor;
use crate::text::Line;

/// The open seeks.
///
/// Rows look like `  4 1500 loon                5   0 unrated standard   [white]    0-9999 mf`. FICS and FatICS end the
/// list with `3 ads displayed.`, ICC with nothing; uhlin-fics, which has no seeks, prints no line at all.
///
/// Source: FICS help file `sought`; transcripts of FatICS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SoughtList {
    /// The rows as sent.
    pub seeks: Vec<SoughtRow>,
    /// The last line, if there is one.
    pub shown: Option<Shown>,
    /// Lines that were not understood.
    pub unread: Vec<Line>,
}

/// One row of [`SoughtList`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SoughtRow {
    /// The number to `play`.
    pub index: u32,
    /// Who seeks; the rating is the one for this kind of game, [`Rating::Guest`] or `None` for guests.
    pub player: ListedPlayer,
    /// Minutes on each clock at the start.
    pub initial_min: u32,
    /// Seconds added per move.
    pub increment_s: u32,
    /// `rated` against `unrated`.
    pub rated: bool,
    /// The kind as printed: `standard`, `blitz crazyhouse`, `wild/fr`.
    pub kind: String,
    /// The colour the seeker wants, if any.
    pub color: Option<Color>,
    /// The lowest rating that may answer.
    pub rating_min: u32,
    /// The highest rating that may answer.
    pub rating_max: u32,
    /// `m`: the seeker confirms each answer.
    pub manual: bool,
    /// `f`: the seeker's formula counts.
    pub formula: bool,
}

impl Sealed for SoughtList {}

impl Listing for SoughtList {
    const END: End = End::ReplyOrNothing;

    fn take(&mut self, line: &[u8]) -> Step {
        if let Some(row) = SoughtRow::read(line) {
            self.seeks.push(row);
            return Step::Taken;
        }
        self.shown = Shown::read(line, b"ad");
        if self.shown.is_some() { Step::Done } else { Step::NotMine }
    }

    fn unread_mut(&mut self) -> &mut Vec<Line> {
        &mut self.unread
    }
}

impl SoughtRow {
    fn read(line: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(line);
        at.blanks();
        let index = at.number()?;
        at.expect(b" ")?;
        let rating = Rating::read(&mut at);
        at.blanks();
        let player = ListedPlayer { rating, ..ListedPlayer::read(&mut at)? };
        let (initial_min, increment_s) = read_times(&mut at)?;
        let rated = read_rated(&mut at)?;
        let (kind, color) = read_kind(&mut at)?;
        let (rating_min, rating_max) = read_range(&mut at)?;
        let (manual, formula) = read_flags(&mut at)?;
        Some(Self {
            index,
            player,
            initial_min,
            increment_s,
            rated,
            kind,
            color,
            rating_min,
            rating_max,
            manual,
            formula,
        })
    }
}

fn read_times(at: &mut Cursor<'_>) -> Option<(u32, u32)> {
    at.expect(b" ")?;
    at.blanks();
    let initial_min = at.number()?;
    at.expect(b" ")?;
    at.blanks();
    Some((initial_min, at.number()?))
}

fn read_rated(at: &mut Cursor<'_>) -> Option<bool> {
    at.blanks();
    match at.word()? {
        b"rated" => Some(true),
        b"unrated" => Some(false),
        _ => None,
    }
}

/// The words up to the range, and the colour in front of it.
fn read_kind(at: &mut Cursor<'_>) -> Option<(String, Option<Color>)> {
    at.blanks();
    let words = at.rest();
    while !at.rest().starts_with(b"[") && read_range(&mut at.clone()).is_none() {
        at.word()?;
        at.blanks();
    }
    let kind = words.get(..words.len() - at.rest().len())?;
    Some((take_text(&mut Cursor::new(kind)), read_color(at)))
}

fn read_color(at: &mut Cursor<'_>) -> Option<Color> {
    if at.eat(b"[white]") { Some(Color::White) } else { at.eat(b"[black]").then_some(Color::Black) }
}

/// `0-9999`
fn read_range(at: &mut Cursor<'_>) -> Option<(u32, u32)> {
    at.blanks();
    let low = at.number()?;
    at.expect(b"-")?;
    let high = at.number()?;
    matches!(at.peek(), None | Some(b' ')).then_some((low, high))
}

fn read_flags(at: &mut Cursor<'_>) -> Option<(bool, bool)> {
    at.blanks();
    let manual = at.eat(b"m");
    at.blanks();
    let formula = at.eat(b"f");
    at.end()?;
    Some((manual, formula))
}

#[cfg(test)]
mod tests {
    use super::super::collect::testing::{interrupted, parse};
    use super::*;

    #[test]
    fn rows_of_every_kind() {
        // Line; index, name, rating, kind, colour, range, flags.
        let cases = [
            (
                "  4 1500 loon                5   0 unrated standard   [white]    0-9999 mf",
                "loon",
                Some(1500),
                "standard",
                Some(Color::White),
                9999,
                (true, true),
            ),
            (
                "  5 1558 Alekhine            3   0 rated   blitz crazyhouse [black]     0-9999 m",
                "Alekhine",
                Some(1558),
                "blitz crazyhouse",
                Some(Color::Black),
                9999,
                (true, false),
            ),
            (
                "  6 ++++ GuestSSXE(U)        2  12 unrated blitz                  0-9999",
                "GuestSSXE",
                None,
                "blitz",
                None,
                9999,
                (false, false),
            ),
            (
                " 47      guest12             3   0 unrated wild/fr               0-1800 f",
                "guest12",
                None,
                "wild/fr",
                None,
                1800,
                (false, true),
            ),
        ];
        for (line, name, rating, kind, color, max, flags) in cases {
            let row = SoughtRow::read(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((row.player.name.as_str(), row.player.rating.and_then(Rating::value)), (name, rating), "{line}");
            assert_eq!((row.kind.as_str(), row.color, row.rating_max), (kind, color, max), "{line}");
            assert_eq!((row.manual, row.formula, row.rated), (flags.0, flags.1, line.contains(" rated")), "{line}");
        }
    }

    // Rules: bugs 70
    #[test]
    fn the_last_line_is_optional() {
        let rows = "  3 1882 Alekhine            5   0 rated   blitz                  0-9999\n  \
                      4 ---- Alekhine           15  10 unrated standard   [white]     0-9999";
        let icc = parse::<SoughtList>(rows).unwrap();
        assert_eq!((icc.seeks.len(), icc.shown), (2, None));
        assert_eq!((icc.seeks[1].initial_min, icc.seeks[1].increment_s), (15, 10));
        let whole = format!("{rows}\n2 ads displayed.");
        let fatics = parse::<SoughtList>(&whole).unwrap();
        assert_eq!((fatics.seeks.len(), fatics.shown.map(|s| s.shown)), (2, Some(2)));
        assert_eq!(interrupted::<SoughtList>(&whole), Ok(fatics));
        assert_eq!(parse::<SoughtList>("0 ads displayed.").map(|list| list.seeks.len()), Ok(0));
    }

    #[test]
    fn a_row_with_more_is_kept_as_a_line() {
        let list = parse::<SoughtList>("  3 1882 Foo   5   0 rated   blitz   0-9999 mfx\n0 ads displayed.").unwrap();
        assert_eq!((list.seeks.len(), list.unread.len()), (0, 1));
    }
}
