//! A reported move played on a board line: what the next line would be.

use crate::chess::{ApplyError, CastlingRights, CastlingSide, Color, LastMove, Role, SanMove, SmithMove, Square};
use crate::message::{BoardNumbers, ClockReading, Delta, GameRole, Relation, ReportedMove, SentMove, Style12};
use crate::text::ServerText;

/// Both sides move once before the clocks start.
pub(super) const PLIES_WITHOUT_CLOCK: u32 = 2;

/// The board line behind a move, as the server would send it to the same receiver.
///
/// The clock of the other side stays as it was, and so does what a move does not tell (flip, lag).
pub(super) fn after(
    before: &Style12,
    played: LastMove,
    reported: &ReportedMove,
    clock: ClockReading,
) -> Result<Style12, ApplyError> {
    let mover = before.side_to_move();
    let mut board = before.board();
    // The squares of a hidden move are not known.
    let captured = if played == LastMove::Hidden { None } else { board.apply(played, mover)? };
    let mut next = *before.numbers();
    next.side_to_move = !mover;
    next.double_push_file = double_push_file(played);
    next.castling = castling_after(next.castling, played, mover);
    let is_irreversible = captured.is_some() || moves_pawn(played);
    next.halfmove_clock = if is_irreversible { 0 } else { next.halfmove_clock.saturating_add(1) };
    count_material(&mut next, mover, captured, played);
    match mover {
        Color::White => next.white_clock = clock,
        Color::Black => {
            next.black_clock = clock;
            next.move_number = next.move_number.saturating_add(1);
        }
    }
    next.relation = match next.relation {
        Relation::MyTurn => Relation::OpponentsTurn,
        Relation::OpponentsTurn => Relation::MyTurn,
        other => other,
    };
    let is_past_start = next.ply() >= PLIES_WITHOUT_CLOCK;
    next.clock_running = next.clock_running.map(|runs| runs || is_past_start);
    Ok(before.with_position(next, &board, Some(reported)))
}

/// The move of a delta board: itself, and as a board line would report it.
pub(super) fn read_delta(delta: &Delta, before: &Style12) -> Option<(LastMove, ReportedMove)> {
    let played = SmithMove::parse(delta.smith.as_str().as_bytes())?.to_last_move(&before.board())?;
    (played != LastMove::Hidden).then(|| (played, report(played, &delta.san, Some(delta.taken_ms))))
}

/// The move of a datagram, in the same forms: by its Smith notation if that was switched on, else by the algebraic one.
pub(super) fn read_sent(sent: &SentMove, before: &Style12) -> Option<(LastMove, ReportedMove)> {
    let played = match (&sent.smith, &sent.san) {
        (Some(smith), _) => SmithMove::parse(smith.as_str().as_bytes())?.to_last_move(&before.board())?,
        (None, Some(san)) => {
            SanMove::parse(san.as_str().as_bytes())?.to_last_move(&before.board(), before.side_to_move())?
        }
        (None, None) => return None,
    };
    let taken_ms = sent.taken_s.and_then(|seconds| seconds.checked_mul(1000));
    let word = sent.san.as_ref().or(sent.smith.as_ref())?;
    Some((played, report(played, word, taken_ms)))
}

fn report(played: LastMove, san: &ServerText, elapsed_ms: Option<u32>) -> ReportedMove {
    let verbose = ServerText::from_wire(verbose(played).as_bytes());
    // The verbose form of a castling names no squares.
    let told = match played {
        LastMove::Castle { side, .. } => LastMove::Castle { side, king_from: None, rook_from: None },
        other => other,
    };
    ReportedMove { verbose, san: Some(san.clone()), played: Some(told), elapsed_ms }
}

/// The side that a role plays.
pub(super) const fn color_of(role: GameRole) -> Option<Color> {
    match role {
        GameRole::Player(color) | GameRole::SimulGiver(color) => Some(color),
        GameRole::Observer | GameRole::Examiner | GameRole::Gone => None,
    }
}

/// The verbose form of a move: field 27 of style 12.
fn verbose(played: LastMove) -> String {
    match played {
        LastMove::Normal { role, from, to, promotion: None } => format!("{}/{from}-{to}", role.letter()),
        LastMove::Normal { role, from, to, promotion: Some(to_role) } => {
            format!("{}/{from}-{to}={}", role.letter(), to_role.letter())
        }
        LastMove::Castle { side: CastlingSide::Short, .. } => "o-o".to_owned(),
        LastMove::Castle { side: CastlingSide::Long, .. } => "o-o-o".to_owned(),
        LastMove::Drop { role, to } => format!("{}/@@-{to}", role.letter()),
        LastMove::Hidden => "?".to_owned(),
    }
}

const fn moves_pawn(played: LastMove) -> bool {
    matches!(played, LastMove::Normal { role: Role::Pawn, .. } | LastMove::Drop { .. })
}

fn double_push_file(played: LastMove) -> Option<u8> {
    match played {
        LastMove::Normal { role: Role::Pawn, from, to, .. } if from.rank().abs_diff(to.rank()) == 2 => Some(to.file()),
        _ => None,
    }
}

/// The rights left: none for a king that moved, none where a corner was left or captured.
fn castling_after(rights: CastlingRights, played: LastMove, mover: Color) -> CastlingRights {
    let without_both = |color| rights.without(color, CastlingSide::Short).without(color, CastlingSide::Long);
    match played {
        LastMove::Castle { .. } | LastMove::Normal { role: Role::King, .. } => without_both(mover),
        LastMove::Normal { from, to, .. } => {
            [from, to].into_iter().filter_map(corner).fold(rights, |rights, (color, side)| rights.without(color, side))
        }
        LastMove::Drop { .. } | LastMove::Hidden => rights,
    }
}

/// Whose rook stands on a corner square at the start, and on which side.
fn corner(square: Square) -> Option<(Color, CastlingSide)> {
    let color = match square.rank() {
        0 => Color::White,
        7 => Color::Black,
        _ => return None,
    };
    match square.file() {
        0 => Some((color, CastlingSide::Long)),
        7 => Some((color, CastlingSide::Short)),
        _ => None,
    }
}

fn count_material(next: &mut BoardNumbers, mover: Color, captured: Option<Role>, played: LastMove) {
    let value = |role: Role| i32::from(role.material_value());
    let promoted = match played {
        LastMove::Normal { promotion: Some(role), .. } => value(role) - value(Role::Pawn),
        _ => 0,
    };
    let (own, other) = match mover {
        Color::White => (&mut next.white_material, &mut next.black_material),
        Color::Black => (&mut next.black_material, &mut next.white_material),
    };
    *own = own.saturating_add(promoted);
    *other = other.saturating_sub(captured.map_or(0, value));
}
