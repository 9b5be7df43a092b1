//! What ICC's datagrams do to the games.

use std::sync::Arc;

use super::play::SentNotation;
use super::state::Step;
use super::{Applied, Games, opening};
use crate::chess::{Board, CastlingRights, Color, Fen};
use crate::game::{ChangeKind, DesyncReason};
use crate::message::{GameAction, GameId, GameInfo, GameRole, GameUpdate, SentMove, StartKind};

impl Games {
    pub(super) fn update(&mut self, update: &GameUpdate) -> Applied {
        let id = update.game;
        if self.isolated == Some(id) {
            return Applied::default();
        }
        if let Some(game) = self.by_id.get_mut(&id) {
            game.go_on_examined();
        }
        match &update.action {
            GameAction::Role(role) => self.role(id, *role),
            GameAction::Position { fen, n_moves } => self.position(id, fen, *n_moves),
            GameAction::MoveList { start, moves } => self.move_list(id, start.as_ref(), moves),
            GameAction::Fen(fen) => self.position(id, fen, 0),
            action => self.step(id, action),
        }
    }

    /// The list with which ICC starts a game makes its number another game's; `false` if that game is not to be followed.
    pub(super) fn begin(&mut self, info: &GameInfo) -> bool {
        let (id, Some(start)) = (info.game, info.start.as_deref()) else { return true };
        if start.kind == StartKind::Isolated {
            // A game that is followed stays what it is: the board is to be shown, no more.
            self.isolated = self.current(id).is_none().then_some(id).or(self.isolated);
            return false;
        }
        self.isolated = self.isolated.filter(|isolated| *isolated != id);
        if let Some(game) = self.by_id.get_mut(&id) {
            match start.kind {
                StartKind::Changed => game.rename(info, start),
                StartKind::Mine | StartKind::Observed => game.set_started(start),
                _ => {}
            }
        }
        true
    }

    fn role(&mut self, id: GameId, role: GameRole) -> Applied {
        if role == GameRole::Gone {
            self.foretold.take(id);
            return self.set_followed(id, ChangeKind::Left);
        }
        let Some(game) = self.current(id) else {
            self.foretold.of(id).role = Some(role);
            return Applied::default();
        };
        game.set_role(role);
        Applied::change(game, ChangeKind::Info)
    }

    /// Takes a position. If moves follow that lead to the current one, the last of them is the news.
    fn position(&mut self, id: GameId, fen: &Fen, n_moves: u32) -> Applied {
        let known = self.current(id).map(|game| game.position().board());
        let step = match self.current(id) {
            Some(game) => Some(game.set_position(fen, n_moves > 0)),
            None => self.open_with(id, fen),
        };
        let (Some(step), Some(game)) = (step, self.current(id)) else {
            return Applied::desync(id, DesyncReason::NoBoard);
        };
        if n_moves > 0 {
            game.await_moves(n_moves, step.kind, known);
            return Applied::default();
        }
        step.applied(game.position(), Some(game.shared_position()))
    }

    fn move_list(&mut self, id: GameId, start: Option<&Board>, moves: &[SentMove]) -> Applied {
        let n_moves = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        let mut applied = self.position(id, &start.map_or(Fen::START, usual_turn), n_moves);
        for sent in moves {
            if applied.notice.is_some() {
                break;
            }
            let action = GameAction::PastMove(sent.clone());
            applied = self.apply_action(id, &action).unwrap_or(Applied::desync(id, DesyncReason::NoBoard));
        }
        applied
    }

    fn step(&mut self, id: GameId, action: &GameAction) -> Applied {
        if let Some(applied) = self.apply_action(id, action) {
            return applied;
        }
        match action {
            GameAction::Move(sent) | GameAction::PastMove(sent) => {
                let opened = self.open_before(id, sent);
                let (Some(opened), Some(mut applied)) = (opened, self.apply_action(id, action)) else {
                    return Applied::desync(id, DesyncReason::NoBoard);
                };
                if let Some(change) = &mut applied.change {
                    change.kind = opened.kind;
                }
                applied
            }
            GameAction::Board { board, side_to_move } => {
                self.position(id, &Fen { side_to_move: *side_to_move, ..usual_turn(board) }, 0)
            }
            // A clock alone makes no game.
            _ => Applied::default(),
        }
    }

    /// `None` if there is no game to apply it to.
    fn apply_action(&mut self, id: GameId, action: &GameAction) -> Option<Applied> {
        let game = self.by_id.get_mut(&id).filter(|game| game.is_current())?;
        Some(match game.apply_action(action, self.actor.as_ref(), self.limits.moves) {
            Ok(Some(step)) => step.applied(game.position(), Some(game.shared_position())),
            Ok(None) => Applied::default(),
            Err(reason) => Applied::desync(id, reason),
        })
    }

    /// Opens a game that was announced with its first board.
    fn open_with(&mut self, id: GameId, fen: &Fen) -> Option<Step> {
        let told = self.foretold.get(id)?;
        let board = opening::board(told.info.as_ref()?, fen, told.role, self.me.as_ref())?;
        let kind = if self.by_id.contains_key(&id) { ChangeKind::Replaced } else { ChangeKind::Opened };
        let step = self.open(&Arc::new(board), kind);
        if let (Some(game), Some(hands)) = (self.by_id.get_mut(&id), fen.hands) {
            game.set_hands(hands);
        }
        Some(step)
    }

    /// Opens a game of which no board was told, if the move fits the usual start.
    fn open_before(&mut self, id: GameId, sent: &SentMove) -> Option<Step> {
        let told = self.foretold.get(id)?;
        let info = told.info.as_ref().filter(|info| info.start.as_deref().is_some_and(opening::starts_as_usual))?;
        let board = opening::board(info, &Fen::START, told.role, self.me.as_ref())?;
        let played = SentNotation::read(sent)?.to_last_move(&board)?;
        board.board().clone().apply(played, board.side_to_move()).ok()?;
        self.open_with(id, &Fen::START)
    }
}

/// A position of which only the squares were told: White begins, with all rights that can be.
fn usual_turn(board: &Board) -> Fen {
    Fen::from_wire(*board, Color::White, CastlingRights::ALL, None)
}

#[cfg(test)]
mod tests;
