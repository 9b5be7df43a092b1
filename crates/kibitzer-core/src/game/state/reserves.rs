//! Check of dropped pieces against the pieces in reserve.

use super::Game;
use crate::chess::{Color, Hands, LastMove, Role};
use crate::message::Style12;

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

    /// Returns the reserves after the last move of `board`, the next one of this game; `None` if they are not known.
    pub(in crate::game) fn reserves_on(&self, board: &Style12) -> Option<Hands> {
        let hands = self.hands?;
        let is_next = board.ply().checked_sub(1) == Some(self.position.ply());
        Some(if is_next { without_dropped_piece(hands, board) } else { hands })
    }
}

/// Removes the piece that the last move of `board` dropped, unless the report of the reserves included the drop. If it did, the
/// material of the board, which contains the reserve, fits without a change.
pub(super) fn without_dropped_piece(mut hands: Hands, board: &Style12) -> Hands {
    let mover = !board.side_to_move();
    let hand = hands.of_mut(mover);
    let reported = if mover == Color::White { board.white_material() } else { board.black_material() };
    let held: i32 = hand.pieces().map(|role| i32::from(role.material_value())).sum();
    let fits = reported == held + i32::from(board.board().material(mover));
    if let Some(LastMove::Drop { role, .. }) = board.played().filter(|_| !fits) {
        let _ = hand.take(role);
    }
    hands
}
