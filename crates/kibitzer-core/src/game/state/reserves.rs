//! Check of dropped pieces against the pieces in reserve.

use super::Game;
use crate::chess::{Hands, Role};

/// Number of the variant in which pieces are passed from another board.
const BUGHOUSE: u16 = 24;

/// Evidence of pieces in reserve beyond the last report. The server may send a report before or after the move that changed the
/// reserve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReserveEvidence {
    /// The last report before the last move.
    pub(super) before_move: Option<Hands>,
    /// Whether a move has captured a piece since the last report.
    pub(super) has_captured: bool,
}

impl Game {
    /// Returns whether the side to move may have a piece of this role in reserve; `true` if that is not known.
    ///
    /// Without a report, it is known only for games that were followed from their start, except bughouse.
    pub(super) fn mover_may_hold(&self, role: Role) -> bool {
        let side = self.position.side_to_move();
        let has = |hands: Hands| hands.of(side).count(role) > 0;
        let ReserveEvidence { before_move, has_captured } = self.reserves;
        let wild = self.info.as_ref().and_then(|info| info.start.as_ref()).map(|start| start.wild);
        let is_unknown = self.hands.is_none() && (self.base().ply() > 0 || wild.is_none_or(|wild| wild == BUGHOUSE));
        is_unknown || has_captured || self.hands.is_some_and(has) || before_move.is_some_and(has)
    }
}
