//! One client's connection.

use kibitzer_core::message::{Handle, Ivar};

use super::ivars::Ivars;
use super::levels::Levels;
use super::player::Player;
use super::seal::TimesealClock;
use super::variables::Number;
use crate::family::Family;
use crate::wire::input::InputReader;
use crate::wire::output::{self, Width};

/// Why a login is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LoginObstacle {
    /// The name has characters other than letters.
    BadName,
    /// The name belongs to an account, so that a password is asked for, which no one knows.
    NameRegistered,
    /// Another player is logged in under the guest's name.
    NameInUse,
    /// The account is shut out.
    Banned,
    /// Guests are not admitted.
    GuestsRefused,
    /// Every password is refused.
    InvalidPassword,
    /// There are too many players.
    Full,
    /// No answer ever comes, until the login has taken too long.
    Silence,
}

/// How a session is ended from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kick {
    /// As if the player had logged in a second time.
    SecondLogin,
    /// By an administrator.
    Admin,
}

/// Stage of the login.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Waiting for a name.
    Name,
    /// Any line logs the guest in.
    Return(Handle),
    /// Waiting for the password of this registered name.
    Password(Handle),
    /// The password was wrong; received bytes are held until the pause is over.
    Paused,
    /// The login is done.
    LoggedIn(Box<Player>),
}

#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) input: InputReader,
    /// Bytes received during a pause.
    pub(crate) held: Vec<u8>,
    /// Bytes to be sent.
    pub(crate) unsent: Vec<u8>,
    /// Whether the connection ends once that is sent.
    pub(crate) is_closing: bool,
    /// Whether a line was read: a hello has to be the first.
    pub(crate) has_spoken: bool,
    pub(crate) seal: Option<TimesealClock>,
    /// The refusal that the operator ordered for this connection.
    pub(crate) refusal: Option<LoginObstacle>,
    /// A kick that was ordered before the login was done.
    pub(crate) kick: Option<Kick>,
    /// Interface variables of the login string.
    pub(crate) ivars: Option<Ivars>,
    pub(crate) stage: Stage,
    /// Which family the server is of for this client. A simulated player knows one alone.
    pub(crate) family: Family,
    /// Level settings of an ICC client.
    pub(crate) levels: Levels,
    /// Whether there is no client: the player is simulated.
    pub(crate) is_simulated: bool,
}

impl Connection {
    pub(crate) fn new(family: Family) -> Self {
        Self {
            input: InputReader::default(),
            held: Vec::new(),
            unsent: Vec::new(),
            is_closing: false,
            has_spoken: false,
            seal: None,
            refusal: None,
            kick: None,
            ivars: None,
            stage: Stage::Name,
            family,
            levels: Levels::default(),
            is_simulated: false,
        }
    }

    /// Creates the connection of a simulated player.
    pub(crate) fn simulated() -> Self {
        Self { has_spoken: true, is_simulated: true, ..Self::new(Family::Fics) }
    }

    pub(crate) fn player(&self) -> Option<&Player> {
        match &self.stage {
            Stage::LoggedIn(player) => Some(player),
            Stage::Name | Stage::Return(_) | Stage::Password(_) | Stage::Paused => None,
        }
    }

    pub(crate) fn player_mut(&mut self) -> Option<&mut Player> {
        match &mut self.stage {
            Stage::LoggedIn(player) => Some(player),
            Stage::Name | Stage::Return(_) | Stage::Password(_) | Stage::Paused => None,
        }
    }

    /// Queues text; long lines are wrapped unless the client switched that off.
    pub(crate) fn put(&mut self, text: &str) {
        let width = self.width();
        output::write(text, width, self.family.dialect().line_end, &mut self.unsent);
    }

    /// Sends text whose lines are never broken: boards, offers, results.
    pub(crate) fn put_whole(&mut self, text: &str) {
        output::write(text, Width::Whole, self.family.dialect().line_end, &mut self.unsent);
    }

    /// Sends bytes as they are: telnet commands, pings, the marks of a block.
    pub(crate) fn put_bytes(&mut self, bytes: &[u8]) {
        self.unsent.extend_from_slice(bytes);
    }

    fn width(&self) -> Width {
        match self.player() {
            Some(player) if !player.ivars.is_set(Ivar::NoWrap) && self.levels.is_wrapping => {
                Width::Wrapped(player.saved.variables.number(Number::Width).into())
            }
            Some(_) | None => Width::Whole,
        }
    }
}
