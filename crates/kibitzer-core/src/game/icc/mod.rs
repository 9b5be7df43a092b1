//! ICC: application of its datagrams to the games, and the first board of a game for which it sent a list of terms but no board line.

mod moves;

use std::sync::Arc;

use crate::chess::{Board, CastlingRights, Color, Fen, Square};
use crate::game::play::{self, NotatedMove};
use crate::game::state::GameStep;
use crate::game::{ChangeKind, DesyncReason, Games, MessageEffect, PrecedingReport};
use crate::message::{
    BoardNumbers, ClockReading, DatagramMove, GameId, GameInfo, GameUpdate, GameUpdateKind, Handle, IccGameStart,
    IccGameStartReason, MyGameRole, Relation, Style12,
};

impl Games {
    /// Applies a datagram. Datagrams of an isolated board change nothing; one after the end of a game may reopen it as an
    /// examined game.
    pub(super) fn apply_update(&mut self, update: &GameUpdate) -> Option<MessageEffect> {
        let id = update.game;
        if self.isolated == Some(id) {
            return None;
        }
        if let Some(game) = self.by_id.get_mut(id) {
            game.reopen_if_living_on();
        }
        match &update.action {
            GameUpdateKind::Role(role) => self.apply_role(id, *role),
            GameUpdateKind::Position { fen, n_moves } => self.apply_position(id, fen, *n_moves),
            GameUpdateKind::MoveList { start, moves } => Some(self.apply_move_list(id, start.as_ref(), moves)),
            GameUpdateKind::Fen(fen) => self.apply_position(id, fen, 0),
            action => self.apply_action_or_open_game(id, action),
        }
    }

    /// Processes the list with which ICC starts a game: later boards of the number may belong to another game. A list of changes
    /// replaces the names and terms of the game. Returns `false` for an isolated board, which is not followed; `true` without a
    /// list.
    pub(super) fn apply_start_list_unless_isolated(&mut self, info: &GameInfo) -> bool {
        let (id, Some(start)) = (info.game, info.start.as_deref()) else { return true };
        if start.kind == IccGameStartReason::Isolated {
            // A followed game with this number is unchanged: the isolated board is only for display.
            self.isolated = self.game_owning_number(id).is_none().then_some(id).or(self.isolated);
            return false;
        }
        self.isolated = self.isolated.filter(|isolated| *isolated != id);
        if let Some(game) = self.by_id.get_mut(id) {
            match start.kind {
                IccGameStartReason::Changed => game.replace_names_and_terms(info, start),
                IccGameStartReason::Mine | IccGameStartReason::Observed => game.set_next_owner_by_start_list(start),
                _ => {}
            }
        }
        true
    }

    /// Applies the relation of this login to a game. [`MyGameRole::Gone`] means that the login left the game, and discards
    /// reports for its number. Any other role changes the current game; without one, it is kept for the next board with the
    /// number.
    fn apply_role(&mut self, id: GameId, role: MyGameRole) -> Option<MessageEffect> {
        if role == MyGameRole::Gone {
            self.announced.take(id);
            return self.set_followed_or_left(id, ChangeKind::Left);
        }
        let Some(game) = self.game_owning_number(id) else {
            self.announced.move_to_latest_or_insert(id).role = Some(role);
            return None;
        };
        game.set_role_and_flip(role);
        Some(MessageEffect::change(game, ChangeKind::Info))
    }

    /// Applies a position. If `n_moves` moves follow, it reports nothing: the change is reported with the last of them.
    ///
    /// Without a game of this number, opens an announced one; reports [`DesyncReason::NoBoard`] if there is none.
    fn apply_position(&mut self, id: GameId, fen: &Fen, n_moves: u32) -> Option<MessageEffect> {
        let before = self.game_owning_number(id).map(|game| Arc::clone(&game.position));
        let step = match self.game_owning_number(id) {
            Some(game) => Some(game.set_position(fen, n_moves > 0)),
            None => self.open_announced_game(id, fen),
        };
        let (Some(step), Some(game)) = (step, self.game_owning_number(id)) else {
            return Some(MessageEffect::desync(id, DesyncReason::NoBoard));
        };
        if n_moves > 0 {
            game.set_awaited_moves(n_moves, step.kind, before.map(|before| before.board()));
            return None;
        }
        let is_desync = matches!(step.notice, Some(PrecedingReport::Desync(_)));
        let effect = step.into_effect(game.position(), Some(Arc::clone(&game.position)));
        Some(MessageEffect { replaced: before.filter(|_| is_desync), ..effect })
    }

    /// Applies a list of moves from `start`, by default the usual start position; White is to move there. Stops after the first
    /// desync, and drops the remaining moves.
    fn apply_move_list(&mut self, id: GameId, start: Option<&Board>, moves: &[DatagramMove]) -> MessageEffect {
        let n_moves = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        let mut applied =
            self.apply_position(id, &start.map_or(Fen::START, fen_with_white_to_move), n_moves).unwrap_or_default();
        for sent in moves {
            if applied.notice.is_some() {
                break;
            }
            let action = GameUpdateKind::PastMove(sent.clone());
            applied =
                self.apply_action_to_game(id, &action).unwrap_or(MessageEffect::desync(id, DesyncReason::NoBoard));
        }
        applied
    }

    /// Applies an action to the current game. Without one, a move or a board opens an announced game; if none is announced, the
    /// effect is [`DesyncReason::NoBoard`]. Other actions change nothing then.
    fn apply_action_or_open_game(&mut self, id: GameId, action: &GameUpdateKind) -> Option<MessageEffect> {
        if let Some(applied) = self.apply_action_to_game(id, action) {
            return Some(applied);
        }
        match action {
            GameUpdateKind::Move(sent) | GameUpdateKind::PastMove(sent) => {
                let opened = self.open_at_usual_start(id, sent);
                let (Some(opened), Some(mut applied)) = (opened, self.apply_action_to_game(id, action)) else {
                    return Some(MessageEffect::desync(id, DesyncReason::NoBoard));
                };
                if let Some(change) = &mut applied.change {
                    change.kind = opened.kind;
                }
                Some(applied)
            }
            GameUpdateKind::Board { board, side_to_move } => {
                self.apply_position(id, &Fen { side_to_move: *side_to_move, ..fen_with_white_to_move(board) }, 0)
            }
            // Other actions, such as a clock, do not open a game.
            _ => None,
        }
    }

    /// Applies an action to the current game of this number; `None` if there is none.
    fn apply_action_to_game(&mut self, id: GameId, action: &GameUpdateKind) -> Option<MessageEffect> {
        let game = self.by_id.get_mut(id).filter(|game| game.owns_number())?;
        Some(match game.apply_action(action, self.actor.as_ref()) {
            Ok(Some(step)) => step.into_effect(game.position(), Some(Arc::clone(&game.position))),
            Ok(None) => MessageEffect::default(),
            Err(reason) => MessageEffect::desync(id, reason),
        })
    }

    /// Opens an announced game with its first position; `None` if its terms have not arrived, or do not give a board.
    fn open_announced_game(&mut self, id: GameId, fen: &Fen) -> Option<GameStep> {
        let reports = self.announced.get(id)?;
        let board = first_board_from_start_list(reports.info.as_ref()?, fen, reports.role, self.me.as_ref())?;
        let kind = if self.by_id.get(id).is_some() { ChangeKind::Replaced } else { ChangeKind::Opened };
        let step = self.open_game(&Arc::new(board), kind);
        if let (Some(game), Some(hands)) = (self.by_id.get_mut(id), fen.hands) {
            game.set_hands_and_reset_evidence(hands);
        }
        Some(step)
    }

    /// Opens an announced game without a board from the usual start position; `None` if the game starts otherwise, or the move is
    /// not possible there.
    fn open_at_usual_start(&mut self, id: GameId, sent: &DatagramMove) -> Option<GameStep> {
        let reports = self.announced.get(id)?;
        let info = reports.info.as_ref()?;
        let start = info.start.as_deref()?;
        (start.is_played && VARIANTS_WITH_USUAL_ARRAY.contains(&start.wild)).then_some(())?;
        let board = first_board_from_start_list(info, &Fen::START, reports.role, self.me.as_ref())?;
        let played = NotatedMove::parse_sent(sent)?.to_last_move(&board)?;
        board.board().clone().apply(played, board.side_to_move()).ok()?;
        self.open_announced_game(id, &Fen::START)
    }
}

/// Returns a position from squares alone: White to move, with all castling rights that the squares permit.
fn fen_with_white_to_move(board: &Board) -> Fen {
    Fen::from_wire(*board, Color::White, CastlingRights::ALL, None)
}

/// Numbers of the variants that begin with the usual array: chess, kriegspiel, losers, crazyhouse, bughouse, three checks,
/// giveaway, atomic.
///
/// Source: ICC's list of variants.
pub(super) const VARIANTS_WITH_USUAL_ARRAY: [u16; 8] = [0, 16, 17, 23, 24, 25, 26, 27];

/// Creates the board line that the server would send for the position; `None` without a start list, or for a game that this login
/// neither plays, examines nor observes.
///
/// This login's side follows from `role`, or else from a comparison of `login_name` with the players' names, which are real in
/// played games.
pub(super) fn first_board_from_start_list(
    info: &GameInfo,
    fen: &Fen,
    role: Option<MyGameRole>,
    login_name: Option<&Handle>,
) -> Option<Style12> {
    let start = info.start.as_deref()?;
    matches!(start.kind, IccGameStartReason::Mine | IccGameStartReason::Observed).then_some(())?;
    let role = role.unwrap_or_else(|| role_from_names(start, login_name));
    let clock = |seconds: Option<u32>| ClockReading::from_ms(i64::from(seconds.unwrap_or_default()) * 1000);
    let numbers = BoardNumbers {
        white_clock: clock(info.white_time_s),
        black_clock: clock(info.black_time_s),
        game: info.game,
        relation: relation_from_role(role, fen.side_to_move, start.is_played),
        halfmove_clock: fen.halfmove_clock,
        initial_min: info.white_time_s.unwrap_or_default() / 60,
        increment_s: info.white_increment_s.unwrap_or_default(),
        white_material: fen.board.material(Color::White).into(),
        black_material: fen.board.material(Color::Black).into(),
        move_number: fen.move_number,
        last_move: None,
        side_to_move: fen.side_to_move,
        double_push_file: fen.en_passant.map(Square::file),
        castling: fen.castling,
        flip: Some(play::color_of_role(role) == Some(Color::Black)),
        clock_running: None,
        lag_ms: None,
        is_cut: false,
        reserves: fen.hands,
    };
    Some(Style12::new(numbers, &fen.board, &start.white, &start.black))
}

/// Returns the role of this login as far as the list alone shows it; observer if the name of the login is not known.
fn role_from_names(start: &IccGameStart, login_name: Option<&Handle>) -> MyGameRole {
    match start.kind {
        IccGameStartReason::Mine if !start.is_played => MyGameRole::Examiner,
        IccGameStartReason::Mine if login_name == Some(&start.white) => MyGameRole::Player(Color::White),
        IccGameStartReason::Mine if login_name == Some(&start.black) => MyGameRole::Player(Color::Black),
        _ => MyGameRole::Observer,
    }
}

/// Converts the role of this login to the relation field of a board line.
pub(super) fn relation_from_role(role: MyGameRole, side_to_move: Color, is_played: bool) -> Relation {
    match role {
        MyGameRole::Player(color) | MyGameRole::SimulGiver(color) if color == side_to_move => Relation::MyTurn,
        MyGameRole::Player(_) | MyGameRole::SimulGiver(_) => Relation::OpponentsTurn,
        MyGameRole::Examiner => Relation::Examining,
        MyGameRole::Observer | MyGameRole::Gone if is_played => Relation::Observing,
        MyGameRole::Observer | MyGameRole::Gone => Relation::ObservingExamined,
    }
}

#[cfg(test)]
mod tests;
