//! Choice of a simulated player's move.
//!
//! Scores each legal move by its capture, the pieces it leaves hanging, and simple positional terms, at some microseconds a
//! move. The games resemble those of casual players.

use fastrand::Rng;
use kibitzer_core::chess::{Color, LastMove, Role, Square};
use kibitzer_core::message::GameEndReason;

use crate::chess::Position;

/// Value of a pawn, in the unit of scores.
const PAWN: i32 = 100;

/// Value of checkmate, above all other scores.
const MATE: i32 = 100_000;

/// Random part of a score: from 0 up to, but not including, this number.
const RANDOM_SCORE: i32 = 45;

/// Chooses a simulated player's move; `None` if there is no legal one.
pub(super) fn choose_move(position: &Position, random: &mut Rng) -> Option<LastMove> {
    let scorer = MoveScorer::new(position);
    let mut moves = position.legal_moves();
    if !position.is_check() {
        moves.retain(|&legal| scorer.passes_drop_filter(legal));
    }
    moves.into_iter().max_by_key(|&legal| scorer.score_without_noise(legal) + random.i32(0..RANDOM_SCORE))
}

/// Facts about a position that are computed once for all moves.
struct MoveScorer<'a> {
    position: &'a Position,
    mover: Color,
    enemy_king: Option<Square>,
    /// Whether little material is left, so that kings move to the center.
    is_endgame: bool,
}

impl<'a> MoveScorer<'a> {
    fn new(position: &'a Position) -> Self {
        let mover = position.side_to_move;
        let enemy_king = position.king(mover.opponent());
        let is_endgame = position.material(Color::White) + position.material(Color::Black) < 36;
        Self { position, mover, enemy_king, is_endgame }
    }

    /// Returns `true` for every move but a drop more than two squares from both kings; those are not scored, as there are too
    /// many.
    fn passes_drop_filter(&self, legal: LastMove) -> bool {
        match legal {
            LastMove::Drop { to, .. } => {
                let home = self.position.king(self.mover).map_or(0, |king| square_closeness(king, to));
                self.closeness_to_enemy_king(to).max(home) >= 5
            }
            _ => true,
        }
    }

    /// Returns the score of a legal move in hundredths of a pawn, without its random part.
    fn score_without_noise(&self, legal: LastMove) -> i32 {
        let after = self.position.after(legal);
        let taken = self.position.captured_square_and_role(legal).map_or(0, |(_, role)| piece_value(role));
        taken + self.material_safety(legal, &after) + self.check_or_end_score(&after) + self.positional_score(legal)
    }

    /// Returns the value of the material that a move saves, minus that which it exposes, in hundredths of a pawn.
    fn material_safety(&self, legal: LastMove, after: &Position) -> i32 {
        match legal {
            LastMove::Normal { role, from, to, promotion } => {
                let becomes = promotion.unwrap_or(role);
                let saved = capture_loss(self.position, from, role, self.mover);
                saved + piece_value(becomes) - piece_value(role) - capture_loss(after, to, becomes, self.mover)
            }
            LastMove::Drop { role, to } => -capture_loss(after, to, role, self.mover),
            _ => 0,
        }
    }

    /// Returns the score of a position after a move for a check or mate; negative for a draw in an endgame in which the mover is
    /// ahead, 0 otherwise.
    fn check_or_end_score(&self, after: &Position) -> i32 {
        if after.is_check() {
            return if after.termination() == Some(GameEndReason::Mate) { MATE } else { 25 };
        }
        let is_ahead = after.material(self.mover) > after.material(self.mover.opponent());
        if self.is_endgame && is_ahead && after.termination().is_some() { -10 * PAWN } else { 0 }
    }

    /// Returns the positional score of a move, in hundredths of a pawn: development, centralization, closeness to the enemy king,
    /// own king safety.
    fn positional_score(&self, legal: LastMove) -> i32 {
        match legal {
            LastMove::Castle { .. } => 70,
            LastMove::Drop { to, .. } => self.closeness_to_enemy_king(to) * 6 - 10,
            LastMove::Normal { role: Role::King, from, to, .. } if self.is_endgame => {
                4 * (centrality(to) - centrality(from))
            }
            LastMove::Normal { role: Role::King, .. } => -50,
            LastMove::Normal { role: Role::Pawn, from, to, .. } => self.pawn_positional_score(from, to),
            LastMove::Normal { role, from, to, .. } => {
                let leaves_home = from.rank() == self.mover.home_rank() && matches!(role, Role::Knight | Role::Bishop);
                let is_hasty = role == Role::Queen && self.position.move_number < 8;
                let nearer = self.closeness_to_enemy_king(to) - self.closeness_to_enemy_king(from);
                let weight = if self.is_endgame { 4 } else { 0 };
                5 * (centrality(to) - centrality(from)) + weight * nearer + if leaves_home { 30 } else { 0 }
                    - if is_hasty { 40 } else { 0 }
            }
            _ => 0,
        }
    }

    /// Returns the positional score of a pawn's move: in an endgame its distance from the first rank, otherwise the gain of
    /// the center.
    fn pawn_positional_score(&self, from: Square, to: Square) -> i32 {
        if self.is_endgame {
            return 12 * i32::from(from.rank().abs_diff(self.mover.home_rank()));
        }
        let is_wing = !(2..=5).contains(&from.file());
        10 * (centrality(to) - centrality(from)) + if is_wing { -10 } else { 10 }
    }

    /// Returns how close a square is to the enemy's king, from 0 to 7 on the king's own square; 0 without a king.
    fn closeness_to_enemy_king(&self, square: Square) -> i32 {
        self.enemy_king.map_or(0, |king| square_closeness(king, square))
    }
}

/// Returns how close two squares are: 7 minus the number of king moves between them.
fn square_closeness(one: Square, other: Square) -> i32 {
    let distance = one.file().abs_diff(other.file()).max(one.rank().abs_diff(other.rank()));
    7 - i32::from(distance)
}

/// Returns the value that the owner of a piece loses by its capture; 0 if the piece is not attacked or the capture is bad.
fn capture_loss(position: &Position, square: Square, role: Role, owner: Color) -> i32 {
    let Some(attacker) = position.least_valuable_attacker(square, owner.opponent()) else { return 0 };
    // Without a defender the whole piece is lost, else the difference of an exchange.
    if position.least_valuable_attacker(square, owner).is_none() {
        return piece_value(role);
    }
    (piece_value(role) - piece_value(attacker)).max(0)
}

/// Returns the value of a piece. That of a king exceeds all others, so that it captures nothing that is defended.
fn piece_value(role: Role) -> i32 {
    match role {
        Role::King => 50 * PAWN,
        role => i32::from(role.material_value()) * PAWN,
    }
}

/// Returns how close a square is to the center, from 0 in the corner to 6.
fn centrality(square: Square) -> i32 {
    let to_edge = |at: u8| i32::from(at.min(7 - at));
    to_edge(square.file()) + to_edge(square.rank())
}

#[cfg(test)]
mod tests;
