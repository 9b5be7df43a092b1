//! Circles and arrows that examiners draw on a board.

use super::{GameId, Handle};
use crate::chess::Square;

/// An examiner drew on the board, or wiped it: ICC's datagrams 59, 60, 89 and 90.
///
/// Source: ICC's description of its level-2 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mark {
    /// The examined game.
    pub game: GameId,
    /// Who drew it.
    pub by: Handle,
    /// The drawing.
    pub shape: MarkShape,
    /// Whether it was drawn, rather than wiped off.
    pub is_drawn: bool,
}

/// The form of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MarkShape {
    /// A circle around a square.
    Circle(Square),
    /// An arrow from a square to another.
    Arrow {
        /// Where it starts.
        from: Square,
        /// Where it points.
        to: Square,
    },
}
