//! The numeric fields of a board.

use super::Relation;
use crate::chess::{CastlingRights, Color, Hands, LastMove};
use crate::message::clock::ClockReading;
use crate::message::rating::GameId;

/// The numeric fields of a board: everything but the squares, the names and the last move. The methods of
/// [`Style12`](super::Style12) with the same names describe them.
///
/// The default is the start position of chess in game 0, with clocks at 0 and the relation [`Isolated`](Relation::Isolated).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoardNumbers {
    /// White's clock.
    pub white_clock: ClockReading,
    /// Black's clock.
    pub black_clock: ClockReading,
    /// The server-wide number of the game.
    pub game: GameId,
    /// The role of this login in the game.
    pub relation: Relation,
    /// Number of plies since the last capture or pawn move.
    pub halfmove_clock: u32,
    /// Initial time of each side, in minutes.
    pub initial_min: u32,
    /// Seconds added to a player's clock after each move.
    pub increment_s: u32,
    /// White's material, including the reserve.
    pub white_material: i32,
    /// Black's material, including the reserve.
    pub black_material: i32,
    /// The number of the next move, from 1 on.
    pub move_number: u32,
    /// Network lag of the last move, in milliseconds.
    pub lag_ms: Option<i32>,
    pub(crate) last_move: Option<LastMoveNumbers>,
    /// The side to move.
    pub side_to_move: Color,
    /// The file (0 is a, 7 is h) of a pawn that has just advanced two squares.
    pub double_push_file: Option<u8>,
    /// The castling rights as the server reports them.
    pub castling: CastlingRights,
    /// Whether the board is to be shown with Black at the bottom.
    pub flip: Option<bool>,
    /// Whether a clock is running.
    pub clock_running: Option<bool>,
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
    /// The default. A constant, because every new board begins as a copy of it.
    pub(super) const START: Self = Self {
        white_clock: ClockReading::from_ms(0),
        black_clock: ClockReading::from_ms(0),
        game: GameId(0),
        relation: Relation::Isolated,
        halfmove_clock: 0,
        initial_min: 0,
        increment_s: 0,
        white_material: 39,
        black_material: 39,
        move_number: 1,
        last_move: None,
        side_to_move: Color::White,
        double_push_file: None,
        castling: CastlingRights::ALL,
        flip: None,
        clock_running: None,
        lag_ms: None,
        is_cut: false,
        reserves: None,
    };

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

impl Default for BoardNumbers {
    fn default() -> Self {
        Self::START
    }
}
