//! Games in progress, adjourned and finished.

use std::collections::BTreeMap;
use std::sync::Arc;

use kibitzer_core::chess::Color;
use kibitzer_core::message::{GameId, Handle};

use super::{ConnectionId, Deadline, World};
use crate::account::name_key;
use crate::chess::Position;
use crate::play::{ExaminedGame, Game, GameHeader};

/// Maximum number of games that a player observes at once.
pub(crate) const MAX_OBSERVED: usize = 512;

/// Maximum number of finished games in a player's history.
const MAX_HISTORY: usize = 10;

/// Maximum number of adjourned games on the server; the oldest is dropped for a further one.
const MAX_ADJOURNED: usize = 10_000;

/// A game that is played or examined.
#[derive(Debug)]
pub(crate) enum ActiveGame {
    Played(Game),
    Examined(ExaminedGame),
}

impl ActiveGame {
    pub(crate) const fn as_played(&self) -> Option<&Game> {
        if let Self::Played(game) = self { Some(game) } else { None }
    }

    pub(crate) const fn header(&self) -> &GameHeader {
        match self {
            Self::Played(game) => &game.header,
            Self::Examined(game) => &game.header,
        }
    }

    /// Returns the current position of a played game, or the shown position of an examined one.
    pub(crate) fn position(&self) -> &Position {
        match self {
            Self::Played(game) => game.position(),
            Self::Examined(game) => game.shown_position(),
        }
    }
}

/// A finished game in a player's history.
#[derive(Clone, Debug)]
pub(crate) struct HistoryEntry {
    /// Number in the player's history; it keeps counting when old games are dropped.
    pub(crate) index: usize,
    pub(crate) game: Arc<Game>,
}

/// Games in progress, adjourned games, and the histories of players.
#[derive(Debug, Default)]
pub(crate) struct GameStore {
    /// Games in progress, played or examined, by their numbers.
    pub(crate) in_progress: BTreeMap<GameId, ActiveGame>,
    /// Adjourned games, the oldest first.
    pub(crate) adjourned: Vec<Game>,
    /// Finished games, by the names of their players.
    pub(super) history: BTreeMap<String, Vec<HistoryEntry>>,
}

impl GameStore {
    pub(crate) fn get(&self, game: GameId) -> Option<&ActiveGame> {
        self.in_progress.get(&game)
    }

    /// Returns the game of that number if it is played.
    pub(crate) fn played(&self, game: GameId) -> Option<&Game> {
        self.get(game)?.as_played()
    }

    pub(crate) fn played_mut(&mut self, game: GameId) -> Option<&mut Game> {
        if let ActiveGame::Played(game) = self.in_progress.get_mut(&game)? { Some(game) } else { None }
    }

    /// Returns the game of that number if it is examined.
    pub(crate) fn examined_mut(&mut self, game: GameId) -> Option<&mut ExaminedGame> {
        if let ActiveGame::Examined(game) = self.in_progress.get_mut(&game)? { Some(game) } else { None }
    }

    /// Returns the lowest unused number.
    pub(crate) fn lowest_free_number(&self) -> GameId {
        self.in_progress.keys().fold(GameId(1), |free, &used| if used == free { GameId(free.0 + 1) } else { free })
    }

    /// Formats the title of a game, `Game 1: Alekhine (1940) Bogoljubov (1500) unrated blitz 10 0`, and a newline; empty without
    /// such a game.
    pub(crate) fn title_with_newline(&self, number: GameId) -> String {
        let Some(active_game) = self.get(number) else { return String::new() };
        format!("Game {number}: {}\n", active_game.header().format_players_and_terms())
    }

    /// Stores an adjourned game. Drops the oldest one if [`MAX_ADJOURNED`] are stored.
    pub(crate) fn store_adjourned(&mut self, game: Game) {
        // Bounded, as a client could adjourn games without end.
        if self.adjourned.len() >= MAX_ADJOURNED {
            self.adjourned.remove(0);
        }
        self.adjourned.push(game);
    }

    /// Returns the index in `adjourned` of the oldest adjourned game between two players.
    pub(crate) fn adjourned_index_between(&self, one: &str, other: &str) -> Option<usize> {
        let has = |game: &Game, name: &str| game.header.color_of(name).is_some();
        self.adjourned.iter().position(|game| has(game, one) && has(game, other))
    }

    /// Returns the opponents in a player's adjourned games, one for each game.
    pub(crate) fn adjourned_opponents(&self, name: &str) -> Vec<Handle> {
        let headers = self.adjourned.iter().map(|game| &game.header);
        headers.filter_map(|header| Some(header.seats.of(header.color_of(name)?.opponent()).name.clone())).collect()
    }

    /// Returns the finished games of a player, the oldest first.
    pub(crate) fn history_of(&self, name: &str) -> &[HistoryEntry] {
        self.history.get(&name_key(name)).map_or(&[], |games| games.as_slice())
    }

    /// Adds a finished game to the history of one of its players, under the index after the last. Drops the oldest game beyond
    /// [`MAX_HISTORY`]; the indexes of the others do not change.
    pub(crate) fn add_to_history(&mut self, name: &str, game: &Arc<Game>) {
        let history = self.history.entry(name_key(name)).or_default();
        let index = history.last().map_or(0, |last| last.index + 1);
        history.push(HistoryEntry { index, game: Arc::clone(game) });
        if history.len() > MAX_HISTORY {
            history.remove(0);
        }
    }
}

/// Queries about games and the connections of their players.
impl World {
    /// Returns the game that a player plays; `None` for one who plays none or examines.
    pub(crate) fn game_played_by(&self, id: ConnectionId) -> Option<&Game> {
        self.games.played(self.lobby.own_game(id)?)
    }

    /// Returns the number of the game that a player examines; `None` for one who examines none or plays.
    pub(crate) fn game_examined_by(&self, id: ConnectionId) -> Option<GameId> {
        let number = self.lobby.own_game(id)?;
        self.games.get(number)?.as_played().is_none().then_some(number)
    }

    /// Returns the game that a player plays, and the player's color in it.
    pub(crate) fn played_game_of(&self, id: ConnectionId) -> Option<(&Game, Color)> {
        let game = self.game_played_by(id)?;
        Some((game, game.header.color_of(self.lobby.player(id)?.name())?))
    }

    /// Returns the connection of the player who has this color in a game; `None` if that player is not logged in.
    pub(crate) fn online_player(&self, game: &Game, color: Color) -> Option<ConnectionId> {
        self.lobby.connection_of_player(game.header.seats.of(color).name.as_str())
    }

    /// Returns the opponent in the game that a player plays; `None` without a game, or if the opponent is not logged in.
    pub(crate) fn online_opponent_of(&self, id: ConnectionId) -> Option<ConnectionId> {
        let (game, color) = self.played_game_of(id)?;
        self.online_player(game, color.opponent())
    }

    /// Returns the players of a played game who are logged in, or the examiners of an examined one; empty for an unknown game.
    pub(crate) fn players_or_examiners(&self, number: GameId) -> Vec<ConnectionId> {
        match self.games.get(number) {
            Some(ActiveGame::Played(game)) => {
                Color::BOTH.into_iter().filter_map(|color| self.online_player(game, color)).collect()
            }
            Some(ActiveGame::Examined(_)) => self.lobby.players_where(|_, player| player.game == Some(number)),
            None => Vec::new(),
        }
    }

    /// Returns the players or examiners of a game, then its observers.
    pub(crate) fn audience(&self, number: GameId) -> Vec<ConnectionId> {
        let mut audience = self.players_or_examiners(number);
        audience.extend(self.lobby.observers(number));
        audience
    }

    /// Sets the deadline of a game's flag to the time at which the running clock reaches zero; cancels it if no clock is running.
    pub(crate) fn reschedule_flag_check(&mut self, number: GameId) {
        match self.games.played(number).and_then(|game| game.clocks.runs_out_at()) {
            Some(time) => self.schedule.set(Deadline::Flag(number), time),
            None => self.schedule.cancel(Deadline::Flag(number)),
        }
    }
}
