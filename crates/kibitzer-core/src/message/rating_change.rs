//! Ratings of this login: their change after a game, and the forecast of it in a challenge.

use super::template::Captures;
use super::{Message, fields};
use crate::scan::Cursor;
use crate::text::ServerText;

/// The change of this login's rating after its game: `Blitz rating adjustment: 1500 --> 1508.`, `No ratings adjustment done.`
///
/// Source: transcripts of uhlin-fics; text §8.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RatingChange {
    /// The type of game as received, `Blitz`; `None` if no rating changed.
    pub kind: Option<ServerText>,
    /// The rating before the game, 0 without one; `None` if no rating changed.
    pub old: Option<u16>,
    /// The rating after the game; `None` if no rating changed.
    pub new: Option<u16>,
}

impl RatingChange {
    /// The report that no rating changed.
    pub(super) const NONE: Self = Self { kind: None, old: None, new: None };

    /// Parses `1500 --> 1508.` after the type of game; the full stop is optional.
    pub(super) fn from_sentence(found: &Captures<'_>) -> Option<Message> {
        let kind = found.name.as_ref().map(|kind| ServerText::from_wire(kind.as_str().as_bytes()));
        let numbers = found.rest.strip_suffix(b".").unwrap_or(found.rest);
        let (old, new) = fields::parse_pair(numbers, b"--> ", Cursor::number)?;
        Some(Self { kind, old, new }.into())
    }
}

/// The effect of a rated game on this login's rating, sent with a challenge in two lines: `Your blitz rating will change:  Win: +6,
/// Draw: -2,  Loss: -10` and `Your new RD will be 22.9`.
///
/// Source: transcripts of uhlin-fics; text §3.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RatingForecast {
    /// The type of game as received: `blitz`; `None` in the second line, like the three changes.
    pub kind: Option<ServerText>,
    /// The change of the rating after a win.
    pub win: Option<i32>,
    /// The change of the rating after a draw.
    pub draw: Option<i32>,
    /// The change of the rating after a loss.
    pub loss: Option<i32>,
    /// The deviation of the rating after the game, in tenths; `None` in the first line.
    pub rd_tenths: Option<u32>,
}

impl RatingForecast {
    /// Parses `+6,  Draw: -2,  Loss: -10` after the type of game and `Win: `.
    pub(super) fn from_changes(found: &Captures<'_>) -> Option<Message> {
        let mut at = Cursor::new(found.rest);
        let win = read_signed(&mut at)?;
        let draw = read_signed(at.expect(b",")?.skip_whitespace().expect(b"Draw: ")?)?;
        let loss = read_signed(at.expect(b",")?.skip_whitespace().expect(b"Loss: ")?)?;
        at.expect_blank_rest()?;
        let kind = Some(ServerText::from_wire(found.word));
        Some(Self { kind, win: Some(win), draw: Some(draw), loss: Some(loss), rd_tenths: None }.into())
    }

    /// Parses a deviation with one decimal, `22.9`.
    pub(super) fn from_deviation(found: &Captures<'_>) -> Option<Message> {
        let (whole, tenths) = fields::parse_pair::<u32>(found.rest, b".", Cursor::number)?;
        let rd_tenths = whole?.checked_mul(10)?.checked_add(tenths.filter(|digit| *digit <= 9)?)?;
        Some(Self { rd_tenths: Some(rd_tenths), ..Self::default() }.into())
    }
}

/// Reads a number with `+` or `-` before it, or none.
fn read_signed(at: &mut Cursor<'_>) -> Option<i32> {
    let _plus = at.skip_whitespace().eat(b"+");
    at.signed().and_then(|number| number.try_into().ok())
}
