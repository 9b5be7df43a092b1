//! When the next line may be sent, where replies are delimited by fences.
//!
//! A server may process one of the lines that arrived together and read the others only when more bytes arrive, or two
//! seconds later. So a line is sent only after the server has read the one before it. A command cannot share a line with
//! its fence, as these servers have no separator for commands.
//!
//! Source: uhlin-fics, tried.
//!
//! | state | input | next state |
//! |---|---|---|
//! | any | a command or a probe is sent | `Prompt` |
//! | any | the fence of a command is sent | `Answer` |
//! | `Answer` | the answer to that fence | `Prompt` |
//! | `Prompt` | a prompt, unless only messages that others caused precede it | `Open` |
//! | `Prompt`, `Answer` | its time is over | `Open` |

use std::time::{Duration, Instant};

use crate::event::Event;
use crate::message::Message;
use crate::session::options::after;
use crate::session::reply::is_caused_by_others;
use crate::session::requests::fence::Fence;

/// The longest wait for a prompt: the account's own prompt may not be known.
const PROMPT_WAIT: Duration = Duration::from_millis(250);

/// The longest wait for the answer to a fence. Well above the two seconds after which a line is read that arrived with
/// another: each line sent before that would add one that is read late.
const ANSWER_WAIT: Duration = Duration::from_secs(10);

/// Lets one line pass at a time.
#[derive(Debug)]
pub(crate) struct LineGate {
    state: State,
    /// Everything since the last prompt was caused by others; `None` if nothing was received.
    is_from_others: Option<bool>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Open,
    Prompt { until: Instant },
    Answer { fence: Fence, until: Instant },
}

impl LineGate {
    /// A gate on a connection whose login has ended, but not its last prompt.
    pub(crate) fn after_login(now: Instant) -> Self {
        Self { state: State::Prompt { until: after(now, PROMPT_WAIT) }, is_from_others: None }
    }

    /// Opens the gate if it was closed for too long. Returns whether it is open.
    pub(crate) fn is_open(&mut self, now: Instant) -> bool {
        if self.until().is_some_and(|until| until <= now) {
            self.open();
        }
        matches!(self.state, State::Open)
    }

    /// When the gate opens at the latest; `None` if it is open.
    pub(crate) const fn until(&self) -> Option<Instant> {
        match self.state {
            State::Open => None,
            State::Prompt { until } | State::Answer { until, .. } => Some(until),
        }
    }

    pub(crate) const fn open(&mut self) {
        self.state = State::Open;
    }

    /// A line other than the fence of a command was sent.
    pub(crate) fn close_until_prompt(&mut self, now: Instant) {
        self.state = State::Prompt { until: after(now, PROMPT_WAIT) };
    }

    /// The fence of a command was sent.
    pub(crate) fn close_until_answer(&mut self, fence: Fence, now: Instant) {
        self.state = State::Answer { fence, until: after(now, ANSWER_WAIT) };
    }

    /// Processes a message that is no prompt.
    pub(crate) fn content(&mut self, event: &Event, message: &Message, now: Instant) {
        if !event.raw().is_empty() {
            self.is_from_others = Some(is_caused_by_others(message) && self.is_from_others.unwrap_or(true));
        }
        if let State::Answer { fence, .. } = self.state
            && fence.is_answered_by(event.raw())
        {
            self.close_until_prompt(now);
        }
    }

    /// Processes a prompt.
    pub(crate) fn prompt(&mut self) {
        let is_from_others = self.is_from_others.take().unwrap_or(false);
        if matches!(self.state, State::Prompt { .. }) && !is_from_others {
            self.open();
        }
    }
}
