//! What a live session tells of itself.

pub(super) mod json;
pub(super) mod text;

use std::time::Duration;

use kibitzer::core::event::{
    AdjournedGame, AdjournedState, Capabilities, EndReason, Identity, LostCause, Outcome, Restored,
};
use kibitzer::core::{Event, ServerFault};

/// A line about the session, rather than about what the server said.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Life<'a> {
    Connecting {
        attempt: u32,
    },
    Connected,
    LoggedIn(&'a Identity),
    Ready(Capabilities),
    /// `None` is a password.
    Sent(Option<&'a str>),
    Fault(ServerFault),
    Lost {
        cause: &'a LostCause,
        retry_in: Option<Duration>,
    },
    Restored(&'a Restored),
    Adjourned(&'a AdjournedGame),
    Ended(&'a EndReason),
}

impl<'a> Life<'a> {
    pub(super) fn of(event: &'a Event) -> Option<Self> {
        Some(match event {
            &Event::Connecting { attempt } => Self::Connecting { attempt },
            Event::Connected => Self::Connected,
            Event::LoggedIn(identity) => Self::LoggedIn(identity),
            &Event::Ready(capabilities) => Self::Ready(capabilities),
            Event::Sent { line, .. } => Self::Sent(line.as_deref()),
            &Event::Fault(fault) => Self::Fault(fault),
            Event::Lost { cause, retry_in } => Self::Lost { cause, retry_in: *retry_in },
            Event::Restored(restored) => Self::Restored(restored),
            Event::Adjourned(game) => Self::Adjourned(game),
            Event::Ended(reason) => Self::Ended(reason),
            _ => return None,
        })
    }
}

/// The word for why a session is over.
pub(super) const fn end_name(reason: &EndReason) -> &'static str {
    match reason {
        EndReason::Quit => "quit",
        EndReason::Shutdown => "shutdown",
        EndReason::Kicked(_) => "kicked",
        EndReason::Login(_) => "login",
        EndReason::Dial(_) => "dial",
        EndReason::Lost { .. } => "lost",
        _ => "other",
    }
}

/// The word for how a game is found again.
pub(super) const fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Unchanged => "unchanged",
        Outcome::Advanced { .. } => "advanced",
        Outcome::Changed => "changed",
        Outcome::Ended => "ended",
        Outcome::Gone => "gone",
        Outcome::Adjourned => "adjourned",
        Outcome::Interrupted => "interrupted",
        _ => "other",
    }
}

/// The word for the state of an adjourned game.
pub(super) const fn state_name(state: &AdjournedState) -> &'static str {
    match state {
        AdjournedState::Stored => "stored",
        AdjournedState::Challenged => "challenged",
        AdjournedState::Resumed { .. } => "resumed",
        AdjournedState::Declined => "declined",
        AdjournedState::Refused(_) => "refused",
        _ => "other",
    }
}
