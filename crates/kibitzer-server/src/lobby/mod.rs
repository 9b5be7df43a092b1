//! Connections, the players logged in over them, and the text queued for each.

mod connection;
mod ivars;
mod levels;
mod output;
mod player;
mod queries;
mod schedule;
mod seal;
mod variables;

use std::collections::{BTreeMap, BTreeSet};

pub use self::connection::LoginObstacle;
pub(crate) use self::connection::{Connection, KickReason, LoginStage};
pub(crate) use self::ivars::{Ivars, settable_ivars};
pub(crate) use self::levels::IccLevelSettings;
pub(crate) use self::player::{LISTS, MAX_LIST_ENTRIES, Player, SavedSettings};
pub(crate) use self::schedule::{Schedule, ServerClock};
pub(crate) use self::seal::TimesealClock;
use crate::account::name_key;

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
    pub(crate) fn log_out_and_save_settings(&mut self, id: ConnectionId) -> Option<Player> {
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
    pub(crate) fn change_and_queue_connection(&mut self, id: ConnectionId, change: impl FnOnce(&mut Connection)) {
        if let Some(connection) = self.queue_for_output(id) {
            change(connection);
        }
    }

    /// Sets the login stage of a connection; does nothing if it was removed.
    pub(crate) fn set_login_stage(&mut self, id: ConnectionId, stage: LoginStage) {
        self.change_and_queue_connection(id, |connection| connection.stage = stage);
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
        self.unsent.first().and_then(|id| self.connections.get(id)).is_some_and(|connection| connection.is_simulated)
    }

    /// Takes one simulated player, or one client, from the queue for output, and returns its bytes, of which there may be none.
    /// `None` if no such connection is queued, or for clients while a simulated player is queued.
    pub(crate) fn take_next_unsent(&mut self, is_simulated: bool) -> Option<(ConnectionId, Vec<u8>)> {
        let &id = self.unsent.first()?;
        let connection = self.connections.get_mut(&id).filter(|connection| connection.is_simulated == is_simulated)?;
        self.unsent.remove(&id);
        Some((id, std::mem::take(&mut connection.unsent)))
    }

    /// Returns whether a client has switched a bit of the level-1 setting on.
    pub(crate) fn has_level_1_bit(&self, id: ConnectionId, bit: u8) -> bool {
        self.connection(id).is_some_and(|connection| connection.levels.has_level_1_bit(bit))
    }
}
