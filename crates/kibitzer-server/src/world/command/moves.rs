//! Moves, which are commands without a name.
//!
//! Source of the forms: transcripts fatics-game-*, fatics-examine-*, fatics-crazyhouse-*, fatics-bughouse-*.

use kibitzer_core::chess::{Color, LastMove, Role};
use kibitzer_core::message::{CommandCode, GameId};

use super::{Refusal, find_online_player};
use crate::chess::{MoveCase, Position, TypedMoveError, Variant};
use crate::play::{ClockState, Game};
use crate::world::{BoardReason, ConnectionId, Ivar, World};

/// Number of plies from which on the opponent of a mover is pinged, to measure the lag of the reply.
///
/// Source: observed-fatics §11.
const MIN_PLIES_TO_PING: usize = 2;

impl World {
    /// Plays the typed move, or queues a refusal: if it is not the player's turn, the clock is paused, or the move is ambiguous,
    /// illegal or without a game. Returns the code of a move in either case; `None`, without a reply, if the text is not a move.
    pub(crate) fn try_typed_move(&mut self, id: ConnectionId, typed: &str) -> Option<CommandCode> {
        let player = self.lobby.player(id)?;
        let Some(number) = player.game else { return self.refuse_move_without_game(id, typed) };
        let case = if player.ivars.is_set(Ivar::MoveCase) { MoveCase::Sensitive } else { MoveCase::Insensitive };
        let active_game = self.games.get(number)?;
        let position = active_game.position();
        let read = position.parse_typed_move(typed, case);
        if read == Err(TypedMoveError::NotAMove) {
            return None;
        }
        let is_waiting = self.played_game_of(id).is_some_and(|(_, color)| color != position.side_to_move);
        let is_paused = active_game.as_played().is_some_and(|game| game.clock_state == ClockState::Paused);
        match read {
            _ if is_waiting => self.lobby.queue_text(id, "It is not your move.\n"),
            _ if is_paused => self.lobby.queue_text(id, "The clock is paused, use \"unpause\" to resume.\n"),
            Ok(played) if active_game.as_played().is_some() => self.play_in_played_game(id, number, played),
            Ok(played) => self.play_in_examined_game(id, number, played),
            Err(error) => {
                let error = if error == TypedMoveError::Ambiguous { "Ambiguous" } else { "Illegal" };
                self.lobby.queue_text(id, &format!("{error} move ({typed}).\n"));
                // A client that already shows the move can restore its position.
                self.queue_board(number, id, BoardReason::Other);
            }
        }
        Some(CommandCode::GAME_MOVE)
    }

    /// Refuses a move of a player without a game. `None` for text that is not a move or could be the name of a command, because
    /// it has neither a digit nor `-`.
    fn refuse_move_without_game(&mut self, id: ConnectionId, typed: &str) -> Option<CommandCode> {
        let start = Position::start(Variant::Crazyhouse);
        let is_move = start.parse_typed_move(typed, MoveCase::Insensitive) != Err(TypedMoveError::NotAMove);
        let is_unmistakable = typed.contains(|c: char| c.is_ascii_digit()) || typed.contains('-');
        (is_move && is_unmistakable).then(|| {
            self.lobby.queue_text(id, "You are not playing or examining a game.\n");
            CommandCode::GAME_MOVE
        })
    }

    /// Plays a legal move in a played game: declines pending offers, reports board and reserve, pings the opponent, sets the
    /// deadline of the flag, and ends the game if the move does.
    fn play_in_played_game(&mut self, id: ConnectionId, number: GameId, played: LastMove) {
        self.decline_offers_by_moving(id);
        let now = self.now();
        // The network delay of a timeseal client's line is not charged to its clock.
        let seal = self.lobby.connection(id).and_then(|connection| connection.seal.as_ref());
        let lag = seal.and_then(|seal| seal.lag_since_answered_ping(now)).unwrap_or_default();
        let Some(game) = self.games.played_mut(number) else { return };
        // `try_typed_move` has checked turn, pause and legality.
        let color = game.side_to_move();
        let Some((captured, ending)) = game.try_play(color, played, now, lag) else { return };
        let partner = game.partner;
        if let Some(role) = captured {
            self.report_or_pass_captured_piece(number, partner, color, role);
        }
        self.show_board_to_audience(number, Some(id), BoardReason::Move);
        let n_plies = self.games.played(number).map_or(0, |game| game.record.plies.len());
        if let Some(opponent) = self.online_opponent_of(id).filter(|_| n_plies >= MIN_PLIES_TO_PING) {
            self.lobby.queue_ping_if_sealed(opponent);
        }
        self.reschedule_flag_check(number);
        if let Some(ending) = ending {
            self.end_game(number, ending);
        }
    }

    /// Reports the piece that a capture adds to a reserve, before the move itself: in crazyhouse the captor's reserve, which the
    /// move has updated already; in bughouse the partner's, to which this function adds the piece.
    fn report_or_pass_captured_piece(&mut self, number: GameId, partner: Option<GameId>, color: Color, role: Role) {
        match (self.games.get(number).map(|active_game| active_game.header().terms.variant), partner) {
            (Some(Variant::Crazyhouse), _) => self.notify_reserve_addition(number, color, role),
            (Some(Variant::Bughouse), Some(partner)) => {
                let receiver = color.opponent();
                if let Some(game) = self.games.played_mut(partner) {
                    game.record.last_position_mut().hands.of_mut(receiver).add(role);
                }
                self.notify_reserve_addition(partner, receiver, role);
            }
            _ => {}
        }
    }

    /// Plays a legal move in an examined game and reports it to the audience.
    fn play_in_examined_game(&mut self, id: ConnectionId, number: GameId, played: LastMove) {
        let Some(game) = self.games.examined_mut(number) else { return };
        let san = game.shown_position().san(played);
        game.advance_or_branch(played);
        let text = format!("Game {number}: {} moves: {san}\n", self.lobby.player_name(id));
        for other in self.audience(number) {
            if other == id {
                self.queue_board(number, id, BoardReason::Other);
                self.lobby.queue_text(id, &text);
            } else {
                self.notify_board(number, other, BoardReason::Other);
                self.lobby.notify_on_prompt_line(other, &text);
            }
        }
    }

    /// Returns the game of that number, or the game that the player of that name plays or examines. The error is the text of the
    /// refusal.
    pub(crate) fn find_game(&self, word: &str) -> Result<GameId, Refusal> {
        if let Ok(number) = word.parse().map(GameId) {
            return Ok(self.games.get(number).map(|_| number).ok_or("There is no such game.\n")?);
        }
        let id = find_online_player(self, word)?;
        let refusal = || format!("{} is not playing or examining a game.\n", self.lobby.player_name(id));
        Ok(self.lobby.own_game(id).ok_or_else(refusal)?)
    }

    /// Returns the game that a player plays, and the player's color. The error is the refusal of a player without a game.
    pub(crate) fn own_played_game(&self, id: ConnectionId) -> Result<(&Game, Color), Refusal> {
        let refusal = || Refusal::Coded(CommandCode::NOT_PLAYING, "You are not playing a game.\n".to_owned());
        self.played_game_of(id).ok_or_else(refusal)
    }
}
