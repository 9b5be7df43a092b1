//! Received bytes that are not parsed yet.

use std::time::Instant;

use crate::core::Event;
use crate::core::session::Session;

/// Bytes of the current connection that were received and not parsed yet.
#[derive(Default)]
pub(super) struct ReceiveBuffer {
    pub(super) bytes: Vec<u8>,
    /// Number of bytes at the start of `bytes` that are parsed.
    n_parsed: usize,
}

impl ReceiveBuffer {
    /// Returns whether every received byte is parsed.
    pub(super) fn is_empty(&self) -> bool {
        self.n_parsed >= self.bytes.len()
    }

    /// Parses received bytes up to the next event, and returns that event. Once all bytes are parsed, frees the buffer and
    /// returns `None`.
    pub(super) fn next_event(&mut self, session: &mut Session, now: Instant) -> Option<Event> {
        let mut rest = self.bytes.get(self.n_parsed..).unwrap_or_default();
        let event = session.receive(&mut rest, now);
        self.n_parsed = self.bytes.len() - rest.len();
        if event.is_none() {
            // An idle session keeps no buffer.
            *self = Self::default();
        }
        event
    }
}
