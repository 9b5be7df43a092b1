//! What was played.

use kibitzer_core::chess::Color;

use super::Sides;
use crate::chess::{Move, Position};

/// One side's turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ply {
    pub(crate) played: Move,
    pub(crate) san: String,
    pub(crate) elapsed_ms: u64,
    /// Milliseconds of lag that were not charged.
    pub(crate) lag_ms: u32,
    /// The position it led to.
    pub(crate) position: Position,
    /// What both clocks showed then.
    pub(crate) clocks_ms: Sides<i64>,
}

/// A position and what was played from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    start: Position,
    plies: Vec<Ply>,
}

impl Record {
    pub(crate) const fn new(start: Position) -> Self {
        Self { start, plies: Vec::new() }
    }

    pub(crate) fn plies(&self) -> &[Ply] {
        &self.plies
    }

    pub(crate) const fn len(&self) -> usize {
        self.plies.len()
    }

    pub(crate) fn last(&self) -> Option<&Ply> {
        self.plies.last()
    }

    /// The position after so many plies, or after the last if there are fewer.
    pub(crate) fn position_after(&self, plies: usize) -> &Position {
        let last = plies.min(self.plies.len()).checked_sub(1).and_then(|at| self.plies.get(at));
        last.map_or(&self.start, |ply| &ply.position)
    }

    /// The position after the last ply.
    pub(crate) fn position(&self) -> &Position {
        self.position_after(self.plies.len())
    }

    /// Plays a legal move from the last position.
    pub(crate) fn push(&mut self, played: Move, elapsed_ms: u64, lag_ms: u32, clocks_ms: Sides<i64>) {
        let before = self.position();
        let (san, position) = (before.san(played), before.after(played));
        self.plies.push(Ply { played, san, elapsed_ms, lag_ms, position, clocks_ms });
    }

    /// Forgets all but the first plies.
    pub(crate) fn truncate(&mut self, plies: usize) {
        self.plies.truncate(plies);
    }

    /// Adds a piece to a hand in the last position.
    pub(crate) fn add_to_hand(&mut self, color: Color, role: kibitzer_core::chess::Role) {
        match self.plies.last_mut() {
            Some(ply) => ply.position.add_to_hand(color, role),
            None => self.start.add_to_hand(color, role),
        }
    }

    /// How often the last position has been on the board, the last time included.
    pub(crate) fn n_repetitions(&self) -> usize {
        let now = self.position();
        let since_lasting = usize::try_from(now.halfmove_clock()).unwrap_or(usize::MAX);
        let earlier = self.plies.iter().map(|ply| &ply.position).rev().chain([&self.start]);
        earlier.take(since_lasting.saturating_add(1)).filter(|position| position.is_repeated_by(now)).count()
    }
}
