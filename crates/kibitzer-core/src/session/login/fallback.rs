//! Results of a login, and the features that the next connection requests: fewer after each that the server did not understand.
//!
//! | features | failure with | next features |
//! |---|---|---|
//! | timeseal 2 (`Auto`) | [`LoginFeature::Timeseal`] | timeseal 1 |
//! | timeseal 1 (`Auto`) | [`LoginFeature::Timeseal`] | no timeseal |
//! | the only or last version | [`LoginFeature::Timeseal`] | none: the login fails |
//! | login string | [`LoginFeature::LoginString`] | no login string |
//! | any that worked before | silence or a closed connection | the same: the login fails |

use super::LoginState;
use crate::event::{Capabilities, LoginError, LoginStep};
use crate::session::dialect::{Dialect, ReplyMode};
use crate::session::options::TimesealChoice;
use crate::text::ServerText;
use crate::wire::Timeseal;

/// Progress of a login after one input.
#[derive(Debug)]
pub(crate) enum LoginProgress {
    Continue,
    /// The lines of this state are to be sent.
    Enter(LoginState),
    /// The server does not understand timeseal: the login starts again on this connection, without.
    WithoutTimeseal,
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
#[derive(Clone, Debug)]
pub(crate) struct CompletedLogin {
    pub(crate) mode: ReplyMode,
    /// Whether the server understood the lines before the name.
    pub(crate) string_understood: bool,
    pub(crate) dialect: Dialect,
    /// The version of timeseal that the connection speaks.
    pub(crate) timeseal: Timeseal,
    /// The custom prompt of the account; `None` if none was detected.
    pub(crate) prompt: Option<Vec<u8>>,
}

impl CompletedLogin {
    /// Returns the capabilities that the login has revealed.
    pub(crate) fn capabilities(&self) -> Capabilities {
        let units = self.mode == ReplyMode::Tagged;
        Capabilities { units, ..Capabilities::new(self.dialect.family(), self.timeseal, []) }
    }
}

/// Features that the next connection requests.
#[derive(Debug)]
pub(crate) struct LoginFallback {
    /// Versions of timeseal that were not given up, best first. The first one is used; never empty.
    versions: &'static [Timeseal],
    pub(crate) uses_login_string: bool,
    /// Whether a login with the first of `versions` has succeeded.
    timeseal_works: bool,
    /// Whether a login with the login string has succeeded.
    login_string_works: bool,
    /// First line of a server that sent no login prompt, kept for the error: on the next connection, which requests fewer
    /// features, the server may send nothing.
    first_line: Option<ServerText>,
}

impl LoginFallback {
    pub(crate) const fn new(choice: TimesealChoice) -> Self {
        Self {
            versions: choice.versions_to_try(),
            uses_login_string: true,
            timeseal_works: false,
            login_string_works: false,
            first_line: None,
        }
    }

    pub(crate) fn next_timeseal(&self) -> Timeseal {
        self.versions.first().copied().unwrap_or_default()
    }

    /// Records the features of a complete login as working.
    pub(crate) fn note_working_features(&mut self, login: &CompletedLogin) {
        self.first_line = None;
        self.timeseal_works |= login.timeseal != Timeseal::Off;
        self.login_string_works |= login.string_understood;
    }

    /// Replaces the error of a silent server by [`LoginError::NoLoginPrompt`] if it sent a line on an earlier connection, which
    /// requested more features.
    pub(crate) fn explain_silence(&self, error: LoginError) -> LoginError {
        match (&error, &self.first_line) {
            (LoginError::TimedOut(LoginStep::Greeting) | LoginError::Closed(LoginStep::Greeting), Some(line)) => {
                LoginError::NoLoginPrompt(line.clone())
            }
            _ => error,
        }
    }

    /// Stops requesting a feature on later connections, and returns whether it did: not if no lower version is left or the
    /// feature is off already, nor if the feature worked before and the server only fell silent, because a restarting server
    /// drops connections too.
    ///
    /// In every case, keeps the line of [`LoginError::NoLoginPrompt`] for [`explain_silence`](Self::explain_silence).
    pub(crate) fn try_stop_requesting(&mut self, feature: LoginFeature, error: &LoginError) -> bool {
        let has_worked = match feature {
            LoginFeature::Timeseal => self.timeseal_works,
            LoginFeature::LoginString => self.login_string_works,
        };
        if let LoginError::NoLoginPrompt(line) = error {
            self.first_line = Some(line.clone());
        }
        let is_silence =
            matches!(error, LoginError::Closed(_) | LoginError::TimedOut(_) | LoginError::NoLoginPrompt(_));
        match (feature, self.versions) {
            _ if has_worked && is_silence => false,
            (LoginFeature::Timeseal, [_, lower @ ..]) if !lower.is_empty() => {
                self.versions = lower;
                self.timeseal_works = false;
                true
            }
            (LoginFeature::Timeseal, _) => false,
            (LoginFeature::LoginString, _) => std::mem::replace(&mut self.uses_login_string, false),
        }
    }
}
