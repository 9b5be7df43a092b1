//! The numeric fields of a board.

use super::Relation;
use crate::chess::{CastlingRights, Color, Hands, LastMove};
use crate::message::clock::ClockReading;
use crate::message::rating::GameId;

/// The numeric fields of a board: everything but the squares, the names and the words of the last move. See the methods of
/// [`Style12`](super::Style12) for each field's unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BoardNumbers {
    pub(crate) white_clock: ClockReading,
    pub(crate) black_clock: ClockReading,
    pub(crate) game: GameId,
    pub(crate) relation: Relation,
    pub(crate) halfmove_clock: u32,
    pub(crate) initial_min: u32,
    pub(crate) increment_s: u32,
    pub(crate) white_material: i32,
    pub(crate) black_material: i32,
    pub(crate) move_number: u32,
    pub(crate) lag_ms: Option<i32>,
    pub(crate) last_move: Option<LastMoveNumbers>,
    pub(crate) side_to_move: Color,
    pub(crate) double_push_file: Option<u8>,
    pub(crate) castling: CastlingRights,
    pub(crate) flip: Option<bool>,
    pub(crate) clock_running: Option<bool>,
    pub(crate) is_cut: bool,
    /// The reserves, which the line does not contain.
    pub(crate) reserves: Option<Hands>,
}

/// The last move without its words: the parsed move, and the time it took in milliseconds; each `None` if unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastMoveNumbers {
    pub(crate) played: Option<LastMove>,
    pub(crate) elapsed_ms: Option<u32>,
}

impl BoardNumbers {
    /// Returns the clock of one side for modification.
    pub(crate) const fn clock_mut(&mut self, color: Color) -> &mut ClockReading {
        match color {
            Color::White => &mut self.white_clock,
            Color::Black => &mut self.black_clock,
        }
    }

    /// Sets the side to move, and exchanges the relations [`MyTurn`](Relation::MyTurn) and
    /// [`OpponentsTurn`](Relation::OpponentsTurn). Must be called only if the side changes.
    pub(crate) fn switch_turn_to(&mut self, side: Color) {
        self.side_to_move = side;
        self.relation = match self.relation {
            Relation::MyTurn => Relation::OpponentsTurn,
            Relation::OpponentsTurn => Relation::MyTurn,
            other => other,
        };
    }

    /// Returns the number of plies before this position, computed from move number and side to move.
    pub(crate) const fn ply(&self) -> u32 {
        let whole = self.move_number.saturating_sub(1).saturating_mul(2);
        match self.side_to_move {
            Color::White => whole,
            Color::Black => whole.saturating_add(1),
        }
    }
}
