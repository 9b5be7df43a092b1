//! Results of the steps of a login.

use crate::event::{Capabilities, LoginError};
use crate::session::dialect::Dialect;
use crate::session::dialect::reply_marks::ReplyMode;
use crate::wire::Timeseal;

/// Progress of a login after one input.
#[derive(Debug)]
pub(crate) enum LoginProgress {
    Continue,
    Complete(CompletedLogin),
    Failed(LoginError),
    /// The server may not understand this feature: the login fails with this error unless it is retried without.
    RetryWithout(LoginFeature, LoginError),
}

/// Feature that a login requests although the server may not understand the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoginFeature {
    /// The version of timeseal that this connection uses.
    Timeseal,
    /// The lines before the name.
    LoginString,
}

/// Facts about the connection that the login has revealed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CompletedLogin {
    pub(crate) mode: ReplyMode,
    /// Whether the server understood the lines before the name.
    pub(crate) string_understood: bool,
    pub(crate) dialect: Dialect,
    /// The version of timeseal that the connection speaks.
    pub(crate) timeseal: Timeseal,
}

impl CompletedLogin {
    /// Returns the capabilities that the login has revealed.
    pub(crate) fn capabilities(self) -> Capabilities {
        let units = self.mode == ReplyMode::Tagged;
        Capabilities { units, ..Capabilities::new(self.dialect.family(), self.timeseal, []) }
    }
}
