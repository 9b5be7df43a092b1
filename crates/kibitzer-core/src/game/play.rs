//! Moves that the server sends without a board, played on the last one.

use std::sync::Arc;

use crate::chess::{
    ApplyError, Board, CastlingRights, CastlingSide, Color, LastMove, Piece, Role, SanMove, SmithMove, Square,
};
use crate::message::{BoardNumbers, ClockReading, DatagramMove, DerivedMove, MyGameRole, Style12};

/// Number of plies before the clocks start: one move of each side.
pub(super) const PLIES_WITHOUT_CLOCK: u32 = 2;

/// A move in the notation that the server sent; Smith notation if it sent both.
#[derive(Clone, Copy, Debug)]
pub(super) enum NotatedMove {
    Smith(SmithMove),
    San(SanMove),
}

/// Pieces that a move removed from the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RemovedPiece {
    Nothing,
    /// A piece on the square that the move ends on.
    Piece(Role),
    EnPassant,
    /// Pieces that the move does not show: they exploded, or the server hid the move.
    Unknown,
}

impl RemovedPiece {
    /// Classifies the capture of `played` on `before`; `captured` is the result of [`Board::apply`].
    pub(super) fn new(before: &Board, played: LastMove, captured: Option<Role>) -> Self {
        match (captured, played) {
            (Some(_), LastMove::Normal { to, .. }) if before.piece(to).is_none() => Self::EnPassant,
            (Some(role), _) => Self::Piece(role),
            (None, LastMove::Hidden) => Self::Unknown,
            (None, _) => Self::Nothing,
        }
    }
}

/// Returns the piece that a move removed if it leads from one board to the other; `None` if it leads to another board, and for
/// castlings, drops and captures en passant, which [`Board::apply`] plays.
///
/// The boards are rows of style 12, the eighth rank first, with a blank after each row.
pub(super) fn removed_by_plain_move(
    before: &[u8; 72],
    after: &[u8; 72],
    played: LastMove,
    mover: Color,
) -> Option<RemovedPiece> {
    let LastMove::Normal { role, from, to, promotion } = played else { return None };
    let squares_at = |square: Square| {
        let place = usize::from(7 - square.rank()) * 9 + usize::from(square.file());
        Some((*before.get(place)?, *after.get(place)?))
    };
    let ((moved, left), (captured, placed)) = (squares_at(from)?, squares_at(to)?);
    let piece = |role| Piece { color: mover, role }.letter_byte();
    let fits = moved == piece(role) && left == b'-' && placed == piece(promotion.unwrap_or(role));
    // Only a whole count keeps the compiler from comparing byte by byte.
    let n_changed: u8 = before.iter().zip(after).map(|(before, after)| u8::from(before != after)).sum();
    if !fits || n_changed != 2 {
        return None;
    }
    if captured == b'-' {
        let is_en_passant = role == Role::Pawn && from.file() != to.file();
        return (!is_en_passant).then_some(RemovedPiece::Nothing);
    }
    Piece::from_letter(captured).filter(|piece| piece.color != mover).map(|piece| RemovedPiece::Piece(piece.role))
}

/// Plays a move on the position, which becomes the one that the server would send after it. Returns the removed pieces.
///
/// Keeps the other side's clock and all fields that a move does not determine (flip, lag).
///
/// # Errors
///
/// [`ApplyError`] if the move does not fit the board; the position is then unchanged.
pub(super) fn play_on_position(
    position: &mut Arc<Style12>,
    last_move: DerivedMove<'_>,
    clock: ClockReading,
) -> Result<RemovedPiece, ApplyError> {
    let (played, mover) = (last_move.played, position.side_to_move());
    let before = position.board();
    let mut board = before;
    // The squares of a hidden move are not known.
    let captured = if played == LastMove::Hidden { None } else { board.apply(played, mover)? };
    let next = Arc::make_mut(position).replace_position(&board, Some(last_move));
    next.switch_turn_to(!mover);
    next.double_push_file = double_push_file(played);
    next.castling = castling_after(next.castling, played, mover);
    let is_irreversible = captured.is_some() || is_pawn_move_or_drop(played);
    next.halfmove_clock = if is_irreversible { 0 } else { next.halfmove_clock.saturating_add(1) };
    update_material(next, mover, 1, captured, played);
    *next.clock_mut(mover) = clock;
    if mover == Color::Black {
        next.move_number = next.move_number.saturating_add(1);
    }
    let is_past_start = next.ply() >= PLIES_WITHOUT_CLOCK;
    next.clock_running = next.clock_running.map(|runs| runs || is_past_start);
    Ok(RemovedPiece::new(&before, played, captured))
}

/// Reverts the side to move, the move number and the material of a move. The caller restores the other numbers, which depend on
/// earlier moves.
pub(super) fn revert_turn_and_material(numbers: &mut BoardNumbers, played: LastMove, captured: Option<Role>) {
    let mover = !numbers.side_to_move;
    numbers.switch_turn_to(mover);
    if mover == Color::Black {
        numbers.move_number = numbers.move_number.saturating_sub(1);
    }
    update_material(numbers, mover, -1, captured, played);
}

impl NotatedMove {
    /// Parses the Smith notation of a move, or its algebraic notation if there is none; `None` without a valid one.
    pub(super) fn parse_sent(sent: &DatagramMove) -> Option<Self> {
        match (&sent.smith, &sent.san) {
            (Some(word), _) => SmithMove::parse(&word.to_wire()).map(Self::Smith),
            (None, Some(word)) => SanMove::parse(&word.to_wire()).map(Self::San),
            (None, None) => None,
        }
    }

    /// Resolves the move on the board before it; `None` if it does not fit that board, or is ambiguous.
    pub(super) fn to_last_move(self, before: &Style12) -> Option<LastMove> {
        match self {
            Self::Smith(smith) => smith.to_last_move(&before.board()),
            Self::San(san) => san.to_last_move(&before.board(), before.side_to_move()),
        }
    }

    pub(super) const fn is_capture(self) -> bool {
        match self {
            Self::Smith(smith) => smith.captured().is_some(),
            Self::San(san) => san.is_capture(),
        }
    }
}

/// Returns the side that a role plays; `None` for observers and examiners.
pub(super) const fn color_of_role(role: MyGameRole) -> Option<Color> {
    match role {
        MyGameRole::Player(color) | MyGameRole::SimulGiver(color) => Some(color),
        MyGameRole::Observer | MyGameRole::Examiner | MyGameRole::Gone => None,
    }
}

/// Returns whether a move resets the half-move clock even without a capture.
pub(super) const fn is_pawn_move_or_drop(played: LastMove) -> bool {
    matches!(played, LastMove::Normal { role: Role::Pawn, .. } | LastMove::Drop { .. })
}

/// Returns the file, from 0 for a to 7 for h, of a pawn move by two squares; `None` for other moves.
pub(super) fn double_push_file(played: LastMove) -> Option<u8> {
    match played {
        LastMove::Normal { role: Role::Pawn, from, to, .. } if from.rank().abs_diff(to.rank()) == 2 => Some(to.file()),
        _ => None,
    }
}

/// Returns the rights left after a move: a king that moves loses both, and a piece that leaves or enters a corner ends the right
/// of that corner. Assumes that the rooks start in the corners.
fn castling_after(rights: CastlingRights, played: LastMove, mover: Color) -> CastlingRights {
    let without_both = |color| rights.without(color, CastlingSide::Short).without(color, CastlingSide::Long);
    match played {
        LastMove::Castle { .. } | LastMove::Normal { role: Role::King, .. } => without_both(mover),
        LastMove::Normal { from, to, .. } => {
            let rooks = Color::BOTH.map(|color| [(color, CastlingSide::Long, 0), (color, CastlingSide::Short, 7)]);
            let has_moved =
                |(color, _, file): &(Color, _, _)| [from, to].contains(&Square::at(*file, color.home_rank()));
            let lost = rooks.into_iter().flatten().filter(has_moved);
            lost.fold(rights, |rights, (color, side, _)| rights.without(color, side))
        }
        LastMove::Drop { .. } | LastMove::Hidden => rights,
    }
}

/// Updates the material of both sides after a capture or promotion; `sign` is 1 to play the move, −1 to take it back.
fn update_material(next: &mut BoardNumbers, mover: Color, sign: i32, captured: Option<Role>, played: LastMove) {
    let value = |role: Role| i32::from(role.material_value());
    let promoted = match played {
        LastMove::Normal { promotion: Some(role), .. } => value(role) - value(Role::Pawn),
        _ => 0,
    };
    let (own, other) = match mover {
        Color::White => (&mut next.white_material, &mut next.black_material),
        Color::Black => (&mut next.black_material, &mut next.white_material),
    };
    *own = own.saturating_add(sign * promoted);
    *other = other.saturating_sub(sign * captured.map_or(0, value));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Any board that can be sent.
    fn any_board() -> impl Strategy<Value = Board> {
        let letter = prop::sample::select(&b"------PNBRQKpnbrqk"[..]);
        prop::array::uniform8(prop::array::uniform8(letter)).prop_map(|rows| Board::from_rows(&rows).unwrap())
    }

    proptest! {
        #[test]
        fn a_plain_move_is_one_that_the_board_plays(
            before in any_board(),
            (from, to, promotion) in (0..64_usize, 0..64_usize, 0..12_usize),
            changed in prop::option::weighted(0.2, (0..64_usize, any_board())),
        ) {
            let [from, to] = [from, to].map(|index| Square::all().nth(index).unwrap());
            prop_assume!(before.piece(from).is_some());
            let Piece { color, role } = before.piece(from).unwrap();
            let played = LastMove::Normal { role, from, to, promotion: Role::ALL.get(promotion).copied() };
            let mut expected = before;
            let captured = expected.apply(played, color);
            let mut after = expected;
            if let Some((index, other)) = changed {
                let square = Square::all().nth(index).unwrap();
                after.set(square, other.piece(square));
            }
            let want = captured.ok().filter(|_| after == expected).map(|captured| RemovedPiece::new(&before, played, captured));
            let found = removed_by_plain_move(&before.to_spaced_rows(), &after.to_spaced_rows(), played, color);
            prop_assert_eq!(found, want.filter(|removed| *removed != RemovedPiece::EnPassant));
        }
    }
}
