//! Ends of connections: failed attempts, why one was closed, and why a session is lost or over.

use std::io;

use strum::AsRefStr;
use thiserror::Error;

use super::LoginError;
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

/// Reason why a session has ended; it does not reconnect.
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
    #[error("login failed: {0}")]
    Login(#[source] LoginError),
    /// No connection was made, and the session had never been ready.
    #[error("not connected: {0}")]
    Dial(#[source] DialError),
    /// The connection was lost, and the limit of attempts to reconnect is reached.
    #[error("connection lost, {attempts} attempts to reconnect: {cause}")]
    Lost {
        /// The last failure.
        #[source]
        cause: LostCause,
        /// Number of attempts since the last stable session.
        attempts: u32,
    },
}

/// Reason why an established connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CloseCause {
    /// The server closed the connection.
    #[error("server closed the connection")]
    Closed,
    /// The server closed the WebSocket with this code; 1005 if it sent none.
    #[error("server closed the WebSocket with code {0}")]
    WebSocketClosed(u16),
    /// The server violated the WebSocket protocol.
    #[error("server violated the WebSocket protocol: {0}")]
    WebSocketViolation(WebSocketViolation),
    /// Reading or writing failed.
    #[error("connection failed: {0}")]
    Failed(#[cfg_attr(feature = "serde", serde(with = "crate::serial::error_kind"))] io::ErrorKind),
    /// The server did not accept the bytes to write in time.
    #[error("server does not accept bytes")]
    WriteTimedOut,
    /// The server sent nothing for too long, and did not answer a probe.
    #[error("server is silent")]
    Silent,
}

impl CloseCause {
    /// Returns whether the peer does not end a WebSocket as a connection ends in order, so that fewer features will not help.
    pub(crate) const fn is_web_socket_failure(self) -> bool {
        // Normal closure, going away, no code: RFC 6455, 7.4.1.
        let is_in_order = matches!(self, Self::WebSocketClosed(1000 | 1001 | 1005));
        matches!(self, Self::WebSocketClosed(_) | Self::WebSocketViolation(_)) && !is_in_order
    }
}

/// Violation of the WebSocket protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum WebSocketViolation {
    /// A message exceeds the limit: 1 MiB from a server, 64 KiB from a client.
    #[error("message too long")]
    MessageTooLong,
    /// A server masked a frame, or a client did not.
    #[error("wrong masking")]
    Masking,
    /// A frame has reserved bits, which no extension has defined.
    #[error("reserved bits set")]
    ReservedBits,
    /// A text is not UTF-8.
    #[error("text not UTF-8")]
    InvalidUtf8,
    /// The code of a close frame is not valid.
    #[error("invalid close frame")]
    InvalidClose,
    /// Another part of a frame is not valid.
    #[error("invalid frame")]
    InvalidFrame,
}
