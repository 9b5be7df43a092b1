//! The lines that are sent over the socket: those of a transcript, and notes. `docs/protocol.md` of this crate describes them.

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kibitzer::internal::json;
use kibitzer::internal::{hex, seconds};
use kibitzer::transcript::Direction;
use kibitzer_core::Event;
use kibitzer_core::event::{
    AdjournedGame, Attribution, Capabilities, ConnectionAttempt, ConnectionLoss, Identity, RequestId, RequestOrigin,
    Restored, SessionEndReason,
};
use kibitzer_core::session::{SessionState, TransmitKind};
use kibitzer_core::text::Handle;
use kibitzer_core::wire::StreamState;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};

use crate::{AttachAccess, AttachedRequestError};

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
    /// The request that a sent line belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) request: Option<RequestId>,
    /// Who made the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) requested_by: Option<RequestOrigin>,
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
    Connecting(ConnectionAttempt),
    Connected,
    LoggedIn(Arc<Identity>),
    SessionReady(Capabilities),
    Fault,
    Lost(Box<ConnectionLoss>),
    Restored(Arc<Restored>),
    AdjournedGame(Arc<AdjournedGame>),
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
pub(crate) fn sent_line(t: Duration, bytes: &[u8], kind: TransmitKind, attribution: Attribution) -> Bytes {
    let redacted = kind.is_secret_or_login();
    let shown = if redacted { REDACTED } else { bytes };
    serialize_line(&StreamBytes {
        redacted,
        kind: Some(kind),
        request: attribution.request(),
        requested_by: attribution.origin(),
        ..unmarked_bytes(t, Direction::Sent, shown)
    })
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
    let hex = bytes.to_vec();
    StreamBytes { t, dir, hex, redacted: false, snapshot: false, kind: None, request: None, requested_by: None }
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

/// Amounts that a watcher missed because it read too slowly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MissedAmounts {
    /// Number of bytes that the server sent.
    pub received_bytes: u64,
    /// Number of lines that the session sent.
    pub sent_lines: u64,
    /// Number of events of the session itself, such as a lost connection, and of changes of the stream's state.
    pub notes: u64,
}

impl MissedAmounts {
    /// One missed sent line.
    pub(crate) const SENT_LINE: Self = Self { received_bytes: 0, sent_lines: 1, notes: 0 };
    /// One missed note.
    pub(crate) const NOTE: Self = Self { received_bytes: 0, sent_lines: 0, notes: 1 };

    /// Adds `more` to each amount; the sums saturate.
    pub(crate) const fn add(&mut self, more: Self) {
        self.received_bytes = self.received_bytes.saturating_add(more.received_bytes);
        self.sent_lines = self.sent_lines.saturating_add(more.sent_lines);
        self.notes = self.notes.saturating_add(more.notes);
    }

    /// Returns whether nothing was missed.
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }
}

/// Reads lines of limited length.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    input: BufReader<R>,
    /// The received part of the next line.
    line: Vec<u8>,
    limit_bytes: usize,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Creates a reader of lines of at most this many bytes, without their line ends.
    pub(crate) fn new(input: R, limit_bytes: usize) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), limit_bytes }
    }

    /// Waits for the next line and returns it without its end; `None` at the end of the input. An incomplete last line is lost.
    ///
    /// # Errors
    ///
    /// Errors of the input, and [`io::ErrorKind::InvalidData`] for a line over the limit.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: received bytes are kept.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let room = (self.limit_bytes + 1).saturating_sub(self.line.len());
        let mut input = (&mut self.input).take(u64::try_from(room).unwrap_or(u64::MAX));
        input.read_until(b'\n', &mut self.line).await?;
        match self.line.pop_if(|last| *last == b'\n') {
            Some(_) => Ok(Some(std::mem::take(&mut self.line))),
            None if self.line.len() > self.limit_bytes => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "a line is too long"))
            }
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
