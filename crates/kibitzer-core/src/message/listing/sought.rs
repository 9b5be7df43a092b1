//! The reply to `sought`.

use std::ops::ControlFlow;

use super::Listing;
use super::parts::{parse_row_count, read_number_pair};
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
    /// The rows as received. The field [`new`](Seek::new) is false in all of them.
    pub seeks: Vec<Seek>,
    /// Number of ads shown, from the last line; `None` without it.
    pub shown: Option<u32>,
    /// Number of all ads, from the last line; `None` if it does not have it.
    pub total: Option<u32>,
    /// Lines of the reply that could not be parsed.
    pub unread: Vec<Line>,
}

impl Listing for SoughtList {
    const MAY_BE_EMPTY: bool = true;

    fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
        if let Some((shown, total)) = parse_row_count(line, b"ad") {
            (self.shown, self.total) = (Some(shown), total);
            return Some(ControlFlow::Break(()));
        }
        self.seeks.push(parse_row(line)?);
        Some(ControlFlow::Continue(()))
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
    seek.initial_min = Some(at.expect(b" ")?.skip_whitespace().number()?);
    seek.increment_s = Some(at.expect(b" ")?.skip_whitespace().number()?);
    seek.rated = Some(read_rated(at)?);
    let kind = read_kind(at)?;
    seek.kind = (!kind.is_empty()).then(|| ServerText::from_wire(kind));
    seek.color = read_bracketed_color(at);
    let (rating_min, rating_max) = read_rating_range(at)?;
    (seek.rating_min, seek.rating_max) = (Some(rating_min), Some(rating_max));
    // `m`: the seeker has to confirm an answer. `f`: the seeker's formula applies.
    seek.automatic = Some(!at.skip_whitespace().eat(b"m"));
    seek.formula = Some(at.skip_whitespace().eat(b"f"));
    at.expect_blank_rest()
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

/// Reads the rating range, `0-9999` or `   0- 999`.
fn read_rating_range(at: &mut Cursor<'_>) -> Option<(u16, u16)> {
    let range = read_number_pair(at)?;
    matches!(at.peek(), None | Some(b' ')).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
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
            (
                " 48 ---- Foo(C)              3   0 rated   blitz      [white]    0- 999 mf",
                "Foo",
                None,
                "blitz",
                Some(Color::White),
                999,
                (true, true),
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
        assert_eq!((icc.seeks.len(), icc.shown), (2, None));
        assert_eq!((icc.seeks[1].initial_min, icc.seeks[1].increment_s), (Some(15), Some(10)));
        let whole = format!("{rows}\n2 ads displayed.");
        let fatics = parse::<SoughtList>(&whole).unwrap();
        assert_eq!((fatics.seeks.len(), fatics.shown), (2, Some(2)));
        assert_eq!(parse_with_async_lines_inserted::<SoughtList>(&whole), Ok(fatics));
        assert_eq!(parse::<SoughtList>("0 ads displayed.").map(|list| list.seeks.len()), Ok(0));
    }

    #[test]
    fn a_row_with_extra_text_is_stored_as_a_line() {
        let list = parse::<SoughtList>("  3 1882 Foo   5   0 rated   blitz   0-9999 mfx\n0 ads displayed.").unwrap();
        assert_eq!((list.seeks.len(), list.unread.len()), (0, 1));
    }
}
