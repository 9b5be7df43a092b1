//! The observer that writes the bytes and events of a session as lines for its watchers.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use kibitzer::{Observation, SessionObserver, SessionView};
use kibitzer_core::Event;
use kibitzer_core::game::Game;
use kibitzer_core::session::Session;
use kibitzer_core::wire::StreamState;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::MissedAmounts;
use crate::watchers::Watchers;
use crate::wire::{self, NoteKind};

/// Maximum number of bytes of an incomplete frame that are kept for watchers that attach before its end; the rest is dropped,
/// because no parser looks at it.
const INCOMPLETE_FRAME_BYTES: usize = 256 << 10;

/// Size in bytes of the text after a line feed that shows whether the line continues: a carriage return and the mark of a
/// continuation. The session's reader has seen this text by the time it emits the line.
const LOOK_AHEAD_BYTES: u64 = 6;

/// Writes the bytes and events of a session as lines for its watchers. Without watchers, it only copies the received bytes.
pub(crate) struct ExposureWriter {
    watchers: Arc<Watchers>,
    /// The task that owns the socket. It ends once the watchers are closed.
    host: JoinHandle<()>,
    began: Instant,
    /// The received bytes; `None` until the first observation shows their position in the stream.
    tail: Option<StreamTail>,
    /// The stream state that the watchers know: the last one sent, or the default one of a new connection.
    assumed_state: StreamState,
}

/// The last bytes of a connection: those that watchers did not receive yet, and those of the incomplete frame. Positions count
/// from the start of the connection.
#[derive(Debug, Default)]
struct StreamTail {
    /// The last received bytes, which end at position `end`.
    bytes: Vec<u8>,
    /// Position at which the exposure started.
    start: u64,
    /// Position after the last byte.
    end: u64,
    /// Position up to which watchers received bytes.
    sent: u64,
    /// End of the last complete frame.
    frame_end: u64,
}

impl ExposureWriter {
    pub(crate) fn new(watchers: Arc<Watchers>, host: JoinHandle<()>, began: Instant) -> Self {
        Self { watchers, host, began, tail: None, assumed_state: StreamState::default() }
    }

    /// Returns the tail after setting its frame end to that of the session. Without a tail, starts an empty one at the current position.
    fn tail_with_frame_end(&mut self, session: &Session) -> &mut StreamTail {
        let tail = self.tail.get_or_insert_with(|| StreamTail::with_start_offset(session.stream_position()));
        tail.frame_end = session.frame_end();
        tail
    }

    /// Sends the received bytes up to this position that were not sent before, as one line. Without watchers, only marks the bytes as
    /// sent.
    fn send_received_until(&mut self, position: u64, session: &Session) {
        let elapsed = self.began.elapsed();
        let is_watched = !self.watchers.is_empty();
        let bytes = self.tail_with_frame_end(session).take_unsent_until(position);
        if is_watched && !bytes.is_empty() {
            let size = MissedAmounts { received_bytes: byte_count(bytes), ..MissedAmounts::default() };
            let line = wire::received_line(elapsed, bytes);
            self.watchers.send_or_count_missed(&line, size);
        }
    }

    /// Sends a line. First sends the received bytes that the session had parsed, or looked ahead at, when it caused the line.
    fn send_after_received(&mut self, line: &Bytes, size: MissedAmounts, session: &Session) {
        self.send_received_until(session.stream_position().saturating_add(LOOK_AHEAD_BYTES), session);
        self.watchers.send_or_count_missed(line, size);
    }

    /// Sends an event of the session itself, and the stream state if it has changed; sends nothing for other events. A new connection
    /// also starts a new tail.
    fn send_session_event(&mut self, event: &Event, session: &Session) {
        if matches!(event, Event::Connected) {
            self.tail = Some(StreamTail::default());
        }
        if self.watchers.is_empty() {
            return;
        }
        if let Some(line) = wire::lifecycle_line(self.began.elapsed(), event) {
            self.send_after_received(&line, MissedAmounts::NOTE, session);
        }
        if matches!(event, Event::Connected) {
            // Watchers start with the default state, too.
            self.assumed_state = StreamState::default();
        }
        self.send_stream_state_if_changed(session);
    }

    /// Sends the stream state if its settings differ from those that the watchers know.
    fn send_stream_state_if_changed(&mut self, session: &Session) {
        let state = session.stream_state();
        if !state.has_same_settings(&self.assumed_state) {
            self.send_received_until(session.stream_position(), session);
            self.watchers.send_or_count_missed(
                &wire::note_line(self.began.elapsed(), NoteKind::Stream(state.clone())),
                MissedAmounts::NOTE,
            );
            self.assumed_state = state;
        }
    }

    /// Returns the lines of a snapshot: state, games in progress, stream state, and the bytes of an incomplete frame.
    fn snapshot_lines(&self, session: &Session, missed: MissedAmounts) -> Bytes {
        let t = self.began.elapsed();
        let handle = session.login_handle().cloned();
        let mut lines = vec![wire::note_line(t, NoteKind::Snapshot { state: session.state(), handle, missed })];
        let games = session.games().iter().filter(|game| game.is_followed_and_ongoing());
        lines.extend(games.flat_map(Game::to_snapshot_lines).map(|line| wire::snapshot_line(t, &line)));
        lines.push(wire::note_line(t, NoteKind::Stream(session.stream_state())));
        if let Some(incomplete @ [_, ..]) = self.tail.as_ref().map(StreamTail::sent_incomplete_frame) {
            lines.push(wire::received_line(t, incomplete));
        }
        lines.concat().into()
    }
}

impl SessionObserver for ExposureWriter {
    fn observe(&mut self, observation: &Observation, session: SessionView<'_>) {
        let session = session.session();
        match observation {
            Observation::Received(bytes) => self.tail_with_frame_end(session).push_bounded(bytes),
            Observation::Sent { bytes, kind, attribution, .. } if !self.watchers.is_empty() => {
                let line = wire::sent_line(self.began.elapsed(), bytes, *kind, *attribution);
                self.send_after_received(&line, MissedAmounts::SENT_LINE, session);
            }
            Observation::Event { event, .. } => self.send_session_event(event, session),
            Observation::Closed => {
                self.send_received_until(u64::MAX, session);
                self.tail = Some(StreamTail::default());
                self.watchers
                    .send_or_count_missed(&wire::received_line(self.began.elapsed(), &[]), MissedAmounts::NOTE);
            }
            _ => {}
        }
    }

    /// Sends the received bytes that were not sent with an event, as one line, and queues a snapshot for each watcher that needs one.
    fn poll_progress(&mut self, session: SessionView<'_>, context: &mut Context<'_>) {
        let session = session.session();
        self.send_received_until(session.stream_position(), session);
        let tail = self.tail_with_frame_end(session);
        tail.drop_sent_frames();
        let can_join = tail.frame_end >= tail.start;
        if self.watchers.poll_needs_snapshot(context.waker()) && can_join {
            self.send_stream_state_if_changed(session);
            self.watchers.send_snapshots(|missed| self.snapshot_lines(session, missed));
        }
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let reason = "the session is over".into();
        self.watchers.close(&wire::note_line(self.began.elapsed(), NoteKind::Bye { reason }));
        Pin::new(&mut self.host).poll(context).map(drop)
    }
}

impl StreamTail {
    /// Returns the tail of a stream whose earlier bytes were not observed.
    fn with_start_offset(position: u64) -> Self {
        Self { start: position, end: position, sent: position, ..Self::default() }
    }

    /// Appends received bytes. If every earlier byte was sent, those beyond the first [`INCOMPLETE_FRAME_BYTES`] are dropped
    /// first.
    fn push_bounded(&mut self, bytes: &[u8]) {
        if self.sent == self.end {
            self.bytes.truncate(INCOMPLETE_FRAME_BYTES);
        }
        self.bytes.extend_from_slice(bytes);
        self.end = self.end.saturating_add(byte_count(bytes));
    }

    /// Returns the bytes up to a position that were not returned before, and counts them as sent. The position is limited to the
    /// end of the received bytes.
    fn take_unsent_until(&mut self, position: u64) -> &[u8] {
        let from = self.sent;
        self.sent = position.clamp(from, self.end.max(from));
        self.bytes_between(from, self.sent)
    }

    /// Removes the bytes that were sent and belong to complete frames, and frees the buffer once it is empty.
    fn drop_sent_frames(&mut self) {
        let n_forgotten = self.index_of(self.frame_end.min(self.sent));
        self.bytes.drain(..n_forgotten);
        if self.bytes.is_empty() {
            self.bytes = Vec::new();
        }
    }

    /// Returns the bytes after the last complete frame that were sent.
    fn sent_incomplete_frame(&self) -> &[u8] {
        self.bytes_between(self.frame_end, self.sent)
    }

    /// Returns the kept bytes between two positions; positions of dropped bytes are skipped.
    fn bytes_between(&self, from: u64, to: u64) -> &[u8] {
        self.bytes.get(self.index_of(from)..self.index_of(to)).unwrap_or_default()
    }

    /// Returns the index in `bytes` of a position in the stream, limited to the range of `bytes`. Counts from the end of `bytes`,
    /// because bytes at the start may have been dropped.
    fn index_of(&self, position: u64) -> usize {
        let from_end = usize::try_from(self.end.saturating_sub(position)).unwrap_or(usize::MAX);
        self.bytes.len().saturating_sub(from_end)
    }
}

fn byte_count(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

impl Drop for ExposureWriter {
    fn drop(&mut self) {
        // A runtime that shuts down drops the session's task without closing its observers.
        self.host.abort();
    }
}

impl fmt::Debug for ExposureWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExposureWriter").field("watchers", &self.watchers).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
