//! Requests of one connection: queued commands, sent commands, and their replies.
//!
//! Replies are matched by number in block mode and in ICC's units, otherwise by the fence after each command.
//!
//! | state of a command | input | next state |
//! |---|---|---|
//! | queued | limits, the line gate and the throttle of talk permit it | sent |
//! | queued | withdrawn or abandoned | removed |
//! | queued | its deadline; its game is over | completed with `Expired` or `GameOver` |
//! | sent | its reply ends | completed |
//! | sent | its reply reports that talk was dropped | queued again, at most five times |
//! | sent | its reply ends the observation that a restored game needs | queued again, once |
//! | sent | its timeout | completed with `TimedOut`; abandoned |
//! | sent | abandoned by the requester | abandoned |
//! | abandoned | its reply ends | completed for `Requester::Abandoned` |
//! | any | the connection is closed | completed with an error |

mod sending;
mod sent;
pub(super) mod talk;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;

use super::command::Command;
use super::custom_prompt;
use super::dialect::ReplyMode;
use super::options::{SessionOptions, saturating_deadline};
use super::output::Output;
use super::reply::{PartialReply, Reply};
use crate::event::{Event, RequestError, RequestId, SessionEndReason};
use crate::message::{CommandCode, Control, Message};
use crate::reader::{ReplyMark, ReplyMarks};

use sending::LineGate;
use sent::{SentCommand, SentCommands};
use talk::{TalkPacing, TalkResult, ThrottledTalk};

pub(super) use sent::{RequestedCommand, Requester, SendConditions};

/// Maximum number of times that a line of talk is sent again after the server dropped it.
const MAX_TALK_RETRIES: u8 = 5;

/// Line in the reply to `iset block 0` that reports that block mode is off.
const BLOCK_UNSET: &[u8] = b"block unset.";

/// A request with its final reply or error.
#[derive(Debug)]
pub(super) struct CompletedRequest {
    pub(super) request: RequestedCommand,
    pub(super) result: Result<Reply, RequestError>,
    /// The prompt that the command has set; empty for the server's default. `None` if it has set none.
    pub(super) new_prompt: Option<Vec<u8>>,
}

impl CompletedRequest {
    /// Counts the request as answered or failed, and queues the reply if a user waits for it.
    ///
    /// A refusal is an answer. Not counted are an abandoned request, which was completed at its timeout or whose caller stopped
    /// waiting, and the `quit` that ended the session.
    pub(super) fn deliver(self, output: &mut Output) {
        match (&self.request.requester, &self.result) {
            (Requester::Abandoned, _) => {}
            (_, Err(RequestError::Ended(SessionEndReason::Quit))) if self.is_quit() => {}
            (_, Ok(_) | Err(RequestError::Refused { .. })) => output.counters.requests_answered += 1,
            (_, Err(_)) => output.counters.requests_failed += 1,
        }
        if self.request.requester == Requester::User {
            output.replies.push_back((self.request.id, self.result));
        }
    }

    /// Returns whether a user of the session made the request, even if the user no longer waits for its reply.
    pub(super) fn was_requested_by_user(&self) -> bool {
        matches!(self.request.requester, Requester::User | Requester::Abandoned)
    }

    /// Returns whether the command is `quit`.
    pub(super) fn is_quit(&self) -> bool {
        self.request.command.as_ref().is_some_and(Command::is_quit)
    }

    /// Returns the command and its reply; `None` if the request failed or has no command.
    pub(super) fn command_and_reply(&self) -> Option<(&Command, &Reply)> {
        self.request.command.as_ref().zip(self.result.as_ref().ok())
    }
}

/// The requests of one connection.
#[derive(Debug)]
pub(super) struct Requests {
    options: Arc<SessionOptions>,
    /// Draws the fences.
    rng: Rng,
    /// Number of requests made in this session.
    pub(super) n_made: u32,
    pub(super) mode: ReplyMode,
    pub(super) queue: VecDeque<RequestedCommand>,
    /// Whether games are being observed again after a reconnect. Users' requests to observe wait until that is done.
    pub(super) is_restoring: bool,
    pub(super) sent: SentCommands,
    marks: ReplyMarks,
    /// Number of the reply that has begun and not ended; `None` between replies.
    open_reply: Option<u64>,
    /// Events since the last answered fence.
    pub(super) unfenced: PartialReply,
    pacing: TalkPacing,
    /// Decides when the next line may be sent while fences delimit replies.
    gate: LineGate,
    pub(super) completed: VecDeque<CompletedRequest>,
    /// Whether the stream has ended. The reader then closes open blocks and units by itself.
    pub(super) is_cut_off: bool,
}

impl Requests {
    /// Creates an empty queue. The first line is sent after the prompt that ends the login; the identifiers continue after
    /// `n_requests`.
    pub(super) fn new(options: Arc<SessionOptions>, mode: ReplyMode, n_requests: u32, rng: Rng, now: Instant) -> Self {
        Self {
            options,
            rng,
            n_made: n_requests,
            mode,
            queue: VecDeque::new(),
            is_restoring: false,
            sent: SentCommands::default(),
            marks: ReplyMarks::default(),
            open_reply: None,
            unfenced: PartialReply::default(),
            pacing: TalkPacing::default(),
            gate: LineGate::closed_after_login(now),
            completed: VecDeque::new(),
            is_cut_off: false,
        }
    }

    /// Returns whether a challenge, or the acceptance of one, is queued or unanswered.
    pub(super) fn is_challenging(&self) -> bool {
        let requests = self.queue.iter().chain(self.sent.not_abandoned().map(|sent| &sent.request));
        requests
            .filter_map(|request| request.command.as_ref())
            .any(|command| matches!(&*command.verb(), "match" | "rematch" | "resume" | "accept"))
    }

    /// Releases unused memory.
    pub(super) fn shrink_to_fit(&mut self) {
        self.queue.shrink_to_fit();
        self.completed.shrink_to_fit();
        self.sent.shrink_to_fit();
    }

    /// Appends a command without conditions to the queue, as [`enqueue_with`](Self::enqueue_with) does.
    pub(super) fn enqueue(&mut self, requester: Requester, command: Option<Command>) -> RequestId {
        self.enqueue_with(requester, command, SendConditions::default())
    }

    /// Appends a command to the queue without checking the limit of the queue, and returns the identifier of the request.
    /// `command` is `None` for a probe.
    pub(super) fn enqueue_with(
        &mut self,
        requester: Requester,
        command: Option<Command>,
        conditions: SendConditions,
    ) -> RequestId {
        let is_during_restoration = self.is_restoring && matches!(requester, Requester::User | Requester::Restore);
        let id = RequestId::after(self.n_made);
        self.n_made = self.n_made.wrapping_add(1);
        self.queue.push_back(RequestedCommand {
            id,
            requester,
            command,
            n_drops: 0,
            conditions,
            is_during_restoration,
        });
        id
    }

    /// Removes a request from the queue without completing it. Returns `false` if it is not queued, because it was sent or is
    /// unknown.
    pub(super) fn remove_if_queued(&mut self, id: RequestId) -> bool {
        let n_queued = self.queue.len();
        self.queue.retain(|request| request.id != id);
        self.queue.len() < n_queued
    }

    /// Changes the requester of a sent command; ignored if no sent command has this identifier.
    pub(super) fn set_sent_requester(&mut self, id: RequestId, requester: Requester) {
        if let Some(sent) = self.sent.commands.iter_mut().find(|sent| sent.request.id == id) {
            sent.request.requester = requester;
        }
    }

    /// Removes a queued request, or marks a sent one as abandoned. The session still learns from the reply to a sent one.
    pub(super) fn abandon(&mut self, id: RequestId) {
        self.remove_if_queued(id);
        self.set_sent_requester(id, Requester::Abandoned);
    }

    /// Processes a received message: a mark of a reply, a prompt, or a part of a reply, and the listing in a reply. Ignores
    /// other events without a message.
    pub(super) fn handle_event(&mut self, event: &Event, output: &mut Output, now: Instant) {
        let Some(message) = event.message() else {
            if let Event::Listing { .. } = event {
                self.handle_content(event, output, now);
            }
            return;
        };
        let mark = if let Message::Control(control) = message { self.marks.track(control) } else { None };
        match mark {
            Some(ReplyMark::Start { number, code }) => self.start_reply(number, code, output, now),
            Some(ReplyMark::End { is_complete }) => self.end_reply(is_complete, now),
            Some(ReplyMark::Unnumbered) => {
                self.open_reply = Some(0);
                self.handle_unnumbered_refusal(output);
            }
            None if matches!(message, Message::Control(Control::Prompt)) => self.gate.open_on_own_prompt(),
            None if matches!(message, Message::Control(_)) => {}
            None => {
                self.gate.note_non_prompt_message(event, message, now);
                self.handle_content(event, output, now);
            }
        }
    }

    /// Starts the numbered reply to a sent command, and measures the round trip. In ICC's mode, an open reply ends as incomplete.
    fn start_reply(&mut self, number: u64, code: Option<CommandCode>, output: &mut Output, now: Instant) {
        if self.mode == ReplyMode::Tagged && self.open_reply.is_some() {
            self.end_reply(false, now);
        }
        self.open_reply = Some(number);
        if let Some(sent) = self.sent.find_by_number(number) {
            output.counters.note_round_trip(now.saturating_duration_since(sent.sent_at));
            sent.reply.reply.code = code;
        }
    }

    /// Ends the open reply, and completes its request or queues the command again. If the end of the reply is missing, completes
    /// the request with [`RequestError::Incomplete`]; after a cut-off stream does nothing, because the request fails with the
    /// connection.
    fn end_reply(&mut self, is_complete: bool, now: Instant) {
        // The reader invents the end of a unit that the stream cuts off; that of a block it marks as incomplete.
        let is_complete = is_complete && !(self.is_cut_off && self.mode == ReplyMode::Tagged);
        let Some(number) = self.open_reply.take() else { return };
        if !is_complete && self.is_cut_off {
            return;
        }
        let Some(mut sent) = self.sent.take_by_number(number) else { return };
        if !is_complete {
            return self.complete(sent, Err(RequestError::Incomplete));
        }
        let reply = std::mem::take(&mut sent.reply).into_result(&self.options.requests);
        self.complete_or_requeue(sent, reply, now);
    }

    /// Processes the refusal of a line without a number, which shows that block mode is on: sends numbers from now on, and
    /// completes all requests that were sent with a fence. Emits [`Event::Fault`] instead if block mode was known to be on.
    fn handle_unnumbered_refusal(&mut self, output: &mut Output) {
        if self.mode == ReplyMode::Numbered {
            output.emit(Event::Fault);
            return;
        }
        self.mode = ReplyMode::Numbered;
        let mut reply = Some(std::mem::take(&mut self.unfenced)).filter(|reply| !reply.received_nothing());
        for sent in self.sent.take_fenced_among_first(usize::MAX) {
            // Either the first command switched block mode on, and its fence was refused; or the command itself was.
            let result =
                reply.take().map_or(Err(RequestError::Unnumbered), |reply| reply.into_result(&self.options.requests));
            self.complete(sent, result.and_then(Reply::into_result));
        }
    }

    /// Adds an event to the open reply. Without numbers, an answer to a fence completes the request of that fence; earlier
    /// unanswered requests fail as incomplete, and this one too if its events may belong to theirs. A late answer discards the
    /// events before it, which belong to an abandoned command.
    fn handle_content(&mut self, event: &Event, output: &mut Output, now: Instant) {
        if self.mode != ReplyMode::Fenced {
            if let Some(sent) = self.open_reply.and_then(|number| self.sent.find_by_number(number)) {
                sent.reply.push_within_limits(event, &self.options.requests);
            }
            return;
        }
        if !self.sent.commands.iter().any(|sent| sent.key.fence().is_some()) {
            return;
        }
        if self.sent.forget_late_answered_fence(event.raw()) {
            // The events before it belong to an abandoned command.
            self.unfenced = PartialReply::default();
            return;
        }
        let mut answered = self.sent.take_up_to_answered(event.raw());
        let Some(mut last) = answered.pop() else {
            return self.unfenced.push_within_limits(event, &self.options.requests);
        };
        last.new_prompt = last
            .request
            .command
            .as_ref()
            .zip(last.key.fence())
            .and_then(|(command, fence)| custom_prompt::set_by(command, fence, event.raw()));
        // The events may belong to any of the answered commands. Only a probe is answered by its fence alone.
        let is_mixed = answered.iter().any(|sent| sent.request.command.is_some());
        for sent in answered {
            self.complete(sent, Err(RequestError::Incomplete));
        }
        output.counters.note_round_trip(now.saturating_duration_since(last.sent_at));
        let reply = std::mem::take(&mut self.unfenced);
        if is_mixed {
            return self.complete(last, Err(RequestError::Incomplete));
        }
        let reply = reply.into_result(&self.options.requests);
        self.complete_or_requeue(last, reply, now);
    }

    /// Processes a complete reply, and completes its request. Two replies put the command back at the front of the queue instead:
    /// one that reports talk as dropped because of the server's limit, at most [`MAX_TALK_RETRIES`] times, and one that ended an
    /// observation which a restoration needs, once. A reply that reports block mode as off ends the use of numbers.
    fn complete_or_requeue(&mut self, mut sent: SentCommand, reply: Result<Reply, RequestError>, now: Instant) {
        let talk = sent.request.command.as_ref().and_then(ThrottledTalk::from_command);
        if let (Some(talk), Ok(reply)) = (talk, &reply)
            && self.pacing.apply_reply(talk, reply, now) == TalkResult::Dropped
            && !sent.is_abandoned()
            && sent.request.n_drops < MAX_TALK_RETRIES
        {
            sent.request.n_drops += 1;
            self.queue.push_front(sent.request);
            return;
        }
        if sent.request.is_during_restoration
            && sent.request.asks_to_observe()
            && reply.as_ref().is_ok_and(Reply::ends_observation)
        {
            // Some servers end the observation of a game that is observed already. The same command starts it again.
            // Source: uhlin-fics, tried.
            self.queue.push_front(RequestedCommand { is_during_restoration: false, ..sent.request });
            return;
        }
        let is_block_unset = |reply: &Reply| reply.lines().any(|line| line == BLOCK_UNSET);
        if self.mode == ReplyMode::Numbered && reply.as_ref().is_ok_and(is_block_unset) {
            self.mode = ReplyMode::Fenced;
        }
        self.complete(sent, reply.and_then(Reply::into_result));
    }

    fn complete(&mut self, sent: SentCommand, result: Result<Reply, RequestError>) {
        self.completed.push_back(CompletedRequest { request: sent.request, result, new_prompt: sent.new_prompt });
    }

    /// Returns the earliest end of a pause, a deadline of a request or a reply, or the line gate's wait; `None` if none is
    /// pending.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let held = self.queue.iter().filter_map(|request| self.paused_until(request));
        let expiries = self.queue.iter().filter_map(|request| request.conditions.deadline);
        let deadlines = self.sent.not_abandoned().map(|sent| sent.deadline);
        let is_gated = self.mode == ReplyMode::Fenced
            && (self.sent.commands.iter().any(|sent| sent.has_unsent_fence) || !self.queue.is_empty());
        let gate = self.gate.opens_at_latest().filter(|_| is_gated);
        held.chain(expiries).chain(deadlines).chain(gate).min()
    }

    /// Postpones the deadlines of all sent requests except users'.
    pub(super) fn postpone_non_user_deadlines(&mut self, by: Duration) {
        for sent in self.sent.commands.iter_mut().filter(|sent| sent.request.requester != Requester::User) {
            sent.deadline = saturating_deadline(sent.deadline, by);
        }
    }

    /// Completes each sent request whose deadline has passed with [`RequestError::TimedOut`], and marks it as abandoned, so that
    /// a late reply is still matched to it.
    pub(super) fn handle_timeout(&mut self, now: Instant) {
        for sent in self.sent.commands.iter_mut().filter(|sent| !sent.is_abandoned() && sent.deadline <= now) {
            let result = Err(RequestError::TimedOut(self.options.timings.request));
            self.completed.push_back(CompletedRequest { request: sent.request.clone(), result, new_prompt: None });
            sent.request.requester = Requester::Abandoned;
        }
    }

    /// Completes all requests with an error: sent ones, which may have been executed, with `sent_error`; queued ones with
    /// `queued_error`.
    pub(super) fn fail_all(&mut self, sent_error: &RequestError, queued_error: &RequestError) {
        for sent in std::mem::take(&mut self.sent.commands) {
            self.complete(sent, Err(sent_error.clone()));
        }
        for request in std::mem::take(&mut self.queue) {
            self.completed.push_back(CompletedRequest { request, result: Err(queued_error.clone()), new_prompt: None });
        }
    }
}
