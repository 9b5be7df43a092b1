//! Clients and an embedded server in one process, in virtual time.

use std::io;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use kibitzer::command::{GameTerms, MoveText, OfferOutcome, OfferRef};
use kibitzer::{Client, Dial, Profile};
use kibitzer_core::Event;
use kibitzer_core::chess::Color;
use kibitzer_core::hub::{RecvError, Subscription};
use kibitzer_core::message::{GameId, Handle};
use kibitzer_core::session::Password;
use kibitzer_server::{Account, Server, ServerControl, ServerOptions};
use tokio::io::DuplexStream;

/// The password of every account.
pub const PASSWORD: &str = "swordfish";

/// Options of a server without sockets, with an account for each name and a fixed date.
pub fn options(names: &[&str]) -> ServerOptions {
    let date = UNIX_EPOCH + Duration::from_mins(29_920_350);
    names.iter().fold(ServerOptions::new().in_process().date(date), |options, name| {
        options.account(Account::new(handle(name), PASSWORD).rating("blitz", 1882))
    })
}

/// Parses a valid account name.
pub fn handle(name: &str) -> Handle {
    name.parse().expect("a name of letters")
}

/// An embedded server that can be shut down and restarted, and the target that clients dial, which stays the same.
#[derive(Debug)]
pub struct TestServer {
    server: Option<Server>,
    dial_target: DialTarget,
}

impl TestServer {
    /// Starts a server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing.
    pub async fn start(options: ServerOptions) -> Self {
        let mut test_server = Self { server: None, dial_target: DialTarget::default() };
        test_server.restart(options).await;
        test_server
    }

    /// Starts another server behind the same dial target. The previous one is dropped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing.
    pub async fn restart(&mut self, options: ServerOptions) {
        let server = Server::start(options).await.expect("nothing is listened on");
        self.dial_target.state().control = Some(server.control());
        self.server = Some(server);
    }

    /// Returns the running server.
    pub fn server(&self) -> &Server {
        self.server.as_ref().expect("the server is running")
    }

    /// Shuts the server down. Later connections are refused.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future drops the server at once.
    pub async fn shutdown(&mut self) {
        self.dial_target.state().control = None;
        if let Some(server) = self.server.take() {
            server.shutdown().await;
        }
    }

    /// Returns the target that clients dial.
    pub const fn dial_target(&self) -> &DialTarget {
        &self.dial_target
    }

    /// Returns the profile of a guest whose name the server assigns.
    pub fn profile(&self) -> Profile {
        self.dial_target.profile()
    }

    /// Returns the profile of an account.
    pub fn account(&self, name: &str) -> Profile {
        let password = Password::new(PASSWORD).expect("a line");
        self.profile().account(handle(name), password)
    }

    /// Connects a client with an account, and waits until it is ready.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the session up.
    pub async fn player(&self, name: &str) -> Client {
        Client::connect(self.account(name)).await.expect("the server admits its accounts")
    }

    /// Connects a guest with this name, and waits until it is ready.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the session up.
    pub async fn guest(&self, name: &str) -> Client {
        Client::connect(self.profile().guest_as(handle(name))).await.expect("the server admits guests")
    }
}

/// The target that clients dial: the current server, unless it is shut down or connections are to be refused.
#[derive(Clone, Debug, Default)]
pub struct DialTarget(Arc<Mutex<DialState>>);

#[derive(Debug, Default)]
struct DialState {
    control: Option<ServerControl>,
    refusals_left: u32,
    is_held: bool,
    n_dialed: u32,
}

impl DialTarget {
    /// Refuses the next `n` connections.
    pub fn refuse(&self, n: NonZeroU32) {
        self.state().refusals_left = n.get();
    }

    /// Lets attempts to connect wait, until [`release`](Self::release).
    pub fn hold(&self) {
        self.state().is_held = true;
    }

    /// Lets attempts to connect continue.
    pub fn release(&self) {
        self.state().is_held = false;
    }

    /// Returns the number of attempts to connect, including refused ones.
    pub fn n_dialed(&self) -> u32 {
        self.state().n_dialed
    }

    /// Returns the profile of a guest that dials this target.
    pub fn profile(&self) -> Profile {
        let target = self.clone();
        let dial = Dial::with(move || {
            let target = target.clone();
            async move { target.connect().await }
        });
        Profile::new("server.example").dial(dial).session(|session| session.seed(7))
    }

    /// Opens a connection to the server.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::ConnectionRefused`] without a server, or if the connection is to be refused.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future opens no connection.
    async fn connect(&self) -> io::Result<DuplexStream> {
        while self.state().is_held {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let control = self.admit().ok_or(io::ErrorKind::ConnectionRefused)?;
        control.connect().await
    }

    /// Counts an attempt to connect. Returns the server, or `None` to refuse the connection.
    fn admit(&self) -> Option<ServerControl> {
        let mut state = self.state();
        state.n_dialed += 1;
        match state.refusals_left.checked_sub(1) {
            Some(left) => {
                state.refusals_left = left;
                None
            }
            None => state.control.clone(),
        }
    }

    fn state(&self) -> MutexGuard<'_, DialState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts a game of five minutes between two clients, the first with White, and returns its number.
///
/// # Cancel safety
///
/// Dropping the future may leave a challenge or a started game.
pub async fn begin_game(white: &Client, black: &Client) -> GameId {
    let opponent = black.handle().expect("the server reported the name");
    let terms = GameTerms::new().time(5, 0).color(Color::White);
    let mut events = white.subscribe();
    white.challenge(opponent, terms).await.expect("the challenge is sent");
    let game = match black.accept(OfferRef::Only).await.expect("there is one challenge") {
        OfferOutcome::Started(created) => created.game,
        other => unexpected(&other),
    };
    // The server writes to one player after the other.
    wait_for(&mut events, |event| (event.affected_game() == Some(game)).then_some(())).await;
    game
}

/// Sends a move and waits until the server has accepted it.
///
/// # Cancel safety
///
/// Dropping the future does not withdraw the move.
pub async fn play(client: &Client, played: &str) {
    client.request(&MoveText::new(played).expect("a move")).await.expect("the move is legal");
}

/// Waits for the first event for which `take` returns a value, and returns that value.
///
/// # Cancel safety
///
/// Dropping the future loses the events received so far.
pub async fn wait_for<T>(events: &mut Subscription, mut take: impl FnMut(&Event) -> Option<T>) -> T {
    loop {
        let event = events.recv().await.expect("the session goes on, and nothing is missed");
        if let Some(found) = take(&event) {
            return found;
        }
    }
}

/// Removes the events that a subscription has now; returns them, and the number of missed events.
pub fn drain(events: &mut Subscription) -> (Vec<Event>, u64) {
    let (mut all, mut n_missed) = (Vec::new(), 0);
    loop {
        match events.try_recv() {
            Ok(Some(event)) => all.push(Event::clone(&event)),
            Ok(None) | Err(RecvError::Closed) => return (all, n_missed),
            Err(RecvError::Lagged { missed }) => n_missed += missed,
            Err(other) => unexpected(&other),
        }
    }
}

/// Returns the number of tasks of this runtime that have not ended.
pub fn n_tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[expect(clippy::panic, reason = "a helper of tests fails by panicking")]
fn unexpected(found: &dyn std::fmt::Debug) -> ! {
    panic!("{found:?}")
}
