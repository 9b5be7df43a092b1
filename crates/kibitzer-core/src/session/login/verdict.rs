//! What comes of a login.

use crate::event::{Capabilities, Identity, LoginError};
use crate::message::Family;
use crate::session::ladder::Retreat;
use crate::session::requests::Mode;
use crate::wire::Timeseal;

/// What came of an input.
#[derive(Debug)]
pub(in crate::session) enum Verdict {
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
pub(in crate::session) struct Entrance {
    /// Who we are, if that was not told before.
    pub(in crate::session) unannounced: Option<Identity>,
    /// How replies are told apart.
    pub(in crate::session) mode: Mode,
    /// Whether what was sent in front of the name was: ivars, or ICC's levels.
    pub(in crate::session) string_understood: bool,
    pub(in crate::session) is_icc: bool,
    /// The version of timeseal the connection speaks.
    pub(in crate::session) timeseal: Timeseal,
}

impl Entrance {
    /// Returns the capabilities that the login has revealed.
    pub(in crate::session) fn capabilities(&self) -> Capabilities {
        let family = if self.is_icc { Family::Icc } else { Family::Fics };
        let capabilities = Capabilities::new(family, self.timeseal, []);
        if self.mode == Mode::Tagged { capabilities.with_units() } else { capabilities }
    }
}
