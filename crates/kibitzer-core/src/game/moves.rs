//! The known moves of a game.

use std::fmt;
use std::sync::Arc;

use super::play::{self, RemovedPiece};
use crate::chess::{Board, CastlingRights, Color, LastMove, Role, Square};
use crate::message::{ClockReading, DerivedMove, Style12};
use crate::text::{ServerText, encode_as_received};

/// A move of a game. `Display` writes its [pretty form](Self::pretty), or without one the verbose form of style 12: `P/e2-e4`.
///
/// Usually occupies 24 bytes, because a game may have thousands of moves; an unusual report is stored on the heap.
#[derive(Clone, PartialEq, Eq)]
pub struct PlayedMove {
    played: LastMove,
    removed: RemovedPiece,
    /// Castling rights before the move.
    castling: CastlingRights,
    report: MoveReport,
}

/// Pretty form, clock and elapsed time of a move, as the server reported them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum MoveReport {
    /// A pretty form of 1 to 7 bytes, padded with zeros. An `elapsed_ms` of `u32::MAX` stands for an unknown time.
    Usual { san: [u8; 7], clock_ms: i32, elapsed_ms: u32 },
    /// A longer, missing or not plainly ASCII pretty form, or a time that does not fit `Usual`.
    Unusual(Box<(Option<ServerText>, ClockReading, Option<u32>)>),
}

impl PlayedMove {
    /// Creates the record of a move. The clock, the elapsed time and the pretty form are read from `after`, the board after the
    /// move; `castling` are the castling rights before it.
    #[inline]
    pub(super) fn new(
        (mover, castling): (Color, CastlingRights),
        played: LastMove,
        removed: RemovedPiece,
        after: &Style12,
    ) -> Self {
        let (san, clock) = (after.san_bytes(), after.clock(mover));
        let elapsed_ms = after.elapsed_ms();
        let report = MoveReport::try_usual(san, clock, elapsed_ms).unwrap_or_else(|| {
            let san = (!san.is_empty()).then(|| ServerText::from_wire(san));
            MoveReport::Unusual(Box::new((san, clock, elapsed_ms)))
        });
        Self { played, removed, castling, report }
    }

    /// Returns the move. Castling includes the squares of king and rook if they follow from the previous board.
    pub const fn played(&self) -> LastMove {
        self.played
    }

    /// Returns the pretty form as the server sent it (`e4`, `Nbd7+`), which is not always standard notation. `None` if the server
    /// sent none, or cut the line before it.
    pub fn pretty(&self) -> Option<&str> {
        match &self.report {
            MoveReport::Usual { san, .. } => {
                let end = san.iter().position(|&byte| byte == 0).unwrap_or(san.len());
                san.get(..end).and_then(|san| std::str::from_utf8(san).ok())
            }
            MoveReport::Unusual(report) => report.0.as_ref().map(ServerText::as_str),
        }
    }

    /// Returns the mover's clock after the move.
    pub fn clock(&self) -> ClockReading {
        match &self.report {
            MoveReport::Usual { clock_ms, .. } => ClockReading::from_ms((*clock_ms).into()),
            MoveReport::Unusual(report) => report.1,
        }
    }

    /// Returns the time spent on the move, in milliseconds; `None` if the server sent none.
    pub fn elapsed_ms(&self) -> Option<u32> {
        match &self.report {
            MoveReport::Usual { elapsed_ms, .. } => Some(*elapsed_ms).filter(|ms| *ms != u32::MAX),
            MoveReport::Unusual(report) => report.2,
        }
    }

    /// Returns the captured piece and its square; `None` if the move captures nothing, or if its squares are unknown.
    pub(super) const fn captured(&self) -> Option<(Square, Role)> {
        match (self.removed, self.played) {
            (RemovedPiece::Piece(role), LastMove::Normal { to, .. }) => Some((to, role)),
            (RemovedPiece::EnPassant, LastMove::Normal { from, to, .. }) => {
                Some((Square::at(to.file(), from.rank()), Role::Pawn))
            }
            _ => None,
        }
    }
}

impl MoveReport {
    /// Returns the compact form of a report; `None` if the pretty form is empty, longer than seven bytes or not plainly ASCII, or
    /// a number does not fit.
    #[inline]
    fn try_usual(pretty: &[u8], clock: ClockReading, elapsed_ms: Option<u32>) -> Option<Self> {
        // Collected in a register, because a copy of so few bytes is read again at once.
        let (packed, is_plain) = pretty.iter().rev().take(8).fold((0_u64, true), |(packed, is_plain), &byte| {
            (packed << 8 | u64::from(byte), is_plain && byte.is_ascii_graphic() && byte != b'&')
        });
        let is_usual = is_plain && matches!(pretty.len(), 1..=7) && elapsed_ms != Some(u32::MAX);
        let [san @ .., _] = packed.to_le_bytes();
        let clock_ms = i32::try_from(clock.as_ms()).ok()?;
        is_usual.then_some(Self::Usual { san, clock_ms, elapsed_ms: elapsed_ms.unwrap_or(u32::MAX) })
    }
}

impl fmt::Display for PlayedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pretty() {
            Some(san) => f.pad(san),
            None => f.pad(std::str::from_utf8(&self.played.to_verbose()).unwrap_or_default()),
        }
    }
}

impl fmt::Debug for PlayedMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PlayedMove")
            .field("played", &self.played)
            .field("san", &self.pretty())
            .field("clock", &self.clock())
            .field("elapsed_ms", &self.elapsed_ms())
            .finish_non_exhaustive()
    }
}

/// Consecutive moves from a base board. When the limit is reached, all moves are dropped, and the current board becomes the base.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KnownMoves {
    /// Board before the first of `played`.
    pub(super) base: Arc<Style12>,
    pub(super) played: Vec<PlayedMove>,
    /// Ply of the last base without a last move, the start board, from which delta boards count; 0 if none was seen. It is more
    /// than 0 if Black moved first or a position was loaded.
    pub(super) start_ply: u32,
    /// Maximum length of `played`.
    limit: usize,
}

impl KnownMoves {
    /// Creates an empty list of at most `limit` moves that starts at this board.
    pub(super) fn from_base(base: Arc<Style12>, limit: usize) -> Self {
        Self { start_ply: ply_of_start_board(&base).unwrap_or(0), base, played: Vec::new(), limit }
    }

    /// Returns whether the list has reached the limit, so that [`clear_and_set_base`](Self::clear_and_set_base) is needed before
    /// the next move is added.
    pub(super) const fn is_full(&self) -> bool {
        self.played.len() >= self.limit
    }

    /// Removes the moves after `ply`; all of them if `ply` is before the base.
    pub(super) fn truncate_after(&mut self, ply: u32) {
        self.played.truncate(self.plies_since_base(ply).unwrap_or_default());
    }

    /// Removes all moves, and makes `base` the board from which later moves count. A base without a last move also becomes the
    /// start board, from which delta boards count.
    pub(super) fn clear_and_set_base(&mut self, base: &Arc<Style12>) {
        self.base = Arc::clone(base);
        self.played.clear();
        self.start_ply = ply_of_start_board(base).unwrap_or(self.start_ply);
    }

    /// Returns the number of plies from the base to `ply`; `None` if `ply` is before the base.
    pub(super) fn plies_since_base(&self, ply: u32) -> Option<usize> {
        usize::try_from(ply.checked_sub(self.base.ply())?).ok()
    }

    /// Splits the moves into those up to `ply` and those after it; `None` if `ply` is outside the known moves.
    fn split_after(&self, ply: u32) -> Option<(&[PlayedMove], &[PlayedMove])> {
        self.played.split_at_checked(self.plies_since_base(ply)?)
    }

    /// Returns the board after `ply` by undoing the later moves on `current`; `None` if `ply` is outside the known moves, or a
    /// move cannot be undone.
    pub(super) fn board_at(&self, ply: u32, current: &Style12) -> Option<Board> {
        let (_, undone) = self.split_after(ply)?;
        let (mut board, mut mover) = (current.board(), current.side_to_move());
        for step in undone.iter().rev() {
            mover = mover.opponent();
            (step.removed != RemovedPiece::Unknown).then_some(())?;
            board = board.undo(step.played, mover, step.captured())?;
        }
        Some(board)
    }

    /// Returns the position after `ply` by undoing the later moves on `current`, with the clocks that the moves until then
    /// recorded; `None` as for [`board_at`](Self::board_at).
    pub(super) fn position_at(&self, ply: u32, current: &Style12) -> Option<Style12> {
        let board = self.board_at(ply, current)?;
        let (kept, undone) = self.split_after(ply)?;
        let Some(first_undone) = undone.first() else { return Some(current.clone()) };
        let [earlier @ .., last] = kept else { return Some(Style12::clone(&self.base)) };
        let san = last.pretty().map(encode_as_received).unwrap_or_default();
        let last_move = DerivedMove { played: last.played, san: &san, elapsed_ms: last.elapsed_ms() };
        let mut position = current.clone();
        let numbers = position.replace_position(&board, Some(last_move));
        for step in undone.iter().rev() {
            play::revert_turn_and_material(numbers, step.played, step.captured().map(|(_, role)| role));
        }
        let side = numbers.side_to_move;
        *numbers.clock_mut(side.opponent()) = last.clock();
        *numbers.clock_mut(side) = earlier.last().map_or_else(|| self.base.clock(side), PlayedMove::clock);
        numbers.clock_running = self.base.clock_running().map(|runs| runs || ply >= play::PLIES_WITHOUT_CLOCK);
        numbers.castling = first_undone.castling;
        numbers.halfmove_clock = self.halfmove_clock_after(kept);
        numbers.double_push_file = play::double_push_file(last.played);
        Some(position)
    }

    /// Returns the number of plies since the last capture or pawn move after these moves, which start at the base.
    fn halfmove_clock_after(&self, moves: &[PlayedMove]) -> u32 {
        let is_reversible =
            |step: &&PlayedMove| step.removed == RemovedPiece::Nothing && !play::is_pawn_move_or_drop(step.played);
        let n_reversible = moves.iter().rev().take_while(is_reversible).count();
        let before = if n_reversible == moves.len() { self.base.halfmove_clock() } else { 0 };
        before.saturating_add(u32::try_from(n_reversible).unwrap_or(u32::MAX))
    }
}

/// Returns the ply of a start board; `None` for a board with a last move.
fn ply_of_start_board(board: &Style12) -> Option<u32> {
    (!board.has_last_move()).then(|| board.ply())
}

#[cfg(test)]
mod tests;
