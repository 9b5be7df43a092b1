//! Whether a piece that is dropped can be in reserve.

use super::Game;
use crate::chess::{Hands, Role};

/// Number of the variant in which pieces are passed from another board.
const BUGHOUSE: u16 = 24;

/// What may be in reserve besides the last report, as it may come before or after the move that changed it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reserves {
    /// The last report before the last move.
    pub(super) before_move: Option<Hands>,
    /// A move took something since the last report.
    pub(super) has_captured: bool,
}

impl Game {
    /// Whether the side to move may have a piece of this role in reserve. Unless reserves were reported, that is known only of
    /// games that were followed from their start, and of those only where nothing is passed from another board.
    pub(super) fn may_hold(&self, role: Role) -> bool {
        let side = self.position.side_to_move();
        let has = |hands: Hands| hands.of(side).count(role) > 0;
        let Reserves { before_move, has_captured } = self.reserves;
        let wild = self.info.as_ref().and_then(|info| info.start.as_ref()).map(|start| start.wild);
        let is_unknown = self.hands.is_none() && (self.base().ply() > 0 || wild.is_none_or(|wild| wild == BUGHOUSE));
        is_unknown || has_captured || self.hands.is_some_and(has) || before_move.is_some_and(has)
    }
}
