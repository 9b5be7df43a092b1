//! The lines that are sent over the socket: those of a transcript, and notes. docs/console.md describes them.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kibitzer::json;
use kibitzer::transcript::{Direction, hex, seconds};
use kibitzer_core::Event;
use kibitzer_core::event::{AdjournedGame, Capabilities, Identity, LostCause, Restored, SessionEndReason};
use kibitzer_core::session::{SessionState, TransmitKind};
use kibitzer_core::text::Handle;
use kibitzer_core::wire::StreamState;
use serde::{Deserialize, Serialize};

use crate::{AttachAccess, AttachedRequestError, MissedAmounts};

/// Version of the protocol. It changes if a reader of the previous version would misinterpret a line.
pub(crate) const VERSION: u32 = 4;

/// Placeholder for the text of a private line.
const REDACTED: &[u8] = b"[redacted]\n";

/// A line of the protocol. Its field `t` is the time since the start of the session.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum WireLine {
    Bytes(StreamBytes),
    Note(Note),
}

/// Received or sent bytes, with the keys of a transcript's line.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct StreamBytes {
    #[serde(with = "seconds")]
    pub(crate) t: Duration,
    pub(crate) dir: Direction,
    #[serde(with = "hex")]
    pub(crate) hex: Vec<u8>,
    /// Whether `hex` is a placeholder for a sent line that is private.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) redacted: bool,
    /// Whether the line describes the state of a game in a snapshot, and was not received.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) snapshot: bool,
    /// The kind of a sent line; `None` for received bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<TransmitKind>,
}

/// A line that contains no bytes of the stream.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Note {
    #[serde(with = "seconds")]
    pub(crate) t: Duration,
    #[serde(flatten)]
    pub(crate) kind: NoteKind,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub(crate) enum NoteKind {
    /// The first line of a connection.
    Hello(Hello),
    /// The start of a snapshot. Lines marked `snapshot` follow, then [`Stream`](Self::Stream).
    Snapshot {
        state: SessionState,
        handle: Option<Handle>,
        /// The losses of this watcher since its previous snapshot.
        missed: MissedAmounts,
    },
    /// State that the meaning of the next byte depends on: at the end of a snapshot, and after a change.
    Stream(StreamState),
    /// An event that the session itself caused, such as a lost connection.
    Life(#[serde(with = "LifecycleEvent")] Event),
    /// Result of a line that this watcher sent.
    Answer {
        /// Number of the [`SendRequest`].
        id: u64,
        /// Why there is no reply; `None` if the reply is part of the stream.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<AttachedRequestError>,
    },
    /// The last line of a connection.
    Bye {
        /// Reason, for people.
        reason: Cow<'static, str>,
    },
    /// A note of a later version of this protocol; ignored.
    #[serde(other)]
    Unknown,
}

/// The description of the exposed session, and of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub(crate) version: u32,
    /// Name and version of the program, for people.
    pub(crate) program: String,
    pub(crate) server: String,
    pub(crate) access: AttachAccess,
    /// Time of day at which this line was written, in RFC 3339 form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) utc: Option<String>,
}

/// The serialized form of events that the session itself causes. Other events are parsed from received bytes, or follow from a
/// sent line.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Event", tag = "event", content = "data", rename_all = "snake_case")]
#[non_exhaustive]
enum LifecycleEvent {
    Connecting {
        attempt: u32,
    },
    Connected,
    LoggedIn(Arc<Identity>),
    #[serde(rename = "session_ready")]
    Ready(Capabilities),
    Fault,
    Lost {
        cause: Box<LostCause>,
        retry_in: Option<Duration>,
        silent_for: Duration,
    },
    Restored(Arc<Restored>),
    #[serde(rename = "adjourned_game")]
    Adjourned(Arc<AdjournedGame>),
    Ended(SessionEndReason),
}

/// A line that a watcher asks the session to send to the server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SendRequest<'a> {
    /// Number that the [answer](NoteKind::Answer) repeats.
    pub(crate) id: u64,
    /// The line for the server.
    pub(crate) send: Cow<'a, str>,
}

impl WireLine {
    /// Parses a line without its line end; `None` if it does not belong to the protocol.
    pub(crate) fn parse(line: &[u8]) -> Option<Self> {
        // Tried one after the other: serde would first copy the hexadecimal digits of an untagged line.
        let bytes = serde_json::from_slice(line).map(Self::Bytes);
        bytes.or_else(|_| serde_json::from_slice(line).map(Self::Note)).ok()
    }
}

/// Returns the line of received bytes. An empty slice stands for the end of the connection.
pub(crate) fn received_line(t: Duration, bytes: &[u8]) -> Bytes {
    serialize_line(&unmarked_bytes(t, Direction::Received, bytes))
}

/// Returns the line of sent bytes, with a placeholder in place of a private line.
pub(crate) fn sent_line(t: Duration, bytes: &[u8], kind: TransmitKind) -> Bytes {
    let redacted = kind.is_secret_or_login();
    let shown = if redacted { REDACTED } else { bytes };
    serialize_line(&StreamBytes { redacted, kind: Some(kind), ..unmarked_bytes(t, Direction::Sent, shown) })
}

/// Returns a line of a snapshot. `bytes` is a line that a server could send, without its line end.
pub(crate) fn snapshot_line(t: Duration, bytes: &[u8]) -> Bytes {
    serialize_line(&StreamBytes {
        snapshot: true,
        ..unmarked_bytes(t, Direction::Received, &[bytes, b"\n\r"].concat())
    })
}

/// Returns the line of a note.
pub(crate) fn note_line(t: Duration, kind: NoteKind) -> Bytes {
    serialize_line(&Note { t, kind })
}

/// Returns the line of an event that the session itself caused; `None` for other events, and for those that this version cannot
/// serialize.
pub(crate) fn lifecycle_line(t: Duration, event: &Event) -> Option<Bytes> {
    if matches!(event, Event::Received { .. } | Event::Desync(_) | Event::Missed { .. } | Event::Sent { .. }) {
        return None;
    }
    let line = note_line(t, NoteKind::Life(event.clone()));
    (!line.is_empty()).then_some(line)
}

/// Creates a line of bytes that are neither redacted nor part of a snapshot, without a kind.
fn unmarked_bytes(t: Duration, dir: Direction, bytes: &[u8]) -> StreamBytes {
    StreamBytes { t, dir, hex: bytes.to_vec(), redacted: false, snapshot: false, kind: None }
}

/// Serializes a line, with its line end. Returns no bytes if the value contains a variant that cannot be serialized.
fn serialize_line(value: &impl Serialize) -> Bytes {
    let mut line = Vec::new();
    match json::write(&mut line, value) {
        Ok(()) => {
            line.push(b'\n');
            line.into()
        }
        Err(_) => Bytes::new(),
    }
}

#[cfg(test)]
mod tests;
