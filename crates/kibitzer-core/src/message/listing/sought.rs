//! The reply to `sought`.

use std::ops::ControlFlow;

use super::parts::push_if_some;
use super::{Listing, RowCount};
use crate::message::template::{read_bracketed_color, read_rated};
use crate::message::{Handle, Rating, Seek, Titles};
use crate::scan::Cursor;
use crate::text::{Line, ServerText};

/// The open seeks.
///
/// Rows look like `  4 1500 loon                5   0 unrated standard   [white]    0-9999 mf`. FICS and FatICS end the
/// list with `3 ads displayed.`, ICC with nothing; uhlin-fics, which has no seeks, prints no line at all.
///
/// Source: FICS help file `sought`; transcripts of FatICS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SoughtList {
    /// The rows as received; none of them is [`new`](Seek::new).
    pub seeks: Vec<Seek>,
    /// The number of ads in the last line; `None` if there is no such line.
    pub count: Option<RowCount>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

impl Listing for SoughtList {
    const MAY_BE_EMPTY: bool = true;

    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if push_if_some(&mut self.seeks, parse_row(line)) {
            return Some(ControlFlow::Continue(()));
        }
        self.count = RowCount::parse(line, b"ad");
        if self.count.is_some() { Some(ControlFlow::Break(())) } else { None }
    }

    fn unread_mut(&mut self) -> &mut Vec<Line> {
        &mut self.unread
    }
}

fn parse_row(line: &[u8]) -> Option<Seek> {
    let mut at = Cursor::new(line);
    let index = at.skip_whitespace().number()?;
    let rating = Rating::read(at.expect(b" ")?);
    at.skip_whitespace();
    let name = Handle::from_wire(Handle::read(&mut at)?);
    let titles = Titles::read(&mut at);
    let mut seek = Seek { titles, rating, ..Seek::empty(index, name, false) };
    read_terms_into(&mut at, &mut seek)?;
    Some(seek)
}

/// Reads the rest of a row after the titles, and stores the terms in `seek`.
fn read_terms_into(at: &mut Cursor<'_>, seek: &mut Seek) -> Option<()> {
    let (initial_min, increment_s) = read_times(at)?;
    (seek.initial_min, seek.increment_s) = (Some(initial_min), Some(increment_s));
    seek.rated = Some(read_rated(at)?);
    let kind = read_kind(at)?;
    seek.kind = (!kind.is_empty()).then(|| ServerText::from_wire(kind));
    seek.color = read_bracketed_color(at);
    let (rating_min, rating_max) = read_rating_range(at)?;
    (seek.rating_min, seek.rating_max) = (Some(rating_min), Some(rating_max));
    let (manual, formula) = read_manual_and_formula(at)?;
    (seek.automatic, seek.formula) = (Some(!manual), Some(formula));
    Some(())
}

/// Reads initial minutes and increment in seconds.
fn read_times(at: &mut Cursor<'_>) -> Option<(u16, u16)> {
    let initial_min = at.expect(b" ")?.skip_whitespace().number()?;
    at.expect(b" ")?.skip_whitespace();
    Some((initial_min, at.number()?))
}

/// Reads the type of game: the words before the color or the rating range, possibly none. `None` if neither follows.
fn read_kind<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    at.skip_whitespace();
    let from = *at;
    while !at.rest().starts_with(b"[") && read_rating_range(&mut at.clone()).is_none() {
        at.word_here()?;
        at.skip_whitespace();
    }
    Some(at.since(from).trim_ascii_end())
}

/// Reads the rating range, `0-9999`.
fn read_rating_range(at: &mut Cursor<'_>) -> Option<(u16, u16)> {
    let low = at.skip_whitespace().number()?;
    let high = at.expect(b"-")?.number()?;
    matches!(at.peek(), None | Some(b' ')).then_some((low, high))
}

/// Reads the flags `m` and `f` at the end of a row: whether the seeker has to confirm, and whether the formula applies.
fn read_manual_and_formula(at: &mut Cursor<'_>) -> Option<(bool, bool)> {
    let manual = at.skip_whitespace().eat(b"m");
    let formula = at.skip_whitespace().eat(b"f");
    at.expect_blank_rest()?;
    Some((manual, formula))
}

#[cfg(test)]
mod tests {
    use super::super::collect::testing::{parse, parse_interleaved};
    use super::*;
    use crate::chess::Color;

    #[test]
    fn rows_of_every_kind() {
        // Line; index, name, rating, kind, color, range, flags.
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
            let row = parse_row(line.as_bytes()).unwrap_or_else(|| panic!("{line}"));
            assert_eq!((row.name.as_str(), row.rating.and_then(Rating::value)), (name, rating), "{line}");
            assert_eq!(row.kind.as_ref().map(ServerText::as_str), Some(kind), "{line}");
            assert_eq!((row.color, row.rating_min, row.rating_max), (color, Some(0), Some(max)), "{line}");
            assert_eq!((row.automatic, row.formula), (Some(!flags.0), Some(flags.1)), "{line}");
            assert_eq!((row.rated, row.new), (Some(line.contains(" rated")), false), "{line}");
        }
    }

    // Rules: bugs 70
    #[test]
    fn the_last_line_is_optional() {
        let rows = "  3 1882 Alekhine            5   0 rated   blitz                  0-9999\n  \
                      4 ---- Alekhine           15  10 unrated standard   [white]     0-9999";
        let icc = parse::<SoughtList>(rows).unwrap();
        assert_eq!((icc.seeks.len(), icc.count), (2, None));
        assert_eq!((icc.seeks[1].initial_min, icc.seeks[1].increment_s), (Some(15), Some(10)));
        let whole = format!("{rows}\n2 ads displayed.");
        let fatics = parse::<SoughtList>(&whole).unwrap();
        assert_eq!((fatics.seeks.len(), fatics.count.map(|count| count.shown)), (2, Some(2)));
        assert_eq!(parse_interleaved::<SoughtList>(&whole), Ok(fatics));
        assert_eq!(parse::<SoughtList>("0 ads displayed.").map(|list| list.seeks.len()), Ok(0));
    }

    #[test]
    fn a_row_with_extra_text_is_stored_as_a_line() {
        let list = parse::<SoughtList>("  3 1882 Foo   5   0 rated   blitz   0-9999 mfx\n0 ads displayed.").unwrap();
        assert_eq!((list.seeks.len(), list.unread.len()), (0, 1));
    }
}
