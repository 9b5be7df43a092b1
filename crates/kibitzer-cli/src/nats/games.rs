//! Reads the games of stored sessions.

use std::collections::BTreeSet;

use kibitzer::core::EventKind;
use kibitzer::transcript::Utc;
use kibitzer_nats::{EventReader, EventStream, NatsError, ReadFrom, SessionName, StoredEvent, SubjectFilter};
use serde_json::Value;

use super::server_lines::server_lines;
use super::{StreamArgs, member};
use crate::failure::{Failure, report};

/// Kinds of events that the games depend on.
pub(super) const KINDS: [EventKind; 18] = [
    EventKind::Position,
    EventKind::Holding,
    EventKind::GameInfo,
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
    EventKind::Connected,
    EventKind::Lost,
    EventKind::Ended,
];

/// Maximum number of sessions, as the games of each are kept in memory.
const MAX_SESSIONS: usize = 10_000;

/// A part of a stored session.
#[derive(Debug)]
pub(crate) enum SessionPart {
    /// Lines of the server, with their time.
    Received(String, Option<Utc>),
    /// The connection began or ended.
    Interrupted,
}

/// Passes the parts of all stored sessions to `visit`, with the name of the session, in order, up to the last event that is stored.
/// Reports messages that are not events.
///
/// # Errors
///
/// [`Failure`] if the stream cannot be read, or `visit` fails.
///
/// # Cancel safety
///
/// Cancel safe: the parts that were passed are whole events.
pub(crate) async fn read_games(
    args: &StreamArgs,
    mut visit: impl FnMut(&str, SessionPart) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let stream = EventStream::open(&args.options()?).await?;
    let mut events = EventReader::open(&stream, &SubjectFilter::default().kinds(KINDS), ReadFrom::First).await?;
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
        let session = event.session();
        if !sessions.contains(session) {
            if sessions.len() == MAX_SESSIONS {
                return Err(Failure::local(format!("the stream has more than {MAX_SESSIONS} sessions")));
            }
            sessions.insert(session.to_owned());
        }
        match part_of(&event) {
            Ok(Some(part)) => visit(session, part)?,
            Ok(None) => {}
            Err(reason) => report(&format!("message {} is not an event: {reason}", event.sequence)),
        }
    }
}

/// Returns the part that an event is; `None` if games do not depend on it.
fn part_of(stored: &StoredEvent) -> Result<Option<SessionPart>, String> {
    if !SessionName::is_token(stored.session()) {
        return Err("its session has another name than kibitzer gives".to_owned());
    }
    let event: Value = serde_json::from_slice(&stored.line).map_err(|error| error.to_string())?;
    if let Some("connected" | "lost" | "ended") = member(&event, "event").as_str() {
        return Ok(Some(SessionPart::Interrupted));
    }
    let utc = member(&event, "utc").as_str().and_then(|utc| utc.parse().ok());
    Ok(server_lines(&event).map(|lines| SessionPart::Received(lines, utc)))
}
