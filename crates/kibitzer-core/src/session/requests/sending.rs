//! Selection and sending of the next command.

use std::time::Instant;

use super::sent::{ReplyKey, RequestedCommand, Requester, SentCommand};
use super::talk_pacing::ThrottledTalk;
use super::{CompletedRequest, Requests};
use crate::game::Games;
use crate::reader::PROBE;
use crate::session::command::Command;
use crate::session::dialect::reply_marks::ReplyMode;
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
        let may_be_sent =
            |request: &RequestedCommand| !self.waits_for_restoration(request) && self.paused_until(request).is_none();
        let at = self.queue.iter().position(may_be_sent)?;
        // Replies before and after a switch of block mode are delimited differently, so it is sent alone.
        if self.queue.get(at)?.may_switch_block_mode() && n_awaited > 0 { None } else { self.queue.remove(at) }
    }

    /// Returns whether a command has to wait for the end of the restoration: a user's request to observe, because the restoration
    /// may observe the same game.
    fn waits_for_restoration(&self, request: &RequestedCommand) -> bool {
        self.is_restoring && request.requester == Requester::User && request.asks_to_observe()
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
