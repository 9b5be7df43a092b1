//! Check of dropped pieces against the pieces in reserve.

use super::Game;
use crate::chess::{Color, Hands, LastMove, Role};
use crate::message::Style12;
use crate::text::ServerText;

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
    /// A piece that the last report added to a reserve, until the next move: the receiver and the piece.
    pub(super) passed: Option<(Color, Role)>,
    /// The variant, as far as the captures show: `crazyhouse` if the pieces in reserve were captured on the same board, `bughouse` if
    /// they were captured on another one.
    pub(super) variant: Option<&'static str>,
}

impl Game {
    /// Returns whether the side to move may have a piece of this role in reserve; `true` if that is not known.
    ///
    /// Without a report, it is known only for games that were followed from their start, except bughouse.
    pub(super) fn mover_may_hold(&self, role: Role) -> bool {
        let side = self.position.side_to_move();
        let has = |hands: Hands| hands.of(side).count(role) > 0;
        let ReserveEvidence { before_move, has_captured, .. } = self.reserves;
        let wild = self.info.as_ref().and_then(|info| info.start.as_ref()).map(|start| start.wild);
        let is_unknown = self.hands.is_none() && (self.base().ply() > 0 || wild.is_none_or(|wild| wild == BUGHOUSE));
        is_unknown || has_captured || self.hands.is_some_and(has) || before_move.is_some_and(has)
    }

    /// Returns the variant: the reported one, or else the one that the partner's game and the captures show. `None` if neither does;
    /// `wild` is not a variant.
    pub fn variant(&self) -> Option<&str> {
        let reported = self.variant.as_ref().map(ServerText::as_str).filter(|variant| *variant != "wild");
        reported.or(self.partner_game.map(|_| "bughouse")).or(self.reserves.variant)
    }

    /// Returns the side that made the last known move, and the piece that it captured; `None` without a capture.
    pub(in crate::game) fn last_capture(&self) -> Option<(Color, Role)> {
        let (_, role) = self.moves().last()?.captured()?;
        Some((!self.position.side_to_move(), role))
    }

    /// Records that a report of the reserves added a piece, and returns whether the last move may have captured it. Servers report a
    /// capture on the same board before or after the move.
    pub(in crate::game) fn note_passed_piece(&mut self, passed: Option<(Color, Role)>) -> bool {
        self.reserves.passed = passed;
        let Some((to, role)) = passed else { return false };
        // A promoted piece becomes a pawn.
        let is_of_last_move =
            self.last_capture().is_some_and(|(taker, taken)| taker == to && (role == taken || role == Role::Pawn));
        if is_of_last_move {
            self.compare_passed_piece_with_capture();
        }
        is_of_last_move
    }

    /// Compares the piece that was passed before a move with the piece that the move captured.
    pub(super) fn compare_passed_piece_with_capture(&mut self) {
        let Some((to, role)) = self.reserves.passed.take() else { return };
        match self.last_capture() {
            // A promoted piece becomes a pawn.
            Some((taker, taken)) if taker == to && role == Role::Pawn && taken != role => {}
            Some(capture) if capture == (to, role) => _ = self.reserves.variant.get_or_insert("crazyhouse"),
            _ => self.reserves.variant = Some("bughouse"),
        }
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
