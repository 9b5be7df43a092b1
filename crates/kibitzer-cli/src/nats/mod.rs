//! `kibitzer publish`, `kibitzer tail` and `kibitzer web --nats`: events in a NATS JetStream stream.

#[cfg(feature = "web")]
pub(crate) mod follow;
pub(crate) mod publish;
pub(crate) mod tail;

use std::collections::BTreeMap;
use std::time::Duration;

use kibitzer::internal::recorded::StreamPiece;
use kibitzer::transcript::Utc;
use kibitzer_core::event::{Attribution, RequestId, RequestOrigin};
use kibitzer_nats::{
    DEFAULT_STREAM, EventStream, NatsError, ReadFrom, SessionName, StoredEvent, StreamOptions, StreamReader,
    SubjectFilter,
};
use serde::Deserialize;
use thiserror::Error;

use crate::failure::{Failure, USAGE, report};

/// Environment variable with the address of the NATS server, which may contain a password.
const URL_VARIABLE: &str = "KIBITZER_NATS";

/// Arguments that name the NATS server and the stream. Not `Debug`, because the URL may contain a password.
#[derive(Clone, clap::Args)]
pub(crate) struct StreamArgs {
    /// The NATS server, 2.11 or later: nats://HOST:PORT or tls://HOST:PORT; several of a cluster are separated by commas. An
    /// address with USER:PASSWORD@ or TOKEN@ belongs in the variable `KIBITZER_NATS`, which applies without the URL
    #[arg(long = "nats", value_name = "URL", num_args = 0..=1, default_missing_value = "")]
    pub(crate) url: Option<String>,
    /// Name of the stream
    #[arg(long, value_name = "NAME", default_value = DEFAULT_STREAM)]
    stream: String,
}

impl StreamArgs {
    /// Returns the options for the server and stream. Without a URL in the arguments, the environment variable names the server.
    ///
    /// # Errors
    ///
    /// [`Failure`] if neither names a server.
    fn resolve_stream_options(&self) -> Result<StreamOptions, Failure> {
        let missing = || Failure::new(USAGE, format!("which NATS server? give --nats URL or set {URL_VARIABLE}"));
        let given = self.url.clone().filter(|url| !url.is_empty());
        if given.as_deref().is_some_and(has_credentials) {
            report(&format!(
                "every user of this machine can read the password of --nats in the list of processes: set {URL_VARIABLE} instead"
            ));
        }
        let url = given.or_else(|| std::env::var(URL_VARIABLE).ok()).ok_or_else(missing)?;
        Ok(StreamOptions::new(url).name(&self.stream))
    }
}

/// Returns whether an address of the list has a user name, a password or a token.
fn has_credentials(urls: &str) -> bool {
    urls.split(',').any(|url| {
        let address = url.split_once("://").map_or(url, |(_, address)| address);
        address.split('/').next().is_some_and(|authority| authority.contains('@'))
    })
}

/// Failure of publishing or reading: exit status [`FAILED`](crate::failure::FAILED).
impl From<NatsError> for Failure {
    fn from(error: NatsError) -> Self {
        Self::caused_by(error)
    }
}

/// Maximum number of sessions in a stream, because the games of each are kept in memory.
const MAX_SESSIONS: usize = 10_000;

/// Passes the server output and the sent lines of all stored sessions to `visit`, in the order of the stream, each piece with the
/// escaped name of its session and the time of its event. Returns after the last event that was stored when it was called.
/// Reports messages that are not events on standard error.
///
/// # Errors
///
/// [`Failure`] if the stream cannot be read or has more than 10 000 sessions, a board was stored without the bytes of the server,
/// or `visit` fails.
///
/// # Cancel safety
///
/// Cancel safe: whole events were passed.
pub(crate) async fn for_each_server_output(
    args: &StreamArgs,
    mut visit: impl FnMut(&str, &StreamPiece, Option<Utc>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let stream = EventStream::open(&args.resolve_stream_options()?).await?;
    let mut events = StreamReader::open(&stream, &SubjectFilter::default(), ReadFrom::First).await?;
    // The connection to which the last bytes of each session belong.
    let mut sessions = BTreeMap::new();
    loop {
        let stored = match events.recv_stored().await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(()),
            Err(error @ NatsError::Message { .. }) => {
                report(&error.to_string());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let session = stored.session_token();
        let number = stored.sequence;
        let output = match ServerOutput::parse(&stored) {
            Ok(output) => output,
            Err(error @ OutputError::NoBytes) => return Err(Failure::local(format!("message {number}: {error}"))),
            Err(error) => {
                report(&format!("message {number} is not an event: {error}"));
                continue;
            }
        };
        if sessions.len() == MAX_SESSIONS && !sessions.contains_key(session) {
            return Err(Failure::local(format!("the stream has more than {MAX_SESSIONS} sessions")));
        }
        let last = sessions.entry(session.to_owned()).or_insert(output.connection);
        if output.connection.is_some() && std::mem::replace(last, output.connection) != output.connection {
            visit(session, &StreamPiece::Ended, None)?;
        }
        if let Some(piece) = &output.piece {
            visit(session, piece, output.utc)?;
        }
    }
}

/// What a stored event says about the two directions of its session.
struct ServerOutput {
    /// `None` if the event has neither bytes of the server nor a sent line.
    piece: Option<StreamPiece>,
    /// The connection of the bytes: its epoch and its number in its publisher; `None` without bytes.
    connection: Option<(u64, u64)>,
    utc: Option<Utc>,
    /// Time since the session of the publisher began; zero if it is not known.
    time: Duration,
    /// Name of the event.
    event: String,
    /// Whether the event is one of the server's output.
    has_offset: bool,
}

/// Why a message says nothing about its session.
#[derive(Debug, Error)]
enum OutputError {
    #[error("its session has another name than kibitzer gives")]
    SessionName,
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("its member `raw` has characters beyond U+00FF")]
    RawCharacter,
    #[error(
        "the board has no member `raw` with the bytes of the server, because an earlier version stored it: publish to another stream (--stream)"
    )]
    NoBytes,
}

/// The members of an event that this file reads.
#[derive(Deserialize)]
struct StoredMembers {
    event: String,
    raw: Option<String>,
    #[serde(default)]
    connection: u64,
    /// Of a sent line; `None` if it is secret.
    line: Option<String>,
    request: Option<RequestId>,
    requested_by: Option<RequestOrigin>,
    /// Whether the request is a guess.
    #[serde(default)]
    inferred: bool,
    utc: Option<String>,
    t: Option<f64>,
    offset: Option<u64>,
}

impl ServerOutput {
    fn parse(stored: &StoredEvent) -> Result<Self, OutputError> {
        if !SessionName::is_token(stored.session_token()) {
            return Err(OutputError::SessionName);
        }
        let members: StoredMembers = serde_json::from_slice(&stored.line)?;
        let connection = members.raw.is_some().then_some((stored.position.epoch, members.connection));
        let piece = match (members.event.as_str(), members.raw) {
            (_, Some(raw)) => {
                let bytes = raw.chars().map(|character| u8::try_from(u32::from(character)));
                let bytes: Result<_, _> = bytes.collect();
                Some(StreamPiece::Received(bytes.map_err(|_| OutputError::RawCharacter)?))
            }
            ("position", None) => return Err(OutputError::NoBytes),
            ("sent", None) => {
                let request = members.request.filter(|_| !members.inferred);
                let stated = Attribution::of_request(request, members.requested_by);
                Some(StreamPiece::Sent { bytes: members.line.map(String::into_bytes), stated })
            }
            _ => None,
        };
        Ok(Self {
            piece,
            connection,
            utc: members.utc.and_then(|utc| utc.parse().ok()),
            time: Duration::try_from_secs_f64(members.t.unwrap_or_default()).unwrap_or_default(),
            event: members.event,
            has_offset: members.offset.is_some(),
        })
    }
}

#[cfg(test)]
mod tests;
