//! Connections, the players logged in over them, and the text queued for each; the server's clock and schedule.

mod connection;
mod output;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime};

use kibitzer_core::message::{GameId, Ivar};

pub(crate) use self::connection::{
    ClientKind, Connection, LISTS, LoginStage, MAX_LIST_ENTRIES, Player, SavedSettings, TimesealClock,
};
pub(crate) use self::variables::{Ivars, settable_ivars};
use crate::account::name_key;
use crate::family::IccLevelSettings;
use crate::play::{ClockUnit, SeatedPlayer};

/// Identifier of a connection; never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ConnectionId(pub(crate) u64);

/// Which connection a fault is injected into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConnectionTarget {
    /// The next connection to be opened.
    Next,
    /// The connection of this number, which [`ServerControl::connections`](crate::ServerControl::connections) returns.
    Connection(u64),
    /// The connection of this player; case is ignored.
    Player(String),
}

/// Connections, the players logged in over them, and the text queued for each.
#[derive(Debug)]
pub(crate) struct Lobby {
    pub(crate) clock: ServerClock,
    /// Number of connections opened so far.
    n_opened: u64,
    pub(crate) connections: BTreeMap<ConnectionId, Connection>,
    /// Players who are logged in, by [`name_key`] of their names.
    online: BTreeMap<String, ConnectionId>,
    /// Settings of registered players at their last logout, by [`name_key`] of their names.
    pub(crate) saved: BTreeMap<String, SavedSettings>,
    /// Connections with unsent bytes. Those of simulated players come first, as they are added before any client's.
    unsent: BTreeSet<ConnectionId>,
    /// The connection that sent the command that is being executed; and for each other client that receives units, the offset in
    /// its unsent bytes where the unit of this command starts.
    ///
    /// Source: icc §3.
    pub(crate) current_command: Option<(ConnectionId, BTreeMap<ConnectionId, usize>)>,
}

impl Lobby {
    pub(crate) const fn new(clock: ServerClock) -> Self {
        Self {
            clock,
            n_opened: 0,
            connections: BTreeMap::new(),
            online: BTreeMap::new(),
            saved: BTreeMap::new(),
            unsent: BTreeSet::new(),
            current_command: None,
        }
    }

    /// Adds a connection and returns its new identifier.
    pub(crate) fn add_connection(&mut self, connection: Connection) -> ConnectionId {
        self.n_opened += 1;
        let id = ConnectionId(self.n_opened);
        self.connections.insert(id, connection);
        id
    }

    /// Removes a connection and discards its unsent bytes. The player has to be logged out first.
    pub(crate) fn remove_connection(&mut self, id: ConnectionId) {
        self.connections.remove(&id);
        self.unsent.remove(&id);
    }

    /// Records that a player is logged in over a connection, without output. The caller has to log out an earlier connection of
    /// that player.
    pub(crate) fn log_in(&mut self, id: ConnectionId, player: Player) {
        self.online.insert(name_key(player.name()), id);
        self.set_login_stage(id, LoginStage::LoggedIn(Box::new(player)));
    }

    /// Logs out the player of a connection, and saves a registered player's settings. Returns the player; `None` if none was
    /// logged in. In both cases the connection waits for a name again.
    pub(crate) fn log_out(&mut self, id: ConnectionId) -> Option<Player> {
        let connection = self.connections.get_mut(&id)?;
        let LoginStage::LoggedIn(player) = std::mem::replace(&mut connection.stage, LoginStage::Name) else {
            return None;
        };
        let key = name_key(player.name());
        self.online.remove(&key);
        if player.is_registered {
            self.saved.insert(key, player.saved.clone());
        }
        Some(*player)
    }

    /// Changes a connection and queues it for sending; does nothing if it was removed.
    pub(crate) fn update_connection(&mut self, id: ConnectionId, change: impl FnOnce(&mut Connection)) {
        if let Some(connection) = self.queue_for_output(id) {
            change(connection);
        }
    }

    /// Sets the login stage of a connection; does nothing if it was removed.
    pub(crate) fn set_login_stage(&mut self, id: ConnectionId, stage: LoginStage) {
        self.update_connection(id, |connection| connection.stage = stage);
    }

    pub(crate) fn connection(&self, id: ConnectionId) -> Option<&Connection> {
        self.connections.get(&id)
    }

    /// Queues a connection for sending, and returns it so that the caller can add output; `None` if it was removed. While a
    /// command of another client is executed, records where the output of that command to this connection begins.
    pub(crate) fn queue_for_output(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        let connection = self.connections.get_mut(&id)?;
        self.unsent.insert(id);
        // The first output of a command to this client: what is queued before it is not part of the unit.
        if let Some((_, starts)) = self.current_command.as_mut().filter(|(by, _)| *by != id)
            && connection.levels.has_level_1_bit(IccLevelSettings::UNITS)
        {
            starts.entry(id).or_insert(connection.unsent.len());
        }
        Some(connection)
    }

    /// Returns whether a simulated player is queued for output.
    pub(crate) fn has_unsent_to_simulated(&self) -> bool {
        self.unsent
            .first()
            .and_then(|id| self.connections.get(id))
            .is_some_and(|connection| connection.kind == ClientKind::Simulated)
    }

    /// Takes one simulated player, or one client, from the queue for output, and returns its bytes, of which there may be none.
    /// `None` if no such connection is queued, or for clients while a simulated player is queued.
    pub(crate) fn take_next_unsent(&mut self, of: ClientKind) -> Option<(ConnectionId, Vec<u8>)> {
        let &id = self.unsent.first()?;
        let connection = self.connections.get_mut(&id).filter(|connection| connection.kind == of)?;
        self.unsent.remove(&id);
        Some((id, std::mem::take(&mut connection.unsent)))
    }

    /// Returns whether a client has switched a bit of the level-1 setting on.
    pub(crate) fn has_level_1_bit(&self, id: ConnectionId, bit: u8) -> bool {
        self.connection(id).is_some_and(|connection| connection.levels.has_level_1_bit(bit))
    }
}

/// Queries about players, and about the clients over which they are logged in.
impl Lobby {
    pub(crate) fn player(&self, id: ConnectionId) -> Option<&Player> {
        self.connections.get(&id)?.player()
    }

    pub(crate) fn player_mut(&mut self, id: ConnectionId) -> Option<&mut Player> {
        self.connections.get_mut(&id)?.player_mut()
    }

    /// Returns all players who are logged in, ordered by name.
    pub(crate) fn players(&self) -> impl Iterator<Item = (ConnectionId, &Player)> {
        self.online.values().filter_map(|&id| Some((id, self.player(id)?)))
    }

    /// Returns the players that satisfy a condition, ordered by name.
    pub(crate) fn players_where(&self, is_chosen: impl Fn(ConnectionId, &Player) -> bool) -> Vec<ConnectionId> {
        self.players().filter(|&(id, player)| is_chosen(id, player)).map(|(id, _)| id).collect()
    }

    /// Returns the connection of the player with this name, in any case; `None` if the player is not logged in.
    pub(crate) fn connection_of_player(&self, name: &str) -> Option<ConnectionId> {
        self.online.get(&name_key(name)).copied()
    }

    /// Returns the player with this name, otherwise the only one whose name starts with it, in any case; `None` if there is none or
    /// there are several, or if `name` is empty.
    pub(crate) fn find_player_by_prefix(&self, name: &str) -> Option<ConnectionId> {
        let prefix = name_key(name);
        if let Some(&exact) = self.online.get(&prefix) {
            return Some(exact);
        }
        let mut matches = self.online.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix));
        let (_, &id) = matches.next().filter(|_| !prefix.is_empty())?;
        matches.next().is_none().then_some(id)
    }

    /// Returns the name of the player logged in over a connection; empty if there is none.
    pub(crate) fn player_name(&self, id: ConnectionId) -> String {
        self.player(id).map(|player| player.name().to_owned()).unwrap_or_default()
    }

    /// Returns whether a player has switched a flag on; `false` if no player is logged in.
    pub(crate) fn has_flag(&self, id: ConnectionId, flag: &str) -> bool {
        self.player(id).is_some_and(|player| player.has_flag(flag))
    }

    /// Returns whether a player has switched an ivar on; `false` if no player is logged in.
    pub(crate) fn has_ivar(&self, id: ConnectionId, ivar: Ivar) -> bool {
        self.player(id).is_some_and(|player| player.ivars.is_set(ivar))
    }

    /// Returns the game that a player plays or examines; `None` if there is none.
    pub(crate) fn own_game(&self, id: ConnectionId) -> Option<GameId> {
        self.player(id)?.game
    }

    /// Sets the game that a player plays or examines; `None` removes it.
    pub(crate) fn set_own_game(&mut self, id: ConnectionId, game: Option<GameId>) {
        if let Some(player) = self.player_mut(id) {
            player.game = game;
        }
    }

    /// Returns the game that a command without a game number refers to: the one that the player plays or examines, otherwise the
    /// one observed for the longest time; `None` if there is none.
    pub(crate) fn primary_game(&self, id: ConnectionId) -> Option<GameId> {
        let player = self.player(id)?;
        player.game.or_else(|| player.observing.first().copied())
    }

    /// Returns the observers of a game, ordered by name: neither its players nor its examiners.
    pub(crate) fn observers(&self, game: GameId) -> Vec<ConnectionId> {
        self.players_where(|_, player| player.observing.contains(&game))
    }

    /// Returns the entry of a player in a new game of this kind: name, rating and other facts; `None` if no player is logged in
    /// over the connection.
    pub(crate) fn seated_player(&self, id: ConnectionId, game_kind: &str) -> Option<SeatedPlayer> {
        let player = self.player(id)?;
        Some(SeatedPlayer {
            name: player.handle.clone(),
            rating: player.rating(game_kind),
            is_registered: player.is_registered,
            has_timeseal: self.uses_timeseal(id),
        })
    }

    /// Returns whether the client uses timeseal.
    pub(crate) fn uses_timeseal(&self, id: ConnectionId) -> bool {
        self.connection(id).is_some_and(|connection| connection.seal.is_some())
    }

    /// Returns whether a player accepts a sender's talk: the player has switched on the flag for such talk, and the sender is not
    /// on the player's censor list.
    pub(crate) fn accepts_talk_from(&self, id: ConnectionId, sender: ConnectionId, flag: &str) -> bool {
        self.has_flag(id, flag) && !self.censors(id, sender)
    }

    /// Returns whether a player has a sender on the censor list.
    pub(crate) fn censors(&self, id: ConnectionId, sender: ConnectionId) -> bool {
        let (Some(receiver), Some(sender)) = (self.player(id), self.player(sender)) else { return false };
        receiver.saved.is_on_list("censor", sender.name())
    }

    /// Returns the players in a channel, ordered by name.
    pub(crate) fn channel_members(&self, channel: u16) -> Vec<ConnectionId> {
        let channel = channel.to_string();
        self.players_where(|_, player| player.saved.is_on_list("channel", &channel))
    }

    /// Returns the games of the simul that a player gives, in the order of the boards.
    pub(crate) fn simul_games(&self, id: ConnectionId) -> &[GameId] {
        self.player(id).map_or(&[], |player| &player.simul)
    }

    /// Returns whether a player can start or extend a simul: the player has no other game.
    pub(crate) fn may_give_simul(&self, id: ConnectionId) -> bool {
        self.own_game(id).is_none_or(|game| self.simul_games(id).contains(&game))
    }

    /// Returns whether a player gives a simul that includes this game, and is at another board.
    pub(crate) fn is_at_other_board(&self, id: ConnectionId, game: GameId) -> bool {
        self.simul_games(id).contains(&game) && self.own_game(id) != Some(game)
    }

    /// Returns the unit in which a client receives clocks: milliseconds with the ivar `ms`, otherwise seconds.
    pub(crate) fn clock_unit(&self, id: ConnectionId) -> ClockUnit {
        if self.has_ivar(id, Ivar::Ms) { ClockUnit::Milliseconds } else { ClockUnit::Seconds }
    }
}

/// The server's clock: the time of the input that is being processed, and that of the start, which has a configured date.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerClock {
    pub(crate) now: Instant,
    pub(crate) started: Instant,
    pub(crate) started_date: SystemTime,
}

impl ServerClock {
    /// Returns the current date, as the server shows it, as a system time.
    pub(crate) fn system_time(&self) -> SystemTime {
        self.started_date + self.uptime()
    }

    pub(crate) fn uptime(&self) -> Duration {
        self.now.saturating_duration_since(self.started)
    }
}

/// Items with one due time each, ordered by time and then by item.
#[derive(Debug)]
pub(crate) struct Schedule<T> {
    times: BTreeMap<T, Instant>,
    order: BTreeSet<(Instant, T)>,
}

impl<T> Default for Schedule<T> {
    fn default() -> Self {
        Self { times: BTreeMap::new(), order: BTreeSet::new() }
    }
}

impl<T: Copy + Ord> Schedule<T> {
    /// Sets the due time of an item, replacing an earlier setting.
    pub(crate) fn set(&mut self, item: T, time: Instant) {
        if let Some(former) = self.times.insert(item, time) {
            self.order.remove(&(former, item));
        }
        self.order.insert((time, item));
    }

    /// Removes the due time of an item, if it has one.
    pub(crate) fn cancel(&mut self, item: T) {
        if let Some(time) = self.times.remove(&item) {
            self.order.remove(&(time, item));
        }
    }

    /// Returns the earliest due time; `None` if no item is scheduled.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        self.order.first().map(|&(time, _)| time)
    }

    /// Removes and returns the item with the earliest due time; `None` if none is due at this time.
    pub(crate) fn take_due(&mut self, now: Instant) -> Option<T> {
        let (_, item) = self.order.first().copied().filter(|&(time, _)| time <= now)?;
        self.cancel(item);
        Some(item)
    }
}

#[cfg(test)]
mod tests;
