//! Replaces the socket on systems without Unix sockets: every operation fails.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::io::DuplexStream;

use crate::AttachError;

pub(crate) type Stream = DuplexStream;

/// Replaces the listening socket; never exists.
#[derive(Debug)]
pub struct Listener(Infallible);

impl Listener {
    /// Stub for platforms without Unix sockets.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::Unsupported`], always.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    #[expect(clippy::unused_async, reason = "Unix sockets need it")]
    pub async fn bind(_: &Path) -> io::Result<Self> {
        let message = "sessions are exposed on Unix sockets, which this system does not have";
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }

    /// Stub for platforms without Unix sockets. It is never called, because no listener can be created.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    #[expect(clippy::unused_async, reason = "Unix sockets need it")]
    pub async fn accept(&self) -> io::Result<Stream> {
        match self.0 {}
    }
}

/// Stub for platforms without Unix sockets.
///
/// # Errors
///
/// [`AttachError::Unsupported`], always.
///
/// # Cancel safety
///
/// Cancel safe.
#[expect(clippy::unused_async, reason = "Unix sockets need it")]
pub(crate) async fn connect(_: &Path, _: Duration) -> Result<Stream, AttachError> {
    Err(AttachError::Unsupported)
}

/// Stub for platforms without Unix sockets.
///
/// # Errors
///
/// [`io::ErrorKind::Unsupported`], always.
pub(crate) fn is_peer_same_user(_: &Stream) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}
