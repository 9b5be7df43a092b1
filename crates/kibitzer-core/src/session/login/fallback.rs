//! What is asked of a server, less each time it does not understand.

use crate::event::{LoginError, LoginStep};
use crate::session::login::Entrance;
use crate::session::options::timeseal::TimesealChoice;
use crate::text::ServerText;
use crate::wire::Timeseal;

/// What the next attempt does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retreat {
    /// This version of timeseal.
    Timeseal,
    /// The login string.
    LoginString,
}

/// What the next connection asks for: less, each time a server does not understand.
#[derive(Debug)]
pub(crate) struct Ladder {
    versions: &'static [Timeseal],
    login_string: bool,
    /// The first of the versions has led to a session.
    timeseal_works: bool,
    /// The login string has.
    login_string_works: bool,
    /// The first line of a server that sent no login prompt. It may be silent where less is asked for.
    first_line: Option<ServerText>,
}

impl Ladder {
    pub(crate) const fn new(choice: TimesealChoice) -> Self {
        Self {
            versions: choice.versions(),
            login_string: true,
            timeseal_works: false,
            login_string_works: false,
            first_line: None,
        }
    }

    pub(crate) const fn login_string(&self) -> bool {
        self.login_string
    }

    pub(crate) fn timeseal(&self) -> Timeseal {
        self.versions.first().copied().unwrap_or_default()
    }

    /// Takes in what a session was made with.
    pub(crate) fn learn(&mut self, entrance: &Entrance) {
        self.first_line = None;
        self.timeseal_works |= !matches!(entrance.timeseal, Timeseal::Off);
        self.login_string_works |= entrance.string_understood;
    }

    /// The error as users get it. A server that is silent now may have answered when more was asked for.
    pub(crate) fn explain(&self, error: LoginError) -> LoginError {
        match (&error, &self.first_line) {
            (LoginError::TimedOut(LoginStep::Greeting) | LoginError::Closed(LoginStep::Greeting), Some(line)) => {
                LoginError::NoLoginPrompt(line.clone())
            }
            _ => error,
        }
    }

    /// Steps down; `false` if that was the last rung, or if the server has understood before what it says nothing about
    /// now: a server that starts again accepts connections and drops them, too.
    pub(crate) fn retreat(&mut self, retreat: Retreat, error: &LoginError) -> bool {
        let works = match retreat {
            Retreat::Timeseal => self.timeseal_works,
            Retreat::LoginString => self.login_string_works,
        };
        if let LoginError::NoLoginPrompt(line) = error {
            self.first_line = Some(line.clone());
        }
        if works && matches!(error, LoginError::Closed(_) | LoginError::TimedOut(_) | LoginError::NoLoginPrompt(_)) {
            return false;
        }
        match (retreat, self.versions) {
            (Retreat::Timeseal, [_, lower @ ..]) if !lower.is_empty() => {
                self.versions = lower;
                self.timeseal_works = false;
            }
            (Retreat::Timeseal, _) => return false,
            (Retreat::LoginString, _) => return std::mem::replace(&mut self.login_string, false),
        }
        true
    }
}
