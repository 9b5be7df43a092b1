//! The handle to a live session.

use std::fmt;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinHandle;
use tracing::{Instrument as _, field, info_span};

use crate::core::game::Game;
use crate::core::hub::{GameWatch, Hub, Publisher, RecvError, Subscription};
use crate::core::message::{GameId, Handle};
use crate::core::session::{
    Capabilities, Command, Counters, DialError, EndReason, LoginError, Reply, RequestError, Session, State,
};
use crate::password::SecretError;
use crate::profile::Profile;
use crate::task::{Beginning, Order, Task};
use crate::transcript::{RecordError, Recorder};

/// Orders that wait for the task; it never leaves them waiting for long.
const WAITING_ORDERS: usize = 16;

/// Why there is no session.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The password cannot be had.
    #[error("no password")]
    Secret(#[from] SecretError),
    /// The session was to be recorded, and cannot be.
    #[error("no recording")]
    Record(#[from] RecordError),
    /// The server cannot be reached.
    #[error("not connected")]
    Dial(#[source] DialError),
    /// The server does not let us in.
    #[error("login failed")]
    Login(#[source] LoginError),
    /// The session ended before it began.
    #[error("session ended")]
    Ended(#[source] EndReason),
}

impl From<EndReason> for ConnectError {
    fn from(reason: EndReason) -> Self {
        match reason {
            EndReason::Dial(error) => Self::Dial(error),
            EndReason::Login(error) => Self::Login(error),
            reason => Self::Ended(reason),
        }
    }
}

/// A live session on a chess server. Clones are handles to the same session.
///
/// A task behind it reads, answers, comes back when the connection is lost, and publishes what happens. It needs a tokio
/// runtime with I/O and time, and ends with [`shutdown`](Self::shutdown), with [`quit`](Self::quit), when the server ends
/// the session for good, or when the last handle is dropped.
///
/// ```no_run
/// use kibitzer::{Client, Profile};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::connect(Profile::fics().guest()).await?;
/// let mut events = client.subscribe();
/// println!("{}", client.request("games").await?.text());
/// while let Ok(event) = events.next().await {
///     println!("{}", event.raw().escape_ascii());
/// }
/// client.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    orders: mpsc::Sender<Order>,
    hub: Hub,
    view: watch::Receiver<View>,
    counters: Arc<Mutex<ClientCounters>>,
    /// Until somebody joins it.
    task: Mutex<Option<JoinHandle<()>>>,
}

/// How things stand.
#[derive(Clone, Debug)]
pub(crate) struct View {
    state: State,
    capabilities: Capabilities,
    handle: Option<Handle>,
}

impl View {
    fn new(session: &Session) -> Self {
        Self { state: session.state(), capabilities: session.capabilities(), handle: session.handle().cloned() }
    }

    /// Follows the session. Returns whether anything is different.
    pub(crate) fn update(&mut self, session: &Session) -> bool {
        let state = session.state();
        // The other two change with it.
        let is_different = state != self.state;
        if is_different {
            *self = Self { state, ..Self::new(session) };
        }
        is_different
    }

    /// Why the session is over, if it is.
    pub(crate) const fn end(&self) -> Option<&EndReason> {
        match &self.state {
            State::Ended(reason) => Some(reason),
            _ => None,
        }
    }
}

/// How much went through a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClientCounters {
    /// What went over the connections.
    pub session: Counters,
    /// Events that slow subscribers have missed, all of them together.
    pub missed_events: u64,
    /// Pieces of the session that are missing in its recording, because it could not be written.
    pub unrecorded_pieces: u64,
}

impl Client {
    /// Connects, logs in and sets the session up. Who wants to hear of that, too, uses [`start`](Self::start).
    ///
    /// # Errors
    ///
    /// [`ConnectError`] says what is in the way; nothing is tried twice.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready gives the session up.
    pub async fn connect(profile: Profile) -> Result<Self, ConnectError> {
        let (client, ()) = Self::start(profile, |_| ()).await?;
        if let Err(reason) = client.ready().await {
            client.shutdown().await;
            return Err(reason.into());
        }
        Ok(client)
    }

    /// Begins to connect, and does not wait for what comes of it. What `subscribe` returns hears of everything from the
    /// first event on.
    ///
    /// ```no_run
    /// # use kibitzer::{Client, Profile};
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let (client, mut events) = Client::start(Profile::fics(), |hub| hub.subscribe_lossless(256)).await?;
    /// while let Ok(event) = events.next().await {
    ///     println!("{}", event.kind());
    /// }
    /// println!("{}", client.ended().await);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConnectError::Secret`] and [`ConnectError::Record`]: what a session needs on this side is not there.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready starts nothing; a file for the recording may have been made.
    pub async fn start<T>(profile: Profile, subscribe: impl FnOnce(&Hub) -> T) -> Result<(Self, T), ConnectError> {
        let session = Session::new(profile.session_options().await?);
        let recorder = match profile.recording() {
            Some(path) => Some(Recorder::create(path).await?),
            None => None,
        };
        let publisher = Publisher::new(profile.hub_options());
        let subscribed = subscribe(&publisher.hub());
        Ok((Self::spawn(&profile, session, publisher, recorder), subscribed))
    }

    fn spawn(profile: &Profile, session: Session, publisher: Publisher, recorder: Option<Recorder>) -> Self {
        let hub = publisher.hub();
        let (orders, ordered) = mpsc::channel(WAITING_ORDERS);
        let (view, shown) = watch::channel(View::new(&session));
        let counters = Arc::new(Mutex::new(ClientCounters::default()));
        let span = info_span!("session", server = profile.host_name(), handle = field::Empty);
        let task = Task::new(Beginning {
            session,
            publisher,
            orders: ordered,
            dial: profile.dialing(),
            target: profile.target(),
            write_timeout: profile.patience(),
            recorder,
            view,
            counters: Arc::clone(&counters),
        });
        let task = Mutex::new(Some(tokio::spawn(task.run().instrument(span))));
        Self { shared: Arc::new(Shared { orders, hub, view: shown, counters, task }) }
    }

    /// Waits until requests can be made: at once, unless the session is being connected.
    ///
    /// # Errors
    ///
    /// [`EndReason`] once the session is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub async fn ready(&self) -> Result<(), EndReason> {
        let mut view = self.shared.view.clone();
        let is_settled = |view: &View| matches!(view.state, State::Ready | State::Ended(_));
        match view.wait_for(is_settled).await.as_deref() {
            Ok(View { state: State::Ready, .. }) => Ok(()),
            _ => Err(self.end_reason()),
        }
    }

    /// Waits until the session is over, and says why.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub async fn ended(&self) -> EndReason {
        let mut view = self.shared.view.clone();
        // An error means that the task is gone.
        drop(view.wait_for(|view| view.end().is_some()).await);
        self.end_reason()
    }

    /// The events from now on; some will be missed, and counted, if this subscriber is slow. See [`Hub::subscribe`].
    pub fn subscribe(&self) -> Subscription {
        self.shared.hub.subscribe()
    }

    /// The events from now on, every one of them; see [`Hub::subscribe_lossless`].
    ///
    /// As long as `capacity` events are unread, nothing is read from the server, and no request gets its reply: do not wait
    /// for one where the events are taken.
    pub fn subscribe_lossless(&self, capacity: usize) -> Subscription {
        self.shared.hub.subscribe_lossless(capacity)
    }

    /// The state of every game now, and the events after exactly that point; see [`Hub::subscribe_with_games`].
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] if the session is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future subscribes nobody.
    pub async fn subscribe_with_games(&self) -> Result<(Vec<Arc<Game>>, Subscription), RecvError> {
        self.shared.hub.subscribe_with_games().await
    }

    /// The newest state of one game, now and as it changes.
    pub fn game(&self, id: GameId) -> GameWatch {
        self.shared.hub.watch_game(id)
    }

    /// Where to subscribe in every other way.
    pub fn hub(&self) -> &Hub {
        &self.shared.hub
    }

    /// Sends a command and waits for its reply.
    ///
    /// # Errors
    ///
    /// [`RequestError`]: what is no line is not sent; what the server refuses is an error with its words.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready harms nobody: the command may have been sent, and if so its reply is taken for
    /// no other's.
    pub async fn request(&self, line: &str) -> Result<Reply, RequestError> {
        self.perform(Command::new(line)?).await
    }

    /// Sends a command that was checked, and waits for its reply.
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request).
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn perform(&self, command: Command) -> Result<Reply, RequestError> {
        let (sender, reply) = oneshot::channel();
        let ended = || RequestError::Ended(self.end_reason());
        self.shared.orders.send(Order::Request(command, sender)).await.map_err(|_| ended())?;
        reply.await.map_err(|_| ended())?
    }

    /// How far the session has come.
    pub fn state(&self) -> State {
        self.shared.view.borrow().state.clone()
    }

    /// What the server does for this session; nothing until it is set up.
    pub fn capabilities(&self) -> Capabilities {
        self.shared.view.borrow().capabilities
    }

    /// Our own name, as the server spells it. A guest may not know it.
    pub fn handle(&self) -> Option<Handle> {
        self.shared.view.borrow().handle.clone()
    }

    /// How much went through this client so far.
    pub fn counters(&self) -> ClientCounters {
        let counters = *self.shared.counters.lock().unwrap_or_else(PoisonError::into_inner);
        ClientCounters { missed_events: self.shared.hub.missed_events(), ..counters }
    }

    /// Says `quit`, and waits until the session is over.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready may take back nothing: the server may have been told.
    pub async fn quit(&self) {
        // An error means that the session is over.
        drop(self.shared.orders.send(Order::Quit).await);
        self.ended().await;
    }

    /// Hangs up, and waits until the session's task has ended. All handles are to an ended session then.
    ///
    /// What a lossless subscriber had no room for is not delivered any more.
    ///
    /// # Panics
    ///
    /// If the task has panicked.
    ///
    /// # Cancel safety
    ///
    /// The task ends even if the future is dropped.
    pub async fn shutdown(&self) {
        drop(self.shared.orders.send(Order::ShutDown).await);
        let task = self.shared.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            join(task).await;
        } else {
            // Somebody else joins it: its end of the view is dropped with it.
            let mut view = self.shared.view.clone();
            while view.changed().await.is_ok() {}
        }
    }

    fn end_reason(&self) -> EndReason {
        // A task that is gone without a reason went down with its runtime.
        self.shared.view.borrow().end().cloned().unwrap_or(EndReason::ShutDown)
    }
}

/// # Cancel safety
///
/// Dropping the future leaves the task to itself.
async fn join(task: JoinHandle<()>) {
    if let Err(error) = task.await
        && let Ok(panic) = error.try_into_panic()
    {
        resume_unwind(panic);
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("view", &*self.shared.view.borrow()).finish_non_exhaustive()
    }
}

const _: () = {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Client>();
};
