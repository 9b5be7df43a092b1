//! What comes of a login.

use crate::message::{Handle, NameKind, Titles};
use crate::session::error::LoginError;
use crate::session::ladder::Retreat;
use crate::session::requests::Mode;
use crate::wire::Timeseal;

/// Who we are on the server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity {
    /// Our name as the server spells it. `None` if a guest was not told.
    pub handle: Option<Handle>,
    /// The codes behind it, where the server shows them.
    pub titles: Titles,
    /// Whether it is an account's.
    pub kind: NameKind,
}

impl Identity {
    /// Somebody, as another program tells of a session.
    pub const fn new(handle: Option<Handle>, titles: Titles, kind: NameKind) -> Self {
        Self { handle, titles, kind }
    }
}

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
