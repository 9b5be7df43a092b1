//! What is asked of a server, less each time it does not understand.

use super::options::TimesealChoice;
use crate::wire::Timeseal;

/// What the next attempt does without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Retreat {
    /// This version of timeseal.
    Timeseal,
    /// The login string.
    LoginString,
}

/// What the next connection asks for: less, each time a server does not understand.
#[derive(Debug)]
pub(super) struct Ladder {
    versions: &'static [Timeseal],
    login_string: bool,
}

impl Ladder {
    pub(super) const fn new(choice: TimesealChoice, login_string: bool) -> Self {
        Self { versions: choice.versions(), login_string }
    }

    pub(super) const fn login_string(&self) -> bool {
        self.login_string
    }

    pub(super) fn timeseal(&self) -> Timeseal {
        self.versions.first().copied().unwrap_or_default()
    }

    /// Steps down; `false` if that was the last rung.
    pub(super) fn retreat(&mut self, retreat: Retreat) -> bool {
        match (retreat, self.versions) {
            (Retreat::Timeseal, [_, lower @ ..]) if !lower.is_empty() => self.versions = lower,
            (Retreat::Timeseal, _) => return false,
            (Retreat::LoginString, _) => return std::mem::replace(&mut self.login_string, false),
        }
        true
    }
}
