//! The byte stream of a WebSocket, for either end.

#[cfg(test)]
mod tests;

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_core::Stream as _;
use futures_sink::Sink as _;
use kibitzer_core::event::{CloseCause, DialError, WebSocketViolation};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};
use tokio_websockets::proto::ProtocolError;
use tokio_websockets::upgrade::Error as UpgradeError;
use tokio_websockets::{CloseCode, Error, Message, WebSocketStream};

use crate::transport::LimitedTransport;

/// Time without data in either direction after which a ping is sent, as proxies close idle connections.
const PING_INTERVAL: Duration = Duration::from_secs(30);

/// Maximum number of pongs that wait to be sent. Reading pauses at this number, because a peer could send pings and read nothing.
const MAX_QUEUED_PONGS: usize = 32;

/// Size in bytes at which written bytes without a line end are split into messages.
const MAX_WRITTEN_BYTES: usize = 16 << 10;

/// Which written bytes become one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageUnit {
    /// Each line is one message, whatever its length, as servers expect of a client: a sealed line is never split and never
    /// joined with another one. Bytes without a line end are split into messages of 16 KiB.
    Line,
    /// Each write is one message; a longer one than 16 KiB is split.
    Write,
}

/// The byte stream of a WebSocket.
///
/// Reading returns the bytes of text and binary messages, wherever the messages begin and end. A message over the limit (1 MiB at
/// the client's end, 64 KiB at the server's) and a violation of the protocol are errors of kind [`io::ErrorKind::InvalidData`] that
/// contain [`CloseCause::WebSocketViolation`]. A close frame is an error that contains [`CloseCause::WebSocketClosed`] with its
/// code; the end of the transport without one is the end of the stream. After an error of writing, reading continues, because the peer may have sent the reason before.
///
/// Written bytes become binary messages and are sent when the stream is flushed. Pings are answered; after 30 s without data in
/// either direction one is sent. Neither pings nor pongs are visible to the reader. Shutting down sends a close frame with code
/// 1000 and does not wait for the answer.
#[derive(Debug)]
pub struct WebSocket {
    messages: WebSocketStream<LimitedTransport>,
    /// Bytes of the last message that were not read yet.
    unread: Bytes,
    /// Expires when a ping is due.
    idle: Interval,
    /// Pongs since the output was last flushed.
    n_queued_pongs: usize,
    written: MessageUnit,
    is_shutting_down: bool,
}

impl WebSocket {
    /// Creates the stream of a WebSocket whose handshake is complete, and lifts the limit of its transport.
    pub(crate) fn new(mut messages: WebSocketStream<LimitedTransport>, written: MessageUnit) -> Self {
        messages.get_mut().reader_mut().lift_limit();
        let mut idle = interval_at(Instant::now() + PING_INTERVAL, PING_INTERVAL);
        idle.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { messages, unread: Bytes::new(), idle, n_queued_pongs: 0, written, is_shutting_down: false }
    }

    /// Receives the next text or binary message; `None` if the transport ended without a close frame.
    ///
    /// # Errors
    ///
    /// [`CloseCause::WebSocketClosed`] for a close frame; otherwise the error of the WebSocket or its transport.
    fn poll_payload_or_transport_end(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        loop {
            if self.n_queued_pongs > 0 && self.poll_flush_messages(context)?.is_ready() {
                self.n_queued_pongs = 0;
            }
            if self.n_queued_pongs >= MAX_QUEUED_PONGS {
                return Poll::Pending;
            }
            let message = match Pin::new(&mut self.messages).poll_next(context) {
                Poll::Ready(Some(Ok(message))) => message,
                Poll::Ready(Some(Err(error))) => {
                    return Poll::Ready(Err(self.flush_close_answer(context, io_error(error))));
                }
                Poll::Ready(None) => return Poll::Ready(Ok(None)),
                Poll::Pending => {
                    self.ping_if_idle(context);
                    return Poll::Pending;
                }
            };
            if let Some((code, _)) = message.as_close() {
                let cause = CloseCause::WebSocketClosed(code.into());
                return Poll::Ready(Err(self.flush_close_answer(context, io::Error::other(cause))));
            }
            if message.is_ping() {
                self.n_queued_pongs += 1;
            } else if !message.is_pong() {
                self.idle.reset();
                return Poll::Ready(Ok(Some(message.into_payload().into())));
            }
        }
    }

    /// Sends the queued close frame that answers the error, if that is possible without waiting, and returns the error.
    fn flush_close_answer(&mut self, context: &mut Context<'_>, error: io::Error) -> io::Error {
        let _ = self.poll_flush_messages(context);
        error
    }

    /// Sends a ping if 30 s have passed without data and earlier output was sent.
    fn ping_if_idle(&mut self, context: &mut Context<'_>) {
        while self.idle.poll_tick(context).is_ready() {
            if matches!(self.poll_flush_messages(context), Poll::Ready(Ok(()))) {
                drop(Pin::new(&mut self.messages).start_send(Message::ping("")));
                let _ = self.poll_flush_messages(context);
            }
        }
    }

    fn poll_flush_messages(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.messages).poll_flush(context).map_err(io_error)
    }

    /// Fails with the kind of the error that ended writing, if there was one.
    fn check_write_failure(&self) -> io::Result<()> {
        self.messages.get_ref().writer().failure.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// Returns the part at the start of the bytes that is written as one message.
    fn first_message_part<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let end = bytes.len().min(MAX_WRITTEN_BYTES);
        let line_end = bytes.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        match (self.written, line_end) {
            (MessageUnit::Line, Some(line_end)) => bytes.get(..line_end).unwrap_or(bytes),
            _ => bytes.get(..end).unwrap_or(bytes),
        }
    }
}

impl AsyncRead for WebSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        while self.unread.is_empty() {
            let Some(payload) = ready!(self.poll_payload_or_transport_end(context))? else {
                return Poll::Ready(Ok(()));
            };
            self.unread = payload;
        }
        let n_read = self.unread.len().min(buffer.remaining());
        buffer.put_slice(&self.unread.split_to(n_read));
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for WebSocket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check_write_failure()?;
        let payload = self.first_message_part(bytes);
        if !payload.is_empty() {
            ready!(Pin::new(&mut self.messages).poll_ready(context)).map_err(io_error)?;
            let message = Message::binary(payload.to_vec());
            Pin::new(&mut self.messages).start_send(message).map_err(io_error)?;
            self.idle.reset();
        }
        Poll::Ready(Ok(payload.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_flush_messages(context))?;
        Poll::Ready(self.check_write_failure())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_shutting_down {
            self.is_shutting_down = true;
            // Fails if the peer has sent a close frame, which was answered.
            drop(Pin::new(&mut self.messages).start_send(Message::close(Some(CloseCode::NORMAL_CLOSURE), "")));
        }
        ready!(self.poll_flush_messages(context))?;
        Pin::new(self.messages.get_mut()).poll_shutdown(context)
    }
}

/// Converts an error of the handshake.
pub(crate) fn dial_error(error: Error) -> DialError {
    match error {
        Error::Upgrade(UpgradeError::DidNotSwitchProtocols(status)) => DialError::HttpStatus(status),
        Error::Upgrade(_) => DialError::NoWebSocket,
        error => io_error(error).into(),
    }
}

/// Converts an error of the connection. A violation becomes a [`CloseCause`] inside of the only error that a stream can have.
pub(crate) fn io_error(error: Error) -> io::Error {
    match error {
        // The transport ended inside of an answer or a frame.
        Error::Io(error) if error.kind() == io::ErrorKind::Other => io::ErrorKind::UnexpectedEof.into(),
        Error::Io(error) => error,
        Error::AlreadyClosed => io::ErrorKind::BrokenPipe.into(),
        Error::PayloadTooLong { .. } => violation_error(WebSocketViolation::MessageTooLong),
        Error::Protocol(error) => violation_error(match error {
            ProtocolError::UnexpectedMaskedFrame | ProtocolError::UnexpectedUnmaskedFrame => {
                WebSocketViolation::Masking
            }
            ProtocolError::InvalidRsv => WebSocketViolation::ReservedBits,
            ProtocolError::InvalidUtf8 => WebSocketViolation::InvalidUtf8,
            ProtocolError::InvalidCloseCode => WebSocketViolation::InvalidClose,
            _ => WebSocketViolation::InvalidFrame,
        }),
        error => io::Error::new(io::ErrorKind::InvalidData, error),
    }
}

fn violation_error(violation: WebSocketViolation) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, CloseCause::WebSocketViolation(violation))
}
