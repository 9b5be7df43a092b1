//! Where simulated players live: they hear what is sent to them, and their commands are carried out.

use super::{Connection, ConnectionId, Keepsake, Occasion, Player, Show, World};
use crate::account::{Account, key};
use crate::play::{Examined, Sides};
use crate::population::{Act, Population, RelayAct};
use crate::world::Ivars;
use kibitzer_core::message::GameId;

impl World {
    /// Lets the simulated players in, if there are to be any.
    pub(super) fn populate(&mut self) {
        let Some(options) = self.options.population.clone() else { return };
        let mut population = Population::new(options, self.options.seed, self.now);
        for (account, part) in population.cast() {
            let name = account.handle.clone();
            let id = self.seat_simulated(account);
            population.join(id, name, part);
        }
        self.population = Some(population);
        self.run_population();
    }

    /// A player who is simply there.
    fn seat_simulated(&mut self, account: Account) -> ConnectionId {
        self.n_connections += 1;
        let id = ConnectionId(self.n_connections);
        let player = Player::registered(&account, Keepsake::default(), Ivars::default(), self.now);
        self.online.insert(key(player.name()), id);
        self.connections.insert(id, Connection::simulated(player));
        self.options.accounts.insert(account);
        id
    }

    /// Has the simulated players hear what was sent to them and do what is due, until nothing is.
    pub(super) fn run_population(&mut self) {
        // While they are at it, they are not looked for.
        let Some(mut population) = self.population.take() else { return };
        loop {
            while let Some(id) = self.unheard.pop_first() {
                let bytes = self.connections.get_mut(&id).map(|connection| std::mem::take(&mut connection.unsent));
                population.hear(id, &bytes.unwrap_or_default(), self.now);
            }
            match population.next_act(self.now) {
                Some(Act::Command(id, line)) => drop(self.run_command(id, &line)),
                Some(Act::Relay(id, act)) => self.relay(id, act),
                None => break,
            }
        }
        self.population = Some(population);
    }

    /// How many of the connections are those of simulated players.
    pub(super) fn n_simulated(&self) -> usize {
        self.population.as_ref().map_or(0, Population::len)
    }

    /// Goes on with the game a simulated player relays.
    fn relay(&mut self, by: ConnectionId, act: RelayAct) {
        if let RelayAct::Start { terms, seats } = act {
            let number = self.free_number();
            let game = Examined::relay(number, terms, *seats, self.system_time());
            self.add_table(number, Show::Examined { game, is_scratch: false, examiners: vec![by] });
            if let Some(player) = self.player_mut(by) {
                player.game = Some(number);
            }
            return;
        }
        let Some(number) = self.examined_by(by) else { return };
        let Some(Show::Examined { game, .. }) = self.table_mut(number).map(|table| &mut table.show) else { return };
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
                self.tell_audience(number, &text);
            }
            RelayAct::Clear => self.stop_examining(number, by),
            RelayAct::Start { .. } => {}
        }
    }

    fn tell_audience(&mut self, number: GameId, text: &str) {
        for id in self.audience(number) {
            self.notify(id, text);
        }
    }
}
