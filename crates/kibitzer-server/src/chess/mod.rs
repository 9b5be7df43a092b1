//! The rules: positions, legal moves, how moves are typed and printed.
//!
//! Orthodox chess, Chess960, crazyhouse and bughouse follow one set of rules, in which a hand may be empty, and king and rooks
//! may start on any file. The squares that pieces reach come from the tables of `cozy-chess`. Its `Board` cannot hold more
//! than 16 pieces or 8 pawns of a side, which crazyhouse soon needs; the tests compare with it.

mod input;
mod legal;
mod moves;
mod placement;
mod position;
mod spell;
mod variant;

#[cfg(test)]
mod recorded_tests;
#[cfg(test)]
mod tests;

pub(crate) use input::{MoveCase, MoveError};
pub(crate) use legal::Verdict;
pub(crate) use moves::Move;
pub(crate) use position::Position;
pub(crate) use variant::Variant;
