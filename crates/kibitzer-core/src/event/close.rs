//! Reasons why an established connection ended.

use std::io;

use thiserror::Error;

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
