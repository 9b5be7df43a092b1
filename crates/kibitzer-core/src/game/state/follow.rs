//! Application of boards and delta boards to a game.

use std::sync::Arc;

use super::{Game, NextBoardOwner, without_dropped_piece};
use crate::chess::{ApplyError, Board, Color, LastMove, SmithMove, Square};
use crate::game::change::PrecedingReport;
use crate::game::moves::PlayedMove;
use crate::game::play::RemovedPiece;
use crate::game::{ChangeKind, DesyncReason, play};
use crate::message::{ClockReading, DeltaBoard, DerivedMove, Style12};

/// Moves that the server has announced with a past position; the last of them leads to the current position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::game) struct AwaitedMoves {
    /// Number of moves that have not arrived yet.
    pub(in crate::game) n_moves: u32,
    /// Change to report once the last move has arrived.
    pub(in crate::game) kind: ChangeKind,
    /// Board that was known before the position.
    pub(in crate::game) known: Option<Board>,
}

/// Effect of a board or a move on one game, from which [`MessageEffect`](crate::game::MessageEffect) is made.
#[derive(Clone, Copy, Debug)]
pub(in crate::game) struct GameStep {
    pub(in crate::game) kind: ChangeKind,
    pub(in crate::game) played: Option<LastMove>,
    pub(in crate::game) notice: Option<PrecedingReport>,
    /// See [`ChangeFlags::ForbidsCheck`](crate::game::ChangeFlags::ForbidsCheck).
    pub(in crate::game) forbids_check: bool,
}

impl GameStep {
    pub(in crate::game) const fn new(kind: ChangeKind, played: Option<LastMove>) -> Self {
        Self { kind, played, notice: None, forbids_check: false }
    }
}

impl Game {
    /// Applies a board of the server, which becomes the current position. Clears a pending announcement, and marks the game as
    /// followed and in step.
    ///
    /// Returns the effect on the game, and the position that the board replaced. After a takeback with a desync, that is the
    /// known position of the board's ply.
    pub(in crate::game) fn apply_board_and_take_replaced(&mut self, board: &Arc<Style12>) -> (GameStep, Arc<Style12>) {
        // A final board after the end leaves the game ended; one after the observation ended revives it.
        self.followed = true;
        self.awaited = None;
        let announced = self.next_board.take();
        if announced == Some(NextBoardOwner::Same) {
            self.ending = None;
        }
        let (known, received) = (self.position.ply(), board.ply());
        let step = if Some(received) == known.checked_add(1) {
            self.apply_board_of_next_ply(board)
        } else if received == known && board.has_same_squares(&self.position) {
            GameStep::new(ChangeKind::Repeated, self.reconcile_last_move(board))
        } else if received == known {
            self.apply_unexpected_board(board)
        } else if received < known {
            self.apply_board_of_earlier_ply(board, known - received)
        } else {
            // Plies are not missed if the game was not followed or was announced again in between.
            let notice = if announced.is_none() { self.missed_plies_before(board) } else { None };
            GameStep { notice, ..self.restart_moves_at(board, ChangeKind::Jumped) }
        };
        self.is_out_of_step = false;
        let replaced = std::mem::replace(&mut self.position, Arc::clone(board));
        if step.kind == ChangeKind::Moved {
            self.compare_passed_piece_with_capture();
        } else if step.kind != ChangeKind::Repeated {
            self.note_passed_piece(None);
        }
        (step, replaced)
    }

    /// Applies a board one ply after the last known one: adds its move, or treats the board as unexpected if the move does not
    /// lead to it.
    fn apply_board_of_next_ply(&mut self, board: &Arc<Style12>) -> GameStep {
        let mover = self.position.side_to_move();
        let Some(last_move) = board.played() else { return self.apply_unexpected_board(board) };
        if let Some(removed) =
            play::removed_by_plain_move(self.position.squares_text(), board.squares_text(), last_move, mover)
        {
            return self.make_room_and_push_move(last_move, removed, board);
        }
        let before = self.position.board();
        let played = match last_move {
            LastMove::Castle { .. } => last_move.with_castling_squares(&before, board.board().find_king(mover), mover),
            other => other,
        };
        let mut expected = before;
        let removed = match expected.apply(played, mover) {
            Ok(captured) if expected == board.board() => RemovedPiece::new(&before, played, captured),
            Ok(Some(_)) if self.is_explosion(&expected, board, played) => RemovedPiece::Unknown,
            Err(ApplyError::Hidden) => RemovedPiece::Unknown,
            _ => return self.apply_unexpected_board(board),
        };
        self.make_room_and_push_move(played, removed, board)
    }

    /// Adds the move that led from the current position to `board`. At the limit of known moves, first drops them all; the list
    /// then begins at the current position.
    #[inline]
    fn make_room_and_push_move(&mut self, played: LastMove, removed: RemovedPiece, board: &Style12) -> GameStep {
        if self.moves.is_full() {
            self.moves.clear_and_set_base(&self.position);
        }
        let before = (self.position.side_to_move(), self.position.castling());
        self.moves.played.push(PlayedMove::new(before, played, removed, board));
        self.moved_step(played)
    }

    const fn moved_step(&self, played: LastMove) -> GameStep {
        GameStep { forbids_check: self.forbids_check, ..GameStep::new(ChangeKind::Moved, Some(played)) }
    }

    /// Returns whether a capture led to a board as in atomic chess: all missing pieces stood on or beside the square of the
    /// capture. A game of unknown type is treated like an atomic one.
    fn is_explosion(&self, expected: &Board, board: &Style12, played: LastMove) -> bool {
        let LastMove::Normal { to: center, .. } = played else { return false };
        let may_explode = self.kind().is_none_or(|kind| kind.contains("atomic"));
        may_explode
            && Square::all().all(|square| {
                let is_beside =
                    square.file().abs_diff(center.file()) <= 1 && square.rank().abs_diff(center.rank()) <= 1;
                let left = board.board().piece(square);
                left == expected.piece(square) || (is_beside && left.is_none())
            })
    }

    /// Returns the last move of a board whose squares are known. If it differs from the last known move, or the board has none,
    /// the known moves are dropped, because they led to this board in another way.
    fn reconcile_last_move(&mut self, board: &Arc<Style12>) -> Option<LastMove> {
        let reported = board.played();
        match self.moves.played.last().map(PlayedMove::played) {
            Some(known) if reported.is_some_and(|reported| is_same_move(reported, known)) => return Some(known),
            Some(_) => self.moves.clear_and_set_base(board),
            None => {}
        }
        reported
    }

    /// Applies a board `plies` before the last known one, and drops the later moves. Drops all moves if they lead to another
    /// board at its ply, or do not reach that ply. If that is a desync, first returns to the known position of the ply, which the
    /// report compares.
    fn apply_board_of_earlier_ply(&mut self, board: &Arc<Style12>, plies: u32) -> GameStep {
        let kind = ChangeKind::took_back(plies);
        let known = self.moves.board_at(board.ply(), &self.position);
        if known == Some(board.board()) {
            self.moves.truncate_after(board.ply());
            return GameStep::new(kind, self.reconcile_last_move(board));
        }
        let notice = known.and_then(|_| self.desync_if_in_step());
        if let Some(expected) = self.moves.position_at(board.ply(), &self.position).filter(|_| notice.is_some()) {
            self.position = Arc::new(expected);
        }
        GameStep { notice, ..self.restart_moves_at(board, kind) }
    }

    /// Processes a board that does not follow from the last known one: reports a desync where one was expected, and drops the
    /// known moves.
    fn apply_unexpected_board(&mut self, board: &Arc<Style12>) -> GameStep {
        let notice = self.desync_if_in_step();
        GameStep { notice, ..self.restart_moves_at(board, ChangeKind::Replaced) }
    }

    /// Returns the missing plies between the last known one and `board`, excluding the last move of `board`. `None` if none are
    /// missing, or if `board` is that of an examined game.
    pub(in crate::game) fn missed_plies_before(&self, board: &Style12) -> Option<PrecedingReport> {
        let from_ply = self.position.ply().saturating_add(1);
        let to_ply = board.ply().saturating_sub(board.has_last_move().into());
        let is_missed = from_ply <= to_ply && !board.relation().is_examined();
        is_missed.then_some(PrecedingReport::Missed { from_ply, to_ply })
    }

    /// Returns the desync for an unexpected board; `None` in examined games, where any board may be set up, and after a gap.
    pub(in crate::game) fn desync_if_in_step(&self) -> Option<PrecedingReport> {
        let is_expected = !self.position.relation().is_examined() && !self.is_out_of_step;
        is_expected.then_some(PrecedingReport::Desync(DesyncReason::WrongBoard))
    }

    /// Drops the known moves, and continues from `board`.
    fn restart_moves_at(&mut self, board: &Arc<Style12>, kind: ChangeKind) -> GameStep {
        self.moves.clear_and_set_base(board);
        GameStep::new(kind, board.played())
    }

    /// Applies a delta board: plays its move, or returns to the known ply that it repeats.
    ///
    /// An error changes no board, and marks the game as out of step.
    pub(in crate::game) fn apply_delta(&mut self, delta: &DeltaBoard) -> Result<GameStep, DesyncReason> {
        let step = self.apply_delta_unmarked(delta);
        self.is_out_of_step |= step.is_err();
        step
    }

    /// Applies a delta board without marking the game as out of step on an error. A delta board of a known ply returns to that
    /// ply.
    fn apply_delta_unmarked(&mut self, delta: &DeltaBoard) -> Result<GameStep, DesyncReason> {
        let known = self.position.ply();
        // Delta boards count plies from the start board, not from the move number.
        let found = u32::from(delta.plies).saturating_add(self.moves.start_ply);
        let step = if Some(found) == known.checked_add(1) {
            self.play_delta(delta)?
        } else if found <= known {
            self.return_to_known_ply(found, delta).ok_or(DesyncReason::WrongPly { known, found })?
        } else {
            return Err(DesyncReason::WrongPly { known, found });
        };
        self.numbers_mut().lag_ms = delta.lag_ms;
        Ok(step)
    }

    /// Plays the move of a delta board; [`DesyncReason::WrongMove`] if it is malformed or hidden, or does not fit.
    fn play_delta(&mut self, delta: &DeltaBoard) -> Result<GameStep, DesyncReason> {
        let smith = SmithMove::parse(delta.smith.as_str().as_bytes());
        let played = smith.and_then(|smith| smith.to_last_move(&self.position.board()));
        let played = played.filter(|played| *played != LastMove::Hidden).ok_or(DesyncReason::WrongMove)?;
        let last_move = DerivedMove { played, san: &delta.san.to_wire(), elapsed_ms: Some(delta.taken_ms) };
        self.play_derived_move(last_move, delta.clock)
    }

    /// Plays a move without a board on the last known position. If the limit of moves is reached, drops the moves known before.
    ///
    /// # Errors
    ///
    /// [`DesyncReason::WrongMove`] if the move does not fit; the position is then unchanged.
    pub(in crate::game) fn play_derived_move(
        &mut self,
        last_move: DerivedMove<'_>,
        clock: ClockReading,
    ) -> Result<GameStep, DesyncReason> {
        // Without a need for it, no clone: the position is then changed in place if the last event was dropped.
        let base = self.moves.is_full().then(|| Arc::clone(&self.position));
        let before = (self.position.side_to_move(), self.position.castling());
        let removed =
            play::play_on_position(&mut self.position, last_move, clock).map_err(|_| DesyncReason::WrongMove)?;
        let reserves = self.hands.map(|hands| without_dropped_piece(hands, &self.position));
        Arc::make_mut(&mut self.position).set_reserves(reserves);
        if let Some(base) = base {
            self.moves.clear_and_set_base(&base);
        }
        self.moves.played.push(PlayedMove::new(before, last_move.played, removed, &self.position));
        Ok(self.moved_step(last_move.played))
    }

    /// Returns to the known ply that a delta board repeats, and drops the later moves. Keeps the current clocks except the
    /// mover's, which the delta board contains. `None`, without a change, if no known move of this ply has its SAN.
    fn return_to_known_ply(&mut self, ply: u32, delta: &DeltaBoard) -> Option<GameStep> {
        let last = self.moves.played.get(self.moves.plies_since_base(ply)?.checked_sub(1)?)?;
        let played = last.played();
        (last.pretty() == Some(delta.san.as_str())).then_some(())?;
        let plies = self.position.ply() - ply;
        if plies > 0 {
            let (white, black) = (self.position.white_clock(), self.position.black_clock());
            self.position = Arc::new(self.moves.position_at(ply, &self.position)?);
            self.set_clocks(white, black);
            self.moves.truncate_after(ply);
        }
        *self.clock_mut(!self.position.side_to_move()) = delta.clock;
        let kind = if plies == 0 { ChangeKind::Repeated } else { ChangeKind::took_back(plies) };
        Some(GameStep::new(kind, Some(played)))
    }

    /// Returns the clock of one side for modification.
    pub(in crate::game) fn clock_mut(&mut self, color: Color) -> &mut ClockReading {
        self.numbers_mut().clock_mut(color)
    }

    /// Sets both clocks; returns the effect of a repeated board.
    pub(in crate::game) fn set_clocks(&mut self, white: ClockReading, black: ClockReading) -> GameStep {
        let numbers = self.numbers_mut();
        numbers.white_clock = white;
        numbers.black_clock = black;
        self.repeated_step()
    }

    /// Returns the effect of a message that leaves the squares unchanged.
    pub(in crate::game) fn repeated_step(&self) -> GameStep {
        let played = self.moves.played.last().map(PlayedMove::played).or_else(|| self.position.played());
        GameStep::new(ChangeKind::Repeated, played)
    }
}

/// Returns whether two moves are the same; the squares of a castling are ignored, because the reported move has none.
fn is_same_move(reported: LastMove, known: LastMove) -> bool {
    match (reported, known) {
        (LastMove::Castle { side, .. }, LastMove::Castle { side: known_side, .. }) => side == known_side,
        _ => reported == known,
    }
}
