//! Reads the games of stored sessions.

use std::collections::BTreeSet;

use kibitzer::core::EventKind;
use kibitzer::transcript::Utc;
use kibitzer_nats::{EventReader, EventStream, NatsError, ReadFrom, SessionName, StoredEvent, SubjectFilter};
use serde_json::Value;

use super::StreamArgs;
use super::server_lines::to_server_lines;
use crate::decode::StreamPiece;
use crate::failure::{Failure, report};

/// Kinds of events on which the games of a session depend.
pub(super) const KINDS: [EventKind; 22] = [
    EventKind::Position,
    EventKind::Holding,
    EventKind::GameInfo,
    EventKind::Challenge,
    EventKind::ChallengeSent,
    EventKind::GameCreated,
    EventKind::GameEnded,
    EventKind::Creating,
    EventKind::Partner,
    EventKind::Observing,
    EventKind::Kibitz,
    EventKind::Whisper,
    EventKind::Say,
    EventKind::BlockStart,
    EventKind::BlockEnd,
    EventKind::ListingLine,
    EventKind::Text,
    EventKind::Refused,
    EventKind::Sent,
    EventKind::Connected,
    EventKind::Lost,
    EventKind::Ended,
];

/// Maximum number of sessions in a stream, because the games of each are kept in memory.
const MAX_SESSIONS: usize = 10_000;

/// Passes the server output on which games depend to `visit`: that of all stored sessions, in the order of the stream, each piece
/// with the escaped name of its session and the time of its event. Returns after the last event that was stored when it was
/// called. Reports messages that are not events on standard error.
///
/// # Errors
///
/// [`Failure`] if the stream cannot be read or has more than 10 000 sessions, or `visit` fails.
///
/// # Cancel safety
///
/// Cancel safe: whole events were passed.
pub(crate) async fn for_each_server_output(
    args: &StreamArgs,
    mut visit: impl FnMut(&str, StreamPiece, Option<Utc>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let stream = EventStream::open(&args.resolve_stream_options()?).await?;
    let mut filter = SubjectFilter::default();
    filter.kinds.extend(KINDS);
    let mut events = EventReader::open(&stream, &filter, ReadFrom::First).await?;
    let mut sessions = BTreeSet::new();
    loop {
        let event = match events.next_stored().await {
            Ok(Some(event)) => event,
            Ok(None) => return Ok(()),
            Err(error @ NatsError::Message { .. }) => {
                report(&error.to_string());
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let session = event.session_token();
        if !sessions.contains(session) {
            if sessions.len() == MAX_SESSIONS {
                return Err(Failure::local(format!("the stream has more than {MAX_SESSIONS} sessions")));
            }
            sessions.insert(session.to_owned());
        }
        match to_server_output(&event) {
            Ok(Some((piece, utc))) => visit(session, piece, utc)?,
            Ok(None) => {}
            Err(reason) => report(&format!("message {} is not an event: {reason}", event.sequence)),
        }
    }
}

/// Converts a stored event to the server output that caused it, with the event's time; `None` if games do not depend on it. The
/// error says why the message is not an event of kibitzer.
fn to_server_output(stored: &StoredEvent) -> Result<Option<(StreamPiece, Option<Utc>)>, String> {
    if !SessionName::is_token(stored.session_token()) {
        return Err("its session has another name than kibitzer gives".to_owned());
    }
    let event: Value = serde_json::from_slice(&stored.line).map_err(|error| error.to_string())?;
    let text = |key: &str| event.get(key).and_then(Value::as_str);
    if let Some("connected" | "lost" | "ended") = text("event") {
        return Ok(Some((StreamPiece::Ended, None)));
    }
    if let Some("sent") = text("event") {
        let line = text("line").map(|line| line.as_bytes().to_vec());
        return Ok(Some((StreamPiece::Sent(line), None)));
    }
    let utc = text("utc").and_then(|utc| utc.parse().ok());
    Ok(to_server_lines(&event).map(|lines| (StreamPiece::Received(lines.into_bytes()), utc)))
}
