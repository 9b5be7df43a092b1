//! Actions of the operator (list of clients, announcements, kicks, shutdown), and the work of the simulated players.
//!
//! Source of the forms: transcripts fatics-shutdown-*; observed-fatics §12.

use std::time::{Duration, Instant};

use kibitzer_core::message::{GameEndReason, Handle};

use super::command::observe::format_examined_ending;
use super::seeks::meets_seek_conditions;
use super::{ActiveGame, BoardReason, Connection, ConnectionId, Deadline, Ivars, Offer, Player, Proposal, World};
use crate::calendar::format_count;
use crate::fault::{KickReason, LoginObstacle};
use crate::lobby::{ClientKind, ConnectionTarget, SavedSettings};
use crate::play::{Ending, ExaminedGame};
use crate::population::{Population, SimulatedAction};

impl World {
    /// Returns the number of each client's connection, with the player logged in over it. Simulated players are not included.
    pub(crate) fn client_list(&self) -> Vec<(u64, Option<Handle>)> {
        let clients = self.lobby.connections.iter().filter(|(_, connection)| connection.kind == ClientKind::Remote);
        clients.map(|(&id, _)| (id.0, self.lobby.player(id).map(|player| player.handle.clone()))).collect()
    }

    /// Returns the connection that a target selects, if it exists; `None` for [`ConnectionTarget::Next`].
    pub(crate) fn find_targeted_connection(&self, target: &ConnectionTarget) -> Option<ConnectionId> {
        match target {
            ConnectionTarget::Next => None,
            &ConnectionTarget::Connection(number) => {
                self.lobby.connection(ConnectionId(number)).map(|_| ConnectionId(number))
            }
            ConnectionTarget::Player(name) => self.lobby.connection_of_player(name),
        }
    }

    /// Stores an obstacle, by which logins over this connection are refused from now on. Does nothing if the connection was
    /// removed.
    pub(crate) fn obstruct_login(&mut self, id: ConnectionId, refusal: LoginObstacle) {
        self.lobby.update_connection(id, |connection| connection.obstacle = Some(refusal));
    }

    /// Ends a session at once, or right after the login if no player is logged in yet.
    pub(crate) fn kick_now_or_after_login(&mut self, id: ConnectionId, reason: KickReason, now: Instant) {
        self.lobby.clock.now = now;
        if self.lobby.player(id).is_none() {
            return self.lobby.update_connection(id, |connection| connection.kick = Some(reason));
        }
        match reason {
            KickReason::SecondLogin => self.end_displaced_session(id),
            KickReason::Admin => {
                self.lobby.notify(id, "\n**** You have been kicked out by admin! ****\n\n");
                self.end_session(id);
            }
        }
    }

    /// Sends an announcement of the operator to all players.
    pub(crate) fn announce_to_all(&mut self, text: &str, now: Instant) {
        self.lobby.clock.now = now;
        self.notify_all(&format!("\n    **ANNOUNCEMENT** from admin: {text}\n"));
    }

    /// Announces the shutdown and schedules it; shuts down at once if `after` is zero.
    pub(crate) fn announce_shutdown(&mut self, after: Duration, now: Instant) {
        self.lobby.clock.now = now;
        let minutes = format_count(after.as_secs() / 60, "minute");
        self.notify_all(&format!("\n    *** The server is shutting down in {minutes}, initiated by admin ***\n\n"));
        if after.is_zero() {
            return self.shutdown_now();
        }
        self.schedule.set(Deadline::Shutdown, now + after);
    }

    /// Ends all played games, marks all connections as closing, and lets the actor end. Games of two registered players are
    /// adjourned, others aborted.
    ///
    /// Source of the words: text-messages §8; the recorded servers end games without one.
    pub(super) fn shutdown_now(&mut self) {
        self.is_over = true;
        let played = self.games.in_progress.values().filter_map(ActiveGame::as_played);
        let played: Vec<_> = played.map(|game| (game.header.id, game.header.are_both_registered())).collect();
        for (number, is_kept) in played {
            let reason = if is_kept { GameEndReason::AdjournShutdown } else { GameEndReason::AbortShutdown };
            self.end_game(number, Ending::of_game(reason));
        }
        for id in self.lobby.connections.keys().copied().collect::<Vec<_>>() {
            // Queued even without output, so that its end is reported.
            self.lobby.update_connection(id, |connection| connection.is_closing = true);
        }
    }

    /// Sends unsolicited text to all players.
    fn notify_all(&mut self, text: &str) {
        for id in self.lobby.players_where(|_, _| true) {
            self.lobby.notify(id, text);
        }
    }
}

/// Simulated players: passes output to them and executes their commands.
impl World {
    /// Creates the simulated players and logs them in, if the options ask for them.
    pub(super) fn create_population(&mut self) {
        let Some(options) = self.options.population.clone() else { return };
        let mut population = Population::new(options, self.options.seed, self.now());
        for (account, role) in population.generate_accounts() {
            let player = Player::registered(&account, SavedSettings::default(), Ivars::default(), self.now());
            let id = self.lobby.add_connection(Connection::simulated());
            self.lobby.log_in(id, player);
            population.add_logged_in_player(id, account.handle.clone(), role);
            // Reserves the name, so that no guest can use it.
            self.options.accounts.insert(account);
        }
        self.population = Some(population);
        self.run_population();
    }

    /// Passes output to the simulated players and executes what is due, until nothing is left.
    pub(super) fn run_population(&mut self) {
        // Taken out of the world, so that it and the world can be changed in turn.
        let Some(mut population) = self.population.take() else { return };
        loop {
            while let Some((id, bytes)) = self.lobby.take_next_unsent(ClientKind::Simulated) {
                population.receive_output(id, &bytes, self.now());
            }
            match population.take_next_action(self.now()) {
                Some(SimulatedAction::Command(id, line)) => drop(self.run_command(id, &line)),
                Some(SimulatedAction::Relay(id)) => self.run_relay_step(id, &mut population),
                Some(SimulatedAction::MeetClients) => self.propose_games_to_clients(&mut population),
                None => break,
            }
        }
        self.population = Some(population);
    }

    /// Lets a simulated player answer a seek of each client who waits for a game, or challenge the client, if it is time.
    fn propose_games_to_clients(&mut self, population: &mut Population) {
        for client in self.clients_without_game() {
            let Some(player) = self.lobby.player(client) else { continue };
            let waited = self.now().saturating_duration_since(player.last_command);
            let is_seeking = self.seeks.iter().any(|seek| seek.from == client);
            let delay = match player.n_fruitless_proposals {
                _ if !is_seeking && !population.challenges_clients() => continue,
                0 if is_seeking => Duration::ZERO,
                n_fruitless => population.proposal_delay(n_fruitless),
            };
            if waited < delay {
                continue;
            }
            if let Some((partner, command)) = self.choose_proposal(client, population) {
                let _ = self.run_command(partner, &command);
                self.count_fruitless_proposal(client);
            }
        }
    }

    /// Chooses a free simulated player, and the command by which that player answers a seek of the client or, if there is none,
    /// challenges the client. `None` if no player fits.
    fn choose_proposal(&self, client: ConnectionId, population: &mut Population) -> Option<(ConnectionId, String)> {
        let is_free = |id| self.lobby.own_game(id).is_none() && !self.has_pending_challenge(id);
        let mut seeks = self.seeks.iter().filter(|seek| seek.from == client).peekable();
        if seeks.peek().is_some() {
            return seeks.find_map(|seek| {
                let partner = population.choose_partner(|id| is_free(id) && meets_seek_conditions(self, id, seek))?;
                Some((partner, format!("play {}", seek.ad.index)))
            });
        }
        let partner = population.choose_partner(is_free)?;
        let player = self.lobby.player(client)?;
        Some((partner, population.challenge_command(player.name(), player.is_registered)))
    }

    /// Counts a proposal to a client, unless the game has begun.
    fn count_fruitless_proposal(&mut self, client: ConnectionId) {
        if let Some(player) = self.lobby.player_mut(client).filter(|player| player.game.is_none()) {
            player.n_fruitless_proposals += 1;
        }
    }

    /// Returns the clients who could begin a game: open to challenges, without a game and a pending challenge.
    fn clients_without_game(&self) -> Vec<ConnectionId> {
        let is_client = |id| self.lobby.connection(id).is_some_and(|client| client.kind == ClientKind::Remote);
        self.lobby.players_where(|id, player| {
            is_client(id) && player.game.is_none() && player.has_flag("open") && !self.has_pending_challenge(id)
        })
    }

    /// Returns whether a player has made or received a challenge that is pending.
    fn has_pending_challenge(&self, id: ConnectionId) -> bool {
        let is_challenge = |offer: &Offer| matches!(offer.proposal, Proposal::Match(_));
        !self.offers.select(|offer| is_challenge(offer) && (offer.from == id || offer.to == id)).is_empty()
    }

    /// Executes the next step of the game that a simulated player relays: starts an examined game, adds a move, records the
    /// ending, or removes the game.
    fn run_relay_step(&mut self, by: ConnectionId, population: &mut Population) {
        let now = self.now();
        let Some(number) = self.game_examined_by(by) else {
            let started = self.lobby.clock.system_time();
            let header = population.begin_relayed_game(self.games.lowest_free_number(), started, now);
            return self.start_examining(by, ExaminedGame::new_relayed(header));
        };
        let Some(game) = self.games.examined_mut(number) else { return };
        if game.ending.is_some() {
            population.end_relayed_game(now);
            return self.stop_examining(number, by);
        }
        let Some(ending) = population.play_or_end_relayed_game(game, now) else {
            return self.show_board_to_audience(number, None, BoardReason::Other);
        };
        let text = format_examined_ending(&game.header, ending);
        for id in self.audience(number) {
            self.lobby.notify(id, &text);
        }
    }
}
