//! What comes of a login.

use crate::event::{Capabilities, Identity, LoginError};
use crate::message::Family;
use crate::session::login::fallback::Retreat;
use crate::session::requests::Mode;
use crate::wire::Timeseal;

/// What came of an input.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It goes on.
    Goes,
    /// The server has let us in; it is still to show how it answers.
    LoggedIn(Identity),
    /// The login is complete.
    Complete(Entrance),
    Failed(LoginError),
    /// It has to be tried again at once, with less; if nothing less is left, it failed.
    Retreat(Retreat, LoginError),
}

/// What is known once the login is complete.
#[derive(Clone, Debug)]
pub(crate) struct Entrance {
    /// Who we are, if that was not told before.
    pub(crate) unannounced: Option<Identity>,
    /// How replies are told apart.
    pub(crate) mode: Mode,
    /// Whether what was sent in front of the name was: ivars, or ICC's levels.
    pub(crate) string_understood: bool,
    pub(crate) is_icc: bool,
    /// The version of timeseal the connection speaks.
    pub(crate) timeseal: Timeseal,
}

impl Entrance {
    /// Returns the capabilities that the login has revealed.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let family = if self.is_icc { Family::Icc } else { Family::Fics };
        let capabilities = Capabilities::new(family, self.timeseal, []);
        if self.mode == Mode::Tagged { capabilities.with_units() } else { capabilities }
    }
}
