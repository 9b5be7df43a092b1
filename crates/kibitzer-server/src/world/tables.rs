//! The games there are, and who sits around them.

use std::collections::BTreeMap;
use std::time::{Instant, SystemTime};

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameId, Handle};

use super::{ConnectionId, Deadline, World};
use crate::account::key;
use crate::play::{Examined, Game, Kind, Seat, Sides, Terms};

/// How many games a player may follow at once.
pub(crate) const MAX_OBSERVED: usize = 64;

/// A game that is played or examined, and those who look on.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) show: Show,
    pub(crate) observers: Vec<ConnectionId>,
}

/// What is to be seen at a table.
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

impl World {
    pub(crate) fn table(&self, game: GameId) -> Option<&Table> {
        self.tables.get(&game)
    }

    pub(crate) fn table_mut(&mut self, game: GameId) -> Option<&mut Table> {
        self.tables.get_mut(&game)
    }

    pub(crate) const fn tables(&self) -> &BTreeMap<GameId, Table> {
        &self.tables
    }

    /// Puts a game on the table of its number.
    pub(crate) fn add_table(&mut self, number: GameId, show: Show) {
        self.tables.insert(number, Table { show, observers: Vec::new() });
    }

    /// The lowest number that no game has.
    pub(crate) fn free_number(&self) -> GameId {
        self.tables.keys().fold(GameId(1), |free, &taken| if taken == free { GameId(free.0 + 1) } else { free })
    }

    /// The game a player plays.
    pub(crate) fn game_of(&self, id: ConnectionId) -> Option<&Game> {
        self.table(self.player(id)?.game?)?.played()
    }

    /// The game a player examines.
    pub(crate) fn examined_by(&self, id: ConnectionId) -> Option<GameId> {
        let number = self.player(id)?.game?;
        self.table(number)?.examiners().contains(&id).then_some(number)
    }

    /// The side a player plays.
    pub(crate) fn color_of(&self, id: ConnectionId) -> Option<Color> {
        self.game_of(id)?.color_of(self.player(id)?.name())
    }

    /// The connection of whoever plays that side.
    pub(crate) fn player_of(&self, game: &Game, color: Color) -> Option<ConnectionId> {
        self.online(game.seat(color).name.as_str())
    }

    /// The opponent of a player who plays.
    pub(crate) fn opponent_of(&self, id: ConnectionId) -> Option<ConnectionId> {
        let (game, color) = (self.game_of(id)?, self.color_of(id)?);
        self.player_of(game, color.opponent())
    }

    /// Whether a player has no time for other games, and is not idle.
    pub(crate) fn is_busy(&self, id: ConnectionId) -> bool {
        self.player(id).is_some_and(|player| player.game.is_some())
    }

    /// What stands in front of a player's name in `who`.
    pub(crate) fn state_sign(&self, id: ConnectionId) -> char {
        if !self.simul(id).is_empty() {
            '~'
        } else if self.game_of(id).is_some() {
            '^'
        } else if self.examined_by(id).is_some() {
            '#'
        } else {
            ' '
        }
    }

    /// What a game's lines tell of a player.
    pub(crate) fn seat(&self, id: ConnectionId, kind: Kind) -> Option<Seat> {
        let player = self.player(id)?;
        Some(Seat {
            name: player.handle.clone(),
            rating: player.rating(kind.as_str()),
            is_registered: player.is_registered,
            has_timeseal: self.is_sealed(id),
        })
    }

    /// `Game 1: Alekhine (1940) Bogoljubov (1500) unrated blitz 10 0`.
    pub(crate) fn title(&self, number: GameId) -> String {
        let Some(table) = self.table(number) else { return String::new() };
        let Sides { white, black } = table.seats();
        format!("Game {number}: {} {} {}\n", with_rating(white), with_rating(black), table.terms())
    }

    /// Those who follow a game and do not play or examine it, players of its partner game included.
    pub(crate) fn observers(&self, number: GameId) -> Vec<ConnectionId> {
        self.table(number).map(|table| table.observers.clone()).unwrap_or_default()
    }

    /// Those who play or examine a game.
    pub(crate) fn participants(&self, number: GameId) -> Vec<ConnectionId> {
        match self.table(number).map(|table| &table.show) {
            Some(Show::Played(game)) => {
                Color::BOTH.into_iter().filter_map(|color| self.player_of(game, color)).collect()
            }
            Some(Show::Examined { examiners, .. }) => examiners.clone(),
            None => Vec::new(),
        }
    }

    /// Has the world look when the running clock of a game will have run out.
    pub(crate) fn watch_flag(&mut self, number: GameId) {
        match self.table(number).and_then(Table::played).and_then(Game::flag_at) {
            Some(time) => self.agenda.set(Deadline::Flag(number), time),
            None => self.agenda.cancel(Deadline::Flag(number)),
        }
    }

    /// The interrupted game of two players.
    pub(crate) fn stored_between(&self, one: &str, other: &str) -> Option<usize> {
        let has = |game: &Game, name: &str| game.color_of(name).is_some();
        self.stored.iter().position(|stored| has(&stored.game, one) && has(&stored.game, other))
    }

    /// The names of those a player has interrupted games with.
    pub(crate) fn stored_opponents(&self, name: &str) -> Vec<Handle> {
        let games = self.stored.iter().map(|stored| &stored.game);
        games.filter_map(|game| Some(game.seat(game.color_of(name)?.opponent()).name.clone())).collect()
    }

    /// The games a player has finished, the oldest first.
    pub(crate) fn history_of(&self, name: &str) -> &[Finished] {
        self.history.get(&key(name)).map_or(&[], |games| games.as_slice())
    }
}

/// A game that was played to its end.
#[derive(Clone, Debug)]
pub(crate) struct Finished {
    /// Its place in the player's history, which counts on when old games are forgotten.
    pub(crate) index: usize,
    pub(crate) game: std::sync::Arc<Game>,
    pub(crate) ended: SystemTime,
}

/// `Alekhine (1940)`.
pub(crate) fn with_rating(seat: &Seat) -> String {
    format!("{} ({:>4})", seat.name, seat.rating.to_string())
}

/// The moment as dates are counted.
impl World {
    pub(crate) fn system_time(&self) -> SystemTime {
        self.system_time_at(self.now)
    }

    pub(crate) fn system_time_at(&self, moment: Instant) -> SystemTime {
        self.started_date + moment.saturating_duration_since(self.started)
    }
}
