//! The session's end: what happens, written down for those who look.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::Missed;
use super::crowd::Crowd;
use super::wire::{self, Note, SnapshotNote};
use crate::core::Event;
use crate::core::game::Game;
use crate::core::session::{Session, Transmit};
use crate::core::wire::StreamState;

/// Bytes that are kept of a frame that has begun, for those who come before it ends. What a longer one goes on with belongs
/// to a line of which no more than its beginning is looked at.
const BEGUN_FRAME_BYTES: usize = 256 << 10;

/// Bytes behind a line feed that may tell whether the line goes on: a carriage return, and the mark of a further piece.
const LOOK_AHEAD_BYTES: usize = 6;

/// How long those who look have for the last lines, once the session is over.
pub(super) const FAREWELL: Duration = Duration::from_millis(250);

/// Writes down what happens to a session, for everybody who looks.
///
/// While nobody does, that costs a copy of what is received.
pub(crate) struct Exposure {
    crowd: Arc<Crowd>,
    /// The task behind the socket.
    host: JoinHandle<()>,
    began: Instant,
    tail: Tail,
    /// Bytes of this connection that have come. Some may not be in the tail yet, as they may be the beginning of a secret.
    n_arrived: u64,
    /// What those who look were told of the stream last.
    told: StreamState,
}

/// The last bytes of a connection: those that were not handed on, and those of the frame that has begun. Positions count from
/// where the connection began.
#[derive(Debug, Default)]
struct Tail {
    bytes: Vec<u8>,
    /// Behind the last of them.
    end: u64,
    /// Behind the last one that was handed on.
    handed: u64,
    /// Behind the last frame.
    frame_end: u64,
}

impl Exposure {
    pub(super) fn new(crowd: Arc<Crowd>, host: JoinHandle<()>, began: Instant) -> Self {
        let (tail, told) = (Tail::default(), StreamState::default());
        Self { crowd, host, began, tail, n_arrived: 0, told }
    }

    /// The server sent so many bytes, and nobody has looked at them yet.
    pub(crate) fn arrived(&mut self, n_bytes: usize) {
        self.n_arrived = self.n_arrived.saturating_add(u64::try_from(n_bytes).unwrap_or(u64::MAX));
    }

    /// These are the next of them that may be seen. There is no secret in them any more.
    pub(crate) fn received(&mut self, bytes: &[u8]) {
        self.tail.put(bytes);
    }

    /// This was sent. So many of the bytes that were received last have not been looked at.
    pub(crate) fn sent(&mut self, transmit: &Transmit, n_left: usize) {
        self.hand_on_beyond(n_left);
        if !self.crowd.is_empty() {
            self.crowd.hand(&wire::sent(self.began.elapsed(), transmit), Missed::sent());
        }
    }

    /// This happened, or was made of what was received but for so many bytes.
    ///
    /// Bytes are handed on in front of what depends on them, or at the end of the turn: seldom one event's alone.
    pub(crate) fn event(&mut self, event: &Event, session: &Session, n_left: usize) {
        match event {
            Event::Received { received, .. } => self.tail.end_frame(received.end),
            Event::Connected => (self.tail, self.n_arrived) = (Tail::default(), 0),
            _ => {}
        }
        if self.crowd.is_empty() {
            return;
        }
        if let Some(line) = wire::life(self.began.elapsed(), event) {
            self.hand_on_beyond(n_left);
            self.crowd.hand(&line, Missed::note());
        }
        if matches!(event, Event::Connected) {
            // Who looks begins anew, too, and has been told nothing of this connection.
            self.told = StreamState::default();
        }
        self.tell_stream(session, n_left);
    }

    /// The connection has ended, perhaps with bytes that nobody will look at.
    pub(crate) fn closed(&mut self) {
        self.hand_on(0);
        (self.tail, self.n_arrived) = (Tail::default(), 0);
        if !self.crowd.is_empty() {
            self.crowd.hand(&wire::received(self.began.elapsed(), &[]), Missed::note());
        }
    }

    /// All that can be done for now is done: hands on what was looked at, and tells those who have come how things stand.
    pub(crate) fn settle(&mut self, session: &Session, n_left: usize) {
        self.hand_on(n_left);
        self.tail.clear_away();
        if self.crowd.has_waiting() {
            self.tell_stream(session, n_left);
            self.crowd.admit(|missed| self.snapshot(session, missed).into());
        }
    }

    /// Ends it: everybody gets what there still is for them, if they read it now.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends it at once.
    pub(crate) async fn close(mut self) {
        let reason = "the session is over".into();
        self.crowd.close(&wire::note(self.began.elapsed(), &Note::Bye { reason }));
        // The host bounds how long it takes; this is for a host that is stuck.
        let _ = timeout(2 * FAREWELL, &mut self.host).await;
    }

    /// Hands on what was looked at, and a little more, so that whoever reads along has read what something came of: what
    /// stands behind a line may tell that it is over.
    fn hand_on_beyond(&mut self, n_left: usize) {
        self.hand_on(n_left.saturating_sub(LOOK_AHEAD_BYTES));
    }

    /// Hands on what was looked at.
    fn hand_on(&mut self, n_left: usize) {
        let n_left = u64::try_from(n_left).unwrap_or(u64::MAX);
        let fresh = self.tail.take_fresh(self.n_arrived.saturating_sub(n_left));
        if !fresh.is_empty() && !self.crowd.is_empty() {
            let weight = Missed::received(count(fresh));
            self.crowd.hand(&wire::received(self.began.elapsed(), fresh), weight);
        }
    }

    /// Tells what the session was told of the stream, if that is news.
    fn tell_stream(&mut self, session: &Session, n_left: usize) {
        let state = session.stream_state();
        if !state.is_told_as(&self.told) {
            self.hand_on(n_left);
            self.crowd.hand(&wire::stream(self.began.elapsed(), &state), Missed::note());
            self.told = state;
        }
    }

    /// The lines that tell how the session stands.
    fn snapshot(&self, session: &Session, missed: Missed) -> Vec<u8> {
        let at = self.began.elapsed();
        let note = SnapshotNote { state: session.state(), handle: session.handle().map(ToString::to_string), missed };
        let mut lines = wire::note(at, &Note::Snapshot(note)).to_vec();
        let games = session.games().iter().filter(|game| game.is_going_on());
        for line in games.flat_map(Game::to_lines) {
            wire::told(&mut lines, at, &line);
        }
        lines.extend_from_slice(&wire::stream(at, &session.stream_state()));
        if let begun @ [_, ..] = self.tail.begun() {
            lines.extend_from_slice(&wire::received(at, begun));
        }
        lines
    }
}

impl Tail {
    /// Takes in a piece. Of a frame that has begun, not all is kept of very much.
    fn put(&mut self, piece: &[u8]) {
        if self.handed == self.end {
            self.bytes.truncate(BEGUN_FRAME_BYTES);
        }
        self.bytes.extend_from_slice(piece);
        self.end = self.end.saturating_add(count(piece));
    }

    /// What was not handed on up to here.
    fn take_fresh(&mut self, position: u64) -> &[u8] {
        let from = self.handed;
        self.handed = position.clamp(from, self.end.max(from));
        self.between(from, self.handed)
    }

    /// A frame ended here.
    const fn end_frame(&mut self, position: u64) {
        self.frame_end = position;
    }

    /// Clears away what was handed on and belongs to frames that have ended. An idle session keeps no buffer.
    fn clear_away(&mut self) {
        let n_gone = self.place(self.frame_end.min(self.handed));
        self.bytes.drain(..n_gone);
        if self.bytes.is_empty() {
            self.bytes = Vec::new();
        }
    }

    /// What was handed on, and belongs to a frame that has not ended.
    fn begun(&self) -> &[u8] {
        self.between(self.frame_end, self.handed)
    }

    fn between(&self, from: u64, to: u64) -> &[u8] {
        self.bytes.get(self.place(from)..self.place(to)).unwrap_or_default()
    }

    /// Where in the bytes a position is. It is counted from the end, as something may be missing behind the beginning.
    fn place(&self, position: u64) -> usize {
        let behind = usize::try_from(self.end.saturating_sub(position)).unwrap_or(usize::MAX);
        self.bytes.len().saturating_sub(behind)
    }
}

fn count(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

impl Drop for Exposure {
    fn drop(&mut self) {
        // Where the session goes down with its runtime, nobody waits for the host.
        self.host.abort();
    }
}

impl fmt::Debug for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exposure").field("crowd", &self.crowd).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_begins_where_the_last_frame_ended() {
        let mut tail = Tail::default();
        tail.put(b"one\n\rtwo\n\rthr");
        tail.end_frame(5);
        assert_eq!(tail.take_fresh(5), b"one\n\r");
        assert_eq!(tail.begun(), b"");
        tail.clear_away();
        assert_eq!(tail.bytes, b"two\n\rthr");
        tail.end_frame(10);
        assert_eq!(tail.take_fresh(13), b"two\n\rthr");
        assert_eq!(tail.begun(), b"thr");
        assert_eq!(tail.take_fresh(2), b"");
        tail.clear_away();
        tail.put(b"e");
        tail.put(b"e\n\r");
        // More has come than may be seen.
        assert_eq!(tail.take_fresh(99), b"ee\n\r");
        assert_eq!(tail.begun(), b"three\n\r");
        tail.end_frame(17);
        assert_eq!(tail.begun(), b"");
        tail.clear_away();
        assert_eq!(tail.bytes.capacity(), 0);
    }

    #[test]
    fn of_a_frame_without_an_end_no_more_is_kept_than_its_beginning() {
        const PIECE: usize = 16 << 10;
        let mut tail = Tail::default();
        for _ in 0..100 {
            tail.put(&[b'x'; PIECE]);
            assert_eq!(tail.take_fresh(u64::MAX).len(), PIECE);
            tail.clear_away();
        }
        assert!(tail.bytes.len() <= BEGUN_FRAME_BYTES + PIECE);
        tail.put(b"\n\rnext");
        tail.end_frame(100 * 16_384 + 2);
        assert_eq!(tail.take_fresh(u64::MAX), b"\n\rnext");
        assert_eq!(tail.begun(), b"next");
    }
}
