//! The moves of a game.

use super::Sides;
use crate::chess::{Move, Position};

/// A move of one side, with its time and the position after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ply {
    pub(crate) played: Move,
    pub(crate) san: String,
    /// Time charged for the move, in milliseconds.
    pub(crate) elapsed_ms: u64,
    /// Network delay that was not charged, in milliseconds.
    pub(crate) lag_ms: u32,
    /// The position after the move.
    pub(crate) position: Position,
    /// Readings of both clocks after the move.
    pub(crate) clocks_ms: Sides<i64>,
}

/// A start position and the moves played from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MoveRecord {
    start: Position,
    pub(crate) plies: Vec<Ply>,
}

impl MoveRecord {
    pub(crate) const fn new(start: Position) -> Self {
        Self { start, plies: Vec::new() }
    }

    /// Returns the position after that many plies, or after the last one if there are fewer.
    pub(crate) fn position_after(&self, plies: usize) -> &Position {
        let last = plies.min(self.plies.len()).checked_sub(1).and_then(|at| self.plies.get(at));
        last.map_or(&self.start, |ply| &ply.position)
    }

    /// Returns the position after the last ply.
    pub(crate) fn last_position(&self) -> &Position {
        self.position_after(self.plies.len())
    }

    /// Adds a move, which must be legal in the last position, with its SAN and the position after it.
    pub(crate) fn push_legal_move(&mut self, played: Move, elapsed_ms: u64, lag_ms: u32, clocks_ms: Sides<i64>) {
        let before = self.last_position();
        let (san, position) = (before.san(played), before.after(played));
        self.plies.push(Ply { played, san, elapsed_ms, lag_ms, position, clocks_ms });
    }

    /// Returns the position after the last ply for a change of its reserves, when the partner captures a piece.
    pub(crate) fn last_position_mut(&mut self) -> &mut Position {
        self.plies.last_mut().map_or(&mut self.start, |ply| &mut ply.position)
    }

    /// Counts the occurrences of the last position, including the last one.
    pub(crate) fn n_occurrences_of_last_position(&self) -> usize {
        let now = self.last_position();
        // No earlier position can be repeated after a capture, pawn move or drop.
        let since_lasting = usize::try_from(now.halfmove_clock).unwrap_or(usize::MAX);
        let earlier = self.plies.iter().map(|ply| &ply.position).rev().chain([&self.start]);
        earlier.take(since_lasting.saturating_add(1)).filter(|position| position.is_repetition_of(now)).count()
    }
}
