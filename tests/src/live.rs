//! A real client at a real server, in one process and in virtual time.

use std::io;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use kibitzer::command::{MatchOptions, MoveText, OfferOutcome, OfferRef};
use kibitzer::core::Event;
use kibitzer::core::chess::Color;
use kibitzer::core::hub::{RecvError, Subscription};
use kibitzer::core::message::{GameId, Handle};
use kibitzer::core::session::Password;
use kibitzer::{Client, Dial, Profile};
use kibitzer_server::{Account, Server, ServerControl, ServerOptions};
use tokio::io::DuplexStream;

/// The password of every account.
pub const PASSWORD: &str = "swordfish";

/// A server without sockets on which these names are registered, on a day that is always the same.
pub fn options(names: &[&str]) -> ServerOptions {
    let date = UNIX_EPOCH + Duration::from_mins(29_920_350);
    names.iter().fold(ServerOptions::new().in_process().date(date), |options, name| {
        options.account(Account::new(handle(name), PASSWORD).rating("blitz", 1882))
    })
}

/// A name that is one.
pub fn handle(name: &str) -> Handle {
    name.parse().expect("a name of letters")
}

/// A server, and the place clients connect to. The place stays when the server is gone.
#[derive(Debug)]
pub struct Hall {
    server: Option<Server>,
    place: Place,
}

impl Hall {
    /// Starts a server.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing.
    pub async fn open(options: ServerOptions) -> Self {
        let mut hall = Self { server: None, place: Place::default() };
        hall.reopen(options).await;
        hall
    }

    /// Starts another server at the same place.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing.
    pub async fn reopen(&mut self, options: ServerOptions) {
        let server = Server::start(options).await.expect("nothing is listened on");
        self.place.state().control = Some(server.control());
        self.server = Some(server);
    }

    /// The server that runs.
    pub fn server(&self) -> &Server {
        self.server.as_ref().expect("the hall is open")
    }

    /// Shuts the server down. Whoever connects afterwards is refused.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends everything at once.
    pub async fn close(&mut self) {
        self.place.state().control = None;
        if let Some(server) = self.server.take() {
            server.shutdown().await;
        }
    }

    /// Where clients connect to.
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// The profile of a guest whose name the server chooses.
    pub fn profile(&self) -> Profile {
        self.place.profile()
    }

    /// The profile of the owner of an account.
    pub fn account(&self, name: &str) -> Profile {
        let password = Password::new(PASSWORD).expect("a line");
        self.profile().account(handle(name), password)
    }

    /// A registered player, ready.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the session up.
    pub async fn player(&self, name: &str) -> Client {
        Client::connect(self.account(name)).await.expect("the server admits its accounts")
    }

    /// A guest of this name, ready.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives the session up.
    pub async fn guest(&self, name: &str) -> Client {
        Client::connect(self.profile().guest_as(handle(name))).await.expect("the server admits guests")
    }
}

/// Where clients connect to: a server, if there is one and nobody is to be refused.
#[derive(Clone, Debug, Default)]
pub struct Place(Arc<Mutex<PlaceState>>);

#[derive(Debug, Default)]
struct PlaceState {
    control: Option<ServerControl>,
    refusals_left: u32,
    n_dialed: u32,
}

impl Place {
    /// Refuses so many of the next connections.
    pub fn refuse(&self, n: NonZeroU32) {
        self.state().refusals_left = n.get();
    }

    /// How often somebody has tried to connect.
    pub fn n_dialed(&self) -> u32 {
        self.state().n_dialed
    }

    /// The profile of a guest who connects here.
    pub fn profile(&self) -> Profile {
        let place = self.clone();
        let dial = Dial::with(move || {
            let place = place.clone();
            async move { place.connect().await }
        });
        Profile::new("hall.example").dial(dial).session(|session| session.seed(7))
    }

    /// # Errors
    ///
    /// Nobody is here, or nobody is to be let in.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: there is a connection or none.
    async fn connect(&self) -> io::Result<DuplexStream> {
        let control = self.admit().ok_or(io::ErrorKind::ConnectionRefused)?;
        control.connect().await
    }

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

    fn state(&self) -> MutexGuard<'_, PlaceState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Has two players begin a game of five minutes, and tells its number. The first one has White.
///
/// # Cancel safety
///
/// Dropping the future leaves open how far it came.
pub async fn begin_game(white: &Client, black: &Client) -> GameId {
    let opponent = black.handle().expect("the server told the name");
    let challenge = MatchOptions::new(opponent).time(5, 0).color(Color::White);
    white.request(&challenge).await.expect("the challenge is sent");
    match black.accept(OfferRef::Only).await.expect("there is one challenge") {
        OfferOutcome::Started(created) => created.game,
        other => unexpected(&other),
    }
}

/// Plays a move.
///
/// # Cancel safety
///
/// Dropping the future leaves open whether it is played.
pub async fn play(client: &Client, played: &str) {
    client.request(&MoveText::new(played).expect("a move")).await.expect("the move is legal");
}

/// The next event that `take` takes.
///
/// # Cancel safety
///
/// Dropping the future loses the events that were passed over.
pub async fn wait_for<T>(events: &mut Subscription, mut take: impl FnMut(&Event) -> Option<T>) -> T {
    loop {
        let event = events.next().await.expect("the session goes on, and nothing is missed");
        if let Some(found) = take(&event) {
            return found;
        }
    }
}

/// What a subscription has now: the events, and how many were missed.
pub fn drain(events: &mut Subscription) -> (Vec<Event>, u64) {
    let (mut all, mut n_missed) = (Vec::new(), 0);
    loop {
        match events.try_next() {
            Ok(Some(event)) => all.push(Event::clone(&event)),
            Ok(None) | Err(RecvError::Closed) => return (all, n_missed),
            Err(RecvError::Lagged { missed }) => n_missed += missed,
            Err(other) => unexpected(&other),
        }
    }
}

/// Tasks of this runtime that have not ended.
pub fn n_tasks() -> usize {
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

#[expect(clippy::panic, reason = "a helper of tests fails by panicking")]
fn unexpected(found: &dyn std::fmt::Debug) -> ! {
    panic!("{found:?}")
}
