//! The handle to a live session.

mod typed;

use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tracing::{Instrument as _, field, info_span};

use crate::attach::{ExposeError, Listener, Showing, expose};
use crate::command::Request;
use crate::core::event::{Capabilities, DialError, EndReason, LoginError, RequestError};
use crate::core::game::Game;
use crate::core::hub::{GameWatch, Hub, Publisher, RecvError, Subscription};
use crate::core::message::{GameId, Handle};
use crate::core::session::{Command, Reply, Session, State};
use crate::desk::{ClientCounters, Desk, Leave, View};
use crate::password::SecretError;
use crate::profile::Profile;
use crate::tap::{Spout, Tap, tap};
use crate::task::{Beginning, Task};
use crate::transcript::{RecordError, Recorder, Recording};

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
    /// The session was to be exposed, and cannot be.
    #[error("not exposed")]
    Expose(#[from] ExposeError),
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
    shared: Arc<Shared>,
}

struct Shared {
    desk: Arc<Desk>,
    hub: Hub,
    began: Instant,
    /// Until somebody joins it.
    task: Mutex<Option<JoinHandle<()>>>,
}

/// Who gets all of a session, besides its subscribers.
struct Onlookers {
    recorder: Option<Recorder>,
    spout: Option<Spout>,
    listener: Option<Listener>,
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
    /// [`ConnectError::Secret`], [`ConnectError::Record`] and [`ConnectError::Expose`]: what a session needs on this side is not there.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready starts nothing; an empty file for the recording may have been made.
    pub async fn start<T>(profile: Profile, subscribe: impl FnOnce(&Hub) -> T) -> Result<(Self, T), ConnectError> {
        let publisher = Publisher::new(profile.hub);
        let subscribed = subscribe(&publisher.hub());
        Ok((Self::begin(&profile, publisher, None).await?, subscribed))
    }

    /// Begins to connect as [`start`](Self::start) does, and hands out all of the session: bytes, lines and events.
    ///
    /// ```no_run
    /// # use kibitzer::{Client, Profile, Tapped};
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let (client, mut tap) = Client::start_tapped(Profile::fics()).await?;
    /// while let Some(piece) = tap.next().await {
    ///     if let Tapped::Received(bytes) = piece.what {
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
        let (spout, tap) = tap();
        let publisher = Publisher::new(profile.hub);
        Ok((Self::begin(&profile, publisher, Some(spout)).await?, tap))
    }

    /// # Errors
    ///
    /// # Cancel safety
    ///
    /// Both as [`start`](Self::start).
    async fn begin(profile: &Profile, publisher: Publisher, spout: Option<Spout>) -> Result<Self, ConnectError> {
        let session = Session::new(profile.session_options().await?);
        // First, as it removes its file if the recording fails.
        let listener = match &profile.attach_socket {
            Some(path) => Some(Listener::bind(path).await?),
            None => None,
        };
        let recorder = match &profile.record_file {
            Some(path) => Some(Recorder::create(path).await?),
            None => None,
        };
        Ok(Self::spawn(profile, session, publisher, Onlookers { recorder, spout, listener }))
    }

    fn spawn(profile: &Profile, session: Session, publisher: Publisher, onlookers: Onlookers) -> Self {
        let Onlookers { recorder, spout, listener } = onlookers;
        let (hub, began) = (publisher.hub(), Instant::now());
        let desk = Arc::new(Desk::new(&session, recorder.as_ref().and_then(Recorder::recording).cloned()));
        let span = info_span!("session", server = profile.host_name(), handle = field::Empty);
        let exposure = listener.map(|listener| {
            let (access, server, span) = (profile.attach_access, profile.host_name(), span.clone());
            expose(Showing { listener, access, server, desk: &desk, began, span })
        });
        let task = Task::new(Beginning {
            session,
            publisher,
            desk: Arc::clone(&desk),
            transport: profile.transport.clone(),
            recorder,
            spout,
            exposure,
            redacts_events: profile.redacts_events,
            span: span.clone(),
        });
        let task = Mutex::new(Some(tokio::spawn(task.run().instrument(span))));
        Self { shared: Arc::new(Shared { desk, hub, began, task }) }
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
        let desk = &self.shared.desk;
        desk.wait_for(|view| view.end().map(Err).or_else(|| (view.state == State::Ready).then_some(Ok(())))).await
    }

    /// Waits until the session is over, and says why.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub async fn ended(&self) -> EndReason {
        self.shared.desk.wait_for(View::end).await
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
    ///
    /// A lost connection takes its games with it: the watch shows none from [`Event::Connected`](crate::Event::Connected)
    /// on, and the game again with its first board, if it is followed again under the same number;
    /// [`Event::Restored`](crate::Event::Restored) tells of a new number.
    pub fn game(&self, id: GameId) -> GameWatch {
        self.shared.hub.watch_game(id)
    }

    /// Where to subscribe in every other way.
    pub fn hub(&self) -> &Hub {
        &self.shared.hub
    }

    /// Sends a command and waits for its answer: the whole reply to a line, a value of the command's own to a typed one.
    ///
    /// ```no_run
    /// use kibitzer::command::{Games, SeekOptions};
    ///
    /// # async fn run(client: kibitzer::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// println!("{}", client.request("uptime").await?.text());
    /// println!("{} games", client.request(&Games::all()).await?.games.len());
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
        command.answer(self.reply_to(command.command()?).await?)
    }

    /// # Errors
    ///
    /// # Cancel safety
    ///
    /// Both as [`request`](Self::request).
    async fn reply_to(&self, command: Command) -> Result<Reply, RequestError> {
        let (sender, reply) = oneshot::channel();
        self.shared.desk.request(command, sender)?;
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
        self.shared.desk.record(recorder)
    }

    /// Returns the recording that was started last, with how much of it is written and whether it has failed.
    pub fn recording(&self) -> Option<Recording> {
        self.shared.desk.look(|view| view.recording.clone())
    }

    /// Waits until a recording has failed: its disk is full, for example. The session goes on without it.
    ///
    /// The future is never ready if no recording fails.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing but waiting happens.
    pub async fn recording_failed(&self) -> Recording {
        let failed = |view: &View| view.recording.clone().filter(|recording| recording.error.is_some());
        self.shared.desk.wait_for(failed).await
    }

    /// When the session began: before the first connection.
    pub fn began(&self) -> Instant {
        self.shared.began
    }

    /// How far the session has come.
    pub fn state(&self) -> State {
        self.shared.desk.look(|view| view.state.clone())
    }

    /// What the server does for this session; nothing until it is set up.
    pub fn capabilities(&self) -> Capabilities {
        self.shared.desk.look(|view| view.capabilities)
    }

    /// Our own name, as the server spells it. A guest may not know it.
    pub fn handle(&self) -> Option<Handle> {
        self.shared.desk.look(|view| view.handle.clone())
    }

    /// How much went through this client so far.
    pub fn counters(&self) -> ClientCounters {
        ClientCounters { missed_events: self.shared.hub.missed_events(), ..self.shared.desk.counters() }
    }

    /// Says `quit`, and waits until the session is over.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future before it is ready may take back nothing: the server may have been told.
    pub async fn quit(&self) {
        self.shared.desk.leave(Leave::Quit);
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
        self.shared.desk.leave(Leave::Shutdown);
        let task = self.shared.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            join(task).await;
        } else {
            // Somebody else joins it.
            self.shared.desk.wait_for(|view| view.is_closed.then_some(())).await;
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Nobody waits for it any more, and nobody can.
        self.desk.leave(Leave::Shutdown);
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
        f.debug_struct("Client").field("desk", &self.shared.desk).finish_non_exhaustive()
    }
}

const _: () = {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Client>();
};
