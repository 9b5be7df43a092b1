//! How games begin.
//!
//! Source of the forms: transcripts fatics-match-pending-*, fatics-seeks-*, fatics-game-endings-* (resumed games),
//! fatics-bughouse-*.

use kibitzer_core::chess::Color;
use kibitzer_core::message::GameId;

use super::boards::Occasion;
use super::tables::{Show, Table, with_rating};
use super::{ConnectionId, Flag, World};
use crate::chess::{Position, Variant};
use crate::play::{Game, Sides, Terms};

impl World {
    /// Starts a game of two players, and in bughouse that of their partners. Part of the reply to `actor`.
    pub(crate) fn start_game(&mut self, players: Sides<ConnectionId>, terms: Terms, actor: Option<ConnectionId>) {
        let partners = (terms.variant == Variant::Bughouse).then(|| self.partners_of(players)).flatten();
        let all = [Some(players), partners].into_iter().flatten();
        all.for_each(|pair| self.free_players(pair));
        let Some(number) = self.create(players, terms) else { return };
        // The partners have the other colors.
        let other = partners.and_then(|pair| self.create(Sides { white: pair.black, black: pair.white }, terms));
        if let Some(other) = other {
            self.link(number, other);
            self.link(other, number);
        }
        for number in [Some(number), other].into_iter().flatten() {
            self.announce_game(number, "Creating", actor);
        }
    }

    fn partners_of(&self, players: Sides<ConnectionId>) -> Option<Sides<ConnectionId>> {
        let partner = |id| self.player(id)?.partner;
        Some(Sides { white: partner(players.white)?, black: partner(players.black)? })
    }

    fn link(&mut self, number: GameId, partner: GameId) {
        if let Some(Show::Played(game)) = self.table_mut(number).map(|table| &mut table.show) {
            game.set_partner(partner);
        }
    }

    /// Whoever starts a game seeks none any more, has no offers to play, and follows nothing but that game.
    fn free_players(&mut self, players: Sides<ConnectionId>) {
        for id in [players.white, players.black] {
            self.remove_seeks(id);
        }
        for id in [players.white, players.black] {
            let opponent = if id == players.white { players.black } else { players.white };
            self.drop_challenges(id, opponent);
        }
    }

    fn create(&mut self, players: Sides<ConnectionId>, terms: Terms) -> Option<GameId> {
        let number = self.free_number();
        let kind = terms.kind();
        let seats = Sides { white: self.seat(players.white, kind)?, black: self.seat(players.black, kind)? };
        let start = match terms.variant {
            Variant::FischerRandom => Position::fischer_random(self.random.below(960)),
            variant => Position::start(variant),
        };
        let game = Game::new(number, terms, seats, self.system_time(), self.now, start);
        self.place(number, game, players);
        Some(number)
    }

    fn place(&mut self, number: GameId, game: Game, players: Sides<ConnectionId>) {
        self.add_table(number, Show::Played(game));
        for (id, opponent) in [(players.white, players.black), (players.black, players.white)] {
            let opponent = self.player(opponent).map(|player| player.handle.clone());
            if let Some(player) = self.player_mut(id) {
                player.game = Some(number);
                player.last_opponent = opponent;
            }
        }
        self.watch_flag(number);
    }

    /// Goes on with an interrupted game.
    pub(crate) fn resume_game(&mut self, index: usize, actor: Option<ConnectionId>) {
        if index >= self.stored.len() {
            return;
        }
        let stored = self.stored.remove(index);
        let number = self.free_number();
        let game = stored.game.resume(number, self.now);
        let ids = (self.player_of(&game, Color::White), self.player_of(&game, Color::Black));
        let (Some(white), Some(black)) = ids else { return };
        let players = Sides { white, black };
        self.free_players(players);
        self.place(number, game, players);
        self.announce_game(number, "Continuing", actor);
    }

    /// Tells the players and whoever wants to hear of games.
    fn announce_game(&mut self, number: GameId, verb: &str, actor: Option<ConnectionId>) {
        let Some(game) = self.table(number).and_then(Table::played) else { return };
        let terms = game.terms();
        let (white, black) = (game.seat(Color::White), game.seat(Color::Black));
        let words = format!("{} {}", terms.rated_word(), terms.kind().as_str());
        let creating = format!("Creating: {} {} {terms}\n", with_rating(white), with_rating(black));
        let line = format!("{{Game {number} ({} vs. {}) {verb} {words} match.}}\n", white.name, black.name);
        let partner = game.partner();
        let players = self.participants(number);
        for &id in &players {
            self.put_whole(id, &format!("\n{creating}{line}"));
            if let Some(info) = self.info_line(number, id) {
                self.put_whole(id, &format!("\n{info}"));
            }
            self.put_start(number, id, true);
            if let Some(partner) = partner {
                self.tell_of_partner(id, partner);
            }
            self.put_board(number, id, Occasion::Other);
            if Some(id) != actor {
                self.prompt(id);
            }
        }
        for id in self.listeners_to_games(&players) {
            self.notify_whole(id, &line);
        }
    }

    fn tell_of_partner(&mut self, id: ConnectionId, partner: GameId) {
        let Some(game) = self.table(partner).and_then(Table::played) else { return };
        let Sides { white, black } = game.names();
        let text = format!("\nYour partner is playing game {partner} ({white} vs. {black}).\n");
        self.put_whole(id, &text);
    }

    /// Who hears of games that are not his.
    pub(super) fn listeners_to_games(&self, except: &[ConnectionId]) -> Vec<ConnectionId> {
        let listeners = self.players().filter(|(_, player)| player.keepsake.variables.is_set(Flag::Gin));
        listeners.map(|(id, _)| id).filter(|id| !except.contains(id)).collect()
    }
}
