//! The connection of a session.
//!
//! | state | input | next state | output |
//! |---|---|---|---|
//! | `None` | dial | `Dialing` | |
//! | `Dialing` | connected | `Open` | `Progress::Dialed(Ok)` |
//! | `Dialing` | failed | `None` | `Progress::Dialed(Err)` |
//! | `Open` | bytes | `Open` | `Progress::Received` |
//! | `Open` | end, error | `Broken` | `Progress::Broken` |
//! | `Open` | write timeout | `Broken` | |
//! | `Broken` | `take_broken` | `None` | the cause |

use std::future::{Future, pending, poll_fn};
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

use tokio::io::ReadBuf;
use zeroize::Zeroizing;

use crate::core::event::{CloseCause, DialError};
use crate::dial::{Socket, Transport};

/// Size of a read. The buffer is on the stack: an idle session keeps none.
const READ_BYTES: usize = 16 << 10;
/// Number of unsent bytes from which reading pauses, because received bytes cause answers that would be queued as well.
const MAX_UNSENT_BYTES: usize = 64 << 10;

/// The connection of a session.
pub(super) enum Connection {
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

/// A change of the connection that [`progress`](Connection::progress) waited for.
pub(super) enum Progress {
    /// The connection was established, or the attempt failed.
    Dialed(Result<(), DialError>),
    /// Bytes were received.
    Received,
    /// The connection has ended; [`take_broken`](Connection::take_broken) returns the cause.
    Broken,
}

impl Connection {
    /// Returns the state of a connection attempt, which starts when [`progress`](Self::progress) is polled.
    pub(super) fn dial(transport: &Transport) -> Self {
        let transport = transport.clone();
        Self::Dialing(Box::pin(async move { transport.open().await }))
    }

    pub(super) const fn is_dialing(&self) -> bool {
        matches!(self, Self::Dialing(_))
    }

    /// Queues bytes to be written. Discards them if the connection is not open, or writing to it has failed.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Self::Open(open) = self
            && open.failed.is_none()
        {
            open.unsent.extend_from_slice(bytes);
        }
    }

    /// Writes queued bytes without waiting; [`progress`](Self::progress) writes the rest.
    pub(super) fn send(&mut self) {
        if let Self::Open(open) = self {
            open.send();
        }
    }

    /// Returns the time at which the write timeout expires; `None` if no write is pending, or the clock cannot represent the
    /// time.
    pub(super) fn deadline(&self, write_timeout: Duration) -> Option<Instant> {
        match self {
            Self::Open(open) => open.stalled.and_then(|since| since.checked_add(write_timeout)),
            _ => None,
        }
    }

    /// Breaks the connection if the write timeout has expired: with the cause of a failed write, if there was one, otherwise with
    /// [`CloseCause::WriteTimedOut`].
    pub(super) fn check_deadline(&mut self, write_timeout: Duration, now: Instant) {
        if self.deadline(write_timeout).is_some_and(|deadline| deadline <= now) {
            let failed = if let Self::Open(open) = self { open.failed } else { None };
            *self = Self::Broken(failed.unwrap_or(CloseCause::WriteTimedOut));
        }
    }

    /// Returns the cause of a broken connection and resets the state to `None`; returns `None` in every other state.
    pub(super) fn take_broken(&mut self) -> Option<CloseCause> {
        let Self::Broken(cause) = *self else { return None };
        *self = Self::None;
        Some(cause)
    }

    /// Waits for the next change of the connection, and writes queued bytes meanwhile. Appends received bytes to `input` if
    /// `may_read`; otherwise reads nothing. Never completes without a connection.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: received bytes are in `input`, unsent bytes remain queued.
    pub(super) async fn progress(&mut self, input: &mut Vec<u8>, may_read: bool) -> Progress {
        match self {
            Self::Dialing(dialing) => {
                let dialed = dialing.as_mut().await;
                let (connection, outcome) = dialed.map_or_else(
                    |error| (Self::None, Err(error)),
                    |socket| (Self::Open(OpenConnection::new(socket)), Ok(())),
                );
                *self = connection;
                Progress::Dialed(outcome)
            }
            Self::Open(open) => match open.transfer(input, may_read).await {
                Ok(()) => Progress::Received,
                Err(cause) => {
                    *self = Self::Broken(cause);
                    Progress::Broken
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
    /// When the pending write last made progress, or when writing failed; `None` if nothing is pending.
    stalled: Option<Instant>,
    /// Why writing failed. Reading continues, because the server may have sent the reason before.
    failed: Option<CloseCause>,
}

impl OpenConnection {
    fn new(socket: Socket) -> Self {
        Self { socket, unsent: Zeroizing::default(), is_dirty: false, stalled: None, failed: None }
    }

    /// Writes queued bytes without waiting; [`transfer`](Self::transfer) writes the rest.
    fn send(&mut self) {
        if self.failed.is_none() {
            // No waker is needed: `transfer` waits for the rest.
            self.poll_send(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Returns whether reading should pause because [`MAX_UNSENT_BYTES`] or more are queued.
    fn is_full(&self) -> bool {
        self.unsent.len() >= MAX_UNSENT_BYTES
    }

    /// Writes queued bytes and waits for received ones, which are appended to `input`.
    ///
    /// # Errors
    ///
    /// The connection has ended, and all its bytes are in `input`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: received bytes are in `input`, unsent bytes remain queued.
    async fn transfer(&mut self, input: &mut Vec<u8>, may_read: bool) -> Result<(), CloseCause> {
        poll_fn(|context| {
            self.poll_send(context);
            if may_read && !self.is_full() { self.poll_receive(context, input) } else { Poll::Pending }
        })
        .await
        .map_err(|cause| self.failed.unwrap_or(cause))
    }

    /// Writes as many queued bytes as the socket accepts. The write timeout restarts whenever it accepts some. An error stops
    /// writing and leaves the connection open for reading.
    fn poll_send(&mut self, context: &mut Context<'_>) {
        if self.failed.is_some() {
            return;
        }
        let n_unsent = self.unsent.len();
        match self.poll_send_all(context) {
            Poll::Ready(Ok(())) => self.stalled = None,
            Poll::Ready(Err(error)) => self.fail(&error),
            Poll::Pending if self.stalled.is_none() || self.unsent.len() < n_unsent => {
                self.stalled = Some(super::now());
            }
            Poll::Pending => {}
        }
    }

    /// Stops writing after an error: discards queued bytes, and limits the time for reading the rest of the input to the write
    /// timeout.
    fn fail(&mut self, error: &io::Error) {
        self.failed = Some(failed(error));
        self.unsent = Zeroizing::default();
        self.stalled = Some(super::now());
    }

    /// Writes and flushes all queued bytes; ready once none is left.
    fn poll_send_all(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
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

    /// Reads once and appends the bytes to `input`. The end of the stream is [`CloseCause::Closed`].
    fn poll_receive(&mut self, context: &mut Context<'_>, input: &mut Vec<u8>) -> Poll<Result<(), CloseCause>> {
        let mut buffer = [const { MaybeUninit::uninit() }; READ_BYTES];
        let mut buffer = ReadBuf::uninit(&mut buffer);
        Poll::Ready(match ready!(self.socket.as_mut().poll_read(context, &mut buffer)) {
            Ok(()) if buffer.filled().is_empty() => Err(CloseCause::Closed),
            Ok(()) => {
                input.extend_from_slice(buffer.filled());
                Ok(())
            }
            Err(error) => Err(failed(&error)),
        })
    }
}

fn failed(error: &io::Error) -> CloseCause {
    CloseCause::Failed(error.kind())
}
