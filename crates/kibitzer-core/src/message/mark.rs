//! Circles and arrows that examiners draw on a board.

use super::{GameId, Handle};
use crate::chess::Square;

/// A circle or an arrow that an examiner added to the board or erased: ICC's datagrams 59, 60, 89 and 90.
///
/// Source: ICC's description of its level-2 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BoardMark {
    /// The examined game.
    pub game: GameId,
    /// The examiner who drew or erased it.
    pub by: Handle,
    /// The square of a circle, or where an arrow starts.
    pub from: Square,
    /// The square that an arrow points to; `None` for a circle.
    pub to: Option<Square>,
    /// Whether the shape was drawn (`true`) or erased.
    pub is_drawn: bool,
}
