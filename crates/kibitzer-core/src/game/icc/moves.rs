//! Application of ICC's datagrams to one game.

use std::sync::Arc;

use crate::chess::{Board, Color, Fen, LastMove, SmithMove, Square};
use crate::game::change::PrecedingReport;
use crate::game::icc::relation_from_role;
use crate::game::moves::PlayedMove;
use crate::game::play::{self, NotatedMove};
use crate::game::state::{AwaitedMoves, Game, GameStep, NextBoardOwner, ReserveEvidence};
use crate::game::{ChangeKind, DesyncReason};
use crate::message::{
    BoardNumbers, ClockReading, DatagramMove, DerivedMove, GameInfo, GameUpdateKind, IccGameStart, MyGameRole,
    Relation, Style12,
};
use crate::text::{PlayerText, ServerText};

/// Number of the variant in which captures explode. The move does not show which pieces an explosion removes.
const ATOMIC: u16 = 27;

impl Game {
    /// Applies a datagram to the board. Returns `None` if the datagram changes nothing yet, or if the game remains out of step,
    /// so that its board is not the current one.
    ///
    /// `actor` is the player whose command caused the datagram. An error marks the game as out of step.
    pub(in crate::game) fn apply_action(
        &mut self,
        action: &GameUpdateKind,
        actor: Option<&PlayerText>,
    ) -> Result<Option<GameStep>, DesyncReason> {
        let step = self.apply_action_unmarked(action, actor);
        self.is_out_of_step |= step.is_err();
        step.map(|step| step.filter(|_| !self.is_out_of_step))
    }

    /// Applies a datagram without marking the game on an error; `Ok(None)` if it changes nothing yet. [`DesyncReason::OutOfStep`]
    /// for a move or takeback in a game that is out of step, unless its moves are awaited.
    fn apply_action_unmarked(
        &mut self,
        action: &GameUpdateKind,
        actor: Option<&PlayerText>,
    ) -> Result<Option<GameStep>, DesyncReason> {
        match action {
            GameUpdateKind::Move(_)
            | GameUpdateKind::PastMove(_)
            | GameUpdateKind::TookBack { .. }
            | GameUpdateKind::WentBack { .. }
                if self.is_out_of_step && self.awaited.is_none() =>
            {
                Err(DesyncReason::OutOfStep)
            }
            GameUpdateKind::Move(sent) | GameUpdateKind::PastMove(sent) => self.apply_sent_move(sent, actor),
            GameUpdateKind::TookBack { plies } => self.take_back_keeping_clocks(*plies).map(Some),
            GameUpdateKind::WentBack { plies } => self.go_back_with_clocks(*plies).map(Some),
            GameUpdateKind::Board { board, side_to_move } => Ok(Some(self.set_squares(*board, *side_to_move))),
            GameUpdateKind::Clocks { white, black } => Ok(Some(self.set_clocks(*white, *black))),
            GameUpdateKind::Clock { color, reading, is_running } => {
                Ok(Some(self.set_clock_and_running(*color, *reading, *is_running)))
            }
            GameUpdateKind::Flip(flip) => {
                self.numbers_mut().flip = Some(*flip);
                Ok(Some(self.repeated_step()))
            }
            GameUpdateKind::Fen(_)
            | GameUpdateKind::Position { .. }
            | GameUpdateKind::MoveList { .. }
            | GameUpdateKind::Role(_) => Ok(None),
        }
    }

    /// Processes the start of a game of this number: it is another game unless players and kind are the same.
    pub(in crate::game) fn set_next_owner_by_start_list(&mut self, start: &IccGameStart) {
        let is_same = self.owns_number()
            && self.has_players(&start.white, &start.black)
            && self.position.relation().is_examined() != start.is_played;
        if !is_same {
            self.next_board = Some(NextBoardOwner::Other);
        }
    }

    /// Replaces the names, the time control and whether the game is examined; the game continues. A time that `info` does not
    /// contain is kept.
    pub(in crate::game) fn replace_names_and_terms(&mut self, info: &GameInfo, start: &IccGameStart) {
        let known = *self.position.numbers();
        let numbers = BoardNumbers {
            initial_min: info.white_time_s.map_or(known.initial_min, |seconds| seconds / 60),
            increment_s: info.white_increment_s.unwrap_or(known.increment_s),
            ..known
        };
        self.position = Arc::new(self.position.with_numbers_and_names(numbers, &start.white, &start.black));
        self.set_examined(!start.is_played);
    }

    /// Sets whether the game is examined, and keeps whether this login takes part or observes.
    ///
    /// With `false`, a game that this login examines stays [`Relation::Examining`]: the color that it would play is unknown.
    fn set_examined(&mut self, is_examined: bool) {
        if is_examined != self.position.relation().is_examined() {
            self.numbers_mut().relation = match self.position.relation() {
                Relation::MyTurn | Relation::OpponentsTurn => Relation::Examining,
                Relation::Observing => Relation::ObservingExamined,
                Relation::ObservingExamined => Relation::Observing,
                other => other,
            };
        }
    }

    /// Reopens a game that ended but continues as an examined one; other games are unchanged.
    pub(in crate::game) fn reopen_if_living_on(&mut self) {
        if self.ending.as_ref().is_some_and(|ending| ending.lives_on) && self.next_board.is_none() {
            self.ending = None;
            self.set_examined(true);
        }
    }

    /// Sets this login's relation to the game. A player's board is shown from the player's side; other roles keep the
    /// orientation.
    pub(in crate::game) fn set_role_and_flip(&mut self, role: MyGameRole) {
        let is_played = !self.position.relation().is_examined();
        self.numbers_mut().relation = relation_from_role(role, self.position.side_to_move(), is_played);
        if let Some(color) = play::color_of_role(role) {
            self.numbers_mut().flip = Some(color == Color::Black);
        }
    }

    /// Records that `n_moves` moves follow, before which the position is not the current one. The last of them reports a change
    /// of this kind, or a repetition if it leads to `known`, the board before the announcement.
    pub(in crate::game) fn set_awaited_moves(&mut self, n_moves: u32, kind: ChangeKind, known: Option<Board>) {
        self.awaited = Some(AwaitedMoves { n_moves, kind, known });
    }

    /// Applies a move. Returns `None` while more moves are awaited, and if only a board shows the effect of the move.
    ///
    /// A repetition of the last move updates only the clock of its player. [`DesyncReason::WrongMove`] if the move cannot be
    /// read, does not fit, or comes from a command of the opponent and does not name its piece.
    fn apply_sent_move(
        &mut self,
        sent: &DatagramMove,
        actor: Option<&PlayerText>,
    ) -> Result<Option<GameStep>, DesyncReason> {
        let awaited = self.awaited.take();
        let notation = NotatedMove::parse_sent(sent).ok_or(DesyncReason::WrongMove)?;
        let side = self.position.side_to_move();
        if awaited.is_none() && self.repeats_last_move(notation, sent) {
            if let Some(clock) = clock_in(sent) {
                *self.clock_mut(!side) = clock;
            }
            return Ok(Some(self.repeated_step()));
        }
        if self.needs_board_after(notation) {
            return Ok(None);
        }
        if awaited.is_none()
            // Only a move that names the square of departure shows which side moved.
            && !matches!(notation, NotatedMove::Smith(SmithMove::Normal { .. } | SmithMove::Castle { .. }))
            && actor.and_then(|actor| self.color_of_player(actor)) == Some(!side)
        {
            return Err(DesyncReason::WrongMove);
        }
        let step = self.play_notated_move(notation, sent)?;
        let has_captured = self.reserves.has_captured || notation.is_capture();
        self.reserves = ReserveEvidence { before_move: self.hands, has_captured, ..self.reserves };
        let Some(awaited) = awaited else { return Ok(Some(step)) };
        if awaited.n_moves > 1 {
            self.awaited = Some(AwaitedMoves { n_moves: awaited.n_moves - 1, ..awaited });
            return Ok(None);
        }
        Ok(Some(self.finish_awaited_moves(awaited, step)))
    }

    /// Plays a move, with the clock and time that the server sent; without a clock, the player's clock does not change.
    /// [`DesyncReason::WrongMove`] if the move does not fit, or drops a piece that cannot be in reserve.
    fn play_notated_move(&mut self, notation: NotatedMove, sent: &DatagramMove) -> Result<GameStep, DesyncReason> {
        let played = notation.to_last_move(&self.position).ok_or(DesyncReason::WrongMove)?;
        if let LastMove::Drop { role, .. } = played
            && !self.mover_may_hold(role)
        {
            return Err(DesyncReason::WrongMove);
        }
        let clock = clock_in(sent).unwrap_or_else(|| self.position.clock(self.position.side_to_move()));
        let elapsed_ms = sent.taken_s.and_then(|seconds| seconds.checked_mul(1000));
        let san = sent.san.as_ref().or(sent.smith.as_ref()).map(ServerText::to_wire).unwrap_or_default();
        self.play_derived_move(DerivedMove { played, san: &san, elapsed_ms }, clock)
    }

    /// Returns the color of a player of this game, where `*` is this login; `None` if it plays neither or both colors.
    fn color_of_player(&self, player: &PlayerText) -> Option<Color> {
        if player.as_str() == "*" {
            return self.position.my_color();
        }
        let is_player = |color| self.position.player(color) == *player.as_str();
        match Color::BOTH.map(is_player) {
            [true, false] => Some(Color::White),
            [false, true] => Some(Color::Black),
            _ => None,
        }
    }

    /// Completes the awaited moves, after which the position is the current one and the game in step. Returns the change to
    /// report: a repetition if the squares are those known before.
    fn finish_awaited_moves(&mut self, awaited: AwaitedMoves, last: GameStep) -> GameStep {
        let contradiction = self.desync_if_in_step();
        self.is_out_of_step = false;
        match awaited.known {
            Some(known) if known == self.position.board() => GameStep { kind: ChangeKind::Repeated, ..last },
            known => GameStep { notice: known.and(contradiction), kind: awaited.kind, ..last },
        }
    }

    /// Returns whether the move repeats the last one: servers that also send board lines report each move twice.
    ///
    /// Coordinates identify a repetition, because no move is possible twice in succession. A move in algebraic notation alone is
    /// a repetition only if the side to move cannot make it.
    fn repeats_last_move(&self, notation: NotatedMove, sent: &DatagramMove) -> bool {
        match notation {
            NotatedMove::Smith(smith) => self.has_last_move_squares(smith),
            NotatedMove::San(_) => {
                let last = self.position.last_move().and_then(|last| last.san);
                last == sent.san && notation.to_last_move(&self.position).is_none()
            }
        }
    }

    /// Returns whether the last known move has these coordinates.
    fn has_last_move_squares(&self, smith: SmithMove) -> bool {
        let last = self.moves.played.last().map(PlayedMove::played).or_else(|| self.position.played());
        match (smith, last) {
            (SmithMove::Normal { from, to, .. }, Some(LastMove::Normal { from: last_from, to: last_to, .. })) => {
                (from, to) == (last_from, last_to)
            }
            (SmithMove::Castle { side, from, .. }, Some(LastMove::Castle { side: last_side, .. })) => {
                side == last_side && from.rank() == self.position.side_to_move().opponent().home_rank()
            }
            (SmithMove::Drop { role, to }, Some(LastMove::Drop { role: last_role, to: last_to })) => {
                (role, to) == (last_role, last_to)
            }
            _ => false,
        }
    }

    /// Returns whether only a board shows the squares after this move: in irregular variants, and after captures in atomic chess.
    fn needs_board_after(&self, notation: NotatedMove) -> bool {
        let start = self.info.as_ref().and_then(|info| info.start.as_ref());
        start.is_some_and(|start| start.has_irregular_semantics || (start.wild == ATOMIC && notation.is_capture()))
    }

    /// Applies a position of the server, which puts the game back in step. With `is_past`, moves follow that lead to the current
    /// position: a game that is out of step remains so, and no desync is reported.
    ///
    /// A position with other squares or another ply, or with `is_past`, drops the known moves. Reserves are replaced if the
    /// position contains them.
    pub(in crate::game) fn set_position(&mut self, fen: &Fen, is_past: bool) -> GameStep {
        if let Some(hands) = fen.hands {
            self.set_hands_and_reset_evidence(hands);
        }
        let next = self.style12_of(fen);
        if is_past {
            return self.restart_from(next, ChangeKind::Replaced, None);
        }
        let was_out_of_step = std::mem::take(&mut self.is_out_of_step);
        if next.has_same_squares(&self.position) && next.ply() == self.position.ply() {
            let last_move = self.position.numbers().last_move;
            *self.numbers_mut() = BoardNumbers { last_move, ..*next.numbers() };
            return self.repeated_step();
        }
        let notice = if was_out_of_step { self.missed_plies_before(&next) } else { self.desync_if_in_step() };
        let kind =
            if let Some(PrecedingReport::Missed { .. }) = notice { ChangeKind::Jumped } else { ChangeKind::Replaced };
        self.restart_from(next, kind, notice)
    }

    /// Applies squares that no move determines, and drops the known moves. If the side to move has changed, one ply was played.
    fn set_squares(&mut self, board: Board, side_to_move: Color) -> GameStep {
        self.is_out_of_step = false;
        let has_moved = side_to_move != self.position.side_to_move();
        if !has_moved && board == self.position.board() {
            return self.repeated_step();
        }
        let turns = u32::from(has_moved && side_to_move == Color::White);
        let fen = Fen { board, side_to_move, en_passant: None, halfmove_clock: 0, ..self.position.fen() };
        let move_number = self.position.move_number().saturating_add(turns);
        let kind = if has_moved { ChangeKind::Jumped } else { ChangeKind::Replaced };
        self.restart_from(self.style12_of(&Fen { move_number, ..fen }), kind, None)
    }

    /// Replaces the position, and drops the known and the awaited moves.
    fn restart_from(&mut self, base: Style12, kind: ChangeKind, notice: Option<PrecedingReport>) -> GameStep {
        self.position = Arc::new(base);
        self.moves.clear_and_set_base(&self.position);
        self.awaited = None;
        GameStep { notice, ..GameStep::new(kind, None) }
    }

    /// Returns the board line of another position of this game; players, clocks and relation are those of the current position.
    fn style12_of(&self, fen: &Fen) -> Style12 {
        let mut position = Style12::clone(&self.position);
        let numbers = position.replace_position(&fen.board, None);
        numbers.side_to_move = fen.side_to_move;
        numbers.double_push_file = fen.en_passant.map(Square::file);
        numbers.castling = fen.castling;
        numbers.halfmove_clock = fen.halfmove_clock;
        numbers.white_material = fen.board.material(Color::White).into();
        numbers.black_material = fen.board.material(Color::Black).into();
        numbers.move_number = fen.move_number;
        self.with_current_view(position)
    }

    /// Takes back plies as [`go_back_with_clocks`](Self::go_back_with_clocks) does, but keeps the current clocks. The errors are
    /// the same.
    fn take_back_keeping_clocks(&mut self, plies: u32) -> Result<GameStep, DesyncReason> {
        let (white, black) = (self.position.white_clock(), self.position.black_clock());
        let step = self.go_back_with_clocks(plies)?;
        self.set_clocks(white, black);
        Ok(step)
    }

    /// Returns the game to the position `plies` plies earlier, including its clocks, and stops waiting for announced moves. Used
    /// for takebacks, which then restore the clocks, and for examined games.
    ///
    /// # Errors
    ///
    /// [`DesyncReason::WrongPly`] if the moves are not known that far back.
    fn go_back_with_clocks(&mut self, plies: u32) -> Result<GameStep, DesyncReason> {
        let known = self.position.ply();
        let found = known.saturating_sub(plies);
        let back = self.moves.position_at(found, &self.position).filter(|_| plies <= known);
        let back = back.ok_or(DesyncReason::WrongPly { known, found })?;
        self.position = Arc::new(self.with_current_view(back));
        self.moves.truncate_after(found);
        self.awaited = None;
        let kind = if plies == 0 { ChangeKind::Repeated } else { ChangeKind::took_back(plies) };
        Ok(GameStep { kind, ..self.repeated_step() })
    }

    /// Returns an earlier position as the server would send it now: with the current relation, orientation and clock state.
    fn with_current_view(&self, mut position: Style12) -> Style12 {
        let relation = match self.position.my_color() {
            Some(color) => relation_from_role(MyGameRole::Player(color), position.side_to_move(), true),
            None => self.position.relation(),
        };
        let numbers = position.numbers_mut_dropping_line();
        numbers.relation = relation;
        numbers.flip = self.position.flip();
        numbers.clock_running = self.position.clock_running();
        position
    }

    /// Sets the clock of `color`. A running clock marks the game's clocks as running; a stopped one marks them as stopped only if
    /// `color` is to move.
    fn set_clock_and_running(&mut self, color: Color, reading: ClockReading, is_running: bool) -> GameStep {
        *self.clock_mut(color) = reading;
        if is_running || color == self.position.side_to_move() {
            self.numbers_mut().clock_running = Some(is_running);
        }
        self.repeated_step()
    }
}

/// Returns the mover's clock that was sent with the move; `None` if the move was sent without a clock.
fn clock_in(sent: &DatagramMove) -> Option<ClockReading> {
    sent.clock_s.map(|seconds| ClockReading::from_ms(i64::from(seconds) * 1000))
}
