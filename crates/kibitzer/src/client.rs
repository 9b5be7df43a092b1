//! `Client`: the handle to a live session.

use std::fmt;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::client_shared::{ClientCounters, ClientShared, EndRequest, SessionStatus};
use crate::command::Request;
use crate::observer::SessionObserver;
use crate::profile::Profile;
use crate::transcript::{RecordError, Recorder, Recording, Recordings};
use kibitzer_core::event::{Capabilities, RequestError, SessionEndReason};
use kibitzer_core::hub::{GameWatch, Hub, RecvError, Subscription, SubscriptionWithGames};
use kibitzer_core::message::{GameId, Handle};
use kibitzer_core::session::{RequestOptions, SessionState};

mod builder;

pub use builder::{ClientBuilder, ConnectError};

/// A live session on a chess server. Clones are handles to the same session.
///
/// A tokio task owns the session: it connects, logs in, sends requests, reconnects after a loss and publishes events. It needs a
/// runtime with I/O and time. It ends after [`shutdown`](Self::shutdown) or [`quit`](Self::quit), when the server ends the
/// session for good, or when the last handle is dropped.
///
/// ```no_run
/// use kibitzer::{Client, Profile};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let client = Client::connect(Profile::fics().guest()).await?;
/// let mut events = client.subscribe();
/// println!("{}", client.request("games").await?.text());
/// while let Some(event) = events.next().await {
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

/// The common part of all handles. Dropping it requests a shutdown of the session.
struct ClientInner {
    shared: Arc<ClientShared>,
    hub: Hub,
    /// State of the recordings; allocated for the first one, because most sessions have none.
    recordings: OnceLock<Arc<Recordings>>,
    server: Box<str>,
    began: Instant,
    /// The task of the session; `None` once a call of [`shutdown`](Client::shutdown) or [`drain`](Client::drain) awaits it.
    task: Mutex<Option<JoinHandle<()>>>,
}

/// A handle that does not keep the session alive: the session ends when its last [`Client`] is dropped.
#[derive(Clone, Debug, Default)]
pub struct WeakClient {
    inner: Weak<ClientInner>,
}

impl WeakClient {
    /// Returns a handle that keeps the session alive; `None` if the last [`Client`] was dropped, or for a default value.
    pub fn upgrade(&self) -> Option<Client> {
        Some(Client { inner: self.inner.upgrade()? })
    }
}

impl Client {
    /// Connects, logs in and sets up the session; returns once requests can be sent. To receive the events of the login, use
    /// [`builder`](Self::builder).
    ///
    /// # Errors
    ///
    /// [`ConnectError`]. The first connection and login are retried only with
    /// [`FirstConnect::Retry`](crate::session::FirstConnect::Retry).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session.
    pub async fn connect(profile: Profile) -> Result<Self, ConnectError> {
        let client = Self::builder(profile).start().await?;
        if let Err(reason) = client.ready().await {
            client.shutdown().await;
            return Err(reason.into());
        }
        Ok(client)
    }

    /// Prepares a session, with subscriptions, observers and taps that receive everything from its beginning.
    pub fn builder(profile: Profile) -> ClientBuilder {
        ClientBuilder::new(profile)
    }

    /// Waits until requests can be sent. Returns at once if the session is ready; after a lost connection, waits until a new
    /// one is set up. Its games may still be unrestored then: see [`SessionState::Restoring`].
    ///
    /// # Errors
    ///
    /// The [`SessionEndReason`] if the session is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn ready(&self) -> Result<(), SessionEndReason> {
        let outcome = |status: &SessionStatus| match status.end_reason() {
            Some(reason) => Some(Err(reason)),
            None => status.state.accepts_requests().then_some(Ok(())),
        };
        self.inner.shared.wait_for_status(outcome).await
    }

    /// Waits until the session is over, and returns the reason.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn ended(&self) -> SessionEndReason {
        self.inner.shared.wait_for_status(SessionStatus::end_reason).await
    }

    /// Subscribes to all events from now on. A slow subscriber misses events and receives their number; see [`Hub::subscribe`].
    pub fn subscribe(&self) -> Subscription {
        self.inner.hub.subscribe()
    }

    /// Subscribes to all events from now on, without loss; see [`Hub::subscribe_lossless`].
    ///
    /// While `capacity` events are unread (or up to 127 more), the session reads nothing from the server, and no request receives its reply: do
    /// not await a reply in the task that reads the events. After a second without reading, the session logs a warning; a request
    /// fails with [`RequestError::Blocked`] at its timeout.
    pub fn subscribe_lossless(&self, capacity: usize) -> Subscription {
        self.inner.hub.subscribe_lossless(capacity)
    }

    /// Returns the current state of every game with a subscription that begins at exactly this point; see
    /// [`Hub::subscribe_with_games`].
    ///
    /// ```no_run
    /// # async fn run(client: kibitzer::Client) -> Result<(), kibitzer::RecvError> {
    /// let mut joined = client.subscribe_with_games().await?;
    /// println!("{} games", joined.games.len());
    /// let event = joined.events.next().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`RecvError::Closed`] if the session is over.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn subscribe_with_games(&self) -> Result<SubscriptionWithGames, RecvError> {
        self.inner.hub.subscribe_with_games().await
    }

    /// Watches the latest state of one game; only the newest state is kept for the watch.
    ///
    /// From [`Event::Connected`](crate::Event::Connected) of a new connection on, the watch has no state. From
    /// [`Event::Restored`](crate::Event::Restored) on it follows the same game, even if its number has changed; if the game was not
    /// found, the next game with its number.
    pub fn watch_game(&self, id: GameId) -> GameWatch {
        self.inner.hub.watch_game(id)
    }

    /// Returns the hub, which has methods for all kinds of subscriptions.
    pub fn hub(&self) -> &Hub {
        &self.inner.hub
    }

    /// Sends a command and returns its answer: the whole reply to a line, the parsed reply to a typed command.
    ///
    /// ```no_run
    /// use kibitzer::command::{self, GameTerms};
    ///
    /// # async fn run(client: kibitzer::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// println!("{}", client.request("uptime").await?.text());
    /// println!("{} games", client.games().await?.games.len());
    /// client.request(command::seek(GameTerms::new().time(3, 2).unrated())).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`RequestError`]: the command was not sent, no reply came, the server refused, or the reply was not recognized.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future discards the reply; the command may have been sent. Other requests are not affected.
    pub async fn request<R: Request>(&self, command: R) -> Result<R::Answer, RequestError> {
        self.request_with(command, RequestOptions::new()).await
    }

    /// Sends a command, as [`request`](Self::request) does, unless its time to be sent has passed or its game is over when it could
    /// be sent.
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use kibitzer::command::MoveText;
    /// use kibitzer::{GameId, RequestOptions};
    ///
    /// # async fn run(client: kibitzer::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let options = RequestOptions::new().only_during(GameId(12)).send_within(Duration::from_secs(2));
    /// client.request_with(MoveText::new("e2e4")?, options).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`request`](Self::request); [`RequestError::Expired`] and [`RequestError::GameOver`] if the conditions were not met.
    ///
    /// # Cancel safety
    ///
    /// As [`request`](Self::request).
    pub async fn request_with<R: Request>(
        &self,
        command: R,
        options: RequestOptions,
    ) -> Result<R::Answer, RequestError> {
        let (sender, reply) = oneshot::channel();
        self.inner.shared.queue_request(command.command()?, options, sender)?;
        match reply.await {
            Ok(reply) => command.parse_reply(reply?),
            // The task has ended without a reply.
            Err(_) => Err(RequestError::Ended(self.ended().await)),
        }
    }

    /// Creates a file and records the session in it, as [`Profile::record_file`](crate::Profile::record_file) does from its
    /// beginning. Another recording can be started once one has [failed](Self::recording_failed).
    ///
    /// `Ok` means that the file exists. The recording starts once every byte that was received before is parsed, which may take
    /// as long as a lossless subscription or a tap is full. If the session ends before, the file is removed, and
    /// [`recording`](Self::recording) returns a recording of no pieces.
    ///
    /// # Errors
    ///
    /// [`RecordError`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future records nothing, but an empty file may exist.
    pub async fn record(&self, path: impl AsRef<Path>) -> Result<(), RecordError> {
        let recorder = Recorder::create(path).await?;
        if let Some(reason) = self.inner.shared.read_status(SessionStatus::end_reason) {
            return Err(RequestError::Ended(reason).into());
        }
        if let Some(observer) = self.inner.recordings.get_or_init(Arc::default).start_recording(recorder)? {
            self.add_observer(observer)?;
        }
        Ok(())
    }

    /// Returns the recording that was started last, also after it has failed; `None` if none was started.
    pub fn recording(&self) -> Option<Recording> {
        self.inner.recordings.get().and_then(|recordings| recordings.latest())
    }

    /// Waits until the recording that was started last has failed, for example because the disk is full, and returns its state;
    /// returns at once if it already has. The session continues without the recording. If no recording fails, the future never
    /// completes.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub async fn recording_failed(&self) -> Recording {
        self.inner.recordings.get_or_init(Arc::default).wait_for_failure().await
    }

    /// Adds an observer, which receives everything from the time on at which every byte that was received before is parsed. It is
    /// dropped unused if the session ends before that.
    ///
    /// # Errors
    ///
    /// [`RequestError::Ended`] if the session is over, [`RequestError::Busy`] if 16 observers wait to be added.
    pub fn add_observer(&self, observer: impl SessionObserver + 'static) -> Result<(), RequestError> {
        self.inner.shared.queue_observer(Box::new(observer))
    }

    /// Returns a handle that does not keep the session alive.
    pub fn downgrade(&self) -> WeakClient {
        WeakClient { inner: Arc::downgrade(&self.inner) }
    }

    /// Returns the host name of the profile.
    pub fn server(&self) -> &str {
        &self.inner.server
    }

    /// Returns the start time of the session, before the first connection.
    pub fn began(&self) -> Instant {
        self.inner.began
    }

    /// Returns the current phase of the session.
    pub fn state(&self) -> SessionState {
        self.inner.shared.read_status(|status| status.state.clone())
    }

    /// Returns the features that the server granted on the current connection; none until the session is set up.
    pub fn capabilities(&self) -> Capabilities {
        self.inner.shared.read_status(|status| status.capabilities)
    }

    /// Returns the name of this login as the server spells it; `None` if it is not known, as before the first login and for some
    /// guests.
    pub fn handle(&self) -> Option<Handle> {
        self.inner.shared.read_status(|status| status.handle.clone())
    }

    /// Returns totals since the start of the session: traffic, missed events, and pieces that recordings lack.
    pub fn counters(&self) -> ClientCounters {
        ClientCounters {
            session: self.inner.hub.counters(),
            missed_events: self.inner.hub.missed_events(),
            undelivered_events: self.inner.hub.undelivered_events(),
            unrecorded_pieces: self.inner.recordings.get().map_or(0, |recordings| recordings.unrecorded_pieces()),
        }
    }

    /// Ends the session for all handles, and waits until it is over. On a connection that is logged in, sends `quit` and waits
    /// until the server closes the connection and lossless subscribers have room for all events, or a timeout expires; otherwise
    /// nothing is sent.
    ///
    /// Returns the number of events that lossless subscribers did not receive, summed over all of them.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not undo the request to quit.
    pub async fn quit(&self) -> u64 {
        self.inner.shared.request_end(EndRequest::Quit);
        self.inner.shared.wait_for_status(|status| (status.is_delivered || status.is_closed).then_some(())).await;
        self.inner.hub.undelivered_events()
    }

    /// Reads nothing more, waits until lossless subscribers have room for all events of the bytes that were read, closes the
    /// connection without sending `quit`, and waits until the session's task has ended. This ends the session for all handles.
    ///
    /// The subscribers have to read meanwhile, in other tasks; [`shutdown`](Self::shutdown) ends the wait. Returns the number of
    /// events that they did not receive: 0 without a shutdown.
    ///
    /// ```no_run
    /// # async fn run(client: kibitzer::Client) -> Result<(), tokio::task::JoinError> {
    /// let mut events = client.subscribe_lossless(256);
    /// let reading = tokio::spawn(async move { while events.next().await.is_some() {} });
    /// client.drain().await;
    /// reading.await
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// As [`shutdown`](Self::shutdown).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future does not undo the request.
    pub async fn drain(&self) -> u64 {
        self.end_and_await_task(EndRequest::Drain).await
    }

    /// Closes the connection, and waits until the session's task has ended. This ends the session for all handles.
    ///
    /// Returns the number of events that lossless subscribers did not receive because they had no room, summed over all of them.
    /// Each of them receives its own number before the end; [`drain`](Self::drain) waits for them instead.
    ///
    /// # Panics
    ///
    /// If the session's task has panicked, for example in an observer, in the first call for the session. All other calls return.
    ///
    /// # Cancel safety
    ///
    /// The task ends even if the future is dropped.
    pub async fn shutdown(&self) -> u64 {
        self.end_and_await_task(EndRequest::Shutdown).await
    }

    /// Requests the end of the session, waits until its task has ended, and returns the number of undelivered events.
    ///
    /// # Panics
    ///
    /// If the task has panicked and no earlier call awaits it.
    ///
    /// # Cancel safety
    ///
    /// The task ends even if the future is dropped.
    async fn end_and_await_task(&self, ending: EndRequest) -> u64 {
        self.inner.shared.request_end(ending);
        let task = self.inner.task.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(task) = task {
            await_and_propagate_panic(task).await;
        } else {
            // Another handle awaits the task.
            self.inner.shared.wait_for_status(|status| status.is_closed.then_some(())).await;
        }
        self.inner.hub.undelivered_events()
    }
}

impl Drop for ClientInner {
    fn drop(&mut self) {
        self.shared.request_end(EndRequest::Shutdown);
    }
}

/// Awaits the task, and propagates its panic.
///
/// # Cancel safety
///
/// Dropping the future detaches the task.
async fn await_and_propagate_panic(task: JoinHandle<()>) {
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
