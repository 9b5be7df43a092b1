//! How long simulated players think, and when they abort, resign, or offer a draw.

use std::time::Duration;

use fastrand::Rng;
use kibitzer_core::message::Style12;

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
    let lead = mover_material_lead_in_pawns(board);
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
    let mine = if board.my_color() == Some(board.side_to_move()) {
        mover_material_lead_in_pawns(board)
    } else {
        -mover_material_lead_in_pawns(board)
    };
    mine <= -3 || (mine <= 0 && board.ply() >= 30)
}

/// Returns the material of the side to move minus that of the opponent, in pawns.
fn mover_material_lead_in_pawns(board: &Style12) -> i32 {
    let white = board.white_material() - board.black_material();
    if board.side_to_move() == kibitzer_core::chess::Color::White { white } else { -white }
}

#[cfg(test)]
mod tests;
