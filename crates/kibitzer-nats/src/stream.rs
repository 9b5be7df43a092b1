//! The JetStream stream that contains the events of all sessions, and the connection to its server.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, LastRawMessageErrorKind, RetentionPolicy, StorageType, Stream,
};
use async_nats::{Client, ConnectOptions, Event, ServerAddr};
use kibitzer_core::text::error_chain;
use percent_encoding::percent_decode_str;
use thiserror::Error;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::NatsError;
use crate::event::{EventError, Position, StoredEvent};
use crate::subject::{ALL_SUBJECTS, SessionName};

/// Oldest version whose conditions on a session's last event work: major and minor number.
const OLDEST_VERSION: (u64, u64) = (2, 11);

/// First version with atomic batches.
const BATCH_VERSION: (u64, u64) = (2, 12);

/// Time limit of a connection attempt, and of every answer of the server.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5);

/// Name of the stream by default.
pub const DEFAULT_STREAM: &str = "KIBITZER";

/// Age after which events are deleted, of a new stream by default.
const DEFAULT_MAX_AGE: Duration = Duration::from_hours(168);

/// Size beyond which the oldest events are deleted, of a new stream by default: 4 GiB. The server reserves it on the disk.
const DEFAULT_MAX_BYTES: i64 = 4 << 30;

/// Room for headers in the maximum size of a message.
const HEADER_BYTES: usize = 1024;

/// Number of attempts to create the stream, and the pause between them.
const CREATE_ATTEMPTS: u32 = 5;
const CREATE_PAUSE: Duration = Duration::from_millis(200);

/// Server and stream to publish to or to read from.
#[derive(Clone)]
pub struct StreamOptions {
    urls: String,
    name: String,
    max_age: Option<Duration>,
    max_bytes: Option<i64>,
}

impl StreamOptions {
    /// Creates options for the stream `KIBITZER` of a server: `nats://HOST:PORT` or `tls://HOST:PORT`, with `USER:PASSWORD@` or
    /// `TOKEN@` before the host if the server requires it; several servers of a cluster are separated by commas.
    pub fn new(urls: impl Into<String>) -> Self {
        Self { urls: urls.into(), name: DEFAULT_STREAM.to_owned(), max_age: None, max_bytes: None }
    }

    /// Sets the name of the stream. Default: `KIBITZER`.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Sets the age after which events are deleted; zero for never. Default, and for `None`: seven days, or the setting of an existing
    /// stream.
    #[must_use]
    pub fn max_age(self, max_age: Option<Duration>) -> Self {
        Self { max_age, ..self }
    }

    /// Sets the size beyond which the oldest events are deleted; -1 for no limit. Default, and for `None`: 4 GiB, or the setting of an
    /// existing stream.
    #[must_use]
    pub fn max_bytes(self, max_bytes: Option<i64>) -> Self {
        Self { max_bytes, ..self }
    }

    fn stream_error(&self, reason: String) -> NatsError {
        NatsError::Stream { stream: self.name.clone(), reason }
    }

    /// Returns the configuration of a new stream.
    fn new_stream_config(&self, connection: &Connection) -> Config {
        Config {
            name: self.name.clone(),
            subjects: vec![ALL_SUBJECTS.to_owned()],
            description: Some("Events of sessions on chess servers, published by kibitzer".to_owned()),
            retention: RetentionPolicy::Limits,
            discard: DiscardPolicy::Old,
            storage: StorageType::File,
            max_age: self.max_age.unwrap_or(DEFAULT_MAX_AGE),
            max_bytes: self.max_bytes.unwrap_or(DEFAULT_MAX_BYTES),
            max_messages: -1,
            max_messages_per_subject: -1,
            allow_direct: true,
            allow_atomic_publish: connection.has_batches(),
            ..Config::default()
        }
    }

    /// Returns why an existing stream cannot be used; `None` if it can.
    fn find_mismatch(&self, found: &Config) -> Option<&'static str> {
        let contains_all = found.subjects.iter().any(|subject| [ALL_SUBJECTS, "kibitzer.>", ">"].contains(&&**subject));
        if !contains_all || found.subject_transform.is_some() {
            Some("its subjects are not kibitzer.v1.>")
        } else if found.retention != RetentionPolicy::Limits {
            Some("events are deleted once they are read; its retention has to be \"limits\"")
        } else if found.no_ack || found.sealed {
            Some("it is sealed, or does not acknowledge events")
        } else if self.max_age.is_some_and(|age| age != found.max_age) {
            Some("it has another maximum age; leave the option out, or change the stream with `nats stream edit`")
        } else if self.max_bytes.is_some_and(|bytes| bytes != found.max_bytes) {
            Some("it has another maximum size; leave the option out, or change the stream with `nats stream edit`")
        } else {
            None
        }
    }
}

/// Leaves out the addresses, which may contain a password.
impl fmt::Debug for StreamOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamOptions").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A stream on a connected server. The connection is opened again whenever it is lost.
#[derive(Clone, Debug)]
pub struct EventStream {
    pub(crate) connection: Connection,
    pub(crate) stream: Stream,
}

impl EventStream {
    /// Connects to the server, and opens the stream for reading.
    ///
    /// # Errors
    ///
    /// [`NatsError`] if the server cannot be reached or is too old, or the stream does not exist.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future closes the connection.
    pub async fn open(options: &StreamOptions) -> Result<Self, NatsError> {
        let connection = Connection::open(&options.urls).await?;
        let context = async_nats::jetstream::new(connection.client.clone());
        match context.get_stream(&options.name).await {
            Ok(stream) => Ok(Self { connection, stream }),
            Err(error) => Err(options.stream_error(error_chain(&error))),
        }
    }

    /// Connects to the server, and opens the stream for publishing. Creates the stream if it does not exist.
    ///
    /// # Errors
    ///
    /// [`NatsError`] if the server cannot be reached or is too old, the stream cannot be created, or an existing one has settings
    /// that contradict the options or would lose events.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe; dropping the future may leave a new, empty stream.
    pub async fn open_or_create(options: &StreamOptions) -> Result<Self, NatsError> {
        let connection = Connection::open(&options.urls).await?;
        let context = async_nats::jetstream::new(connection.client.clone());
        let config = options.new_stream_config(&connection);
        let is_missing = |kind| {
            let GetStreamErrorKind::JetStream(error) = kind else { return false };
            error.error_code() == ErrorCode::STREAM_NOT_FOUND
        };
        let mut n_attempts = 0;
        let stream = loop {
            let error = match context.get_stream(&options.name).await {
                Ok(stream) => break stream,
                Err(error) if !is_missing(error.kind()) => return Err(options.stream_error(error_chain(&error))),
                Err(_) => match context.create_stream(config.clone()).await {
                    Ok(stream) => break stream,
                    Err(error) => error,
                },
            };
            // While several publishers create the stream at once, each reserves its maximum size on the disk.
            n_attempts += 1;
            if n_attempts == CREATE_ATTEMPTS {
                return Err(options.stream_error(error_chain(&error)));
            }
            tokio::time::sleep(CREATE_PAUSE).await;
        };
        match options.find_mismatch(&stream.cached_info().config) {
            Some(reason) => Err(options.stream_error(reason.to_owned())),
            None => Ok(Self { connection, stream }),
        }
    }

    /// Returns whether the stream contains an event of the session.
    ///
    /// # Errors
    ///
    /// [`NatsError::Stream`] if the server does not answer.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the answer is discarded.
    pub async fn has_session(&self, session: &SessionName) -> Result<bool, NatsError> {
        let last = self.last_event(session).await;
        last.map(|event| event.is_some()).map_err(|failure| self.stream_error(&failure))
    }

    /// Returns the name of the stream.
    pub(crate) fn name(&self) -> &str {
        &self.stream.cached_info().config.name
    }

    /// Returns whether the connected server and the stream accept several events in one atomic step.
    pub(crate) fn accepts_batches(&self) -> bool {
        self.stream.cached_info().config.allow_atomic_publish && self.connection.has_batches()
    }

    /// Returns the length of the longest line that the server and the stream accept.
    pub(crate) fn max_line_bytes(&self) -> usize {
        let max_payload = self.connection.client.max_payload();
        // -1 for no limit.
        let max_message = usize::try_from(self.stream.cached_info().config.max_message_size).unwrap_or(usize::MAX);
        max_payload.min(max_message).saturating_sub(HEADER_BYTES)
    }

    /// Returns the last event of a session; `None` if there is none.
    ///
    /// # Errors
    ///
    /// The server does not answer, or the message is not an event.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the answer is discarded.
    pub(crate) async fn last_event(&self, session: &SessionName) -> Result<Option<StoredEvent>, StreamFailure> {
        let subjects = session.all_subjects();
        match self.connection.wait_for_answer(self.stream.get_last_raw_message_by_subject(&subjects)).await? {
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(StreamFailure::other(error)),
            Ok(message) => Ok(Some(stored_event(message)?)),
        }
    }

    /// Returns the number of the first event of a session at this position or later, up to the event with the number `last`,
    /// which has to be one of them.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the answer is discarded.
    pub(crate) async fn find_first_sequence_from(
        &self,
        session: &SessionName,
        position: Position,
        last: u64,
    ) -> Result<u64, StreamFailure> {
        let subjects = session.all_subjects();
        let mut start = 1;
        let mut end = last;
        // The positions of a session grow with the numbers of its events.
        while start < end {
            let middle = start.midpoint(end);
            let found = self.stream.get_first_raw_message_by_subject(&subjects, middle);
            let message = self.connection.wait_for_answer(found).await?.map_err(StreamFailure::other)?;
            let event = stored_event(message)?;
            if event.position < position {
                start = event.sequence + 1;
            } else {
                end = middle;
            }
        }
        Ok(start)
    }

    /// Returns the number of the last event of all sessions.
    ///
    /// # Errors
    ///
    /// The server does not answer.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the answer is discarded.
    pub(crate) async fn last_sequence(&self) -> Result<u64, StreamFailure> {
        let info = self.connection.wait_for_answer(self.stream.get_info()).await?.map_err(StreamFailure::other)?;
        Ok(info.state.last_sequence)
    }

    /// Returns an error about this stream.
    pub(crate) fn stream_error(&self, failure: &StreamFailure) -> NatsError {
        NatsError::Stream { stream: self.name().to_owned(), reason: failure.to_string() }
    }
}

/// Why a stream gave no answer, or none that can be used.
#[derive(Debug, Error)]
pub(crate) enum StreamFailure {
    #[error("not connected")]
    NotConnected,
    #[error("it is connected to a server of version {0}, but needs 2.11 or later")]
    TooOld(String),
    #[error("no answer")]
    Silent,
    #[error("the connection was lost")]
    ConnectionLost,
    /// The answer of a server without the stream, with its causes.
    #[error("{0}")]
    Missing(String),
    #[error("the stream was created again or restored, without events that were read")]
    Restored,
    #[error(transparent)]
    Event(#[from] EventError),
    #[error("the answer is not one of JetStream")]
    NotJetStream,
    /// Another error of the client or the server, with its causes.
    #[error("{0}")]
    Other(String),
}

impl StreamFailure {
    /// Converts an error of the client or the server.
    pub(crate) fn other(error: impl Error + 'static) -> Self {
        Self::Other(error_chain(&error))
    }
}

/// A connection to one of several servers, which is opened again, to any of them, whenever it is lost.
#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) client: Client,
    /// Number of lost connections.
    n_lost: watch::Receiver<u64>,
}

impl Connection {
    /// Connects to one of the servers in a list such as `nats://USER:PASSWORD@HOST:PORT,tls://HOST`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: dropping the future closes the connection.
    pub(crate) async fn open(urls: &str) -> Result<Self, NatsError> {
        let mut options = ConnectOptions::new().name("kibitzer").connection_timeout(ANSWER_TIMEOUT);
        let mut servers = Vec::new();
        for url in urls.split(',') {
            let mut url = url.parse::<ServerAddr>().map_err(|_| NatsError::Address)?.into_inner();
            let user = percent_decode_str(url.username()).decode_utf8_lossy().into_owned();
            let password = url.password().map(|password| percent_decode_str(password).decode_utf8_lossy().into_owned());
            options = match (user.is_empty(), password) {
                (true, _) => options,
                (false, None) => options.token(user),
                (false, Some(password)) => options.user_and_password(user, password),
            };
            // The client logs the addresses.
            let stripped = url.set_username("").and_then(|()| url.set_password(None));
            if stripped.is_err() || url.host_str().is_none() || !matches!(url.scheme(), "nats" | "tls") {
                return Err(NatsError::Address);
            }
            servers.push(ServerAddr::from_url(url).map_err(|_| NatsError::Address)?);
        }
        let host: Vec<_> = servers.iter().map(|server| format!("{}:{}", server.host(), server.port())).collect();
        let host = host.join(",");
        let (counter, n_lost) = watch::channel(0);
        let options = options.request_timeout(Some(ANSWER_TIMEOUT)).event_callback(move |event| {
            if event == Event::Disconnected {
                counter.send_modify(|count| *count += 1);
            }
            std::future::ready(())
        });
        let reason = match timeout(ANSWER_TIMEOUT * 2, options.connect(servers)).await {
            Ok(Ok(client)) => {
                let connection = Self { client, n_lost };
                return match connection.supported_version() {
                    Err(StreamFailure::TooOld(version)) => Err(NatsError::TooOld { host, version }),
                    _ => Ok(connection),
                };
            }
            Ok(Err(error)) => error_chain(&error),
            Err(_) => "no answer".to_owned(),
        };
        Err(NatsError::Connect { host, reason })
    }

    /// Returns whether the server of the present connection supports atomic batches. Another one of the cluster may not.
    pub(crate) fn has_batches(&self) -> bool {
        self.supported_version().is_ok_and(|version| version >= BATCH_VERSION)
    }

    /// Returns the version of the server of the present connection, or as an error the text of a version that is too old.
    fn supported_version(&self) -> Result<(u64, u64), StreamFailure> {
        let text = self.client.server_info().version;
        let version = parse_version(&text).filter(|version| *version >= OLDEST_VERSION);
        version.ok_or_else(|| StreamFailure::TooOld(text.chars().take(20).collect()))
    }

    /// Returns a receiver of the number of lost connections, which changes with the next loss.
    pub(crate) fn subscribe_losses(&self) -> watch::Receiver<u64> {
        let mut n_lost = self.n_lost.clone();
        n_lost.mark_unchanged();
        n_lost
    }

    /// Waits for an answer of the server, at most five seconds and only while the connection holds.
    ///
    /// # Errors
    ///
    /// The reason why there is no answer: the limit, a lost connection, or a connection to a server that is too old.
    ///
    /// # Cancel safety
    ///
    /// As safe as the future, which is dropped with this one, at the time limit, or when the connection is lost.
    pub(crate) async fn wait_for_answer<T>(&self, answer: impl Future<Output = T>) -> Result<T, StreamFailure> {
        let mut n_lost = self.subscribe_losses();
        if self.client.connection_state() != State::Connected {
            return Err(StreamFailure::NotConnected);
        }
        // The client connects to any server of a cluster.
        self.supported_version()?;
        tokio::select! {
            biased;
            answer = timeout(ANSWER_TIMEOUT, answer) => answer.map_err(|_| StreamFailure::Silent),
            Ok(()) = n_lost.changed() => Err(StreamFailure::ConnectionLost),
        }
    }
}

/// Converts a message that was read by itself.
fn stored_event(message: StreamMessage) -> Result<StoredEvent, EventError> {
    StoredEvent::from_message(&message.subject, message.sequence, Some(&message.headers), message.payload)
}

/// Returns the major and minor number of a version such as `2.11.3-rc.1`; `None` if it has another form.
fn parse_version(version: &str) -> Option<(u64, u64)> {
    let mut numbers = version.trim_start_matches('v').split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests;
