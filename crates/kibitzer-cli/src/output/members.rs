//! Members that the program adds to the JSON of an event: its times, and the bytes of the server.

use std::time::Duration;

use kibitzer::core::{Event, EventKind};
use kibitzer::transcript::Utc;
use tokio::time::Instant;

/// The time of an event in a session or a recording.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamp {
    /// Time since the session began.
    pub(crate) time: Duration,
    /// Time of day, if it is known.
    pub(crate) utc: Option<Utc>,
}

impl Stamp {
    /// Returns members for a JSON object, with a comma before each: `,"t":1.500000,"utc":"..."`. `t` is the time in seconds since
    /// the session began; `utc` is `null` if it is not known.
    pub(crate) fn json_members(&self) -> String {
        let utc = self.utc.map_or_else(|| "null".to_owned(), |utc| format!("\"{utc}\""));
        format!(",\"t\":{}.{:06},\"utc\":{utc}", self.time.as_secs(), self.time.subsec_micros())
    }
}

/// Converts instants of a live session to [`Stamp`]s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionClock {
    began: Instant,
    utc: Utc,
}

impl SessionClock {
    /// Creates the clock of a session that began at this instant. The time of day is read once, here.
    pub(crate) fn new(began: Instant) -> Self {
        Self { began, utc: Utc::now().minus(began.elapsed()) }
    }

    /// Returns the stamp of an instant; an instant before the session began counts as its beginning.
    pub(crate) fn stamp(&self, at: Instant) -> Stamp {
        let time = at.saturating_duration_since(self.began);
        Stamp { time, utc: Some(self.utc.plus(time)) }
    }
}

/// The received bytes that no event contains yet.
///
/// The `raw` of all events of a connection, one after the other, is what the server sent, without pings: the events are a
/// recording.
#[derive(Debug, Default)]
pub(crate) struct RawBytes {
    bytes: Vec<u8>,
    /// Position in the stream after the last of them.
    end: u64,
    /// Number of the connection, from 0.
    pub(crate) connection: u64,
}

impl RawBytes {
    /// Adds received bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.end += bytes.len() as u64;
    }

    /// Begins another connection, whose positions start at 0.
    #[cfg(feature = "nats")]
    pub(crate) fn begin_connection(&mut self) {
        *self = Self { connection: self.connection + 1, ..Self::default() };
    }

    /// Removes the bytes up to the end of a received event, and returns them as members of JSON, with a comma before each:
    /// `,"connection":1,"raw":"..."`. Each character of `raw` stands for the byte of its number. `None` for other events, and
    /// for a ping, whose own bytes are removed.
    pub(crate) fn take_json_members(&mut self, event: &Event) -> Option<String> {
        let Event::Received { received, .. } = event else { return None };
        if event.kind() == EventKind::Ping {
            self.bytes.drain(self.index_of(received.offset)..self.index_of(received.end()));
            return None;
        }
        let bytes = self.bytes.drain(..self.index_of(received.end()));
        let mut members = format!(",\"connection\":{},\"raw\":", self.connection).into_bytes();
        // Nothing fails on the way to memory.
        let _ = kibitzer::json::write(&mut members, &bytes.map(char::from).collect::<String>());
        String::from_utf8(members).ok()
    }

    /// Returns the index of a position of the stream, limited to the bytes that are left.
    fn index_of(&self, position: u64) -> usize {
        let n_after = usize::try_from(self.end.saturating_sub(position)).unwrap_or(usize::MAX);
        self.bytes.len().saturating_sub(n_after)
    }
}

#[cfg(test)]
mod tests;
