//! The server without sockets, clock and tasks: bytes and times in, bytes out.
//!
//! A [`World`] is told of connections, of what came from them and of the time; what is to be sent is asked for. The same
//! seed and the same input at the same times give the same bytes.

mod agenda;
mod arrivals;
mod boards;
mod connection;
mod deliver;
mod finish;
mod ivars;
pub(crate) mod lines;
mod login;
mod offers;
mod operator;
mod player;
mod population;
mod seal;
mod seeks;
mod simul;
mod start;
mod tables;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant, SystemTime};

pub(crate) use self::agenda::Agenda;
pub use self::connection::ConnectionId;
pub(crate) use self::connection::{Connection, Stage};
pub(crate) use self::ivars::{Ivars, ivars_starting_with};
pub use self::login::LoginObstacle;
pub(crate) use self::player::{Keepsake, List, MAX_LIST_ENTRIES, Player};
pub(crate) use self::variables::{Flag, Number, SetError, Text};
use kibitzer_core::message::GameId;
pub(crate) use kibitzer_core::message::Ivar;

pub(crate) use self::boards::Occasion;
pub(crate) use self::offers::{Challenge, Offer, OfferKind};
pub(crate) use self::seeks::{MAX_SEEKS, Seek};
pub(crate) use self::tables::{Finished, MAX_OBSERVED, Show, Stored, Table};
use crate::account::{Account, key};
use crate::calendar::Date;
use crate::command::Directory;
use crate::family::Issued;
use crate::options::ServerOptions;
use crate::population::Population;
use crate::random::Random;
use crate::wire::input::Input;

/// How much may come from a client while nothing is read from it.
const MAX_HELD_BYTES: usize = 16 << 10;

/// What the world waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deadline {
    /// The login has to be done.
    Login(ConnectionId),
    /// The silence after a wrong password is over.
    Pause(ConnectionId),
    /// The player may have been idle for too long.
    Idle(ConnectionId),
    /// The clock of a game may have run out.
    Flag(GameId),
    /// The server shuts down.
    End,
}

/// What is to be sent to a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) to: ConnectionId,
    pub(crate) bytes: Vec<u8>,
    /// Whether the connection is to be closed behind the bytes. The world knows it no more.
    pub(crate) is_last: bool,
}

/// Everything the server knows.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) options: ServerOptions,
    pub(crate) directory: Directory,
    /// The time of the input that is being worked on.
    pub(crate) now: Instant,
    pub(crate) started: Instant,
    started_date: SystemTime,
    pub(crate) random: Random,
    n_connections: u64,
    connections: BTreeMap<ConnectionId, Connection>,
    /// Who is logged in, by name.
    online: BTreeMap<String, ConnectionId>,
    /// What registered players who are not logged in left behind, by name.
    keepsakes: BTreeMap<String, Keepsake>,
    tables: BTreeMap<GameId, Table>,
    /// Interrupted games, the oldest first.
    pub(crate) stored: Vec<Stored>,
    /// Finished games, by the names of their players.
    history: BTreeMap<String, Vec<Finished>>,
    offers: Vec<Offer>,
    /// The number of the newest offer.
    n_offers: u32,
    seeks: Vec<Seek>,
    pub(crate) agenda: Agenda<Deadline>,
    /// Connections that have something to be sent.
    unsent: BTreeSet<ConnectionId>,
    /// Simulated players, and those of them to whom something was sent.
    population: Option<Population>,
    unheard: BTreeSet<ConnectionId>,
    /// The command that is being carried out.
    pub(crate) issued: Option<Issued>,
    is_over: bool,
}

impl World {
    /// A world at the time `now` on that date, without connections, and with simulated players if there are to be any.
    pub(crate) fn new(options: ServerOptions, now: Instant, date: SystemTime) -> Self {
        let mut world = Self {
            random: Random::new(options.seed),
            directory: Directory::new(options.family),
            options,
            now,
            started: now,
            started_date: date,
            n_connections: 0,
            connections: BTreeMap::new(),
            online: BTreeMap::new(),
            keepsakes: BTreeMap::new(),
            tables: BTreeMap::new(),
            stored: Vec::new(),
            history: BTreeMap::new(),
            offers: Vec::new(),
            n_offers: 0,
            seeks: Vec::new(),
            agenda: Agenda::default(),
            unsent: BTreeSet::new(),
            population: None,
            unheard: BTreeSet::new(),
            issued: None,
            is_over: false,
        };
        world.populate();
        world
    }

    /// A client has connected.
    pub(crate) fn connect(&mut self, now: Instant) -> ConnectionId {
        self.now = now;
        self.n_connections += 1;
        let id = ConnectionId(self.n_connections);
        self.connections.insert(id, Connection::new(self.options.family));
        self.greet(id);
        id
    }

    /// Bytes have come from a client.
    pub(crate) fn receive(&mut self, id: ConnectionId, bytes: &[u8], now: Instant) {
        self.now = now;
        let mut rest = bytes;
        while let Some(connection) = self.connections.get_mut(&id).filter(|connection| !connection.is_closing) {
            if matches!(connection.stage, Stage::Paused) {
                return self.hold(id, rest);
            }
            let Some(input) = connection.input.next(&mut rest) else { return };
            self.hear(id, input);
        }
    }

    /// A client has gone.
    pub(crate) fn hang_up(&mut self, id: ConnectionId, now: Instant) {
        self.now = now;
        self.depart(id);
        self.forget(id);
    }

    /// When [`tick`](Self::tick) has something to do.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        let times = [self.agenda.next_time(), self.population.as_ref().and_then(Population::next_time)];
        times.into_iter().flatten().min()
    }

    /// Does what has become due.
    pub(crate) fn tick(&mut self, now: Instant) {
        self.now = now;
        while let Some(deadline) = self.agenda.take_due(now) {
            match deadline {
                Deadline::Login(id) => self.end_login(id),
                Deadline::Pause(id) => self.resume_login(id),
                Deadline::Idle(id) => self.end_idle(id),
                Deadline::Flag(number) => self.check_flag(number),
                Deadline::End => self.end(),
            }
        }
        self.run_population();
    }

    /// The next thing to be sent; `None` if there is none left.
    pub(crate) fn take_output(&mut self) -> Option<Output> {
        if !self.unheard.is_empty() {
            self.run_population();
        }
        let to = self.unsent.pop_first()?;
        let connection = self.connections.get_mut(&to)?;
        let bytes = std::mem::take(&mut connection.unsent);
        let is_last = connection.is_closing;
        if is_last {
            self.forget(to);
        }
        Some(Output { to, bytes, is_last })
    }

    /// The connection, which is then looked at for something to be sent.
    pub(crate) fn connection_mut(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        let connection = self.connections.get_mut(&id)?;
        let unread = if connection.is_simulated { &mut self.unheard } else { &mut self.unsent };
        unread.insert(id);
        if let Some(issued) = &mut self.issued {
            issued.touch(id, connection);
        }
        Some(connection)
    }

    pub(crate) fn connection(&self, id: ConnectionId) -> Option<&Connection> {
        self.connections.get(&id)
    }

    /// How many clients are connected.
    pub(crate) fn n_connections(&self) -> usize {
        self.connections.len() - self.n_simulated()
    }

    pub(crate) fn connection_ids(&self) -> Vec<ConnectionId> {
        self.connections.keys().copied().collect()
    }

    pub(crate) fn player(&self, id: ConnectionId) -> Option<&Player> {
        self.connections.get(&id)?.player()
    }

    pub(crate) fn player_mut(&mut self, id: ConnectionId) -> Option<&mut Player> {
        self.connections.get_mut(&id)?.player_mut()
    }

    /// Everybody who is logged in, by name.
    pub(crate) fn players(&self) -> impl Iterator<Item = (ConnectionId, &Player)> {
        self.online.values().filter_map(|&id| Some((id, self.player(id)?)))
    }

    /// The connection of the player of that name, in any case of letters.
    pub(crate) fn online(&self, name: &str) -> Option<ConnectionId> {
        self.online.get(&key(name)).copied()
    }

    /// The player who is meant by a name or by the start of one, if no other's name starts so.
    pub(crate) fn meant(&self, name: &str) -> Option<ConnectionId> {
        let prefix = key(name);
        if let Some(&exact) = self.online.get(&prefix) {
            return Some(exact);
        }
        let mut fitting = self.online.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix));
        let (_, &id) = fitting.next().filter(|_| !prefix.is_empty())?;
        fitting.next().is_none().then_some(id)
    }

    pub(crate) fn account(&self, name: &str) -> Option<&Account> {
        self.options.accounts.get(name)
    }

    /// What date it is.
    pub(crate) fn date(&self) -> Date {
        self.date_at(self.now)
    }

    pub(crate) fn date_at(&self, moment: Instant) -> Date {
        Date::of(self.system_time_at(moment))
    }

    pub(crate) fn uptime(&self) -> Duration {
        self.now.saturating_duration_since(self.started)
    }

    fn hear(&mut self, id: ConnectionId, input: Input) {
        match input {
            Input::Line(line) => self.hear_line(id, &line),
            Input::TooLong(start) => self.refuse_long_line(id, &start),
            Input::Grant(bytes) => self.put_bytes(id, bytes),
            // The recorded servers that answer end this line in a bare LF.
            Input::AreYouThere => self.put_bytes(id, b"[Responding to AYT: Yes, I'm here.]\n"),
            Input::Interrupt => self.close(id),
        }
    }

    /// Whether nothing is read from a client, as its login is paused.
    pub(crate) fn is_paused(&self, id: ConnectionId) -> bool {
        self.connections.get(&id).is_some_and(|connection| matches!(connection.stage, Stage::Paused))
    }

    /// Keeps what came while nothing is read.
    fn hold(&mut self, id: ConnectionId, bytes: &[u8]) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.held.extend_from_slice(bytes);
        if connection.held.len() > MAX_HELD_BYTES {
            self.close(id);
        }
    }

    /// Ends a connection once what is unsent has been sent; its player has left.
    pub(crate) fn close(&mut self, id: ConnectionId) {
        self.depart(id);
        if let Some(connection) = self.connection_mut(id) {
            connection.is_closing = true;
        }
    }

    fn forget(&mut self, id: ConnectionId) {
        self.connections.remove(&id);
        self.unsent.remove(&id);
        for deadline in [Deadline::Login(id), Deadline::Pause(id), Deadline::Idle(id)] {
            self.agenda.cancel(deadline);
        }
    }
}
