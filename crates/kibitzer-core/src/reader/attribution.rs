//! Attribution: which request a received message is part of, and the listing that its reply contains.
//!
//! The session and recordings pass the sent lines in stream order, each with its request where that is known. A reply is enclosed
//! in marks with the number of its command (block mode, units of ICC). Without marks it is inferred, from the answer to the fence
//! that was sent after the command, otherwise from the next prompt.
//!
//! | state of a command | input | next state |
//! |---|---|---|
//! | | sent with a number | `Number` |
//! | | sent without a number | `Prompt` |
//! | | sent fence that follows no command | `Probe` |
//! | `Number` | mark with its number | none; its reply is open up to the end mark |
//! | `Prompt` | prompt, unless only messages that others caused precede it | `Prompted`; none if another command was sent |
//! | `Prompted` | the next command is sent | none |
//! | `Prompt`, `Prompted` | its fence is sent | `Fence` |
//! | `Fence`, `Probe` | the answer to the fence, or to a later one | none |
//! | all but `Number` | refusal of a line without a number | none, for the oldest one; the refusal is its reply |
//!
//! Lines are parsed as a listing only in a reply whose command is known, as a player's words could look like a row elsewhere: in
//! marks, by the code or the number of the command that they name; otherwise between a sent command and the answer to its fence.

use std::collections::VecDeque;

use super::marks::{ReplyMark, ReplyMarks, THIS_LOGIN};
use crate::message::listing::{AnsweredCommand, AnyListing, AnyListingCollector, command_words};
use crate::message::{Attribution, Control, Message, Received, Relation, RequestId};
use crate::wire::Fence;

/// Maximum number of commands whose reply has not ended, more than a session sends at once; then the oldest is forgotten.
const MAX_PENDING: usize = 256;

/// Command with which the session tests whether the connection is alive, where replies have numbers.
pub(crate) const PROBE: &str = "$$date";

/// First byte of a telnet command.
const IAC: u8 = 0xFF;

/// A listing, and the request whose reply it is.
type AttributedListing = (AnyListing, Attribution);

/// Attributes received messages to sent lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributor {
    /// Commands whose reply has not ended, the oldest first.
    pending: VecDeque<PendingCommand>,
    /// Number of requests whose number no record states.
    n_counted: u32,
    marks: ReplyMarks,
    /// The reply whose start mark was received and whose end mark was not. Its command may be unknown.
    open: Option<Attribution>,
    /// The listing of the reply in marks, otherwise of the first pending command without marks. Boxed, because most replies have
    /// none.
    listing: Option<Box<OpenListing>>,
    /// Whether all messages since the last prompt were caused by other players or games; `None` if there were no messages. Only
    /// updated while a reply is pending.
    is_from_others: Option<bool>,
}

/// A sent command whose reply has not ended.
#[derive(Clone, Debug)]
struct PendingCommand {
    attribution: Attribution,
    end: ReplyEnd,
    /// The line, if its reply may be a listing.
    listing_command: Option<Box<str>>,
}

/// How the reply to a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReplyEnd {
    /// With the end of the marks of this number.
    Number(u64),
    /// With a prompt, unless a fence is sent.
    Prompt,
    /// A prompt has ended it, unless a fence is sent.
    Prompted,
    /// With the answer to this fence.
    Fence(Fence),
    /// The answer to this fence is the whole reply.
    Probe(Fence),
}

#[derive(Clone, Debug)]
struct OpenListing {
    collector: AnyListingCollector,
    /// The line that was sent; `None` if it is not known.
    command: Option<Box<str>>,
    /// Number of open units at its start; `None` without marks.
    depth: Option<u32>,
}

impl OpenListing {
    /// Returns the listing of a reply that has ended; `None` if lines are missing.
    fn finish(self) -> Option<AnyListing> {
        let mut listing = self.collector.finish()?;
        if let Some(command) = self.command {
            listing.complete_from(&command);
        }
        Some(listing)
    }
}

impl PendingCommand {
    fn awaits_fence(&self, request: Option<RequestId>) -> bool {
        match request {
            Some(_) => self.attribution.request() == request,
            None => matches!(self.end, ReplyEnd::Prompt | ReplyEnd::Prompted),
        }
    }

    /// Returns whether messages without marks may be part of the reply.
    const fn has_unmarked_content(&self) -> bool {
        !matches!(self.end, ReplyEnd::Number(_) | ReplyEnd::Probe(_))
    }

    fn has_number(&self, number: u64) -> bool {
        self.end == ReplyEnd::Number(number)
    }

    fn listing_verb(&self) -> Option<String> {
        command_words(self.listing_command.as_deref()?).next().map(str::to_ascii_lowercase)
    }
}

impl Attributor {
    /// Returns whether no listing is incomplete.
    pub(super) const fn is_between_listings(&self) -> bool {
        self.listing.is_none()
    }

    pub(super) fn shrink_to_fit(&mut self) {
        self.pending.shrink_to_fit();
    }

    /// Records a sent line, unsealed, and returns its attribution: the stated one if that is not empty, otherwise an inferred one.
    /// Commands are then counted; before the login, lines without a number are not commands.
    pub(super) fn note_sent_line(&mut self, line: &[u8], stated: Attribution, is_logged_in: bool) -> Attribution {
        let line = line.trim_ascii();
        let is_stated = stated != Attribution::default();
        if let Some(fence) = Fence::in_sent_line(line) {
            return self.note_fence(fence, stated, line.starts_with(b"$$"));
        }
        let (number, command) = match split_number(line) {
            Some((number, command)) => (Some(number), command),
            None => (None, line),
        };
        let is_command = if is_stated { stated.request().is_some() } else { number.is_some() || is_logged_in };
        if !is_command || line.first() == Some(&IAC) {
            return stated;
        }
        let attribution = match (is_stated, command == PROBE.as_bytes()) {
            (true, _) => stated,
            (false, true) => self.counted_request().as_probe(),
            (false, false) => self.counted_request(),
        };
        let text = String::from_utf8_lossy(command);
        let verb = command_words(&text).next().unwrap_or_default().to_ascii_lowercase();
        let has_listing = AnyListingCollector::new(AnsweredCommand::Name(&verb)).is_some();
        self.pending.retain(|command| command.end != ReplyEnd::Prompted);
        self.push(PendingCommand {
            attribution,
            end: number.map_or(ReplyEnd::Prompt, ReplyEnd::Number),
            listing_command: has_listing.then(|| text.into()),
        });
        attribution
    }

    /// Records a sent fence: of the stated request, otherwise of the last command without a number, unless it `is_probe`.
    fn note_fence(&mut self, fence: Fence, stated: Attribution, is_probe: bool) -> Attribution {
        let command = self.pending.iter_mut().rev().find(|command| command.awaits_fence(stated.request()));
        if let Some(command) = command.filter(|_| !is_probe) {
            command.end = ReplyEnd::Fence(fence);
            return command.attribution.as_probe();
        }
        let attribution = if stated == Attribution::default() { self.counted_request() } else { stated }.as_probe();
        self.push(PendingCommand { attribution, end: ReplyEnd::Probe(fence), listing_command: None });
        attribution
    }

    /// Returns the next request where no record states the number.
    const fn counted_request(&mut self) -> Attribution {
        self.n_counted = self.n_counted.wrapping_add(1);
        Attribution::of_request(Some(RequestId::after(self.n_counted - 1)), None)
    }

    fn push(&mut self, command: PendingCommand) {
        if self.pending.len() >= MAX_PENDING {
            self.pending.pop_front();
        }
        if self.pending.is_empty() {
            self.is_from_others = None;
        }
        self.pending.push_back(command);
        if self.listing.is_none() && self.first_unmarked() == Some(self.pending.len() - 1) {
            self.restart_unmarked_listing();
        }
    }

    /// Attributes a received message, marks it if it is a line of a listing, and returns the listing that ends with it.
    #[inline]
    pub(super) fn attribute(&mut self, received: &mut Received) -> Option<AttributedListing> {
        if let Message::Control(control) = &received.message {
            let (attribution, listing) = self.handle_control(control);
            received.attribution = attribution;
            return listing;
        }
        if self.pending.is_empty() && self.open.is_none() && self.listing.is_none() {
            return None;
        }
        self.attribute_content(received)
    }

    /// Attributes a message that is neither a prompt nor a mark.
    #[inline(never)]
    fn attribute_content(&mut self, received: &mut Received) -> Option<AttributedListing> {
        if let Some(open) = self.open {
            received.attribution = open;
            self.add_to_listing(received);
            return None;
        }
        // Talk can interrupt a reply, and is not part of it.
        let is_talk = matches!(received.message, Message::Talk(_) | Message::OverLong(_));
        if !is_talk && let Some(at) = self.position_of_answered(received.raw()) {
            received.attribution =
                self.pending.get(at).map(|command| command.attribution.as_probe()).unwrap_or_default();
            self.is_from_others = Some(false);
            return self.end_unmarked_replies(at);
        }
        if !received.raw().is_empty() {
            self.is_from_others = Some(is_caused_by_others(&received.message) && self.is_from_others.unwrap_or(true));
        }
        let first = self.first_unmarked().and_then(|at| self.pending.get(at));
        if let Some(command) = first
            && command.end != ReplyEnd::Prompted
            && !received.message.may_be_unrequested()
        {
            received.attribution = command.attribution.as_inferred();
        }
        self.add_to_listing(received);
        None
    }

    /// Processes a prompt or mark, and returns its attribution and the listing that ends with it, if it is complete.
    fn handle_control(&mut self, control: &Control) -> (Attribution, Option<AttributedListing>) {
        let mark = self.marks.track(control);
        let mut attribution = self.open.unwrap_or_default();
        match (mark, control) {
            (Some(ReplyMark::Start { number, .. }), _) => {
                let at = self.pending.iter().position(|command| command.has_number(number));
                attribution = self.open_reply_to(at, control);
            }
            (Some(ReplyMark::Unnumbered), _) => {
                let at = self.pending.iter().position(|command| !matches!(command.end, ReplyEnd::Number(_)));
                attribution = self.open_reply_to(at, control);
            }
            (Some(ReplyMark::End { is_complete }), _) => {
                self.open = None;
                let listing = self.listing.take_if(|listing| listing.depth.is_some());
                // The server has left out a part of it.
                let is_whole = is_complete || matches!(control, Control::UnitEnd);
                let listing = listing.filter(|_| is_whole).and_then(|listing| listing.finish());
                return (attribution, listing.map(|listing| (listing, attribution)));
            }
            (None, Control::UnitStart(header)) if header.player == *THIS_LOGIN && self.listing.is_none() => {
                self.start_marked_listing(AnsweredCommand::IccNumber(header.command), None);
            }
            (None, Control::UnitEnd) => {
                let depth = self.marks.depth;
                let listing = self.listing.take_if(|listing| listing.depth.is_some_and(|start| start > depth));
                let listing = listing.and_then(|listing| listing.finish());
                return (attribution, listing.map(|listing| (listing, attribution)));
            }
            (None, Control::Prompt) if self.open.is_none() => attribution = self.handle_prompt(),
            _ => {}
        }
        (attribution, None)
    }

    /// Opens the reply in marks to the pending command at this index, and returns its attribution.
    fn open_reply_to(&mut self, at: Option<usize>, start: &Control) -> Attribution {
        let command = at.and_then(|at| self.pending.remove(at));
        let attribution = command.as_ref().map(|command| command.attribution).unwrap_or_default();
        self.open = Some(attribution);
        let verb = command.as_ref().and_then(PendingCommand::listing_verb);
        let line = command.and_then(|command| command.listing_command);
        match start {
            Control::BlockStart { code, .. } => self.start_marked_listing(AnsweredCommand::BlockCode(code.0), line),
            Control::UnitStart(header) => {
                self.start_marked_listing(AnsweredCommand::IccNumber(header.command), line.clone());
                if let Some(verb) = verb.filter(|_| self.listing.is_none()) {
                    self.start_marked_listing(AnsweredCommand::Name(&verb), line);
                }
            }
            _ => {}
        }
        attribution
    }

    /// Processes a prompt outside of marks, and returns its attribution.
    fn handle_prompt(&mut self) -> Attribution {
        if self.is_from_others.take() == Some(true) {
            return Attribution::default();
        }
        let Some(at) = self.first_unmarked() else { return Attribution::default() };
        let is_last = !self.pending.iter().skip(at + 1).any(PendingCommand::has_unmarked_content);
        let Some(command) = self.pending.get_mut(at).filter(|command| command.end == ReplyEnd::Prompt) else {
            return Attribution::default();
        };
        let attribution = command.attribution.as_inferred();
        command.end = ReplyEnd::Prompted;
        if !is_last {
            self.pending.remove(at);
            self.restart_unmarked_listing();
        }
        attribution
    }

    /// Removes the commands without marks up to this index, whose fence was answered. Returns its listing, if it is complete and no
    /// other command was unanswered.
    fn end_unmarked_replies(&mut self, at: usize) -> Option<AttributedListing> {
        let is_first = self.first_unmarked() == Some(at);
        let mut answered = None;
        for _ in 0..=at {
            match self.pending.pop_front() {
                Some(command) if matches!(command.end, ReplyEnd::Number(_)) => self.pending.push_back(command),
                command => answered = command,
            }
        }
        let listing = self.listing.take_if(|listing| listing.depth.is_none()).filter(|_| is_first);
        self.restart_unmarked_listing();
        Some((listing?.finish()?, answered?.attribution.as_inferred()))
    }

    /// Returns the index of the pending command whose fence the line answers; `None` if it answers none.
    fn position_of_answered(&self, line: &[u8]) -> Option<usize> {
        self.pending.iter().position(|command| match command.end {
            ReplyEnd::Fence(fence) | ReplyEnd::Probe(fence) => fence.is_answered_by(line),
            ReplyEnd::Number(_) | ReplyEnd::Prompt | ReplyEnd::Prompted => false,
        })
    }

    /// Returns the index of the pending command that messages without marks may be the reply to.
    fn first_unmarked(&self) -> Option<usize> {
        self.pending.iter().position(PendingCommand::has_unmarked_content)
    }

    /// Starts the listing of a reply in marks, and drops an incomplete one.
    fn start_marked_listing(&mut self, answered: AnsweredCommand<'_>, command: Option<Box<str>>) {
        let depth = Some(self.marks.depth);
        self.listing =
            AnyListingCollector::new(answered).map(|collector| Box::new(OpenListing { collector, command, depth }));
    }

    /// Starts the listing of the first pending command without marks, and drops an incomplete one.
    fn restart_unmarked_listing(&mut self) {
        if self.listing.as_ref().is_some_and(|listing| listing.depth.is_some()) {
            return;
        }
        let first = self.first_unmarked().and_then(|at| self.pending.get(at));
        self.listing = first.and_then(|first| {
            let collector = AnyListingCollector::new(AnsweredCommand::Name(&first.listing_verb()?))?;
            Some(Box::new(OpenListing { collector, command: first.listing_command.clone(), depth: None }))
        });
    }

    /// Adds a line to the listing of the reply, if it has one.
    fn add_to_listing(&mut self, received: &mut Received) {
        if matches!(received.message, Message::Talk(_) | Message::OverLong(_)) || received.is_datagram() {
            return;
        }
        let Some(listing) = &mut self.listing else { return };
        let may_be_file_line = match received.message {
            Message::Text(_) => true,
            Message::Refused(_) => false,
            _ => listing.depth.is_some(),
        };
        if listing.collector.accepts_any_line() && !may_be_file_line {
            return;
        }
        let is_part = listing.collector.add_line(received.raw()).is_some();
        if matches!(received.message, Message::Text(_)) {
            if is_part && !received.raw().is_empty() && listing.depth.is_some() {
                received.mark_as_listed();
            }
            // All other messages may be about games and players.
            if !is_part {
                listing.collector.store_unread(received.raw());
            }
        }
    }
}

/// Splits a sent line with a number: `12 finger foo` as in block mode, `` `12`finger foo `` as on ICC. `None` for a line without
/// one.
fn split_number(line: &[u8]) -> Option<(u64, &[u8])> {
    let (rest, end) = line.strip_prefix(b"`").map_or((line, b' '), |rest| (rest, b'`'));
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = rest.split_at_checked(digits)?;
    let number = std::str::from_utf8(digits).ok()?.parse().ok().filter(|&number| number > 0)?;
    Some((number, rest.strip_prefix(&[end])?))
}

/// Returns whether the message counts as caused by a game or another player, and not as the reply to a command of this login.
/// The board after a move of this login does not: it may be the only reply to that move.
pub(crate) fn is_caused_by_others(message: &Message) -> bool {
    match message {
        Message::Style12(board) => {
            matches!(board.relation(), Relation::Observing | Relation::ObservingExamined | Relation::MyTurn)
        }
        Message::Style10(_) | Message::Delta(_) => false,
        _ => message.may_be_unrequested(),
    }
}

#[cfg(test)]
mod tests;
