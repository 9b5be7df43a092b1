//! Failures of a connection attempt, and the reasons why a session is lost or over.

use std::io;
use std::time::Duration;

use strum::AsRefStr;
use thiserror::Error;

use super::{CloseCause, LoginError};
use crate::message::KickedBy;

/// Reason why no connection was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DialError {
    /// The attempt exceeded its timeout.
    #[error("no connection in time")]
    TimedOut,
    /// The host name does not resolve.
    #[error("unknown host")]
    UnknownHost,
    /// The process has reached its limit of open files; a connection counts as one.
    #[error("too many open files; `ulimit -n` shows the limit")]
    TooManyFiles,
    /// The server's certificate was issued by an unknown authority.
    #[error("TLS: the server's certificate was issued by an unknown authority")]
    UnknownCertificateIssuer,
    /// The server's certificate is for other hosts.
    #[error("TLS: the server's certificate is for another host")]
    CertificateOfOtherHost,
    /// The server's certificate has expired, by the clock of this machine.
    #[error("TLS: the server's certificate has expired")]
    CertificateExpired,
    /// The server's certificate is not valid yet, by the clock of this machine.
    #[error("TLS: the server's certificate is not valid yet")]
    CertificateNotYetValid,
    /// The server's certificate is invalid for another reason.
    #[error("TLS: the server's certificate is invalid")]
    InvalidCertificate,
    /// The handshake of TLS failed, for example because the server does not use TLS.
    #[error("TLS: the handshake failed")]
    TlsHandshake,
    /// The server answered the handshake of a WebSocket with this HTTP status. Redirections are not followed.
    #[error("server answered the handshake of the WebSocket with HTTP status {0}")]
    HttpStatus(u16),
    /// The answer to the handshake of a WebSocket is longer than 16 KiB.
    #[error("server's answer to the handshake of the WebSocket is too long")]
    HandshakeTooLong,
    /// The answer to the handshake of a WebSocket is not that of a WebSocket server.
    #[error("not a WebSocket server")]
    NoWebSocket,
    /// The operating system or the transport reports this failure.
    #[error("no connection: {0}")]
    Failed(#[cfg_attr(feature = "serde", serde(with = "crate::serial::error_kind"))] io::ErrorKind),
}

impl From<io::Error> for DialError {
    /// Returns the `DialError` that the error contains, [`TooManyFiles`](Self::TooManyFiles) if the process or the system may open
    /// no more files, otherwise [`Failed`](Self::Failed).
    fn from(error: io::Error) -> Self {
        if let Some(&known) = error.get_ref().and_then(|inner| inner.downcast_ref()) {
            return known;
        }
        // ENFILE and EMFILE, for which the standard library has no kind.
        if cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24)) {
            return Self::TooManyFiles;
        }
        Self::Failed(error.kind())
    }
}

/// Reason why an established session lost its connection, or an attempt to reconnect failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LostCause {
    /// An established session lost its connection.
    #[error(transparent)]
    Connection(#[from] CloseCause),
    /// A connection was made, but its login failed.
    #[error(transparent)]
    Login(#[from] LoginError),
    /// No connection was made.
    #[error(transparent)]
    Dial(#[from] DialError),
}

/// An attempt to connect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ConnectionAttempt {
    /// Number, starting at 1; resets to 1 after the loss of a stable session. An immediate attempt with fewer features requested
    /// has the same number.
    #[cfg_attr(feature = "serde", serde(rename = "attempt"))]
    pub number: u32,
}

impl ConnectionAttempt {
    /// Creates an attempt.
    pub const fn new(number: u32) -> Self {
        Self { number }
    }
}

/// The loss of a connection, or a failed attempt to connect.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ConnectionLoss {
    /// Reason for the loss.
    pub cause: LostCause,
    /// Delay before the next attempt; `None` if the limit of attempts is reached and the session ends.
    pub retry_in: Option<Duration>,
    /// Time from the last byte received, on any connection, until the event.
    pub silent_for: Duration,
}

impl ConnectionLoss {
    /// Creates a loss.
    pub const fn new(cause: LostCause, retry_in: Option<Duration>, silent_for: Duration) -> Self {
        Self { cause, retry_in, silent_for }
    }
}

/// Reason why a session has ended; it does not reconnect. The [source](std::error::Error::source) is the failure that led to it.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsRefStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SessionEndReason {
    /// The session sent `quit` to the server, or was asked to quit while it had no connection or during the login.
    #[error("quit")]
    Quit,
    /// The program shut the session down, without a `quit` to the server.
    #[error("shut down")]
    Shutdown,
    /// The server disconnected this login, for a second login to the same account or by an administrator: it announced that and
    /// closed the connection within 10 s.
    #[error("kicked")]
    Kicked(KickedBy),
    /// The login failed [for good](LoginError::is_final), or it failed before the session had ever been ready.
    #[error("login failed")]
    Login(#[source] LoginError),
    /// No connection was made, and the session had never been ready.
    #[error("not connected")]
    Dial(#[source] DialError),
    /// The connection was lost, and the limit of attempts to reconnect is reached.
    #[error("connection lost, {attempts} attempts to reconnect")]
    #[non_exhaustive]
    Lost {
        /// The last failure.
        #[source]
        cause: LostCause,
        /// Number of attempts since the last stable session.
        attempts: u32,
    },
}

impl SessionEndReason {
    /// Creates the reason of a session that was [lost](Self::Lost).
    pub const fn lost(cause: LostCause, attempts: u32) -> Self {
        Self::Lost { cause, attempts }
    }
}
