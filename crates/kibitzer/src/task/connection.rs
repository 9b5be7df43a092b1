//! What a session waits for: its connection, the bytes received on it, and a timer.
//!
//! | state | input | next state | output |
//! |---|---|---|---|
//! | `None` | dial | `Dialing` | |
//! | `Dialing` | connected | `Open` | `ConnectionChange::Dialed(Ok)` |
//! | `Dialing` | failed | `None` | `ConnectionChange::Dialed(Err)` |
//! | `Open` | bytes | `Open` | `ConnectionChange::Received` |
//! | `Open` | end, error | `Broken` | `ConnectionChange::Broken` |
//! | `Open` | write timeout | `Broken` | |
//! | `Broken` | `take_broken_cause` | `None` | the cause |
//! | any | `close` | `None` | |

use std::future::{Future, pending, poll_fn};
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

use tokio::io::ReadBuf;
use tokio::time::{self, Sleep, sleep_until};
use tracing::debug;
use zeroize::Zeroizing;

use crate::dial::{Dialer, Socket};
use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, DialError};
use kibitzer_core::session::Session;

/// Size of a read. The buffer is on the stack: an idle session keeps none.
const READ_BYTES: usize = 16 << 10;
/// Number of unsent bytes from which reading pauses, because received bytes cause answers that would be queued as well.
const MAX_UNSENT_BYTES: usize = 64 << 10;

/// The connection of a session.
pub(super) enum ConnectionState {
    /// No connection.
    None,
    /// A connection is being established.
    Dialing(Dialing),
    /// The connection is established.
    Open(OpenConnection),
    /// The connection has ended, and the session was not notified yet.
    Broken(CloseCause),
}

type Dialing = Pin<Box<dyn Future<Output = Result<Socket, DialError>> + Send>>;

/// A change of the connection that [`wait_for_change`](ConnectionState::wait_for_change) waited for.
pub(super) enum ConnectionChange {
    /// The connection was established, or the attempt failed.
    Dialed(Result<(), DialError>),
    /// Bytes were received.
    Received,
    /// The connection has ended; [`take_broken_cause`](ConnectionState::take_broken_cause) returns the cause.
    Broken,
}

impl ConnectionState {
    /// Returns the state of a new connection attempt, which begins when [`wait_for_change`](Self::wait_for_change) is polled.
    pub(super) fn start_dialing(dialer: &Dialer) -> Self {
        let dialer = dialer.clone();
        Self::Dialing(Box::pin(async move { dialer.open().await }))
    }

    /// Closes the connection or gives up the attempt, without waiting: a WebSocket sends its close frame if the socket accepts it
    /// at once.
    pub(super) fn close(&mut self) {
        if let Self::Open(mut open) = std::mem::replace(self, Self::None) {
            let _ = open.socket.as_mut().poll_shutdown(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Queues bytes to be written. Discards them if the connection is not open, or writing to it has failed.
    pub(super) fn queue_bytes(&mut self, bytes: &[u8]) {
        if let Self::Open(open) = self
            && open.write_failure.is_none()
        {
            open.unsent.extend_from_slice(bytes);
        }
    }

    /// Writes queued bytes without waiting; [`wait_for_change`](Self::wait_for_change) writes the rest.
    pub(super) fn try_write_queued(&mut self) {
        if let Self::Open(open) = self {
            // No waker is needed: `wait_for_change` waits for the rest.
            open.poll_write_some(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Returns the time at which the write timeout expires; `None` if no write is pending, or the clock cannot represent the
    /// time.
    pub(super) fn write_stall_deadline(&self, write_timeout: Duration) -> Option<Instant> {
        match self {
            Self::Open(open) => open.last_write_progress.and_then(|since| since.checked_add(write_timeout)),
            _ => None,
        }
    }

    /// Breaks the connection if the write timeout has expired: with the cause of a failed write, if there was one, otherwise with
    /// [`CloseCause::WriteTimedOut`].
    pub(super) fn break_if_write_timed_out(&mut self, write_timeout: Duration, now: Instant) {
        if self.write_stall_deadline(write_timeout).is_some_and(|deadline| deadline <= now) {
            let failed = if let Self::Open(open) = self { open.write_failure } else { None };
            *self = Self::Broken(failed.unwrap_or(CloseCause::WriteTimedOut));
        }
    }

    /// Returns the cause of a broken connection and resets the state to `None`; returns `None` in every other state.
    pub(super) fn take_broken_cause(&mut self) -> Option<CloseCause> {
        let Self::Broken(cause) = *self else { return None };
        *self = Self::None;
        Some(cause)
    }

    /// Waits for the next change of the connection, and writes queued bytes meanwhile. Appends received bytes to `input`. Reads
    /// nothing without `may_read`, or while [`MAX_UNSENT_BYTES`] or more are queued. Never completes without a connection.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: received bytes are in `input`, unsent bytes remain queued.
    pub(super) async fn wait_for_change(&mut self, input: &mut Vec<u8>, may_read: bool) -> ConnectionChange {
        match self {
            Self::Dialing(dialing) => {
                let dialed = dialing.as_mut().await;
                let (connection, outcome) = dialed.map_or_else(
                    |error| (Self::None, Err(error)),
                    |socket| (Self::Open(OpenConnection::new(socket)), Ok(())),
                );
                *self = connection;
                ConnectionChange::Dialed(outcome)
            }
            Self::Open(open) => match open.write_and_receive(input, may_read).await {
                Ok(()) => ConnectionChange::Received,
                Err(cause) => {
                    *self = Self::Broken(cause);
                    ConnectionChange::Broken
                }
            },
            Self::None | Self::Broken(_) => pending().await,
        }
    }
}

/// An established connection.
pub(super) struct OpenConnection {
    socket: Socket,
    /// Queued bytes that are not written yet. Zeroized, because they may contain a password.
    unsent: Zeroizing<Vec<u8>>,
    /// Whether the socket may hold bytes that are not flushed.
    is_dirty: bool,
    /// Time at which the pending write last made progress, or at which writing failed; `None` if nothing is pending.
    last_write_progress: Option<Instant>,
    /// Why writing failed; `None` while it has not. Reading continues after a failure, because the server may have sent the
    /// reason before.
    write_failure: Option<CloseCause>,
}

impl OpenConnection {
    fn new(socket: Socket) -> Self {
        Self { socket, unsent: Zeroizing::default(), is_dirty: false, last_write_progress: None, write_failure: None }
    }

    /// Writes queued bytes until bytes are received, which are appended to `input`. Reads nothing without `may_read`, or while
    /// [`MAX_UNSENT_BYTES`] or more are queued.
    ///
    /// # Errors
    ///
    /// The connection has ended, and all its bytes are in `input`. If writing failed before, the cause is that failure.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: received bytes are in `input`, unsent bytes remain queued.
    async fn write_and_receive(&mut self, input: &mut Vec<u8>, may_read: bool) -> Result<(), CloseCause> {
        poll_fn(|context| {
            self.poll_write_some(context);
            let may_read = may_read && self.unsent.len() < MAX_UNSENT_BYTES;
            if may_read { self.poll_receive(context, input) } else { Poll::Pending }
        })
        .await
        .map_err(|cause| self.write_failure.unwrap_or(cause))
    }

    /// Writes as many queued bytes as the socket accepts. The write timeout restarts whenever it accepts some. An error stops
    /// writing and leaves the connection open for reading.
    fn poll_write_some(&mut self, context: &mut Context<'_>) {
        if self.write_failure.is_some() {
            return;
        }
        let n_unsent = self.unsent.len();
        match self.poll_write_all(context) {
            Poll::Ready(Ok(())) => self.last_write_progress = None,
            Poll::Ready(Err(error)) => {
                // Queued bytes are discarded, and the time for reading the rest of the input is limited to the write timeout.
                self.write_failure = Some(to_close_cause(&error));
                self.unsent = Zeroizing::default();
                self.last_write_progress = Some(super::runtime_now());
            }
            Poll::Pending if self.last_write_progress.is_none() || self.unsent.len() < n_unsent => {
                self.last_write_progress = Some(super::runtime_now());
            }
            Poll::Pending => {}
        }
    }

    /// Writes and flushes all queued bytes; ready once none is left.
    fn poll_write_all(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            let written = ready!(self.socket.as_mut().poll_write(context, &self.unsent))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.unsent.drain(..written);
            self.is_dirty = true;
        }
        if self.unsent.capacity() > 0 {
            self.unsent = Zeroizing::default();
        }
        if self.is_dirty {
            ready!(self.socket.as_mut().poll_flush(context))?;
            self.is_dirty = false;
        }
        Poll::Ready(Ok(()))
    }

    /// Reads once, at most [`READ_BYTES`], and appends the bytes to `input`. The end of the stream is [`CloseCause::Closed`].
    fn poll_receive(&mut self, context: &mut Context<'_>, input: &mut Vec<u8>) -> Poll<Result<(), CloseCause>> {
        let mut buffer = [const { MaybeUninit::uninit() }; READ_BYTES];
        let mut buffer = ReadBuf::uninit(&mut buffer);
        Poll::Ready(match ready!(self.socket.as_mut().poll_read(context, &mut buffer)) {
            Ok(()) if buffer.filled().is_empty() => Err(CloseCause::Closed),
            Ok(()) => {
                input.extend_from_slice(buffer.filled());
                Ok(())
            }
            Err(error) => Err(to_close_cause(&error)),
        })
    }
}

/// Returns the cause of a connection that ended with this error: the one inside of it, otherwise its kind.
fn to_close_cause(error: &io::Error) -> CloseCause {
    debug!(%error, "connection failed");
    let known = error.get_ref().and_then(|inner| inner.downcast_ref()).copied();
    known.unwrap_or(CloseCause::Failed(error.kind()))
}

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

/// Delay of a timer without a deadline: one year, which the clock can represent and no session waits for.
const NEVER: Duration = Duration::from_hours(365 * 24);

/// Expires at its deadline, or at an earlier deadline that was set before.
///
/// Deadlines move with every received byte, and resetting the runtime's timer each time would take longer than parsing. A
/// deadline that moves back therefore leaves the timer alone. It expires early, nothing is due, and it is set again.
#[derive(Debug)]
pub(super) struct Timer {
    sleep: Pin<Box<Sleep>>,
}

impl Timer {
    pub(super) fn new() -> Self {
        Self { sleep: Box::pin(sleep_until(time::Instant::now() + NEVER)) }
    }

    /// Sets the latest time at which the timer expires; `None` for never. An earlier time that was set before and has not passed
    /// is kept, so the timer may expire too early.
    pub(super) fn set(&mut self, deadline: Option<Instant>) {
        let deadline = deadline.map_or_else(|| time::Instant::now() + NEVER, time::Instant::from_std);
        if deadline < self.sleep.deadline() || self.sleep.is_elapsed() {
            self.sleep.as_mut().reset(deadline);
        }
    }

    /// Waits until the timer expires, possibly before the deadline that was set last.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the deadline remains.
    pub(super) async fn wait_until_expired(&mut self) {
        self.sleep.as_mut().await;
    }
}

#[cfg(test)]
mod tests;
