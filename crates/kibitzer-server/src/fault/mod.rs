//! Faults of a connection, and the points at which they take effect.

mod injector;

use std::time::Duration;

pub(crate) use self::injector::{FaultInjector, OutputStep};
use crate::family::Family;
use crate::lobby::LoginObstacle;

/// Misbehavior of the server on one connection, injected by [`ServerControl::inject`](crate::ServerControl::inject).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// Limits each later write to that many bytes (at least one).
    SplitWrites(usize),
    /// Splits the later output into writes of random length, from 1 to that many bytes.
    SplitRandomly(usize),
    /// Waits for that time before each later portion of output.
    Delay(Duration),
    /// Stops reading and writing, and leaves the connection open until the server ends the session.
    Stall,
    /// Closes the connection in the middle of a line.
    CutMidLine,
    /// Resets the connection in the middle of a line. In process, the client sees a closed connection.
    Reset,
    /// Inserts that many random bytes and a line end.
    Garbage(usize),
    /// Inserts that many letters and a line end.
    OverLongLine(usize),
    /// Refuses every further login on the connection, for this reason. Takes effect at once, whatever its point.
    RefuseLogin(LoginObstacle),
    /// Ends the session with the text that a second login of the player causes; during the login, once that is done.
    Kick,
    /// Ends the session with the text of a kick by an administrator; during the login, once that is done.
    KickByAdmin,
    /// Shuts the server down.
    Shutdown,
}

impl Fault {
    /// Returns whether this fault can take effect at a point on a server of that family.
    pub(crate) fn is_supported_at(self, at: FaultPoint, family: Family) -> bool {
        match at {
            FaultPoint::Connect | FaultPoint::Login | FaultPoint::Now => true,
            FaultPoint::NextBoard | FaultPoint::AfterBytes(_) => !matches!(self, Self::RefuseLogin(_)),
            FaultPoint::Setup | FaultPoint::InBlock => !matches!(self, Self::RefuseLogin(_)) && family == Family::Fics,
        }
    }

    /// Returns the points at which this fault can take effect on a server of that family, as `kibitzer serve --fault` names them,
    /// separated by commas.
    pub(crate) const fn supported_points(self, family: Family) -> &'static str {
        match (self, family) {
            (Self::RefuseLogin(_), _) => "connect, login, now",
            (_, Family::Fics) => "connect, login, setup, next-board, in-block, after=N, now",
            (_, Family::Icc) => "connect, login, next-board, after=N, now",
        }
    }
}

/// A fault that took effect on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FiredFault {
    /// Number of the connection, as [`ServerControl::connections`](crate::ServerControl::connections) returns it.
    pub connection: u64,
    /// The fault.
    pub fault: Fault,
    /// The point for which it was injected; [`FaultPoint::Now`] if that had passed already.
    pub at: FaultPoint,
    /// Number of bytes that the server had sent on the connection before, without those that faults inserted.
    pub byte: u64,
}

/// Point in the server's output at which a fault takes effect.
///
/// A fault that cuts the output does so halfway from the point to the end of its line; one that inserts bytes does so at the
/// point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultPoint {
    /// At the start of the banner; on an open connection, at the next output.
    Connect,
    /// At the next prompt `login: `.
    Login,
    /// At the line that reports the end of the login, `**** Starting ...`, which only the FICS family has.
    Setup,
    /// At the next line with a board, full or delta.
    NextBoard,
    /// Inside the next reply of block mode, which only the FICS family has.
    InBlock,
    /// At this byte of the server's output on the connection, counted from 0 without bytes that faults inserted; like
    /// [`Now`](Self::Now) if it has been sent.
    AfterBytes(u64),
    /// At the next output. A stall, a reset, a refused login, and the faults that end the session or the server take effect at
    /// once; injected for the [next connection](crate::ConnectionTarget::Next), before its first byte.
    Now,
}
