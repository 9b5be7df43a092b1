//! One client's connection.

use kibitzer_core::message::Handle;

use super::ivars::Ivars;
use super::levels::IccLevelSettings;
use super::player::Player;
use super::seal::TimesealClock;
use crate::family::Family;
use crate::play::BoardForm;
use crate::wire::InputReader;

/// Reason with which the server refuses logins on request, whether it is true or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoginObstacle {
    /// The name has characters other than letters.
    BadName,
    /// The name belongs to an account: the server asks for the password and refuses every one.
    NameRegistered,
    /// Another player is logged in under the guest's name.
    NameInUse,
    /// The account is banned.
    Banned,
    /// Guests are refused.
    GuestsRefused,
    /// The password is wrong: the server asks for one and refuses every one.
    InvalidPassword,
    /// The server is full.
    Full,
    /// No reason: the server sends no answer until the login times out.
    Silence,
}

/// The reason why the server ends a session that its client did not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KickReason {
    /// The same player logged in on another connection.
    SecondLogin,
    /// An administrator ended the session.
    Admin,
}

/// Stage of the login.
#[derive(Debug, Default)]
pub(crate) enum LoginStage {
    /// Waiting for a name.
    #[default]
    Name,
    /// Waiting for any line, which logs in the guest of this name.
    Return(Handle),
    /// Waiting for the password of this registered name.
    Password(Handle),
    /// The password was wrong; nothing is processed until the pause is over.
    Paused,
    /// The login is done.
    LoggedIn(Box<Player>),
}

/// The state of one client's connection: its login, settings, and bytes to send.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    pub(crate) input: InputReader,
    /// Bytes queued for the client.
    pub(crate) unsent: Vec<u8>,
    /// Whether the connection is closed once `unsent` is sent.
    pub(crate) is_closing: bool,
    /// Whether a line was received: timeseal is recognized in the first line only.
    pub(crate) has_received_line: bool,
    /// The clock of a client that uses timeseal; `None` for other clients.
    pub(crate) seal: Option<TimesealClock>,
    /// The obstacle that the operator has ordered for this connection.
    pub(crate) obstacle: Option<LoginObstacle>,
    /// A kick that was ordered before the end of the login.
    pub(crate) kick: Option<KickReason>,
    /// Interface variables from the login string; `None` if none was received.
    pub(crate) ivars: Option<Ivars>,
    pub(crate) stage: LoginStage,
    /// Family that the server imitates for this client.
    pub(crate) family: Family,
    /// Format of boards; `None` if they are sent as datagrams, without lines.
    pub(crate) board_form: Option<BoardForm>,
    /// Level settings of an ICC client.
    pub(crate) levels: IccLevelSettings,
    /// Whether the connection is that of a simulated player, without a client.
    pub(crate) is_simulated: bool,
}

impl Connection {
    pub(crate) fn new(family: Family) -> Self {
        let board_form = Some(if family == Family::Fics { BoardForm::Style12 } else { BoardForm::ShortStyle12 });
        Self { family, board_form, ..Self::default() }
    }

    /// Creates the connection of a simulated player, who knows only the FICS family.
    pub(crate) fn simulated() -> Self {
        Self { is_simulated: true, ..Self::new(Family::Fics) }
    }

    pub(crate) fn player(&self) -> Option<&Player> {
        if let LoginStage::LoggedIn(player) = &self.stage { Some(player) } else { None }
    }

    pub(crate) fn player_mut(&mut self) -> Option<&mut Player> {
        if let LoginStage::LoggedIn(player) = &mut self.stage { Some(player) } else { None }
    }
}
