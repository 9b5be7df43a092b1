//! The byte stream of a connection.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A connection: TCP or a custom stream.
pub(crate) enum Socket {
    Tcp(TcpStream),
    Custom(Pin<Box<dyn Duplex>>),
}

/// A stream that can be read and written. A trait object needs one trait for both.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Sync {}

impl<S: AsyncRead + AsyncWrite + Send + Sync> Duplex for S {}

impl Socket {
    pub(crate) fn custom(socket: impl Duplex + 'static) -> Self {
        Self::Custom(Box::pin(socket))
    }

    /// Reads into `buffer`; at the end of the stream it is ready without new bytes.
    pub(crate) fn poll_read(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Custom(socket) => socket.as_mut().poll_read(context, buffer),
        }
    }

    /// Writes some of `bytes`, and returns their number.
    pub(crate) fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Custom(socket) => socket.as_mut().poll_write(context, bytes),
        }
    }

    /// Flushes written bytes.
    pub(crate) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            // The TCP stream of tokio has no write buffer.
            Self::Tcp(_) => Poll::Ready(Ok(())),
            Self::Custom(socket) => socket.as_mut().poll_flush(context),
        }
    }
}

impl fmt::Debug for Socket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tcp(_) => "Socket::Tcp",
            Self::Custom(_) => "Socket::Custom",
        })
    }
}
