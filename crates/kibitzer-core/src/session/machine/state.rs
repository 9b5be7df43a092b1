//! Reports of a session to its driver and users: the next action, the phase, counters.

use std::time::Duration;

use crate::event::{CloseCause, LoginError, LoginStep, SessionEndReason};

/// Action on the connection that a session requires of its driver.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a driver has to handle each")]
pub enum DriverAction {
    /// Open a connection, and report the outcome by [`Session::handle_dial_outcome`](super::Session::handle_dial_outcome).
    Dial {
        /// Connection attempt, starting at 1; resets to 1 after the loss of a session that was
        /// [stable](crate::session::Reconnect::stable_after). An immediate attempt with fewer features requested has the same
        /// number.
        attempt: u32,
    },
    /// Keep the connection open: read from it and write to it.
    Keep,
    /// Do not connect before [`Session::poll_timeout`](super::Session::poll_timeout).
    Wait,
    /// Close the connection without writing more, and call [`Session::handle_close`](super::Session::handle_close).
    Close,
    /// Do nothing more: the session is over for this reason.
    End(SessionEndReason),
}

/// Phase of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum SessionState {
    /// A connection is being opened.
    Connecting,
    /// The login or the set-up is in progress.
    LoggingIn(LoginStep),
    /// Requests are accepted. The games, seeks and settings of a lost connection are being restored, until
    /// [`Event::Restored`](crate::Event::Restored).
    Restoring,
    /// Requests are accepted, and nothing has to be restored.
    Ready,
    /// The connection is lost; the next attempt is delayed.
    Waiting,
    /// The connection is being closed, or `quit` was sent.
    Closing,
    /// The session is over.
    Ended(SessionEndReason),
}

impl SessionState {
    /// Returns whether the session sends requests: it is `Ready` or `Restoring`.
    pub const fn accepts_requests(&self) -> bool {
        matches!(self, Self::Ready | Self::Restoring)
    }
}

/// Totals over all connections of a session; they never reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionCounters {
    /// Bytes received. Those that follow a refused login, until the connection is closed, may not be counted, nor their lines and
    /// events; a recording has them.
    pub bytes_received: u64,
    /// Lines and datagrams received; a line that the server has wrapped counts once. Prompts and marks of replies are not
    /// counted.
    pub lines_received: u64,
    /// Bytes given to the driver to write.
    pub bytes_sent: u64,
    /// Lines given to the driver to write, answers to pings included.
    pub lines_sent: u64,
    /// Events read from the received bytes, desyncs included; events that the session itself emits are not counted.
    pub events: u64,
    /// Timeseal pings received.
    pub pings: u64,
    /// Connections opened after the session had been ready once, also those whose login was refused. Attempts that opened no
    /// connection are not counted.
    pub reconnects: u64,
    /// Time from sending the last answered command, or the fence after it, to the start of its reply; includes the server's
    /// processing time. `None` before the first reply.
    pub round_trip: Option<Duration>,
    /// Commands and probes with a complete reply, which may be a refusal; those that the session itself sends included.
    pub requests_answered: u64,
    /// Sum of all round trips, also of replies that remained incomplete.
    pub request_time: Duration,
    /// Requests that ended without a complete reply: after their timeout, at the end of the connection, because the reply was incomplete,
    /// or because they were not sent in time or before the end of their game. Those that the caller abandoned are not counted.
    pub requests_failed: u64,
}

impl SessionCounters {
    /// Records the time between a command, or its fence, and the start of its reply.
    pub(crate) fn note_round_trip(&mut self, round_trip: Duration) {
        self.round_trip = Some(round_trip);
        self.request_time = self.request_time.saturating_add(round_trip);
    }
}

/// Action of the session once the driver has closed the connection.
#[derive(Clone, Debug)]
pub(crate) enum AfterClose {
    /// Ends the session if the error is final or the session was never ready; otherwise retries the login after a delay.
    FailLogin(LoginError),
    /// Connects again at once, with fewer features requested.
    Redial,
    /// Reconnects after a delay, or ends the session if no attempt is left.
    Reconnect(CloseCause),
    /// Ends the session.
    End(SessionEndReason),
}
