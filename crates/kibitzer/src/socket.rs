//! What a session reads and writes.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Both directions of a connection.
pub(crate) enum Socket {
    Tcp(TcpStream),
    Custom(Pin<Box<dyn Duplex>>),
}

/// Reads and writes. It only gives two traits one name: a trait object has room for one.
pub(crate) trait Duplex: AsyncRead + AsyncWrite + Send + Sync {}

impl<S: AsyncRead + AsyncWrite + Send + Sync> Duplex for S {}

impl Socket {
    pub(crate) fn custom(socket: impl Duplex + 'static) -> Self {
        Self::Custom(Box::pin(socket))
    }

    /// Reads into `buffer`; ready with nothing new in it at the end of the stream.
    pub(crate) fn poll_read(&mut self, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            Self::Custom(socket) => socket.as_mut().poll_read(context, buffer),
        }
    }

    /// Writes some of `bytes`, and tells how many.
    pub(crate) fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self {
            Self::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            Self::Custom(socket) => socket.as_mut().poll_write(context, bytes),
        }
    }

    /// Sees to it that what was written goes out.
    pub(crate) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            // A TCP stream of tokio's keeps nothing.
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
