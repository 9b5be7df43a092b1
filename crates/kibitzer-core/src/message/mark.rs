//! Circles and arrows that examiners draw on a board.

use super::{GameId, Handle};
use crate::chess::Square;

/// A drawing that an examiner added to the board or erased: ICC's datagrams 59, 60, 89 and 90.
///
/// Source: ICC's description of its level-2 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mark {
    /// The examined game.
    pub game: GameId,
    /// The examiner who drew or erased it.
    pub by: Handle,
    /// The shape, with its squares.
    pub shape: MarkShape,
    /// Whether the shape was drawn (`true`) or erased.
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
        /// The square where the arrow starts.
        from: Square,
        /// The square that the arrow points to.
        to: Square,
    },
}
