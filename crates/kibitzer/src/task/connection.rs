//! The connection, from being made to being lost.

use std::future::{Future, pending, poll_fn};
use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

use tokio::io::ReadBuf;
use zeroize::Zeroizing;

use crate::core::event::{CloseCause, DialError};
use crate::dial::Transport;
use crate::socket::Socket;

/// Bytes read at once. They are on the stack: an idle session has no buffer.
const READ_BYTES: usize = 16 << 10;
/// Unsent bytes from which on no more is read: what is read is what makes us answer.
const CLOGGED_BYTES: usize = 64 << 10;

/// The connection of a session.
pub(super) enum Connection {
    /// There is none.
    None,
    /// It is being made.
    Dialing(Dialing),
    /// It stands.
    Open(Line),
    /// It is gone, and the session does not know yet.
    Broken(CloseCause),
}

type Dialing = Pin<Box<dyn Future<Output = Result<Socket, DialError>> + Send>>;

/// What became of a connection.
pub(super) enum Progress {
    /// It was made, or could not be.
    Dialed(Result<(), DialError>),
    /// Bytes have come.
    Received,
    /// It is gone.
    Broken,
}

impl Connection {
    /// Begins to connect.
    pub(super) fn dial(transport: &Transport) -> Self {
        let transport = transport.clone();
        Self::Dialing(Box::pin(async move { transport.open().await }))
    }

    pub(super) const fn is_dialing(&self) -> bool {
        matches!(self, Self::Dialing(_))
    }

    /// Adds bytes to those that are to be written. Without a connection they are gone.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if let Self::Open(line) = self
            && line.failed.is_none()
        {
            line.unsent.extend_from_slice(bytes);
        }
    }

    /// Writes what was added as far as it is taken at once; [`progress`](Self::progress) writes the rest.
    pub(super) fn send(&mut self) {
        if let Self::Open(line) = self {
            line.send();
        }
    }

    /// When the server will have taken nothing for too long; `None` also if that is farther off than time goes.
    pub(super) fn deadline(&self, write_timeout: Duration) -> Option<Instant> {
        match self {
            Self::Open(line) => line.stalled.and_then(|since| since.checked_add(write_timeout)),
            _ => None,
        }
    }

    /// Gives a server up that has taken nothing for too long.
    pub(super) fn check_deadline(&mut self, write_timeout: Duration, now: Instant) {
        if self.deadline(write_timeout).is_some_and(|deadline| deadline <= now) {
            let failed = if let Self::Open(line) = self { line.failed } else { None };
            *self = Self::Broken(failed.unwrap_or(CloseCause::WriteTimedOut));
        }
    }

    /// Takes out why the connection is gone, once.
    pub(super) fn take_broken(&mut self) -> Option<CloseCause> {
        let Self::Broken(cause) = *self else { return None };
        *self = Self::None;
        Some(cause)
    }

    /// Waits until something becomes of it. Bytes that come go behind those in `input`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: bytes are in `input` or not read, sent or not taken.
    pub(super) async fn progress(&mut self, input: &mut Vec<u8>, may_read: bool) -> Progress {
        match self {
            Self::Dialing(dialing) => {
                let dialed = dialing.as_mut().await;
                let (connection, outcome) = dialed
                    .map_or_else(|error| (Self::None, Err(error)), |socket| (Self::Open(Line::new(socket)), Ok(())));
                *self = connection;
                Progress::Dialed(outcome)
            }
            Self::Open(line) => match line.transfer(input, may_read).await {
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

/// A connection that stands: its socket, and what waits to be written.
pub(super) struct Line {
    socket: Socket,
    /// A password may be among it.
    unsent: Zeroizing<Vec<u8>>,
    /// The socket has taken bytes it may still hold.
    is_dirty: bool,
    /// When the server was last willing to take something, if it is to take more.
    stalled: Option<Instant>,
    /// Why nothing can be written any more. What the server said before may still be there to read: perhaps why it left.
    failed: Option<CloseCause>,
}

impl Line {
    fn new(socket: Socket) -> Self {
        Self { socket, unsent: Zeroizing::default(), is_dirty: false, stalled: None, failed: None }
    }

    /// Writes what is unsent as far as it is taken at once; [`transfer`](Self::transfer) writes the rest.
    fn send(&mut self) {
        if self.failed.is_none() {
            // Nobody is woken by this; `transfer` waits for the rest.
            self.poll_send(&mut Context::from_waker(Waker::noop()));
        }
    }

    /// Whether so much is unsent that no more should be read.
    fn is_clogged(&self) -> bool {
        self.unsent.len() >= CLOGGED_BYTES
    }

    /// Writes what is unsent, and waits for bytes, which go behind those in `input`.
    ///
    /// # Errors
    ///
    /// The connection is gone, and has nothing more to read; what had come before is in `input`.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: bytes are in `input` or not read, sent or not taken.
    async fn transfer(&mut self, input: &mut Vec<u8>, may_read: bool) -> Result<(), CloseCause> {
        poll_fn(|context| {
            self.poll_send(context);
            if may_read && !self.is_clogged() { self.poll_receive(context, input) } else { Poll::Pending }
        })
        .await
        .map_err(|cause| self.failed.unwrap_or(cause))
    }

    /// Writes what is unsent as far as it is taken. Every byte that is taken gives the server more time for the next.
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

    /// Nothing can be written any more. What is left to read has as long to come as a write has.
    fn fail(&mut self, error: &io::Error) {
        self.failed = Some(failed(error));
        self.unsent = Zeroizing::default();
        self.stalled = Some(super::now());
    }

    fn poll_send_all(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unsent.is_empty() {
            let written = ready!(self.socket.poll_write(context, &self.unsent))?;
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
            ready!(self.socket.poll_flush(context))?;
            self.is_dirty = false;
        }
        Poll::Ready(Ok(()))
    }

    fn poll_receive(&mut self, context: &mut Context<'_>, input: &mut Vec<u8>) -> Poll<Result<(), CloseCause>> {
        let mut buffer = [const { MaybeUninit::uninit() }; READ_BYTES];
        let mut buffer = ReadBuf::uninit(&mut buffer);
        Poll::Ready(match ready!(self.socket.poll_read(context, &mut buffer)) {
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
