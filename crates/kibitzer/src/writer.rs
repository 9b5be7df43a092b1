//! Lines to the server.

use std::fmt;
use std::io;
use std::time::Duration;

use bytes::BytesMut;
use thiserror::Error;
use tokio::io::AsyncWriteExt as _;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::time::timeout;

use crate::core::session::{Command, CommandError};

/// Why a line was not sent.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SendError {
    /// It is no line a server takes; nothing of it was sent, and others can be.
    #[error("line refused")]
    Line(#[from] CommandError),
    /// The server does not take it.
    #[error("line not taken within {0:?}")]
    TimedOut(Duration),
    /// The connection is gone.
    #[error("connection lost while sending")]
    Lost(#[source] io::Error),
}

/// Sends lines to the server. Dropping it tells the server that no more will come; most then close the connection.
pub struct LineWriter {
    socket: OwnedWriteHalf,
    /// What is left of a line whose future was dropped.
    unsent: BytesMut,
    timeout: Duration,
}

impl LineWriter {
    pub(crate) fn new(socket: OwnedWriteHalf, timeout: Duration) -> Self {
        Self { socket, unsent: BytesMut::new(), timeout }
    }

    /// Sends one line, without its line end: a command, a name, a password.
    ///
    /// What is not ASCII is sent as `&#xHHHH;`, as the clients of FICS have it.
    ///
    /// # Errors
    ///
    /// [`SendError::Line`] refuses line breaks, control characters and more than [`Command::MAX_BYTES`].
    /// The others end the connection.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe for the stream: a line whose future is dropped goes out whole, the rest of it in front of the next line,
    /// or not at all.
    pub async fn send(&mut self, line: &str) -> Result<(), SendError> {
        let line = Command::new(line)?;
        self.flush().await?;
        self.unsent.extend_from_slice(line.as_str().as_bytes());
        self.unsent.extend_from_slice(b"\n");
        self.flush().await
    }

    /// Sends what is left.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: what was not sent stays.
    async fn flush(&mut self) -> Result<(), SendError> {
        timeout(self.timeout, self.socket.write_all_buf(&mut self.unsent))
            .await
            .map_err(|_| SendError::TimedOut(self.timeout))?
            .map_err(SendError::Lost)
    }
}

/// Shows no bytes: they may be a password's.
impl fmt::Debug for LineWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineWriter").field("unsent_bytes", &self.unsent.len()).finish_non_exhaustive()
    }
}
