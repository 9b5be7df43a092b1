//! Results of a login: the identity of the session, or the reason of its failure.

use strum::Display;
use thiserror::Error;

use super::{CloseCause, quoted_suffix};
use crate::message::{Handle, NameKind, Titles};
use crate::text::ServerText;

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
