//! Decisions of a simulated player at a turn: which move, how long to think, and when to abort, resign or draw.
//!
//! Scores each legal move by its capture, the pieces it leaves hanging, and simple positional terms, at some microseconds a
//! move. The games resemble those of casual players.

use std::time::Duration;

use fastrand::Rng;
use kibitzer_core::chess::{Color, LastMove, Role, Square};
use kibitzer_core::message::{GameEndReason, Style12};

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
    moves.into_iter().max_by_key(|&legal| {
        let after = position.after(legal);
        let taken = position.capture_of(legal).map_or(0, |(_, role)| piece_value(role));
        let score = taken + scorer.material_safety(legal, &after) + scorer.check_or_end_score(&after);
        score + scorer.positional_score(legal) + random.i32(0..RANDOM_SCORE)
    })
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

/// Minimum time for a move, unless a sixth of the remaining time is less.
const QUICKEST: Duration = Duration::from_millis(400);

/// Time for a move in an untimed game.
const UNTIMED: Duration = Duration::from_secs(5);

/// Number of plies of the opening, which are played faster.
const OPENING_PLIES: u32 = 12;

/// Percentages of the usual thinking time. Most moves are fast, few are very slow.
const THINKING_PERCENTAGES: [u32; 8] = [20, 30, 45, 70, 90, 120, 180, 320];

/// Returns a random thinking time: usually a small share of the remaining time, at least [`QUICKEST`] but never more than a sixth
/// of the remaining time. In untimed games it is 1 s to 16 s, without remaining time [`QUICKEST`].
pub(super) fn thinking_time(board: &Style12, random: &mut Rng) -> Duration {
    let Some(left) = board.clock(board.side_to_move()).remaining() else { return QUICKEST };
    if board.initial_min() == 0 && board.increment_s() == 0 {
        return UNTIMED.mul_f64(random_time_factor(random));
    }
    // As if forty more moves were to be played.
    let usual = left / 40 + Duration::from_secs(board.increment_s().into()) * 3 / 4;
    let usual = if board.ply() < OPENING_PLIES { usual / 3 } else { usual };
    usual.mul_f64(random_time_factor(random)).max(QUICKEST).min(left / 6)
}

/// Returns a random factor for the usual thinking time, from [`THINKING_PERCENTAGES`].
fn random_time_factor(random: &mut Rng) -> f64 {
    f64::from(random.choice(&THINKING_PERCENTAGES).copied().unwrap_or(100)) / 100.0
}

/// Action of a player at a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TurnAction {
    Move,
    Abort,
    Resign,
    /// Offers or claims a draw, and moves.
    OfferDraw,
    /// Lets the clock run out.
    LoseOnTime,
}

/// Returns `true` with a probability of `permille` in a thousand.
fn random_permille(random: &mut Rng, permille: u32) -> bool {
    random.u32(..1000) < permille
}

/// Chooses the action of a player whose turn it is.
pub(super) fn choose_turn_action(board: &Style12, random: &mut Rng) -> TurnAction {
    let lead = material_lead_in_pawns(board, board.side_to_move());
    let is_bullet = board.clock(board.side_to_move()).remaining().is_some_and(|left| left < Duration::from_secs(90));
    let is_timed = board.initial_min() > 0 || board.increment_s() > 0;
    match board.ply() {
        0..2 if random_permille(random, 12) => TurnAction::Abort,
        20.. if lead <= -8 && random_permille(random, 150) => TurnAction::Resign,
        20.. if lead <= -15 && random_permille(random, 500) => TurnAction::Resign,
        30.. if is_timed && is_bullet && random_permille(random, 12) => TurnAction::LoseOnTime,
        50.. if lead.abs() <= 1 && random_permille(random, 60) => TurnAction::OfferDraw,
        40.. if board.halfmove_clock() >= 16 && random_permille(random, 250) => TurnAction::OfferDraw,
        _ => TurnAction::Move,
    }
}

/// Returns whether the player who received this board accepts a draw: when at least three pawns behind, or, from ply 30 on, when
/// not ahead.
pub(super) fn accepts_draw(board: &Style12) -> bool {
    let mine = material_lead_in_pawns(board, board.my_color().unwrap_or(!board.side_to_move()));
    mine <= -3 || (mine <= 0 && board.ply() >= 30)
}

/// Returns the material of a side minus that of the opponent, in pawns.
fn material_lead_in_pawns(board: &Style12, color: Color) -> i32 {
    let white = board.white_material() - board.black_material();
    if color == Color::White { white } else { -white }
}

#[cfg(test)]
mod tests;
