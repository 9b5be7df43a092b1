//! Runs the simulated players: passes output to them and executes their commands.

use super::{Connection, ConnectionId, Ivars, Occasion, Player, Show, World};
use crate::account::Account;
use crate::lobby::SavedSettings;
use crate::play::{Examined, Sides};
use crate::population::{Act, Population, RelayAct};
use kibitzer_core::message::GameId;

impl World {
    /// Lets the simulated players in, if there are to be any.
    pub(super) fn populate(&mut self) {
        let Some(options) = self.options.population.clone() else { return };
        let mut population = Population::new(options, self.options.seed, self.now());
        for (account, part) in population.cast() {
            let name = account.handle.clone();
            let id = self.seat_simulated(account);
            population.join(id, name, part);
        }
        self.population = Some(population);
        self.run_population();
    }

    /// Logs a simulated player in.
    fn seat_simulated(&mut self, account: Account) -> ConnectionId {
        let player = Player::registered(&account, SavedSettings::default(), Ivars::default(), self.now());
        let id = self.lobby.open(Connection::simulated());
        self.lobby.log_in(id, player);
        self.options.accounts.insert(account);
        id
    }

    /// Passes output to the simulated players and executes what is due, until nothing is left.
    pub(super) fn run_population(&mut self) {
        // While they are at it, they are not looked for.
        let Some(mut population) = self.population.take() else { return };
        loop {
            while let Some((id, bytes)) = self.lobby.take_unsent_to_simulated() {
                population.hear(id, &bytes, self.now());
            }
            match population.next_act(self.now()) {
                Some(Act::Command(id, line)) => drop(self.run_command(id, &line)),
                Some(Act::Relay(id, act)) => self.relay(id, act),
                None => break,
            }
        }
        self.population = Some(population);
    }

    /// Goes on with the game a simulated player relays.
    fn relay(&mut self, by: ConnectionId, act: RelayAct) {
        if let RelayAct::Start { terms, seats } = act {
            let number = self.tables.free_number();
            let game = Examined::relay(number, terms, *seats, self.lobby.clock.system_time());
            self.tables.add(number, Show::Examined { game, is_scratch: false, examiners: vec![by] });
            if let Some(player) = self.lobby.player_mut(by) {
                player.game = Some(number);
            }
            return;
        }
        let Some(number) = self.examined_by(by) else { return };
        let Some(game) = self.tables.examined_mut(number) else { return };
        match act {
            RelayAct::Move { played, elapsed_ms, clocks_ms } => {
                game.relay_move(played, elapsed_ms, clocks_ms);
                self.send_boards(number, None, Occasion::Other);
            }
            RelayAct::End(ending) => {
                game.relay_end(ending);
                let seats = game.seats();
                let names = Sides { white: seats.white.name.as_str(), black: seats.black.name.as_str() };
                let text = format!("Game {number}: {} {}\n", ending.text(names), ending.result());
                self.notify_audience(number, &text);
            }
            RelayAct::Clear => self.stop_examining(number, by),
            RelayAct::Start { .. } => {}
        }
    }

    fn notify_audience(&mut self, number: GameId, text: &str) {
        for id in self.audience(number) {
            self.lobby.notify(id, text);
        }
    }
}
