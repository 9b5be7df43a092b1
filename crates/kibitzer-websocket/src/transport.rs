//! The connection below a WebSocket, with the limits that the crate for messages lacks.

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http::Uri;
use kibitzer_core::event::DialError;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, Join, ReadBuf, ReadHalf, Take, WriteHalf, join, split};

/// Maximum number of bytes read before the handshake is complete. The crate that parses them has no limit of its own.
const MAX_HANDSHAKE_BYTES: u64 = 16 << 10;

/// Length of the key in the answer of a server: 20 bytes in base64.
const ACCEPT_KEY_BYTES: usize = 28;

/// A connection below the WebSocket: TCP, or TLS over TCP.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Sync + Unpin + fmt::Debug {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin + fmt::Debug> ByteStream for T {}

/// A transport whose handshake is limited and checked, and whose errors of writing do not end reading.
pub(crate) type LimitedTransport = Join<HandshakeReader, FailSafeWriter>;

/// Wraps a connection in a transport whose input fails after [`MAX_HANDSHAKE_BYTES`] bytes, until
/// [`WebSocket::new`](crate::WebSocket) lifts the limit.
pub(crate) fn limited(transport: impl ByteStream + 'static) -> LimitedTransport {
    let (reader, writer) = split(Box::new(transport) as Box<dyn ByteStream>);
    let reader = HandshakeReader { reader: reader.take(MAX_HANDSHAKE_BYTES), head: Some(Vec::new()) };
    join(reader, FailSafeWriter { writer, failure: None })
}

/// A reader that refuses handshakes on which the crate for messages panics: an answer whose key is not a hash, and a request
/// whose target is not a URI.
#[derive(Debug)]
pub(crate) struct HandshakeReader {
    reader: Take<ReadHalf<Box<dyn ByteStream>>>,
    /// Bytes of the handshake; `None` after it.
    head: Option<Vec<u8>>,
}

impl HandshakeReader {
    /// Lifts the limit, because the handshake is complete.
    pub(crate) fn lift_limit(&mut self) {
        self.reader.set_limit(u64::MAX);
        self.head = None;
    }
}

impl AsyncRead for HandshakeReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.head.is_some() && self.reader.limit() == 0 {
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, DialError::HandshakeTooLong)));
        }
        let n_before = buffer.filled().len();
        ready!(Pin::new(&mut self.reader).poll_read(context, buffer))?;
        if let Some(head) = &mut self.head {
            head.extend_from_slice(buffer.filled().get(n_before..).unwrap_or_default());
            if has_invalid_key(head) || has_invalid_target(head) {
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, DialError::NoWebSocket)));
            }
        }
        Poll::Ready(Ok(()))
    }
}

/// Returns the complete lines of the head of an HTTP request or response, up to the empty line that ends it, each without
/// whitespace at either end.
fn complete_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    let lines =
        head.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")).map(<[u8]>::trim_ascii);
    lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty())
}

/// Returns whether the head is that of a request whose complete first line names a target that is not a URI.
fn has_invalid_target(head: &[u8]) -> bool {
    complete_lines(head).next().is_some_and(|line| {
        let target = line.split(|&byte| byte == b' ').nth(1);
        !line.starts_with(b"HTTP/") && target.is_some_and(|target| Uri::try_from(target).is_err())
    })
}

/// Returns whether a complete header `Sec-WebSocket-Accept` in the head has a value that is not a hash in base64.
fn has_invalid_key(head: &[u8]) -> bool {
    complete_lines(head).any(|header| {
        let mut parts = header.splitn(2, |&byte| byte == b':').map(<[u8]>::trim_ascii);
        let is_key = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(b"Sec-WebSocket-Accept"));
        is_key && !parts.next().is_some_and(|key| key.len() == ACCEPT_KEY_BYTES && key.ends_with(b"="))
    })
}

/// A writer that discards everything after an error, because the crate for messages reads nothing more after one.
#[derive(Debug)]
pub(crate) struct FailSafeWriter {
    writer: WriteHalf<Box<dyn ByteStream>>,
    /// Kind of the error; `None` while there was none.
    pub(crate) failure: Option<io::ErrorKind>,
}

impl FailSafeWriter {
    /// Returns the result; after an error, stores its kind and returns `if_failed`, so that everything from then on is discarded.
    fn discard_if_failed<T>(&mut self, result: io::Result<T>, if_failed: T) -> Poll<io::Result<T>> {
        Poll::Ready(Ok(result.unwrap_or_else(|error| {
            self.failure = Some(error.kind());
            if_failed
        })))
    }
}

impl AsyncWrite for FailSafeWriter {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.as_mut().poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = parts.iter().map(|part| part.len()).sum();
        if self.failure.is_some() {
            return Poll::Ready(Ok(length));
        }
        let written = ready!(Pin::new(&mut self.writer).poll_write_vectored(context, parts));
        self.discard_if_failed(written, length)
    }

    fn is_write_vectored(&self) -> bool {
        self.writer.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.failure.is_some() {
            return Poll::Ready(Ok(()));
        }
        let flushed = ready!(Pin::new(&mut self.writer).poll_flush(context));
        self.discard_if_failed(flushed, ())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.writer).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio_websockets::{ClientBuilder, Error, ServerBuilder};

    use super::*;

    #[tokio::test]
    async fn an_answer_with_a_key_that_is_not_a_hash_is_an_error() {
        for key in ["AAAAAAAAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAA=AAAA", "AAAA", ""] {
            for name in ["Sec-WebSocket-Accept", "sec-websocket-accept"] {
                let (near, mut far) = tokio::io::duplex(1 << 12);
                let answer = format!("\r\nHTTP/1.1 101 Switching Protocols\r\nX: y\r\n{name}: {key}\r\n\r\n");
                tokio::io::AsyncWriteExt::write_all(&mut far, answer.as_bytes()).await.unwrap();
                let builder = ClientBuilder::from_uri("ws://chess.example".parse().unwrap());
                let Err(Error::Io(error)) = builder.connect_on(limited(near)).await else { panic!("{name}: {key}") };
                assert_eq!(error.get_ref().unwrap().downcast_ref(), Some(&DialError::NoWebSocket), "{name}: {key}");
            }
        }
    }

    #[tokio::test]
    async fn a_request_whose_target_is_not_a_uri_is_an_error() {
        for target in ["/%", "//", "http:", "a@b@c", "http://[::1", "/?a#b", "x/", "*a", &"a".repeat(300)] {
            let (near, mut far) = tokio::io::duplex(1 << 12);
            let request = format!(
                "\r\nGET {target} HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            );
            tokio::io::AsyncWriteExt::write_all(&mut far, request.as_bytes()).await.unwrap();
            let accepted = ServerBuilder::new().accept(limited(near)).await;
            assert_eq!(accepted.is_err(), Uri::try_from(target).is_err(), "{target}");
        }
    }

    #[test]
    fn an_incomplete_line_and_the_bytes_after_the_head_are_no_keys() {
        let valid =
            "HTTP/1.1 101 x\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\nSec-WebSocket-Accept: x\n";
        for end in 0..=valid.len() {
            assert!(!has_invalid_key(&valid.as_bytes()[..end]), "{end}");
        }
    }
}
