//! What there is to do about the connection, and how far the session has come.

use crate::event::{EndReason, LoginStep};

/// What whoever drives a session has to do about the connection now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a driver has to handle each")]
pub enum Link {
    /// Open a connection, and call [`Session::dialed`](super::Session::dialed) with what came of it.
    Dial {
        /// Connection attempt, starting at 1; resets to 1 after the loss of a session that was
        /// [stable](crate::session::Reconnect::stable_after). One that is made at once, because the server wants less asked of it,
        /// counts with the one before.
        attempt: u32,
    },
    /// Keep the connection: read it, write to it.
    Keep,
    /// Do not connect before [`Session::poll_timeout`](super::Session::poll_timeout).
    Wait,
    /// Hang up, and call [`Session::closed`](super::Session::closed). Nothing more is to be written.
    Close,
    /// The session is over.
    Over(EndReason),
}

/// How far a session has come.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum State {
    /// A connection is being made.
    Connecting,
    /// It stands; the login or the set-up goes on.
    LoggingIn(LoginStep),
    /// Requests can be made.
    Ready,
    /// The connection is lost; the next attempt waits.
    Waiting,
    /// The connection is being given up, or the server was told that we go.
    Closing,
    /// It is over.
    Ended(EndReason),
}
