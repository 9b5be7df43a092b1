//! Selection and sending of the next command, and the time at which it may be sent where fences delimit replies.
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

use super::sent::{ReplyKey, RequestedCommand, Requester, SentCommand};
use super::talk::ThrottledTalk;
use super::{CompletedRequest, Requests};
use crate::event::Event;
use crate::game::Games;
use crate::message::Message;
use crate::reader::{PROBE, is_caused_by_others};
use crate::session::command::Command;
use crate::session::dialect::ReplyMode;
use crate::session::options::saturating_deadline;
use crate::session::output::Output;
use crate::session::reply::PartialReply;
use crate::wire::Fence;

/// Maximum number of requests that wait for their reply, whatever the options permit.
const MAX_IN_FLIGHT: usize = 64;

impl Requests {
    /// Completes the commands whose conditions are no longer met with an error, and sends all lines that may be sent now. Returns
    /// whether one of them resets the server's idle timer.
    pub(crate) fn send_ready_lines(&mut self, games: &Games, output: &mut Output, now: Instant) -> bool {
        self.fail_requests_with_unmet_conditions(games, now);
        self.pacing.end_expired_pauses(now);
        let mut resets_idle_timer = false;
        while self.mode != ReplyMode::Fenced || self.gate.open_if_due(now) {
            if self.try_send_missing_fence(output, now) {
                continue;
            }
            let Some(request) = self.take_next_sendable_request() else { break };
            resets_idle_timer |= request.command.as_ref().is_some_and(Command::resets_idle_timer);
            self.send_request(request, output, now);
        }
        resets_idle_timer
    }

    /// Removes the queued commands whose conditions are no longer met, and completes them with `RequestError::Expired` or
    /// `RequestError::GameOver`.
    fn fail_requests_with_unmet_conditions(&mut self, games: &Games, now: Instant) {
        let violation = |(at, request): (usize, &RequestedCommand)| {
            Some((at, request.conditions.unmet_condition_error(games, now)?))
        };
        while let Some((at, error)) = self.queue.iter().enumerate().find_map(violation) {
            let Some(request) = self.queue.remove(at) else { break };
            self.completed.push_back(CompletedRequest { request, result: Err(error), new_prompt: None });
        }
    }

    /// Queues the fence after a command that was sent without it; returns `false` if no fence is missing.
    fn try_send_missing_fence(&mut self, output: &mut Output, now: Instant) -> bool {
        let Some(sent) = self.sent.commands.iter_mut().find(|sent| sent.has_unsent_fence) else { return false };
        let Some(fence) = sent.key.fence() else { return false };
        output.push_request_and_learn_alias(None, fence.as_str().to_owned(), sent.request.attribution());
        sent.has_unsent_fence = false;
        sent.sent_at = now;
        self.gate.close_until_answer(fence, now);
        true
    }

    /// Removes and returns the first command of the queue that may be sent; `None` if all have to wait, or while the maximum
    /// number of replies or a switch of block mode is awaited.
    fn take_next_sendable_request(&mut self) -> Option<RequestedCommand> {
        if self.queue.is_empty() {
            return None;
        }
        let n_awaited = self.sent.not_abandoned().count();
        let is_mode_uncertain = || self.sent.not_abandoned().any(|sent| sent.request.may_switch_block_mode());
        if n_awaited >= self.options.requests.in_flight.clamp(1, MAX_IN_FLIGHT) || is_mode_uncertain() {
            return None;
        }
        // The restoration may observe the game that a user asks to observe.
        let waits_for_restoration = |request: &RequestedCommand| {
            self.is_restoring && request.requester == Requester::User && request.asks_to_observe()
        };
        let may_be_sent =
            |request: &RequestedCommand| !waits_for_restoration(request) && self.paused_until(request).is_none();
        let at = self.queue.iter().position(may_be_sent)?;
        // Replies before and after a switch of block mode are delimited differently, so it is sent alone.
        if self.queue.get(at)?.may_switch_block_mode() && n_awaited > 0 { None } else { self.queue.remove(at) }
    }

    /// Returns the end of the pause that the server's throttle of talk requires before this command; `None` if it may be sent.
    pub(super) fn paused_until(&self, request: &RequestedCommand) -> Option<Instant> {
        self.pacing.paused_until(ThrottledTalk::from_command(request.command.as_ref()?)?)
    }

    /// Queues the line of a request, numbered or to be followed by a fence, and registers it with the deadline of its reply.
    fn send_request(&mut self, request: RequestedCommand, output: &mut Output, now: Instant) {
        let text = request.command.as_ref().map(Command::as_str);
        let has_unsent_fence = self.mode == ReplyMode::Fenced && text.is_some();
        // Commands after `$$` do not reset the idle timer, so a probe does not prevent the idle logout. A server that does not know
        // `$` repeats it in its refusal.
        let (key, line) = if self.mode == ReplyMode::Fenced {
            self.sent.evict_abandoned_if_full();
            self.gate.close_until_prompt(now);
            let fence = Fence::random(&mut self.rng);
            (ReplyKey::Fence(fence), text.map_or_else(|| format!("$${}", fence.as_str()), str::to_owned))
        } else {
            let number = self.sent.reserve_number();
            (ReplyKey::Number(number), self.mode.line_for_command(number, text.unwrap_or(PROBE)))
        };
        output.push_request_and_learn_alias(request.command.as_ref(), line, request.attribution());
        self.sent.commands.push_back(SentCommand {
            request,
            key,
            has_unsent_fence,
            sent_at: now,
            deadline: saturating_deadline(now, self.options.timings.request),
            reply: PartialReply::default(),
            new_prompt: None,
        });
    }
}

/// Maximum wait for a prompt. A custom prompt of the account may not be recognized.
const PROMPT_WAIT: Duration = Duration::from_millis(250);

/// Maximum wait for the answer to a fence. Some servers read a line that arrives together with another one two seconds late. The
/// wait is well above that, because a line that is sent too early would be late, too.
const ANSWER_WAIT: Duration = Duration::from_secs(10);

/// Gate that is closed by each sent line until the server has read that line, or a maximum wait has passed.
#[derive(Debug)]
pub(super) struct LineGate {
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
