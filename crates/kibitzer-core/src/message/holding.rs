//! `<b1>`: the reserves of both sides of a crazyhouse or bughouse game.

use super::{GameId, fields};
use crate::chess::{Color, Hand, Role};
use crate::scan::Cursor;
use crate::text::ServerText;

/// A holdings line, with the reserves of both sides: `<b1> game 52 white [NB] black [N] <- BN`.
///
/// Each line has the complete reserves, which replace those of earlier lines. Letters may have either case, and blanks may end
/// the line. Servers may truncate a long list (one known server sends at most 21 letters in all).
///
/// Source: FICS and ICC help files `style12`, `bughouse`; the captured bughouse sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holding {
    /// The game in which the pieces can be dropped.
    pub game: GameId,
    /// White's reserve in that game.
    pub white: Hand,
    /// Black's reserve in that game.
    pub black: Hand,
    /// White's pieces as listed, in upper case.
    pub white_letters: ServerText,
    /// Black's pieces as listed, in upper case.
    pub black_letters: ServerText,
    /// The piece that was just added, with the side that received it; [`white`](Self::white) and [`black`](Self::black) include
    /// it. `None` if the line reports no new piece.
    pub passed: Option<(Color, Role)>,
}

impl Holding {
    /// Parses a line with its tag; `None` if a field is missing or invalid, or if text follows the last one.
    #[doc(hidden)]
    pub fn parse(line: &[u8]) -> Option<Self> {
        Self::parse_fields(fields::after_tag(line, b"<b1>")?)
    }

    /// Parses a line without its tag, as ICC's help file prints it: ` game 6 white [PNBBB] black [PNB]`. `None` for any other
    /// line.
    #[doc(hidden)]
    pub fn parse_untagged(line: &[u8]) -> Option<Self> {
        Self::parse_fields(fields::after_tag(line, b"")?)
    }

    /// Parses the rest of a line after its tag.
    fn parse_fields(mut at: Cursor<'_>) -> Option<Self> {
        let game = GameId::read(at.expect(b"game ")?)?;
        let (white, white_letters) = read_hand(&mut at, b" white [")?;
        let (black, black_letters) = read_hand(&mut at, b" black [")?;
        let passed = if at.expect_blank_rest().is_some() { None } else { Some(parse_passed_piece(at.rest())?) };
        Some(Self { game, white, black, white_letters, black_letters, passed })
    }
}

/// Reads `opening`, letters, and `]`; returns the reserve, and the letters in upper case.
fn read_hand(at: &mut Cursor<'_>, opening: &[u8]) -> Option<(Hand, ServerText)> {
    let letters =
        at.expect(opening)?.take_while(|b| matches!(b.to_ascii_uppercase(), b'P' | b'N' | b'B' | b'R' | b'Q'));
    at.expect(b"]")?;
    Some((Hand::parse(letters)?, ServerText::from_wire_uppercase(letters)))
}

/// Parses the text after the reserves: `<- ` and the letters of a color and a piece. `None` for any other text, and for a king.
fn parse_passed_piece(rest: &[u8]) -> Option<(Color, Role)> {
    match rest.trim_ascii_end() {
        &[b'<', b'-', b' ', to, piece] => Color::from_letter(to).zip(Role::from_reserve_letter(piece)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
