//! The handle to a live session.

use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use thiserror::Error;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::{Instrument as _, field, info_span};

use crate::client_shared::{ClientCounters, ClientShared, Ending, SessionStatus};
use crate::command::Request;
use crate::core::event::{Capabilities, DialError, EndReason, LoginError, RequestError};
use crate::core::game::Game;
use crate::core::hub::{GameWatch, Hub, Publisher, RecvError, Subscription};
use crate::core::message::{GameId, Handle};
use crate::core::session::{Command, Reply, Session, SessionState};
use crate::observer::SessionObserver;
use crate::password::SecretError;
use crate::profile::Profile;
use crate::tap::{Tap, tap};
use crate::task::{Task, TaskConfig};
use crate::transcript::{RecordError, Recorder, Recording, Recordings};

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
/// while let Some(event) = events.next_event().await {
///     println!("{}", event.raw().escape_ascii());
/// }
/// client.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    inner: Arc<ClientInner>,
}

struct ClientInner {
    shared: Arc<ClientShared>,
    hub: Hub,
    recordings: Arc<Recordings>,
    server: Box<str>,
    began: Instant,
    /// Until somebody joins it.
    task: Mutex<Option<JoinHandle<()>>>,
}

/// A handle that does not keep the session alive: it ends when its last [`Client`] is dropped.
#[derive(Clone, Debug, Default)]
pub struct WeakClient {
    inner: Weak<ClientInner>,
}

impl WeakClient {
    /// Returns a handle that keeps the session alive; `None` if there is no such handle any more.
    pub fn upgrade(&self) -> Option<Client> {
        Some(Client { inner: self.inner.upgrade()? })
    }
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
    /// while let Some(event) = events.next_event().await {
    ///     println!("{}", event.kind());
    /// }
    /// println!("{}", client.ended().await);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConnectError::Secret`] and [`ConnectError::Record`]: the password is not available, or the recording cannot be created.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready starts nothing; an empty file for the recording may have been made.
    pub async fn start<T>(profile: Profile, subscribe: impl FnOnce(&Hub) -> T) -> Result<(Self, T), ConnectError> {
        let publisher = Publisher::new(profile.hub);
        let subscribed = subscribe(&publisher.hub());
        Ok((Self::begin(&profile, publisher, Vec::new()).await?, subscribed))
    }

    /// Starts to connect as [`start`](Self::start) does. The observers receive everything that happens, from the beginning.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    ///
    /// # Cancel safety
    ///
    /// As [`start`](Self::start).
    pub async fn start_observed(
        profile: Profile,
        observers: Vec<Box<dyn SessionObserver>>,
    ) -> Result<Self, ConnectError> {
        Self::begin(&profile, Publisher::new(profile.hub), observers).await
    }

    /// Starts to connect as [`start`](Self::start) does, and returns a channel with everything that happens: bytes, sent lines
    /// and events.
    ///
    /// ```no_run
    /// # use kibitzer::{Client, Observation, Profile};
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let (client, mut tap) = Client::start_tapped(Profile::fics()).await?;
    /// while let Some(item) = tap.next().await {
    ///     if let Observation::Received(bytes) = item.observation {
    ///         println!("{}", bytes.escape_ascii());
    ///     }
    /// }
    /// # client.shutdown().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    ///
    /// # Cancel safety
    ///
    /// As [`start`](Self::start).
    pub async fn start_tapped(profile: Profile) -> Result<(Self, Tap), ConnectError> {
        let (sender, tap) = tap();
        Ok((Self::start_observed(profile, vec![Box::new(sender)]).await?, tap))
    }

    /// # Errors
    ///
    /// # Cancel safety
    ///
    /// Both as [`start`](Self::start).
    async fn begin(
        profile: &Profile,
        publisher: Publisher,
        mut observers: Vec<Box<dyn SessionObserver>>,
    ) -> Result<Self, ConnectError> {
        let session = Session::new(profile.session_options().await?);
        let recordings = Arc::new(Recordings::default());
        if let Some(path) = &profile.record_file {
            observers.push(Box::new(recordings.start(Recorder::create(path).await?)?));
        }
        let (hub, began) = (publisher.hub(), Instant::now());
        let shared = Arc::new(ClientShared::new(&session));
        let span = info_span!("session", server = profile.host_name(), handle = field::Empty);
        let task = Task::new(TaskConfig {
            session,
            publisher,
            shared: Arc::clone(&shared),
            transport: profile.transport.clone(),
            observers,
            redacts_events: profile.redacts_events,
            span: span.clone(),
        });
        let task = Mutex::new(Some(tokio::spawn(task.run().instrument(span))));
        let server = profile.host_name().into();
        Ok(Self { inner: Arc::new(ClientInner { shared, hub, recordings, server, began, task }) })
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
        let shared = &self.inner.shared;
        shared
            .wait_for(|status| {
                status.end().map(Err).or_else(|| (status.state == SessionState::Ready).then_some(Ok(())))
            })
            .await
    }

    /// Waits until the session is over, and says why.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub async fn ended(&self) -> EndReason {
        self.inner.shared.wait_for(SessionStatus::end).await
    }

    /// The events from now on; some will be missed, and counted, if this subscriber is slow. See [`Hub::subscribe`].
    pub fn subscribe(&self) -> Subscription {
        self.inner.hub.subscribe()
    }

    /// The events from now on, every one of them; see [`Hub::subscribe_lossless`].
    ///
    /// As long as `capacity` events are unread, nothing is read from the server, and no request gets its reply: do not wait
    /// for one where the events are taken.
    pub fn subscribe_lossless(&self, capacity: usize) -> Subscription {
        self.inner.hub.subscribe_lossless(capacity)
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
        self.inner.hub.subscribe_with_games().await
    }

    /// The newest state of one game, now and as it changes.
    ///
    /// A lost connection takes its games with it: the watch shows none from [`Event::Connected`](crate::Event::Connected)
    /// on, and the game again with its first board, if it is followed again under the same number;
    /// [`Event::Restored`](crate::Event::Restored) tells of a new number.
    pub fn game(&self, id: GameId) -> GameWatch {
        self.inner.hub.watch_game(id)
    }

    /// Where to subscribe in every other way.
    pub fn hub(&self) -> &Hub {
        &self.inner.hub
    }

    /// Sends a command and waits for its answer: the whole reply to a line, a value of the command's own to a typed one.
    ///
    /// ```no_run
    /// use kibitzer::command::SeekOptions;
    ///
    /// # async fn run(client: kibitzer::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// println!("{}", client.request("uptime").await?.text());
    /// println!("{} games", client.games().await?.games.len());
    /// client.request(&SeekOptions::new().time(3, 2).unrated()).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`RequestError`]: it was not sent, there is no reply, the server refuses, or the reply is none to this command.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready harms nobody: the command may have been sent, and if so its reply is taken for
    /// no other's.
    pub async fn request<R: Request + ?Sized>(&self, command: &R) -> Result<R::Answer, RequestError> {
        command.parse_reply(self.reply_to(command.command()?).await?)
    }

    /// # Errors
    ///
    /// # Cancel safety
    ///
    /// Both as [`request`](Self::request).
    async fn reply_to(&self, command: Command) -> Result<Reply, RequestError> {
        let (sender, reply) = oneshot::channel();
        self.inner.shared.request(command, sender)?;
        // Without a reply the task is gone.
        match reply.await {
            Ok(result) => result,
            Err(_) => Err(RequestError::Ended(self.ended().await)),
        }
    }

    /// Records the session from now on, as [`Profile::record_file`] does from its beginning. Another recording can be started
    /// once one has [failed](Self::recording_failed).
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the file exists or cannot be made, or the session is being recorded or over.
    ///
    /// # Cancel safety
    ///
    /// The file may have been made if the future is dropped before it is ready; nothing is recorded then.
    pub async fn record(&self, path: impl AsRef<Path>) -> Result<(), RecordError> {
        let recorder = Recorder::create(path).await?;
        if self.inner.shared.status(SessionStatus::end).is_some() {
            return Err(RecordError::SessionOver);
        }
        let observer = self.inner.recordings.start(recorder)?;
        self.add_observer(observer).map_err(|_| RecordError::SessionOver)
    }

    /// Returns the recording that was started last, with how much of it is written and whether it has failed.
    pub fn recording(&self) -> Option<Recording> {
        self.inner.recordings.latest()
    }

    /// Waits until a recording has failed: its disk is full, for example. The session goes on without it.
    ///
    /// The future is never ready if no recording fails.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub async fn recording_failed(&self) -> Recording {
        self.inner.recordings.failed().await
    }

    /// Adds an observer, which receives everything that happens from now on.
    ///
    /// # Errors
    ///
    /// The [`EndReason`] if the session is over.
    pub fn add_observer(&self, observer: impl SessionObserver + 'static) -> Result<(), EndReason> {
        self.inner.shared.add_observer(Box::new(observer))
    }

    /// Returns a handle that does not keep the session alive.
    pub fn downgrade(&self) -> WeakClient {
        WeakClient { inner: Arc::downgrade(&self.inner) }
    }

    /// Returns the host name in the profile.
    pub fn server(&self) -> &str {
        &self.inner.server
    }

    /// When the session began: before the first connection.
    pub fn began(&self) -> Instant {
        self.inner.began
    }

    /// How far the session has come.
    pub fn state(&self) -> SessionState {
        self.inner.shared.status(|status| status.state.clone())
    }

    /// What the server does for this session; nothing until it is set up.
    pub fn capabilities(&self) -> Capabilities {
        self.inner.shared.status(|status| status.capabilities)
    }

    /// Our own name, as the server spells it. A guest may not know it.
    pub fn handle(&self) -> Option<Handle> {
        self.inner.shared.status(|status| status.handle.clone())
    }

    /// How much went through this client so far.
    pub fn counters(&self) -> ClientCounters {
        ClientCounters {
            missed_events: self.inner.hub.missed_events(),
            unrecorded_pieces: self.inner.recordings.unrecorded_pieces(),
            ..self.inner.shared.counters()
        }
    }

    /// Says `quit`, and waits until the session is over.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready may take back nothing: the server may have been told.
    pub async fn quit(&self) {
        self.inner.shared.end(Ending::Quit);
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
        self.inner.shared.end(Ending::Shutdown);
        let task = self.inner.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            join(task).await;
        } else {
            // Somebody else joins it.
            self.inner.shared.wait_for(|status| status.is_closed.then_some(())).await;
        }
    }
}

impl Drop for ClientInner {
    fn drop(&mut self) {
        // Nobody waits for it any more, and nobody can.
        self.shared.end(Ending::Shutdown);
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
        f.debug_struct("Client").field("shared", &self.inner.shared).finish_non_exhaustive()
    }
}

const _: () = {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Client>();
};
