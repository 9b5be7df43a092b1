//! Start and end of games.
//!
//! Source of the forms: transcripts fatics-match-pending-*, fatics-seeks-*, fatics-game-endings-*, fatics-game-offers-*,
//! fatics-bughouse-*.

use std::sync::Arc;
use std::time::Duration;

use kibitzer_core::SentenceParts;
use kibitzer_core::chess::Color;
use kibitzer_core::message::{ClockAction, GameId};

use super::boards::BoardReason;
use super::game_store::ActiveGame;
use super::icc::datagrams::number;
use super::{ConnectionId, Deadline, Player, World};
use crate::chess::{Position, Variant};
use crate::play::{Ending, ExaminedGame, Game, GameHeader, Sides, Terms};

/// Time without an answer to a ping after which a player counts as lagging.
const LAG_LIMIT: Duration = Duration::from_secs(30);

impl World {
    /// Starts a game between two players, and in bughouse one between their partners, after removing their seeks and challenges.
    /// The output to `actor` is part of a reply, without a prompt. Starts nothing if a player is not logged in.
    pub(crate) fn start_game(&mut self, players: Sides<ConnectionId>, terms: Terms, actor: Option<ConnectionId>) {
        let is_bughouse = terms.variant == Variant::Bughouse;
        let partner = |id| self.lobby.player(id)?.partner.filter(|_| is_bughouse);
        let partners = partner(players.white).zip(partner(players.black));
        let partners = partners.map(|(white, black)| Sides { white, black });
        [Some(players), partners].into_iter().flatten().for_each(|pair| self.remove_seeks_and_challenges(pair));
        let Some(number) = self.create_game(players, terms) else { return };
        // The partners have the other colors.
        let other = partners.and_then(|pair| self.create_game(Sides { white: pair.black, black: pair.white }, terms));
        if let Some(other) = other {
            for (board, partner) in [(number, other), (other, number)] {
                if let Some(game) = self.games.played_mut(board) {
                    game.partner = Some(partner);
                }
            }
        }
        for number in [Some(number), other].into_iter().flatten() {
            self.announce_game(number, "Creating", actor);
        }
    }

    /// Removes the seeks and challenges of two players who start a game, and reports that to the other players concerned.
    fn remove_seeks_and_challenges(&mut self, players: Sides<ConnectionId>) {
        let Sides { white, black } = players;
        // In the recorded order: first all seeks, then the challenges of each player.
        self.remove_seeks_of(white);
        self.remove_seeks_of(black);
        self.remove_challenges_at_game_start(white, black);
        self.remove_challenges_at_game_start(black, white);
    }

    /// Adds a game of two players under a new number, as the game that both play; `None` if one of them is not logged in.
    fn create_game(&mut self, players: Sides<ConnectionId>, terms: Terms) -> Option<GameId> {
        let number = self.games.lowest_free_number();
        let kind = terms.kind();
        let seats = Sides {
            white: self.lobby.seated_player(players.white, kind)?,
            black: self.lobby.seated_player(players.black, kind)?,
        };
        let start = match terms.variant {
            Variant::FischerRandom => Position::chess960_start(self.random.usize(..960)),
            variant => Position::start(variant),
        };
        let header = GameHeader { id: number, terms, seats, started: self.lobby.clock.system_time() };
        let game = Game::new(header, start, self.now());
        self.add_game(number, game, players);
        Some(number)
    }

    /// Adds a game, records it with its players, and schedules the check of its running clock, if one is running.
    fn add_game(&mut self, number: GameId, game: Game, players: Sides<ConnectionId>) {
        self.games.in_progress.insert(number, ActiveGame::Played(game));
        for (id, opponent) in [(players.white, players.black), (players.black, players.white)] {
            let opponent = self.lobby.player(opponent).map(|player| player.handle.clone());
            if let Some(player) = self.lobby.player_mut(id) {
                player.game = Some(number);
                player.n_fruitless_proposals = 0;
                player.last_opponent = opponent;
            }
        }
        self.reschedule_flag_check(number);
    }

    /// Resumes the adjourned game at this index of [`GameStore::adjourned`](super::GameStore::adjourned) under a new game number,
    /// and removes the players' seeks and challenges. The output to `actor` is part of a reply, without a prompt. Does nothing if
    /// there is no such game, or a player is not online: the game stays stored.
    pub(crate) fn resume_adjourned_game(&mut self, index: usize, actor: Option<ConnectionId>) {
        let Some(game) = self.games.adjourned.get(index) else { return };
        let [white, black] = Color::BOTH.map(|color| self.online_player(game, color));
        let Some(players) = white.zip(black).map(|(white, black)| Sides { white, black }) else { return };
        let number = self.games.lowest_free_number();
        let game = self.games.adjourned.remove(index).resume(number, self.now());
        self.remove_seeks_and_challenges(players);
        self.add_game(number, game, players);
        self.announce_game(number, "Continuing", actor);
    }

    /// Announces a game to its players, with its terms and first board, and to those with `gin` set. `verb` is `Creating` or
    /// `Continuing`. The lines to `actor` have no prompt, because they are part of a reply.
    fn announce_game(&mut self, number: GameId, verb: &str, actor: Option<ConnectionId>) {
        let Some(game) = self.games.played(number) else { return };
        let GameHeader { terms, seats: Sides { white, black }, .. } = &game.header;
        let words = format!("{} {}", terms.rated_word(), terms.kind());
        let creating = format!("Creating: {}\n", game.header.format_players_and_terms());
        let line = format!("{{Game {number} ({} vs. {}) {verb} {words} match.}}\n", white.name, black.name);
        let names = [white.name.to_string(), black.name.to_string()];
        // Source: the source code of FatICS.
        let notification = format!(
            "Game notification: {} vs. {} {terms}: Game {number}\n",
            white.name_with_rating(),
            black.name_with_rating(),
        );
        let partner = game.partner;
        let players = self.players_or_examiners(number);
        for &id in &players {
            self.lobby.queue_unwrapped(id, &format!("\n{creating}{line}"));
            if let Some(info) = self.gameinfo_with_newline_if_on(number, id) {
                self.lobby.queue_unwrapped(id, &format!("\n{info}"));
            }
            self.queue_start_datagram_if_on(number, id, number::MY_GAME_STARTED);
            if let Some(partner) = partner.and_then(|partner| self.games.played(partner)) {
                let (number, Sides { white, black }) = (partner.header.id, partner.header.names());
                let text = format!("\nYour partner is playing game {number} ({white} vs. {black}).\n");
                self.lobby.queue_unwrapped(id, &text);
            }
            self.queue_board(number, id, BoardReason::Other);
            if Some(id) != actor {
                self.lobby.queue_prompt_if_on(id);
            }
        }
        for id in self.gin_listeners(&players) {
            self.lobby.notify_unwrapped(id, &line);
        }
        let is_notified = |player: &Player| names.iter().any(|name| player.saved.is_on_list("gnotify", name));
        for id in self.lobby.players_where(|id, player| !players.contains(&id) && is_notified(player)) {
            self.lobby.notify(id, &notification);
        }
    }

    /// Returns the players who have set `gin`, to receive the starts and results of all games, except those in `except`.
    pub(super) fn gin_listeners(&self, except: &[ConnectionId]) -> Vec<ConnectionId> {
        self.lobby.players_where(|id, player| player.has_flag("gin") && !except.contains(&id))
    }

    /// Ends a game, in bughouse also the partners' game, and reports the results. Does nothing if no played game has this number.
    pub(crate) fn end_game(&mut self, number: GameId, ending: Ending) {
        let partner = self.games.played(number).and_then(|game| game.partner);
        self.end_one_board(number, ending);
        if let Some(partner) = partner {
            self.end_one_board(partner, ending.to_partner_ending());
        }
    }

    /// Ends one game: reports the result to players, observers and those with `gin` set, removes the offers about the game, and
    /// removes the game. Does nothing if no played game has this number.
    fn end_one_board(&mut self, number: GameId, ending: Ending) {
        let (now, date) = (self.now(), self.lobby.clock.system_time());
        let Some(game) = self.games.played_mut(number) else { return };
        game.finish(ending, now, date);
        let line = format!("{}\n", game.result_line().unwrap_or_default());
        let (players, observers) = (self.players_or_examiners(number), self.lobby.observers(number));
        let adjustments = self.adjust_ratings(number);
        for &id in players.iter().chain(&observers) {
            let name = self.lobby.player_name(id);
            let color = self.games.played(number).and_then(|game| game.header.color_of(&name));
            let adjustment = color.map_or("", |color| adjustments.of(color));
            self.lobby.queue_bell_if_on(id);
            self.lobby.notify_unwrapped(id, &format!("{line}{adjustment}"));
        }
        for id in self.gin_listeners(&players) {
            self.lobby.notify_unwrapped(id, &line);
        }
        // After the result, as recorded.
        self.remove_game_offers_made_by(&players);
        self.remove_game(number);
    }

    /// Removes an active game: frees its players or examiners, reports the removal to its observers, and removes the game from a
    /// simul. Stores a played game that has ended, unless it was aborted.
    pub(crate) fn remove_game(&mut self, number: GameId) {
        let participants = self.players_or_examiners(number);
        for &id in &participants {
            if self.lobby.own_game(id) == Some(number) {
                self.lobby.set_own_game(id, None);
            }
        }
        for id in self.lobby.observers(number) {
            self.lobby.notify(id, &format!("Removing game {number} from observation list.\n"));
            self.queue_relation_datagram_if_on(number, id, "X");
            if let Some(player) = self.lobby.player_mut(id) {
                player.observing.retain(|&observed| observed != number);
            }
        }
        self.schedule.cancel(Deadline::Flag(number));
        self.schedule.cancel(Deadline::Lag(number));
        if let Some(ActiveGame::Played(game)) = self.games.in_progress.remove(&number) {
            self.store_according_to_ending(game);
        }
        for id in participants {
            self.finish_simul_board(id, number);
        }
    }

    /// Stores a finished game: as adjourned, or in the histories of its players, except guests who are not logged in. Drops an
    /// aborted game.
    fn store_according_to_ending(&mut self, game: Game) {
        let Some(ending) = game.ending else { return };
        if ending.reason.is_adjournment() {
            self.games.store_adjourned(game);
        } else if !ending.reason.is_abort() {
            let game = Arc::new(game);
            for seat in [&game.header.seats.white, &game.header.seats.black] {
                let name = seat.name.as_str();
                if seat.is_registered || self.lobby.connection_of_player(name).is_some() {
                    self.games.add_to_history(name, &game);
                }
            }
        }
    }

    /// Ends a game whose clock has run out. If the opponent has switched `autoflag` off, does nothing: the game continues until a
    /// player ends it. If the clock has not run out, schedules the next check.
    pub(super) fn end_if_flag_fell_or_reschedule(&mut self, number: GameId) {
        let Some(game) = self.games.played(number) else { return };
        let Some(ending) = game.ending_by_flag_fall(self.now()) else { return self.reschedule_flag_check(number) };
        let opponent = self.online_player(game, game.side_to_move().opponent());
        if opponent.is_none_or(|id| self.lobby.has_flag(id, "autoflag")) {
            self.end_game(number, ending);
        }
    }

    /// Pings the player who is to move in a game, if the client uses timeseal, and schedules the report of a missing answer.
    pub(crate) fn ping_player_to_move(&mut self, number: GameId, id: ConnectionId) {
        if self.lobby.uses_timeseal(id) {
            self.lobby.queue_ping_if_sealed(id);
            self.schedule.set(Deadline::Lag(number), self.now() + LAG_LIMIT);
        }
    }

    /// Returns whether a player's client has not answered the newest ping of timeseal for [`LAG_LIMIT`].
    pub(crate) fn is_lagging(&self, id: ConnectionId) -> bool {
        let seal = self.lobby.connection(id).and_then(|connection| connection.seal.as_ref());
        seal.and_then(|seal| seal.time_without_answer(self.now())).is_some_and(|time| time >= LAG_LIMIT)
    }

    /// Reports that the player to move lags, to all others who watch the game, and to the opponent also which command ends the
    /// game as a courtesy. Does nothing if the ping was answered.
    ///
    /// Source: lines that other clients of freechess.org act on.
    pub(super) fn report_lag(&mut self, number: GameId) {
        let Some(game) = self.games.played(number) else { return };
        let color = game.side_to_move();
        let is_kept = game.ending_by_leaving(color).reason.is_adjournment();
        let opponent = self.online_player(game, color.opponent());
        let Some(id) = self.online_player(game, color).filter(|&id| self.is_lagging(id)) else { return };
        let name = self.lobby.player_name(id);
        let seconds = u32::try_from(LAG_LIMIT.as_secs()).ok();
        let lag = SentenceParts { names: &[&name], number: seconds, game: Some(number), ..SentenceParts::default() };
        let lagged = ClockAction::Lagged.to_sentence(&lag);
        let courtesy = if is_kept { ClockAction::MayAdjourn } else { ClockAction::MayAbort };
        let courtesy = courtesy.to_sentence(&SentenceParts::default());
        for whom in self.audience(number).into_iter().filter(|&whom| whom != id) {
            let advice = if Some(whom) == opponent { format!("{courtesy}\n") } else { String::new() };
            self.lobby.notify(whom, &format!("{lagged}\n{advice}"));
        }
    }

    /// Ends all games that a departing player plays, and reports the departure to the opponents. Also stops examining, and stops
    /// observing without a report.
    pub(super) fn leave_all_games(&mut self, id: ConnectionId) {
        let Some(player) = self.lobby.player_mut(id) else { return };
        player.observing.clear();
        if let Some(number) = self.game_examined_by(id) {
            self.stop_examining(number, id);
        }
        let name = self.lobby.player_name(id);
        // A simul has several games.
        while let Some((game, color)) = self.played_game_of(id) {
            let (number, ending) = (game.header.id, game.ending_by_leaving(color));
            if let Some(opponent) = self.online_opponent_of(id) {
                self.lobby.notify(opponent, &format!("Your opponent, {name}, has lost contact or quit.\n"));
            }
            self.end_game(number, ending);
        }
    }

    /// Adds an examined game and makes a player its examiner, without a report.
    pub(crate) fn start_examining(&mut self, id: ConnectionId, game: ExaminedGame) {
        let number = game.header.id;
        self.games.in_progress.insert(number, ActiveGame::Examined(game));
        self.lobby.set_own_game(id, Some(number));
    }

    /// Removes an examiner from a game and reports that to the audience. Removes the game if it has no examiners left.
    pub(crate) fn stop_examining(&mut self, number: GameId, id: ConnectionId) {
        let name = self.lobby.player_name(id);
        self.lobby.set_own_game(id, None);
        let is_over = self.players_or_examiners(number).is_empty();
        for other in self.audience(number) {
            self.lobby.notify(other, &format!("{name} has stopped examining game {number}.\n"));
            if is_over {
                let text = format!("Game {number} (which you were observing) has no examiners.\n");
                self.lobby.notify_on_prompt_line(other, &text);
            }
        }
        if is_over {
            self.remove_game(number);
        }
    }
}

#[cfg(test)]
mod tests;
