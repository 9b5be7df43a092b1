//! Rules of chess: positions, legal moves, parsing of typed moves, and notations.
//!
//! Orthodox chess, Chess960, crazyhouse and bughouse share one set of rules, in which a hand may be empty, and king and rooks
//! may start on any file. Attacks come from the tables of `cozy-chess`. Its own `Board` rejects more than 16 pieces or 8 pawns
//! of a side, which occur in crazyhouse; the tests compare both.

mod legal;
mod notation;
mod position;

#[cfg(test)]
mod recorded_tests;
#[cfg(test)]
mod tests;

pub(crate) use self::notation::{MoveCase, TypedMoveError};
pub(crate) use self::position::Position;

/// Rules of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Variant {
    /// Orthodox chess.
    #[default]
    Standard,
    /// Captured pieces enter the hand of the capturing side, which may drop them.
    Crazyhouse,
    /// Captured pieces enter the hand of the partner on the other board.
    Bughouse,
    /// Chess960: the pieces on the first rank start on random files.
    FischerRandom,
}

impl Variant {
    /// Returns whether pieces can be dropped from a hand.
    pub(crate) const fn has_hands(self) -> bool {
        matches!(self, Self::Crazyhouse | Self::Bughouse)
    }
}
