//! The start of a session.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use thiserror::Error;
use tokio::time::Instant;
use tracing::{Instrument as _, error_span, field};

use super::{Client, ClientInner};
use crate::client_shared::ClientShared;
use crate::core::event::{DialError, LoginError, SessionEndReason};
use crate::core::hub::{Hub, Publisher};
use crate::core::session::Session;
use crate::observer::SessionObserver;
use crate::profile::Profile;
use crate::tap::{Tap, tap_channel};
use crate::task::SessionTask;
use crate::transcript::{Recorder, Recordings};

/// Reason why no session was started. The text contains that of the cause.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The password cannot be fetched.
    #[error("no password: {0}")]
    Secret(#[source] io::Error),
    /// The connection settings cannot be used: the URL, the file of certificates, or the missing feature `websocket`.
    #[error("invalid connection settings: {0}")]
    Transport(#[source] io::Error),
    /// The recording cannot be created.
    #[error("no recording: {0}")]
    Record(#[source] io::Error),
    /// No connection was made.
    #[error("not connected: {0}")]
    Dial(#[source] DialError),
    /// The server refused the login.
    #[error("login failed: {0}")]
    Login(#[source] LoginError),
    /// The session ended before it was ready.
    #[error("session ended: {0}")]
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

impl Client {
    /// Connects, logs in and sets up the session; returns once requests can be sent. To receive the events of the login, use
    /// [`start`](Self::start).
    ///
    /// # Errors
    ///
    /// [`ConnectError`]. The first connection and login are retried only with
    /// [`FirstConnect::Retry`](crate::core::session::FirstConnect::Retry).
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the session.
    pub async fn connect(profile: Profile) -> Result<Self, ConnectError> {
        let (client, ()) = Self::start(profile, |_| ()).await?;
        if let Err(reason) = client.ready().await {
            client.shutdown().await;
            return Err(reason.into());
        }
        Ok(client)
    }

    /// Starts a session without waiting for the connection. Subscriptions that `subscribe` makes receive every event from the
    /// first one on.
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
    /// [`ConnectError::Transport`], [`ConnectError::Secret`] and [`ConnectError::Record`]: the connection settings cannot be used, the
    /// password is not available, or the recording cannot be created.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future starts nothing, but an empty recording file may exist.
    pub async fn start<T>(profile: Profile, subscribe: impl FnOnce(&Hub) -> T) -> Result<(Self, T), ConnectError> {
        let publisher = Publisher::new(profile.session.requests.kept_events);
        let subscribed = subscribe(&publisher.hub());
        Ok((Self::spawn_session(&profile, publisher, Vec::new()).await?, subscribed))
    }

    /// Starts a session as [`start`](Self::start) does, with observers that receive everything that happens, from the beginning.
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
        Self::spawn_session(&profile, Publisher::new(profile.session.requests.kept_events), observers).await
    }

    /// Starts a session as [`start`](Self::start) does, and returns a channel with everything that happens: bytes, sent lines
    /// and events.
    ///
    /// ```no_run
    /// # use kibitzer::{Client, Observation, Profile};
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let (client, mut tap) = Client::start_tapped(Profile::fics()).await?;
    /// while let Some(item) = tap.recv().await {
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
        let (sender, tap) = tap_channel();
        Ok((Self::start_observed(profile, vec![Box::new(sender)]).await?, tap))
    }

    /// Fetches the password, creates the recording if the profile has one, and spawns the task of the session.
    ///
    /// # Errors
    ///
    /// # Cancel safety
    ///
    /// Both as [`start`](Self::start).
    async fn spawn_session(
        profile: &Profile,
        publisher: Publisher,
        mut observers: Vec<Box<dyn SessionObserver>>,
    ) -> Result<Self, ConnectError> {
        let mut dialer = Box::new(profile.dialer.clone());
        dialer.prepare_websocket(&profile.web_socket).map_err(ConnectError::Transport)?;
        let session = Session::new(
            profile.fetch_session_options().await.map_err(ConnectError::Secret)?,
            Instant::now().into_std(),
        );
        let recordings = OnceLock::<Arc<Recordings>>::new();
        if let Some(path) = &profile.record_file {
            let recorder = Recorder::create(path).await.map_err(ConnectError::Record)?;
            let first = recordings.get_or_init(Arc::default).start_recording(recorder).map_err(ConnectError::Record)?;
            observers.extend(first.map(|observer| -> Box<dyn SessionObserver> { Box::new(observer) }));
        }
        let (hub, began) = (publisher.hub(), Instant::now());
        let shared = Arc::new(ClientShared::new(&session));
        // At the highest level, so that every logged line has its server.
        let span = error_span!("session", server = profile.host_name(), handle = field::Empty);
        let task = SessionTask::new(profile, *dialer, session, publisher, Arc::clone(&shared), observers, span.clone());
        let task = Mutex::new(Some(tokio::spawn(task.run().instrument(span))));
        let server = profile.host_name().into();
        Ok(Self { inner: Arc::new(ClientInner { shared, hub, recordings, server, began, task }) })
    }
}
