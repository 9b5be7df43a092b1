//! How much went over the connections of a session.

use std::time::Duration;

/// How much went over all connections of a session so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Bytes received.
    pub bytes_received: u64,
    /// Bytes handed out to be written.
    pub bytes_sent: u64,
    /// Lines handed out to be written, answers to pings included.
    pub lines_sent: u64,
    /// Events of the server.
    pub events: u64,
    /// Timeseal pings.
    pub pings: u64,
    /// Connections made after the first.
    pub reconnects: u64,
    /// From the last command that was answered to its answer; the server's own time is in it.
    pub round_trip: Option<Duration>,
}
