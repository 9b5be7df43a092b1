//! The server without sockets, clock and tasks: bytes and times in, bytes out.
//!
//! A [`World`] receives connections, bytes and the time, and returns the output of each connection. The same seed and the
//! same input at the same times give the same bytes. Its parts: the [`Lobby`] (connections, players, output), the [`GameStore`]
//! (games), the [`Offers`] and the [`PostedSeek`]s.

mod boards;
mod command;
mod dispatch;
mod game_store;
mod games;
mod icc;
mod lines;
mod login;
mod offers;
mod operator;
mod ratings;
mod seeks;
mod simul;

use std::time::{Instant, SystemTime};

use fastrand::Rng;
use kibitzer_core::message::GameId;
pub(crate) use kibitzer_core::message::Ivar;

pub(crate) use self::boards::BoardReason;
use self::dispatch::CommandDirectory;
pub(crate) use self::game_store::{ActiveGame, GameStore, MAX_OBSERVED};
pub(crate) use self::offers::{AnswerCommand, Offer, Offers, Proposal, ProposedMatch};
pub(crate) use self::seeks::PostedSeek;
use crate::family::LoginFailure;
use crate::lobby::{ClientKind, Schedule, ServerClock};
pub(crate) use crate::lobby::{
    Connection, ConnectionId, Ivars, LISTS, Lobby, LoginStage, MAX_LIST_ENTRIES, Player, settable_ivars,
};
use crate::options::ServerOptions;
use crate::population::Population;
use crate::wire::ClientInput;

/// A scheduled event of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Deadline {
    /// The login times out.
    Login(ConnectionId),
    /// The pause after a wrong password ends.
    Pause(ConnectionId),
    /// The player may have been idle for too long.
    Idle(ConnectionId),
    /// The clock of a game may have run out.
    Flag(GameId),
    /// The player to move in a game may have lagged for long.
    Lag(GameId),
    /// The server shuts down.
    Shutdown,
}

/// Output to a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClientOutput {
    pub(crate) to: ConnectionId,
    pub(crate) bytes: Vec<u8>,
    /// Whether the connection is to be closed after the bytes; its state has been removed.
    pub(crate) is_last: bool,
}

/// State of the server, without sockets and tasks.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) options: ServerOptions,
    directory: CommandDirectory,
    random: Rng,
    pub(crate) lobby: Lobby,
    games: GameStore,
    offers: Offers,
    /// Seeks, in the order they were posted.
    seeks: Vec<PostedSeek>,
    schedule: Schedule<Deadline>,
    /// Simulated players, if the options ask for them.
    population: Option<Population>,
    /// Whether the server has shut down.
    pub(crate) is_over: bool,
}

impl World {
    /// Creates a world whose clock starts at `now` and shows `date`. Logs in simulated players if the options request them.
    pub(crate) fn new(options: ServerOptions, now: Instant, date: SystemTime) -> Self {
        let mut world = Self {
            random: Rng::with_seed(options.seed),
            directory: CommandDirectory::new(options.family),
            options,
            lobby: Lobby::new(ServerClock { now, started: now, started_date: date }),
            games: GameStore::default(),
            offers: Offers::default(),
            seeks: Vec::new(),
            schedule: Schedule::default(),
            population: None,
            is_over: false,
        };
        world.create_population();
        world
    }

    /// Returns the time of the input that is being processed.
    pub(crate) const fn now(&self) -> Instant {
        self.lobby.clock.now
    }

    /// Adds a connection and queues the greeting. If the server is full, queues the refusal instead and marks the connection as
    /// closing.
    pub(crate) fn open_connection(&mut self, now: Instant) -> ConnectionId {
        self.lobby.clock.now = now;
        let id = self.lobby.add_connection(Connection::new(self.options.family));
        let n_simulated = self.population.as_ref().map_or(0, Population::len);
        if self.lobby.connections.len() - n_simulated > self.options.max_connections {
            self.refuse_login(id, LoginFailure::Full, "");
        } else {
            self.schedule.set(Deadline::Login(id), now + self.options.login_timeout);
            self.lobby.queue_text(id, self.options.family.texts().banner);
            self.ask_name_after_invitation(id);
        }
        id
    }

    /// Processes bytes from a client. The caller passes at most one line at a time, and none while the login
    /// [is paused](Self::is_login_paused).
    pub(crate) fn receive_bytes(&mut self, id: ConnectionId, bytes: &[u8], now: Instant) {
        self.lobby.clock.now = now;
        let mut rest = bytes;
        while let Some(connection) = self.lobby.connections.get_mut(&id).filter(|connection| !connection.is_closing) {
            let Some(input) = connection.input.next(&mut rest) else { return };
            match input {
                ClientInput::Line(line) => self.receive_line(id, &line),
                ClientInput::TooLong(start) => self.refuse_long_line(id, &start),
                ClientInput::Grant(bytes) => self.lobby.queue_bytes(id, bytes),
                // The recorded servers that answer end this line in a bare LF.
                ClientInput::AreYouThere => self.lobby.queue_bytes(id, b"[Responding to AYT: Yes, I'm here.]\n"),
                ClientInput::Interrupt => self.end_session(id),
            }
        }
    }

    /// Logs out the player of a connection that the client has closed, and removes the connection.
    pub(crate) fn remove_closed_client(&mut self, id: ConnectionId, now: Instant) {
        self.lobby.clock.now = now;
        self.log_out_player(id);
        self.remove_connection(id);
    }

    /// Returns when [`run_due_work`](Self::run_due_work) has to be called next; `None` if nothing is scheduled.
    pub(crate) fn next_time(&self) -> Option<Instant> {
        let times = [self.schedule.next_time(), self.population.as_ref().and_then(Population::next_time)];
        times.into_iter().flatten().min()
    }

    /// Handles the deadlines that have passed, then executes the actions of simulated players that are due.
    pub(crate) fn run_due_work(&mut self, now: Instant) {
        self.lobby.clock.now = now;
        while let Some(deadline) = self.schedule.take_due(now) {
            match deadline {
                Deadline::Login(id) => {
                    self.lobby.queue_text(id, "\n**** LOGIN TIMEOUT ****\n");
                    self.end_session(id);
                }
                Deadline::Pause(id) => self.ask_name_after_invitation(id),
                Deadline::Idle(id) => self.log_out_if_idle_or_reschedule(id),
                Deadline::Flag(number) => self.end_if_flag_fell_or_reschedule(number),
                Deadline::Lag(number) => self.report_lag(number),
                Deadline::Shutdown => self.shutdown_now(),
            }
        }
        self.run_population();
    }

    /// Removes and returns the output of one connection, which may be empty for one that is closing; `None` if there is none.
    /// First lets simulated players react to their output. A closing connection is removed, and this output is its last.
    pub(crate) fn take_next_output(&mut self) -> Option<ClientOutput> {
        // Simulated players react first, so that their output is sent together with that which caused it.
        if self.lobby.has_unsent_to_simulated() {
            self.run_population();
        }
        let (to, bytes) = self.lobby.take_next_unsent(ClientKind::Remote)?;
        let is_last = self.lobby.connection(to)?.is_closing;
        if is_last {
            self.remove_connection(to);
        }
        Some(ClientOutput { to, bytes, is_last })
    }

    /// Returns whether a client's login is paused after a wrong password, so that nothing is processed.
    pub(crate) fn is_login_paused(&self, id: ConnectionId) -> bool {
        self.lobby.connection(id).is_some_and(|connection| matches!(connection.stage, LoginStage::Paused))
    }

    /// Logs out the player, if there is one, and marks the connection so that it is closed once its output has been sent.
    pub(crate) fn end_session(&mut self, id: ConnectionId) {
        self.log_out_player(id);
        self.lobby.update_connection(id, |connection| connection.is_closing = true);
    }

    /// Removes a connection with its deadlines. The player has to be logged out before.
    fn remove_connection(&mut self, id: ConnectionId) {
        self.lobby.remove_connection(id);
        for deadline in [Deadline::Login(id), Deadline::Pause(id), Deadline::Idle(id)] {
            self.schedule.cancel(deadline);
        }
    }
}
