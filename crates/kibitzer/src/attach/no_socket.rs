//! Where there are no Unix sockets, nothing is exposed, and nobody attaches.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::io::DuplexStream;

use super::{AttachError, ExposeError};

/// There is none.
#[derive(Debug)]
pub(crate) struct Listener(Infallible);

/// Nobody has connected.
pub(super) enum Accepted {
    Ours(DuplexStream),
    Foreign(DuplexStream),
}

impl Listener {
    /// # Errors
    ///
    /// [`ExposeError::Unsupported`], always.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    #[expect(clippy::unused_async, reason = "elsewhere it waits")]
    pub(crate) async fn bind(_: &Path) -> Result<Self, ExposeError> {
        Err(ExposeError::Unsupported)
    }

    /// # Cancel safety
    ///
    /// Cancel safe.
    #[expect(clippy::unused_async, reason = "elsewhere it waits")]
    pub(super) async fn accept(&self) -> io::Result<Accepted> {
        match self.0 {}
    }
}

/// # Errors
///
/// [`AttachError::Unsupported`], always.
///
/// # Cancel safety
///
/// Cancel safe.
#[expect(clippy::unused_async, reason = "elsewhere it waits")]
pub(super) async fn connect(_: &Path, _: Duration) -> Result<DuplexStream, AttachError> {
    Err(AttachError::Unsupported)
}
