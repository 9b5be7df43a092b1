//! Faults of a connection, and the points at which they strike.

mod injector;

use std::time::Duration;

pub(crate) use self::injector::{Injector, Step};
use crate::family::Family;
use crate::lobby::LoginObstacle;

/// Something that goes wrong with a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// From here on no write has more than that many bytes, at least one.
    SplitWrites(usize),
    /// From here on each write has a random length of 1 to that many bytes.
    SplitRandomly(usize),
    /// From here on everything arrives that much later.
    Delay(Duration),
    /// The connection stays open, and nothing is read or written any more.
    Stall,
    /// The rest of a line and of everything else is not sent; the connection is closed.
    CutMidLine,
    /// The rest of a line is not sent; the connection is reset. In process it looks like a closed one.
    Reset,
    /// Inserts a line of that many random bytes between two lines.
    Garbage(usize),
    /// Inserts a line of that many letters between two lines.
    OverLongLine(usize),
    /// The login is refused, from the next name on.
    RefuseLogin(LoginObstacle),
    /// A second login ends the session. Before the login is done, this fault waits for that.
    Kick,
    /// An administrator ends the session. Before the login is done, this fault waits for that.
    KickByAdmin,
    /// Shuts the server down for all clients.
    Shutdown,
}

impl Fault {
    /// Whether this fault can strike at a point on a server of that family.
    pub(crate) fn strikes_at(self, at: At, family: Family) -> bool {
        match at {
            At::Connect | At::Login | At::Now => true,
            At::NextBoard | At::AfterBytes(_) => !matches!(self, Self::RefuseLogin(_)),
            At::Setup | At::InBlock => !matches!(self, Self::RefuseLogin(_)) && family == Family::Fics,
        }
    }

    /// Names of the points at which this fault can strike.
    pub(crate) const fn points(self, family: Family) -> &'static str {
        match (self, family) {
            (Self::RefuseLogin(_), _) => "connect, login, now",
            (_, Family::Fics) => "connect, login, setup, next-board, in-block, after=N, now",
            (_, Family::Icc) => "connect, login, next-board, after=N, now",
        }
    }
}

/// When something goes wrong.
///
/// What the server sends next decides: faults that cut something off do so in the middle of the line the point is in,
/// faults that add something in front of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum At {
    /// At the first line of the banner.
    Connect,
    /// At the next `login: `.
    Login,
    /// At the line that says that the login is done.
    Setup,
    /// At the next line of a board, full or delta.
    NextBoard,
    /// Inside the next reply of block mode.
    InBlock,
    /// At the line with this byte of the connection, counted from 0.
    AfterBytes(u64),
    /// At the next line that is sent. What neither cuts nor adds does not wait for one; a reset or stall that was ordered before
    /// the connection was made lets no byte of it pass.
    Now,
}
