//! Reads the server output of stored sessions, from which their games follow.

use std::collections::BTreeMap;

use kibitzer::transcript::Utc;
use kibitzer_nats::{EventStream, NatsError, ReadFrom, SessionName, StoredEvent, StreamReader, SubjectFilter};
use serde::Deserialize;
use thiserror::Error;

use super::StreamArgs;
use crate::decode::StreamPiece;
use crate::failure::{Failure, report};

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
        let stored = match events.next_stored().await {
            Ok(Some(stored)) => stored,
            Ok(None) => return Ok(()),
            Err(error @ NatsError::Message { .. }) => {
                report(&error.to_string());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let (session, number) = (stored.session_token(), stored.sequence);
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
    utc: Option<String>,
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
            ("sent", None) => Some(StreamPiece::Sent(members.line.map(String::into_bytes))),
            _ => None,
        };
        Ok(Self { piece, connection, utc: members.utc.and_then(|utc| utc.parse().ok()) })
    }
}
