//! Time at which the next line may be sent, where fences delimit replies.
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
use crate::reader::is_caused_by_others;
use crate::session::options::saturating_deadline;
use crate::wire::Fence;

/// Maximum wait for a prompt. A custom prompt of the account may not be recognized.
const PROMPT_WAIT: Duration = Duration::from_millis(250);

/// Maximum wait for the answer to a fence. Some servers read a line that arrives together with another one two seconds late. The
/// wait is well above that, because a line that is sent too early would be late, too.
const ANSWER_WAIT: Duration = Duration::from_secs(10);

/// Gate that is closed by each sent line until the server has read that line, or a maximum wait has passed.
#[derive(Debug)]
pub(crate) struct LineGate {
    state: GateState,
    /// Whether all messages since the last prompt were caused by other players or games; `None` if there were no messages.
    is_from_others: Option<bool>,
}

#[derive(Clone, Copy, Debug)]
enum GateState {
    Open,
    Prompt { until: Instant },
    Answer { fence: Fence, until: Instant },
}

impl LineGate {
    /// Creates the gate of a connection whose login is complete, except for its last prompt.
    pub(crate) fn closed_after_login(now: Instant) -> Self {
        Self { state: GateState::Prompt { until: saturating_deadline(now, PROMPT_WAIT) }, is_from_others: None }
    }

    /// Opens the gate if its maximum wait is over. Returns whether it is open.
    pub(crate) fn open_if_due(&mut self, now: Instant) -> bool {
        if self.opens_at_latest().is_some_and(|until| until <= now) {
            self.state = GateState::Open;
        }
        matches!(self.state, GateState::Open)
    }

    /// Returns the time at which the gate opens at the latest; `None` if it is open.
    pub(crate) const fn opens_at_latest(&self) -> Option<Instant> {
        match self.state {
            GateState::Open => None,
            GateState::Prompt { until } | GateState::Answer { until, .. } => Some(until),
        }
    }

    /// Closes the gate after a line other than the fence of a command, until a prompt is received or [`PROMPT_WAIT`] is over.
    pub(crate) fn close_until_prompt(&mut self, now: Instant) {
        self.state = GateState::Prompt { until: saturating_deadline(now, PROMPT_WAIT) };
    }

    /// Closes the gate after the fence of a command was sent, until the answer to `fence` and a prompt after it are received, or
    /// until [`ANSWER_WAIT`] is over.
    pub(crate) fn close_until_answer(&mut self, fence: Fence, now: Instant) {
        self.state = GateState::Answer { fence, until: saturating_deadline(now, ANSWER_WAIT) };
    }

    /// Processes a message other than a prompt: records whether others caused all messages since the last prompt. After the
    /// answer to the awaited fence, the gate waits for the next prompt only.
    pub(crate) fn note_non_prompt_message(&mut self, event: &Event, message: &Message, now: Instant) {
        if !event.raw().is_empty() {
            self.is_from_others = Some(is_caused_by_others(message) && self.is_from_others.unwrap_or(true));
        }
        if let GateState::Answer { fence, .. } = self.state
            && fence.is_answered_by(event.raw())
        {
            self.close_until_prompt(now);
        }
    }

    /// Processes a prompt: opens the gate if it waits for one, unless all messages since the last prompt were caused by others.
    pub(crate) fn open_on_own_prompt(&mut self) {
        let is_from_others = self.is_from_others.take().unwrap_or(false);
        if matches!(self.state, GateState::Prompt { .. }) && !is_from_others {
            self.state = GateState::Open;
        }
    }
}
