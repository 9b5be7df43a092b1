//! Replaces the socket on systems without Unix sockets: every operation fails.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::io::DuplexStream;

use crate::{AttachError, ExposeError};

pub(crate) type Stream = DuplexStream;

#[derive(Debug)]
pub(crate) struct Listener(Infallible);

impl Listener {
    /// Stub for platforms without Unix sockets.
    ///
    /// # Errors
    ///
    /// [`ExposeError::Unsupported`], always.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    #[expect(clippy::unused_async, reason = "Unix sockets need it")]
    pub(crate) async fn bind(_: &Path) -> Result<Self, ExposeError> {
        Err(ExposeError::Unsupported)
    }

    /// Stub for platforms without Unix sockets. It is never called, because no listener can be created.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    #[expect(clippy::unused_async, reason = "Unix sockets need it")]
    pub(crate) async fn accept(&self) -> io::Result<Stream> {
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
pub(crate) fn is_same_user(_: &Stream) -> io::Result<bool> {
    Err(io::ErrorKind::Unsupported.into())
}
