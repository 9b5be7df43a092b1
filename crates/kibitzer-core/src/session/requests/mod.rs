//! Commands and their replies: by number in block mode, by a fence behind each command without it.

pub(super) mod fence;
mod line_gate;
mod prompt;
mod sending;
pub(super) mod sent;
pub(super) mod split;
mod talk_pacing;

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::event::{Event, RequestError, RequestId};
use crate::message::{CommandCode, Message, UnitHeader};
use crate::session::command::Command;
use crate::session::dialect::units::Units;
use crate::session::options::{RequestLimits, Timings, after};
use crate::session::reply::{OpenReply, Reply, is_content};
use crate::session::requests::line_gate::LineGate;
use crate::session::requests::sent::{InFlight, Order, Owner, Pending};
use crate::session::requests::talk_pacing::{Heard, Pacing, Talk};

pub(crate) use sending::Sending;

/// How often something the server did not say for us is sent again.
const MAX_DROPS: u8 = 5;

/// Says that block mode is off, in the reply to `iset block 0`.
const BLOCK_UNSET: &[u8] = b"block unset.";

/// How replies are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// By a fence behind each command.
    Fenced,
    /// By a number in front of it.
    Numbered,
    /// By a number as its tag, in ICC's units.
    Tagged,
}

/// A request that is over.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) id: RequestId,
    pub(crate) owner: Owner,
    pub(crate) command: Option<Command>,
    pub(crate) result: Result<Reply, RequestError>,
}

/// The requests of one connection.
#[derive(Debug)]
pub(crate) struct Requests {
    mode: Mode,
    limits: RequestLimits,
    queue: VecDeque<Order>,
    /// Games are being observed again: whoever wants to observe one waits.
    is_restoring: bool,
    pending: Pending,
    /// The number of the reply that has begun, in block mode and in units.
    open: Option<u64>,
    units: Units,
    /// What has come since the last fence was answered, without block mode.
    unfenced: OpenReply,
    pacing: Pacing,
    /// Which line of ours the server has not read yet, without block mode.
    gate: LineGate,
    done: VecDeque<Done>,
    /// From the last command to its reply.
    round_trip: Option<Duration>,
    /// The server answered a line that had no number, where none of ours has none.
    is_unnumbered: bool,
    /// The stream is over: a block that has no end was not cut by another.
    is_cut_off: bool,
    /// The prompt that the last command has set.
    prompt: Option<Vec<u8>>,
}

impl Requests {
    /// Nothing is sent in front of the prompt that ends the login.
    pub(crate) fn new(mode: Mode, limits: RequestLimits, now: Instant) -> Self {
        Self {
            mode,
            limits: RequestLimits { in_flight: limits.in_flight.clamp(1, 64), ..limits },
            queue: VecDeque::new(),
            is_restoring: false,
            pending: Pending::default(),
            open: None,
            units: Units::default(),
            unfenced: OpenReply::default(),
            pacing: Pacing::default(),
            gate: LineGate::after_login(now),
            done: VecDeque::new(),
            round_trip: None,
            is_unnumbered: false,
            is_cut_off: false,
            prompt: None,
        }
    }

    pub(crate) const fn mode(&self) -> Mode {
        self.mode
    }

    pub(crate) const fn round_trip(&self) -> Option<Duration> {
        self.round_trip
    }

    /// Whether the server has complained of a line without a number since this was asked last.
    pub(crate) fn take_unnumbered(&mut self) -> bool {
        std::mem::take(&mut self.is_unnumbered)
    }

    /// The prompt that a command has set since this was asked last.
    pub(crate) const fn take_prompt(&mut self) -> Option<Vec<u8>> {
        self.prompt.take()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.queue.len() >= self.limits.queued
    }

    /// Whether a challenge, or the acceptance of one, is queued or unanswered.
    pub(crate) fn is_challenging(&self) -> bool {
        let mut orders = self.queue.iter().chain(self.pending.waiting());
        orders.any(|order| order.command.as_ref().is_some_and(Command::is_challenge))
    }

    /// Games begin to be observed again, or have been.
    pub(crate) const fn set_restoring(&mut self, is_restoring: bool) {
        self.is_restoring = is_restoring;
    }

    /// What comes now is what was left of the stream.
    pub(crate) const fn cut_off(&mut self) {
        self.is_cut_off = true;
    }

    /// Gives back memory that is not used.
    pub(crate) fn shrink(&mut self) {
        self.queue.shrink_to_fit();
        self.done.shrink_to_fit();
        self.pending.shrink();
    }

    #[cfg(test)]
    pub(crate) fn footprint(&self) -> usize {
        self.queue.len() + self.pending.footprint() + self.done.len() + self.unfenced.footprint()
    }

    /// Puts a command in the queue.
    pub(crate) fn order(&mut self, id: RequestId, owner: Owner, command: Option<Command>) {
        let is_of_restoration = self.is_restoring && matches!(owner, Owner::User | Owner::Restore);
        self.queue.push_back(Order { id, owner, command, n_drops: 0, is_of_restoration });
    }

    /// Takes a command out that was not sent. Returns whether it was there.
    pub(crate) fn withdraw(&mut self, id: RequestId) -> bool {
        let n_queued = self.queue.len();
        self.queue.retain(|order| order.id != id);
        self.queue.len() < n_queued
    }

    /// A command that was sent is another's now.
    pub(crate) fn hand_over(&mut self, id: RequestId, owner: Owner) {
        if let Some(sent) = self.pending.iter_mut().find(|sent| sent.order.id == id) {
            sent.order.owner = owner;
        }
    }

    /// Nobody waits for this reply any more. What was not sent is not sent.
    pub(crate) fn abandon(&mut self, id: RequestId) {
        self.withdraw(id);
        if let Some(sent) = self.pending.iter_mut().find(|sent| sent.order.id == id) {
            sent.is_given_up = true;
        }
    }

    pub(crate) fn pop_done(&mut self) -> Option<Done> {
        self.done.pop_front()
    }

    /// Takes in what the server said.
    pub(crate) fn handle(&mut self, event: &Event, now: Instant) {
        let Some(message) = event.message() else { return };
        match *message {
            Message::BlockStart { id, code } => {
                self.open = Some(id);
                if let Some(sent) = self.pending.numbered(id) {
                    self.round_trip = Some(now.saturating_duration_since(sent.sent));
                    sent.reply.begin(code);
                } else if id == 0 && code == CommandCode::UNNUMBERED {
                    self.unnumbered();
                }
            }
            Message::BlockEnd { id, complete } => self.block_ended(id, complete, now),
            Message::Prompt => self.gate.prompt(),
            Message::UnitStart(ref header) => self.unit_started(header, now),
            Message::UnitEnd => self.unit_ended(now),
            Message::Overflow => self.units.overflow(),
            _ if is_content(message) => {
                self.gate.content(event, message, now);
                self.content(event, now);
            }
            _ => {}
        }
    }

    /// The tag is the command's number. Units inside of it, and those of others, are none of ours.
    fn unit_started(&mut self, header: &UnitHeader, now: Instant) {
        let Some(tag) = self.units.start(header).filter(|_| self.mode == Mode::Tagged) else { return };
        if let Some(unended) = self.open {
            self.block_ended(unended, false, now);
        }
        self.open = Some(tag);
        if let Some(sent) = self.pending.numbered(tag) {
            self.round_trip = Some(now.saturating_duration_since(sent.sent));
        }
    }

    fn unit_ended(&mut self, now: Instant) {
        let Some(ended) = self.units.end() else { return };
        if self.mode == Mode::Tagged
            && let Some(tag) = self.open
        {
            // An end that is made up behind the last byte of the stream is none.
            self.block_ended(tag, ended.is_complete && !self.is_cut_off, now);
        }
    }

    /// A line of ours had no number, and block mode is on.
    fn unnumbered(&mut self) {
        if self.mode == Mode::Numbered {
            self.is_unnumbered = true;
            return;
        }
        self.mode = Mode::Numbered;
        let mut said = Some(std::mem::take(&mut self.unfenced)).filter(|said| !said.is_empty());
        for sent in self.pending.take_all_fenced() {
            // The first command switched it on, and its fence was the first line without a number; or the command was.
            let result = said.take().map_or(Err(RequestError::Unnumbered), |said| said.finish(&self.limits));
            self.finish(sent, result.and_then(Reply::judge));
        }
    }

    fn block_ended(&mut self, id: u64, complete: bool, now: Instant) {
        self.open = None;
        if !complete && self.is_cut_off {
            return;
        }
        let Some(mut sent) = self.pending.take_numbered(id) else { return };
        if !complete {
            return self.finish(sent, Err(RequestError::Incomplete));
        }
        let reply = std::mem::take(&mut sent.reply).finish(&self.limits);
        self.answered(sent, reply, now);
    }

    fn content(&mut self, event: &Event, now: Instant) {
        if self.mode != Mode::Fenced {
            if let Some(sent) = self.open.and_then(|id| self.pending.numbered(id)) {
                sent.reply.push(event, &self.limits);
            }
            return;
        }
        if !self.pending.has_fenced() {
            return;
        }
        if self.pending.take_forgotten(event.raw()) {
            // What stands in front of it is of a command that nobody waits for.
            self.unfenced = OpenReply::default();
            return;
        }
        let mut answered = self.pending.take_fenced(event.raw());
        let Some(last) = answered.pop() else { return self.unfenced.push(event, &self.limits) };
        self.prompt = last.prompt_set(event.raw()).or(self.prompt.take());
        // What has come may be of any of them. Only a probe has no answer but its fence.
        let is_mixed = answered.iter().any(|sent| sent.order.command.is_some());
        for sent in answered {
            self.finish(sent, Err(RequestError::Incomplete));
        }
        self.round_trip = Some(now.saturating_duration_since(last.sent));
        let said = std::mem::take(&mut self.unfenced);
        if is_mixed {
            return self.finish(last, Err(RequestError::Incomplete));
        }
        let reply = said.finish(&self.limits);
        self.answered(last, reply, now);
    }

    /// The reply is whole. What the server did not say for us is sent again, later.
    fn answered(&mut self, mut sent: InFlight, reply: Result<Reply, RequestError>, now: Instant) {
        let talk = sent.order.command.as_ref().and_then(Talk::of);
        if let (Some(talk), Ok(reply)) = (talk, &reply)
            && self.pacing.learn(talk, reply, now) == Heard::Dropped
            && !sent.is_given_up
            && sent.order.n_drops < MAX_DROPS
        {
            sent.order.n_drops += 1;
            self.queue.push_front(sent.order);
            return;
        }
        if sent.order.is_of_restoration
            && sent.order.asks_to_observe()
            && reply.as_ref().is_ok_and(Reply::ends_observation)
        {
            return self.observe_again(sent);
        }
        if self.mode == Mode::Numbered && reply.as_ref().is_ok_and(|reply| reply.lines().any(|l| l == BLOCK_UNSET)) {
            self.mode = Mode::Fenced;
        }
        self.finish(sent, reply.and_then(Reply::judge));
    }

    /// The game was observed already, and the server took that for the wish to observe it no longer. Asked once more, it
    /// observes it again.
    ///
    /// Source: uhlin-fics, tried.
    fn observe_again(&mut self, sent: InFlight) {
        let owner = sent.owner();
        self.queue.push_front(Order { owner, is_of_restoration: false, ..sent.order });
    }

    /// Hands the result over.
    fn finish(&mut self, sent: InFlight, result: Result<Reply, RequestError>) {
        let owner = sent.owner();
        let Order { id, command, .. } = sent.order;
        self.done.push_back(Done { id, owner, command, result });
    }

    /// When something has to be done without the server saying anything.
    pub(crate) fn timeout(&self) -> Option<Instant> {
        let held = self.queue.iter().filter_map(|order| self.held_until(order));
        let is_gated = self.mode == Mode::Fenced && (self.pending.owes_fence() || !self.queue.is_empty());
        let gate = self.gate.until().filter(|_| is_gated);
        held.chain(self.pending.due()).chain(gate).min()
    }

    /// This much time does not count, except for those who wait outside.
    pub(crate) fn defer(&mut self, by: Duration) {
        for sent in self.pending.iter_mut().filter(|sent| sent.order.owner != Owner::User) {
            sent.due = after(sent.due, by);
        }
    }

    /// Ends the requests that have waited too long.
    pub(crate) fn handle_timeout(&mut self, timings: &Timings, now: Instant) {
        for sent in self.pending.iter_mut().filter(|sent| !sent.is_given_up && sent.due <= now) {
            sent.is_given_up = true;
            let Order { id, owner, command, .. } = sent.order.clone();
            self.done.push_back(Done { id, owner, command, result: Err(RequestError::TimedOut(timings.request)) });
        }
    }

    /// The connection is gone: what was sent may have been carried out, what waits was not.
    pub(crate) fn end(&mut self, sent_error: &RequestError, queued_error: &RequestError) {
        for sent in self.pending.take_all() {
            self.finish(sent, Err(sent_error.clone()));
        }
        for Order { id, owner, command, .. } in std::mem::take(&mut self.queue) {
            self.done.push_back(Done { id, owner, command, result: Err(queued_error.clone()) });
        }
    }
}
