//! Replies to commands, and the messages that may interrupt them.

use std::borrow::Cow;

use crate::event::{Event, RequestError};
use crate::message::listing::AnyListing;
use crate::message::{CommandCode, Message, Refusal};
use crate::session::options::RequestLimits;
use crate::text::{ServerText, decode_received};

/// Reply of the server to one command.
///
/// In block mode and in ICC's units it is the enclosed output; otherwise all output between the command and the answer to the
/// fence after it. Either may contain boards, tells and other unrequested messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Reply {
    /// Code of the answered command in block mode; otherwise `None`.
    pub code: Option<CommandCode>,
    /// Events of the reply in order, without prompts and other marks of the stream. The [`Event::Listing`] of a table contains
    /// parsed rows, which take memory in addition to its lines, and does not count towards the limits of a reply.
    pub events: Vec<Event>,
}

impl Reply {
    /// Returns the messages in order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.events.iter().filter_map(|event| event.message())
    }

    /// Returns the undecoded lines of the messages, without line ends; see [`Event::raw`].
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.events.iter().filter(|event| event.message().is_some()).map(Event::raw)
    }

    /// Returns the decoded lines, each followed by a line feed.
    pub fn text(&self) -> String {
        self.lines().flat_map(|line| [decode_received(line), Cow::Borrowed("\n")]).collect()
    }

    /// Returns the events that the command itself may have caused, in order: no talk and nothing else that games and other
    /// players cause. Contains boards printed on request, but no other boards: the board of a sent move looks like that of an
    /// opponent's move.
    pub fn answers(&self) -> impl Iterator<Item = &Event> {
        let is_answer = |event: &&Event| event.message().is_some_and(|message| !message.may_be_unrequested());
        self.events.iter().filter(is_answer)
    }

    /// Returns the first of the [`answers`](Self::answers) that is neither a board nor a blank line; `None` if there is none.
    pub fn first_answer(&self) -> Option<&Event> {
        let is_board = |event: &Event| matches!(event.message(), Some(Message::Style12(_)));
        self.answers().find(|event| !is_board(event) && !event.raw().trim_ascii().is_empty())
    }

    /// Returns the listing that the reply contains, an [`Event::Listing`]; `None` if the command has no listing, or the reply is
    /// not a complete one.
    ///
    /// In block mode the server reports which command it executed; otherwise the command has to be sent without abbreviation.
    pub fn listing(&self) -> Option<&AnyListing> {
        self.events
            .iter()
            .find_map(|event| if let Event::Listing { listing, .. } = event { Some(&**listing) } else { None })
    }

    /// Returns whether the reply ends the observation of a game and starts none.
    pub(super) fn ends_observation(&self) -> bool {
        let mut changes = self.messages().filter_map(|message| match message {
            Message::Observing(observing) => Some(observing.is_observed),
            _ => None,
        });
        changes.next() == Some(false) && !changes.any(|is_observed| is_observed)
    }

    /// Returns the reply, or the error if the server refused the command. The session has applied this to every reply that it
    /// returns.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the reply's code, or its first line that is neither board nor talk, refuses the command.
    pub fn into_result(self) -> Result<Self, RequestError> {
        match self.refusal_error() {
            Some(error) => Err(error),
            None => Ok(self),
        }
    }

    /// Returns the refusal in the answer, otherwise that of the reply's code; `None` if neither refuses the command.
    fn refusal_error(&self) -> Option<RequestError> {
        if self.code == Some(CommandCode::UNNUMBERED) {
            return Some(RequestError::Unnumbered);
        }
        let answer = self.first_answer();
        let by_code = || {
            let raw = answer.map_or(&b""[..], Event::raw);
            let reason = Refusal::from_error_code(self.code.filter(|code| code.is_error())?, raw);
            Some(RequestError::Refused { reason, text: ServerText::from_wire(raw) })
        };
        answer.and_then(RequestError::from_refusal).or_else(by_code)
    }
}

impl RequestError {
    /// Returns the refusal that the event reports; `None` if its message is no known refusal of a command.
    #[doc(hidden)]
    pub fn from_refusal(event: &Event) -> Option<Self> {
        let Message::Refused(reason) = event.message()? else { return None };
        Some(Self::Refused { reason: **reason, text: ServerText::from_wire(event.raw()) })
    }
}

/// A reply that has not ended yet.
#[derive(Debug, Default)]
pub(super) struct PartialReply {
    pub(super) reply: Reply,
    bytes: usize,
    is_too_long: bool,
}

impl PartialReply {
    /// Returns whether no event has arrived; `false` also if events were dropped because the reply was too long.
    pub(super) const fn received_nothing(&self) -> bool {
        self.reply.events.is_empty() && !self.is_too_long
    }

    /// Appends an event. Over a limit, all events are dropped, and later ones are ignored.
    pub(super) fn push_within_limits(&mut self, event: &Event, limits: &RequestLimits) {
        self.bytes = self.bytes.saturating_add(event.raw().len());
        let is_one_too_many = self.reply.events.len() >= limits.reply_events && !matches!(event, Event::Listing { .. });
        self.is_too_long |= self.bytes > limits.reply_bytes || is_one_too_many;
        if self.is_too_long {
            self.reply.events = Vec::new();
        } else {
            self.reply.events.push(event.clone());
        }
    }

    /// Returns the reply, or [`RequestError::TooLong`] if it exceeded a limit.
    pub(super) fn into_result(self, limits: &RequestLimits) -> Result<Reply, RequestError> {
        if self.is_too_long {
            return Err(RequestError::TooLong { limit_bytes: limits.reply_bytes, limit_events: limits.reply_events });
        }
        Ok(self.reply)
    }
}
