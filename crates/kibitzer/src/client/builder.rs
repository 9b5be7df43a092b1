//! `ClientBuilder`: starts a session with the observers, taps and subscriptions that receive its first events.

use std::sync::{Arc, Mutex, OnceLock};
use std::{fmt, io};

use kibitzer_core::event::{DialError, LoginError, SessionEndReason};
use kibitzer_core::hub::{HubPublisher, Subscription};
use kibitzer_core::session::Session;
use thiserror::Error;
use tokio::time::Instant;
use tracing::{Instrument as _, error_span, field};

use super::{Client, ClientInner};
use crate::client_shared::ClientShared;
use crate::observer::{SessionObserver, Tap, tap_channel};
use crate::profile::Profile;
use crate::task::SessionTask;
use crate::transcript::{RecordError, Recorder, Recordings};

/// A session that is not started yet, from [`Client::builder`]. Its subscriptions, observers and taps receive everything that
/// happens from the beginning.
///
/// ```no_run
/// # use kibitzer::{Client, Observation, Profile};
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let mut builder = Client::builder(Profile::fics());
/// let mut events = builder.subscribe_lossless(256);
/// let mut tap = builder.tap();
/// let client = builder.start().await?;
/// tokio::spawn(async move {
///     while let Some(item) = tap.next().await {
///         if let Observation::Received(bytes) = item.observation {
///             println!("{}", bytes.escape_ascii());
///         }
///     }
/// });
/// while let Some(event) = events.next().await {
///     println!("{}", event.kind());
/// }
/// println!("{:?}", client.ended().await);
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct ClientBuilder {
    profile: Profile,
    publisher: HubPublisher,
    observers: Vec<Box<dyn SessionObserver>>,
}

impl ClientBuilder {
    pub(super) fn new(profile: Profile) -> Self {
        let publisher = HubPublisher::new(profile.session.requests.kept_events);
        Self { profile, publisher, observers: Vec::new() }
    }

    /// Adds an observer, which the session calls for everything that happens.
    pub fn observer(mut self, observer: impl SessionObserver + 'static) -> Self {
        self.observers.push(Box::new(observer));
        self
    }

    /// Returns a tap, which receives everything that happens: bytes, sent lines and events.
    pub fn tap(&mut self) -> Tap {
        let (sender, tap) = tap_channel();
        self.observers.push(Box::new(sender));
        tap
    }

    /// Subscribes to all events, as [`Client::subscribe`] does.
    pub fn subscribe(&self) -> Subscription {
        self.publisher.hub().subscribe()
    }

    /// Subscribes to all events without loss, as [`Client::subscribe_lossless`] does.
    pub fn subscribe_lossless(&self, capacity: usize) -> Subscription {
        self.publisher.hub().subscribe_lossless(capacity)
    }

    /// Starts the session without waiting for the connection; [`Client::ready`] waits for the login.
    ///
    /// # Errors
    ///
    /// [`ConnectError::Transport`], [`ConnectError::Secret`] and [`ConnectError::Record`]: the connection settings cannot be used, the
    /// password is not available, or the recording cannot be created.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing, but an empty recording file may exist.
    pub async fn start(self) -> Result<Client, ConnectError> {
        let Self { profile, publisher, mut observers } = self;
        let mut dialer = Box::new(profile.dialer.clone());
        dialer.prepare_websocket(&profile.web_socket).map_err(ConnectError::Transport)?;
        let session = Session::new(
            profile.fetch_session_options().await.map_err(ConnectError::Secret)?,
            Instant::now().into_std(),
        );
        let recordings = OnceLock::<Arc<Recordings>>::new();
        if let Some(path) = &profile.record_file {
            let recorder = Recorder::create(path).await.map_err(|error| ConnectError::Record(error.into()))?;
            let first = recordings.get_or_init(Arc::default).start_recording(recorder).map_err(ConnectError::Record)?;
            observers.extend(first.map(|observer| -> Box<dyn SessionObserver> { Box::new(observer) }));
        }
        let (hub, began) = (publisher.hub(), Instant::now());
        let shared = Arc::new(ClientShared::new(&session));
        // At the highest level, so that every logged line has its server.
        let span = error_span!("session", server = profile.host_name(), handle = field::Empty);
        let task =
            SessionTask::new(&profile, *dialer, session, publisher, Arc::clone(&shared), observers, span.clone());
        let task = Mutex::new(Some(tokio::spawn(task.run().instrument(span))));
        let server = profile.host_name().into();
        Ok(Client { inner: Arc::new(ClientInner { shared, hub, recordings, server, began, task }) })
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder").field("profile", &self.profile).finish_non_exhaustive()
    }
}

/// Reason why no session was started. The [source](std::error::Error::source) is the failure that led to it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The password cannot be fetched.
    #[error("no password")]
    Secret(#[source] io::Error),
    /// The connection settings cannot be used: the URL, the file of certificates, or the missing feature `websocket`.
    #[error("invalid connection settings")]
    Transport(#[source] io::Error),
    /// The recording cannot be created.
    #[error("no recording")]
    Record(#[source] RecordError),
    /// No connection was made.
    #[error("not connected")]
    Dial(#[source] DialError),
    /// The server refused the login.
    #[error("login failed")]
    Login(#[source] LoginError),
    /// The session ended before it was ready.
    #[error("session ended")]
    Ended(#[source] SessionEndReason),
}

impl From<SessionEndReason> for ConnectError {
    fn from(reason: SessionEndReason) -> Self {
        match reason {
            SessionEndReason::Dial(error) => Self::Dial(error),
            SessionEndReason::Login(error) => Self::Login(error),
            reason => Self::Ended(reason),
        }
    }
}
