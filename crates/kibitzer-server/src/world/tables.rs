//! Games in progress, adjourned and finished.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameId, Handle};

use super::{ConnectionId, Deadline, World};
use crate::account::key;
use crate::play::{Examined, Game, Seat, Sides, Terms};

/// How many games a player may follow at once.
pub(crate) const MAX_OBSERVED: usize = 64;

/// Number of finished games in a player's history.
const MAX_HISTORY: usize = 10;

/// Number of adjourned games kept on the server; the oldest are dropped.
const MAX_STORED: usize = 10_000;

/// A game that is played or examined, and its observers.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) show: Show,
    pub(crate) observers: Vec<ConnectionId>,
}

/// The game of a table.
#[derive(Debug)]
pub(crate) enum Show {
    Played(Game),
    Examined {
        game: Examined,
        /// Whether it started from nothing, and is no game that was played.
        is_scratch: bool,
        examiners: Vec<ConnectionId>,
    },
}

/// A game that was interrupted and may go on.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) game: Game,
    pub(crate) since: SystemTime,
}

impl Table {
    pub(crate) const fn played(&self) -> Option<&Game> {
        match &self.show {
            Show::Played(game) => Some(game),
            Show::Examined { .. } => None,
        }
    }

    pub(crate) const fn terms(&self) -> Terms {
        match &self.show {
            Show::Played(game) => game.terms(),
            Show::Examined { game, .. } => game.terms(),
        }
    }

    pub(crate) fn seats(&self) -> Sides<&Seat> {
        match &self.show {
            Show::Played(game) => Sides { white: game.seat(Color::White), black: game.seat(Color::Black) },
            Show::Examined { game, .. } => game.seats(),
        }
    }

    pub(crate) fn examiners(&self) -> &[ConnectionId] {
        match &self.show {
            Show::Played(_) => &[],
            Show::Examined { examiners, .. } => examiners,
        }
    }
}

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    /// Its place in the player's history, which counts on when old games are forgotten.
    pub(crate) index: usize,
    pub(crate) game: Arc<Game>,
    pub(crate) ended: SystemTime,
}

/// The games in progress, the adjourned ones, and the histories of finished ones.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    by_number: BTreeMap<GameId, Table>,
    /// Adjourned games, the oldest first.
    pub(crate) stored: Vec<Stored>,
    /// Finished games, by the names of their players.
    history: BTreeMap<String, Vec<Finished>>,
}

impl Tables {
    pub(crate) const fn all(&self) -> &BTreeMap<GameId, Table> {
        &self.by_number
    }

    pub(crate) fn get(&self, game: GameId) -> Option<&Table> {
        self.by_number.get(&game)
    }

    pub(crate) fn get_mut(&mut self, game: GameId) -> Option<&mut Table> {
        self.by_number.get_mut(&game)
    }

    /// The game of that number, if it is played.
    pub(crate) fn played(&self, game: GameId) -> Option<&Game> {
        self.get(game)?.played()
    }

    pub(crate) fn played_mut(&mut self, game: GameId) -> Option<&mut Game> {
        match &mut self.by_number.get_mut(&game)?.show {
            Show::Played(game) => Some(game),
            Show::Examined { .. } => None,
        }
    }

    /// The game of that number, if it is examined.
    pub(crate) fn examined_mut(&mut self, game: GameId) -> Option<&mut Examined> {
        match &mut self.by_number.get_mut(&game)?.show {
            Show::Played(_) => None,
            Show::Examined { game, .. } => Some(game),
        }
    }

    pub(crate) fn examiners_mut(&mut self, game: GameId) -> Option<&mut Vec<ConnectionId>> {
        match &mut self.by_number.get_mut(&game)?.show {
            Show::Played(_) => None,
            Show::Examined { examiners, .. } => Some(examiners),
        }
    }

    /// Adds a game without observers.
    pub(crate) fn add(&mut self, number: GameId, show: Show) {
        self.by_number.insert(number, Table { show, observers: Vec::new() });
    }

    pub(crate) fn remove(&mut self, number: GameId) -> Option<Table> {
        self.by_number.remove(&number)
    }

    /// The lowest number that no game has.
    pub(crate) fn free_number(&self) -> GameId {
        self.by_number.keys().fold(GameId(1), |free, &used| if used == free { GameId(free.0 + 1) } else { free })
    }

    /// `Game 1: Alekhine (1940) Bogoljubov (1500) unrated blitz 10 0`.
    pub(crate) fn title(&self, number: GameId) -> String {
        let Some(table) = self.get(number) else { return String::new() };
        let Sides { white, black } = table.seats();
        format!("Game {number}: {} {} {}\n", with_rating(white), with_rating(black), table.terms())
    }

    /// Observers of a game: neither its players nor its examiners.
    pub(crate) fn observers(&self, number: GameId) -> Vec<ConnectionId> {
        self.get(number).map(|table| table.observers.clone()).unwrap_or_default()
    }

    pub(crate) fn drop_observer(&mut self, number: GameId, id: ConnectionId) {
        if let Some(table) = self.get_mut(number) {
            table.observers.retain(|&observer| observer != id);
        }
    }

    /// Stores an adjourned game.
    pub(crate) fn store(&mut self, game: Game, since: SystemTime) {
        if self.stored.len() >= MAX_STORED {
            self.stored.remove(0);
        }
        self.stored.push(Stored { game, since });
    }

    /// The index of the adjourned game of two players.
    pub(crate) fn stored_between(&self, one: &str, other: &str) -> Option<usize> {
        let has = |game: &Game, name: &str| game.color_of(name).is_some();
        self.stored.iter().position(|stored| has(&stored.game, one) && has(&stored.game, other))
    }

    /// The opponents in a player's adjourned games.
    pub(crate) fn stored_opponents(&self, name: &str) -> Vec<Handle> {
        let games = self.stored.iter().map(|stored| &stored.game);
        games.filter_map(|game| Some(game.seat(game.color_of(name)?.opponent()).name.clone())).collect()
    }

    /// The games a player has finished, the oldest first.
    pub(crate) fn history_of(&self, name: &str) -> &[Finished] {
        self.history.get(&key(name)).map_or(&[], |games| games.as_slice())
    }

    /// Adds a finished game to the history of one of its players.
    pub(crate) fn add_to_history(&mut self, name: &str, game: &Arc<Game>, ended: SystemTime) {
        let history = self.history.entry(key(name)).or_default();
        let index = history.last().map_or(0, |last| last.index + 1);
        history.push(Finished { index, game: Arc::clone(game), ended });
        if history.len() > MAX_HISTORY {
            history.remove(0);
        }
    }

    pub(crate) fn remove_history(&mut self, name: &str) {
        self.history.remove(&key(name));
    }
}

/// Questions about games and the connections of their players.
impl World {
    /// The game a player plays.
    pub(crate) fn game_of(&self, id: ConnectionId) -> Option<&Game> {
        self.tables.played(self.lobby.own_game(id)?)
    }

    /// The game a player examines.
    pub(crate) fn examined_by(&self, id: ConnectionId) -> Option<GameId> {
        let number = self.lobby.own_game(id)?;
        self.tables.get(number)?.examiners().contains(&id).then_some(number)
    }

    /// The color a player plays.
    pub(crate) fn color_of(&self, id: ConnectionId) -> Option<Color> {
        self.game_of(id)?.color_of(self.lobby.player(id)?.name())
    }

    /// The connection of the player of that color.
    pub(crate) fn player_of(&self, game: &Game, color: Color) -> Option<ConnectionId> {
        self.lobby.online(game.seat(color).name.as_str())
    }

    /// The opponent of a player who plays.
    pub(crate) fn opponent_of(&self, id: ConnectionId) -> Option<ConnectionId> {
        let (game, color) = (self.game_of(id)?, self.color_of(id)?);
        self.player_of(game, color.opponent())
    }

    /// The players or examiners of a game.
    pub(crate) fn participants(&self, number: GameId) -> Vec<ConnectionId> {
        match self.tables.get(number).map(|table| &table.show) {
            Some(Show::Played(game)) => {
                Color::BOTH.into_iter().filter_map(|color| self.player_of(game, color)).collect()
            }
            Some(Show::Examined { examiners, .. }) => examiners.clone(),
            None => Vec::new(),
        }
    }

    /// The participants of a game, then its observers.
    pub(crate) fn audience(&self, number: GameId) -> Vec<ConnectionId> {
        let mut audience = self.participants(number);
        audience.extend(self.tables.observers(number));
        audience
    }

    /// Sets the deadline at which the running clock of a game will reach zero.
    pub(crate) fn watch_flag(&mut self, number: GameId) {
        match self.tables.played(number).and_then(Game::flag_at) {
            Some(time) => self.agenda.set(Deadline::Flag(number), time),
            None => self.agenda.cancel(Deadline::Flag(number)),
        }
    }
}

/// `Alekhine (1940)`.
pub(crate) fn with_rating(seat: &Seat) -> String {
    format!("{} ({:>4})", seat.name, seat.rating.to_string())
}
