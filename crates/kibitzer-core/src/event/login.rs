//! Results of a login: the identity and the capabilities of the session, or the reason of its failure.

use strum::Display;
use thiserror::Error;

use super::{CloseCause, quoted_suffix};
use crate::message::{Family, Handle, Ivar, NameKind, Titles};
use crate::text::ServerText;
use crate::wire::Timeseal;

/// Identity of the session on the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Identity {
    /// The name as the server spells it; `None` for a guest whose assigned name the server did not report.
    pub handle: Option<Handle>,
    /// The titles after the name; empty if the server does not show them.
    pub titles: Titles,
    /// Whether the name belongs to an account or to a guest.
    pub kind: NameKind,
}

/// Step that a login has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Display)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LoginStep {
    /// The server has not asked for a name yet.
    Greeting,
    /// The login string was sent; it sets ivars and reveals whether the server speaks timeseal.
    LoginString,
    /// The name was sent.
    Name,
    /// The server is full and has put the login in a queue, which advances without further input.
    Queued,
    /// The password was sent.
    Password,
    /// The server seems to have accepted the login; its first prompt, or a proof of the login, is awaited.
    Entering,
    /// The login is complete; the session is being set up.
    SetUp,
}

/// Reason why a login failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum LoginError {
    /// The password is wrong. It is not sent again.
    #[error("wrong password")]
    InvalidPassword,
    /// No account has this name.
    #[error("no account of this name")]
    UnknownAccount,
    /// A player with the guest's name is logged in: possibly this session itself, on an earlier connection that the server has
    /// not closed yet.
    #[error("name is in use")]
    NameInUse,
    /// The account, or every login from this address, is banned.
    #[error("banned")]
    Banned,
    /// Guests are not admitted, in general or from this address.
    #[error("guests are not admitted")]
    GuestsRefused,
    /// The name violates the server's rules for names.
    #[error("name is against the server's rules")]
    BadName,
    /// The guest's name belongs to an account.
    #[error("name belongs to an account, which requires a password")]
    PasswordRequired,
    /// The server has reached its maximum number of players.
    #[error("server is full")]
    ServerFull,
    /// The account needs the user's attention: its trial is over, it has to be renewed, or it is bound to another client.
    /// Contains the server's text.
    #[error("account is refused{}", quoted_suffix(.0, NO_REASON))]
    AccountRefused(ServerText),
    /// The server does not speak the version of timeseal that was asked for.
    #[error("server does not speak timeseal")]
    TimesealRefused,
    /// The connection ended, or the login timed out, before the first login prompt: most likely the peer is no chess server but
    /// speaks HTTP, SSH or the like. Contains the first line it sent, shortened if it is long.
    #[error("no login prompt: the server began with {:?}", .0.as_str())]
    NoLoginPrompt(ServerText),
    /// The named step of the login exceeded its timeout, that of this session or one of the server.
    #[error("login timed out: {0}")]
    TimedOut(LoginStep),
    /// The connection ended in the named step of the login.
    #[error("connection closed during login: {0}")]
    Closed(LoginStep),
    /// The WebSocket ended during the login by a violation of its protocol, or with a code that reports a failure.
    #[error("connection failed during login: {0}")]
    WebSocket(CloseCause),
    /// The server refused without a word. Contains the first line with words of its greeting, shortened if it is long.
    #[error("login refused{NO_REASON}; the server greeted with {:?}", .0.as_str())]
    Silent(ServerText),
    /// The server refused for another reason. Contains its last line that does not contain the password.
    #[error("login refused{}", quoted_suffix(.0, NO_REASON))]
    Other(ServerText),
}

impl LoginError {
    /// Returns whether another attempt would fail in the same way, or needs the user's decision. A session ends with such an
    /// error; any other one ends it only before it was ready for the first time.
    pub const fn is_final(&self) -> bool {
        matches!(
            self,
            Self::InvalidPassword
                | Self::UnknownAccount
                | Self::Banned
                | Self::BadName
                | Self::PasswordRequired
                | Self::AccountRefused(_)
                | Self::TimesealRefused
        )
    }
}

/// End of an error message if the server gives no reason.
const NO_REASON: &str = " without a reason";

/// Features of a connection that the server has confirmed. The set is not complete before the session is set up.
///
/// An ivar counts as on only if the server reports it so, in its answer to `iset` or in the list of ivars: some servers
/// answer `iset` with any name and do nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Capabilities {
    /// Family of the server; [`Family::Auto`] until it is known.
    pub family: Family,
    /// Version of timeseal that the connection speaks.
    pub timeseal: Timeseal,
    /// Whether replies are enclosed in ICC's level-1 units.
    pub units: bool,
    /// Set of the ivars that are on: bit `1 << (ivar as u8)` for each.
    #[cfg_attr(feature = "serde", serde(with = "crate::serial::ivars"))]
    pub(crate) ivars: u64,
}

impl Capabilities {
    /// Creates the capabilities of a connection without units.
    pub fn new(family: Family, timeseal: Timeseal, ivars: impl IntoIterator<Item = Ivar>) -> Self {
        Self { family, timeseal, units: false, ivars: ivars.into_iter().fold(0, |on, ivar| on | bit(ivar)) }
    }

    /// Returns whether this ivar is on.
    pub fn has(self, ivar: Ivar) -> bool {
        self.ivars & bit(ivar) != 0
    }

    /// Returns the ivars that are on, in the order of [`Ivar::ALL`].
    pub fn ivars(self) -> impl Iterator<Item = Ivar> {
        Ivar::ALL.iter().copied().filter(move |&ivar| self.has(ivar))
    }

    /// Sets or clears an ivar.
    pub(crate) fn set(&mut self, ivar: Ivar, on: bool) {
        self.ivars = if on { self.ivars | bit(ivar) } else { self.ivars & !bit(ivar) };
    }
}

const fn bit(ivar: Ivar) -> u64 {
    1 << ivar as u8
}

#[cfg(test)]
mod tests;
