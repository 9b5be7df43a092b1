//! Received bytes that are not parsed yet.

use std::time::Instant;

use crate::core::Event;
use crate::core::session::Session;
use crate::observer::SessionView;

/// Bytes of the current connection that were received and not parsed yet, and the position in their stream.
#[derive(Default)]
pub(super) struct ReceiveBuffer {
    pub(super) bytes: Vec<u8>,
    /// Number of bytes at the start of `bytes` that are parsed.
    n_parsed: usize,
    /// Position of the first of `bytes` in the stream of this connection.
    start: u64,
    /// Position of the end of the last complete frame in the stream.
    frame_end: u64,
}

impl ReceiveBuffer {
    /// Returns whether every received byte is parsed.
    pub(super) fn is_empty(&self) -> bool {
        self.n_parsed >= self.bytes.len()
    }

    /// Parses received bytes up to the next event, and returns that event. Once all bytes are parsed, frees the buffer and
    /// returns
    /// `None`.
    pub(super) fn next_event(&mut self, session: &mut Session, now: Instant) -> Option<Event> {
        let mut rest = self.bytes.get(self.n_parsed..).unwrap_or_default();
        let event = session.receive(&mut rest, now);
        self.n_parsed = self.bytes.len() - rest.len();
        match &event {
            Some(Event::Received { received, .. }) => self.frame_end = received.end(),
            Some(_) => {}
            // An idle session keeps no buffer.
            None => *self = Self { start: self.parsed_position(), frame_end: self.frame_end, ..Self::default() },
        }
        event
    }

    /// Returns the view of the session that is passed to observers with an observation at the current position.
    pub(super) fn session_view<'a>(&self, session: &'a Session) -> SessionView<'a> {
        SessionView { session, position: self.parsed_position(), frame_end: self.frame_end }
    }

    /// Returns the position in the stream up to which bytes are parsed.
    fn parsed_position(&self) -> u64 {
        self.start.saturating_add(u64::try_from(self.n_parsed).unwrap_or(u64::MAX))
    }
}
