//! How games end.
//!
//! Source of the forms: transcripts fatics-game-endings-*, fatics-game-offers-*, fatics-bughouse-*.

use std::sync::Arc;

use kibitzer_core::chess::Color;
use kibitzer_core::message::GameId;

use super::tables::{Finished, Show, Stored, Table};
use super::{ConnectionId, Deadline, Flag, World};
use crate::account::key;
use crate::play::{Ending, Game};

/// How many games a history has.
const MAX_HISTORY: usize = 10;

/// How many interrupted games are kept; the oldest are forgotten.
const MAX_STORED: usize = 10_000;

impl World {
    /// Ends a game, and the other board's of bughouse with it.
    pub(crate) fn end_game(&mut self, number: GameId, ending: Ending) {
        let partner = self.table(number).and_then(Table::played).and_then(Game::partner);
        self.end_board(number, ending);
        if let Some(partner) = partner {
            self.end_board(partner, ending.for_partners());
        }
    }

    fn end_board(&mut self, number: GameId, ending: Ending) {
        let now = self.now;
        let Some(Show::Played(game)) = self.table_mut(number).map(|table| &mut table.show) else { return };
        game.finish(ending, now);
        let line = format!("{}\n", game.end_line().unwrap_or_default());
        let (players, observers) = (self.participants(number), self.observers(number));
        for &id in players.iter().chain(&observers) {
            self.ring(id);
            self.notify_whole(id, &line);
        }
        for id in self.listeners_to_games(&players) {
            self.notify_whole(id, &line);
        }
        self.drop_game_offers(&players);
        self.clear_table(number);
    }

    /// Takes a game off its table.
    pub(crate) fn clear_table(&mut self, number: GameId) {
        let participants = self.participants(number);
        for &id in &participants {
            if let Some(player) = self.player_mut(id).filter(|player| player.game == Some(number)) {
                player.game = None;
            }
        }
        for id in self.observers(number) {
            self.notify(id, &format!("Removing game {number} from observation list.\n"));
            self.put_relation(number, id, "X");
            if let Some(player) = self.player_mut(id) {
                player.observing.retain(|&observed| observed != number);
            }
        }
        self.agenda.cancel(Deadline::Flag(number));
        if let Some(Show::Played(game)) = self.tables.remove(&number).map(|table| table.show) {
            self.keep(game);
        }
        for id in participants {
            self.leave_simul_board(id, number);
        }
    }

    /// Keeps a game that has ended where it belongs.
    fn keep(&mut self, game: Game) {
        let Some(ending) = game.ending() else { return };
        if ending.is_adjournment() {
            if self.stored.len() >= MAX_STORED {
                self.stored.remove(0);
            }
            self.stored.push(Stored { game, since: self.system_time() });
        } else if !ending.is_abort() {
            self.remember(&Arc::new(game));
        }
    }

    /// Adds a game to the histories of its players. A guest's ends with his session.
    fn remember(&mut self, game: &Arc<Game>) {
        let ended = self.system_time();
        for color in Color::BOTH {
            let seat = game.seat(color);
            let is_kept = seat.is_registered || self.online(seat.name.as_str()).is_some();
            if !is_kept {
                continue;
            }
            let history = self.history.entry(key(seat.name.as_str())).or_default();
            let index = history.last().map_or(0, |last| last.index + 1);
            history.push(Finished { index, game: Arc::clone(game), ended });
            if history.len() > MAX_HISTORY {
                history.remove(0);
            }
        }
    }

    /// A clock may have run out. The game ends by itself if the opponent has not switched that off.
    pub(super) fn check_flag(&mut self, number: GameId) {
        let Some(game) = self.table(number).and_then(Table::played) else { return };
        let Some(ending) = game.flag_fallen(self.now) else { return self.watch_flag(number) };
        let opponent = self.player_of(game, game.side_to_move().opponent());
        if opponent.is_none_or(|id| self.has_flag(id, Flag::Autoflag)) {
            self.end_game(number, ending);
        }
    }

    /// What becomes of games when a player goes.
    pub(super) fn leave_tables(&mut self, id: ConnectionId) {
        let Some(player) = self.player_mut(id) else { return };
        let observed = std::mem::take(&mut player.observing);
        for number in observed {
            self.drop_observer(number, id);
        }
        if let Some(number) = self.examined_by(id) {
            self.stop_examining(number, id);
        }
        let name = self.player(id).map(|player| player.name().to_owned()).unwrap_or_default();
        // A simul has several games.
        while let Some((number, color)) = self.game_of(id).map(Game::id).zip(self.color_of(id)) {
            if let Some(opponent) = self.opponent_of(id) {
                self.notify(opponent, &format!("Your opponent, {name}, has lost contact or quit.\n"));
            }
            let Some(ending) = self.game_of(id).map(|game| game.ending_by_leaving(color)) else { return };
            self.end_game(number, ending);
        }
    }

    pub(crate) fn drop_observer(&mut self, number: GameId, id: ConnectionId) {
        if let Some(table) = self.table_mut(number) {
            table.observers.retain(|&observer| observer != id);
        }
    }

    /// A player examines a game no more; without examiners it is over.
    pub(crate) fn stop_examining(&mut self, number: GameId, id: ConnectionId) {
        let name = self.player(id).map(|player| player.name().to_owned()).unwrap_or_default();
        if let Some(player) = self.player_mut(id) {
            player.game = None;
        }
        let Some(Show::Examined { examiners, .. }) = self.table_mut(number).map(|table| &mut table.show) else {
            return;
        };
        examiners.retain(|&examiner| examiner != id);
        let is_over = examiners.is_empty();
        for other in self.audience(number) {
            self.notify(other, &format!("{name} has stopped examining game {number}.\n"));
            if is_over {
                self.glue(other, &format!("Game {number} (which you were observing) has no examiners.\n"));
            }
        }
        if is_over {
            self.clear_table(number);
        }
    }
}
