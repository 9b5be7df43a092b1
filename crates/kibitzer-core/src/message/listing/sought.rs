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
mod tests;
