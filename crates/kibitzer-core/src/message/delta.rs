//! `<d1>`: delta boards, with one move in place of a whole board.

use super::clock::ClockReading;
use super::{GameId, fields};
use crate::text::ServerText;

/// A delta board line, which has the last move in place of the board: `<d1> 399 10 O-O e8g8c 922 168890 207`.
///
/// All times are milliseconds, whatever the setting of the ivar `ms`. The line has neither the opponent's clock nor
/// the board before the move, so a receiver has to keep the last full board.
///
/// Source: FICS help files `iv_compressmove`, `deltaboard`; captured sessions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeltaBoard {
    /// The number of the game.
    pub game: GameId,
    /// Plies made in the game, including this one.
    pub plies: u16,
    /// The move in the pretty form of style 12: `Rxc2`.
    pub san: ServerText,
    /// The move in Smith notation as received: `e2c2p`.
    pub smith: ServerText,
    /// Time that the player used for the move, in milliseconds.
    pub taken_ms: u32,
    /// The mover's clock after the move, increment included.
    pub clock: ClockReading,
    /// Lag of the move in milliseconds; `None` if missing or invalid, as the help file does not list this field.
    pub lag_ms: Option<i32>,
}

impl DeltaBoard {
    /// Parses a line with its tag; `None` if one of the six documented fields is missing or invalid. Fields after the lag are
    /// ignored, as servers append to the line.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut at = fields::after_tag(line, b"<d1>")?;
        Some(Self {
            game: GameId(fields::read_field_number(&mut at)?),
            plies: fields::read_field_number(&mut at)?,
            san: ServerText::from_wire(fields::read_field_word(&mut at)?),
            smith: ServerText::from_wire(fields::read_field_word(&mut at)?),
            taken_ms: fields::read_field_number(&mut at)?,
            clock: ClockReading::from_ms(fields::read_field_signed(&mut at)?),
            // Not in the help file, but sent by today's server.
            lag_ms: fields::read_field_signed(&mut at),
        })
    }
}

#[cfg(test)]
mod tests;
