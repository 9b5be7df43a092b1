//! Runs the simulated players: passes output to them and executes their commands.

use super::command::format_examined_ending;
use super::{BoardReason, Connection, ConnectionId, Ivars, Player, World};
use crate::lobby::SavedSettings;
use crate::play::ExaminedGame;
use crate::population::{Population, SimulatedAction};

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
            while let Some((id, bytes)) = self.lobby.take_next_unsent(true) {
                population.receive_output(id, &bytes, self.now());
            }
            match population.take_next_action(self.now()) {
                Some(SimulatedAction::Command(id, line)) => drop(self.run_command(id, &line)),
                Some(SimulatedAction::Relay(id)) => self.run_relay_step(id, &mut population),
                None => break,
            }
        }
        self.population = Some(population);
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
