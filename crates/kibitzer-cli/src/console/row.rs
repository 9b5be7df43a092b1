//! One line of the stream: what happened, when, and what to say of it in one line.

use std::sync::Arc;
use std::time::Duration;

use kibitzer::core::message::{GameId, Handle, Message};
use kibitzer::core::text::decode;
use kibitzer::core::{Event, EventKind};

use super::replies::Reply;
use crate::output::{Shown, one_line};

/// What stands for a password.
const HIDDEN: &str = "********";

/// A line of the stream.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// Counted from 1 since the session began.
    pub(super) number: u64,
    /// Since the session began.
    pub(super) at: Duration,
    /// Where in all bytes the connection begins whose positions the row has.
    pub(super) base: u64,
    pub(super) body: Body,
}

/// What a row is about.
#[derive(Clone, Debug)]
pub(super) enum Body {
    Event(Arc<Event>),
    Sent(Sent),
    /// Put there by whoever is watching.
    Mark(String),
}

/// A line the client sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    /// As it went, unless it is secret: then nothing.
    pub(super) bytes: Vec<u8>,
    /// What it says; nothing if it is secret.
    pub(super) text: Vec<u8>,
    pub(super) secret: bool,
    pub(super) reply: Option<Reply>,
}

impl Sent {
    /// The line, without its end.
    pub(super) fn text(&self) -> String {
        if self.secret {
            return HIDDEN.to_owned();
        }
        decode(&self.text).into_owned()
    }
}

impl Row {
    /// The event, if the row has one.
    pub(super) fn event(&self) -> Option<&Event> {
        match &self.body {
            Body::Event(event) => Some(event),
            _ => None,
        }
    }

    /// The word in front of the line.
    pub(super) fn kind(&self) -> &'static str {
        match &self.body {
            Body::Event(event) => event.kind().as_str(),
            Body::Sent(_) => EventKind::Sent.as_str(),
            Body::Mark(_) => "mark",
        }
    }

    /// The game it is about.
    pub(super) fn game(&self) -> Option<GameId> {
        let event = self.event()?;
        event.game().or_else(|| event.message().and_then(Message::game))
    }

    /// Who speaks.
    pub(super) fn speaker(&self) -> Option<&str> {
        let message = self.event()?.message()?;
        message.speaker().map(Handle::as_str)
    }

    /// What to say of it; fit for cells.
    pub(super) fn line(&self) -> String {
        match &self.body {
            Body::Event(event) => one_line(event),
            Body::Sent(sent) => {
                let text = sent.text();
                let reply = sent.reply.as_ref().map_or_else(String::new, |reply| format!("  [{reply}]"));
                format!("> {}{reply}", Shown(&text).in_cells())
            }
            Body::Mark(text) => format!("--- {} ---", Shown(text).in_cells()),
        }
    }

    /// Whether it belongs to how things are said rather than to what is said: prompts, marks of blocks, empty lines.
    pub(super) fn is_plumbing(&self) -> bool {
        let Some(event) = self.event() else { return false };
        match event.kind() {
            EventKind::Prompt | EventKind::BlockStart | EventKind::BlockEnd | EventKind::Ping => true,
            EventKind::Text => event.raw().is_empty(),
            _ => false,
        }
    }

    /// About how much memory it takes.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>()
            + match &self.body {
                Body::Event(event) => size_of::<Event>() + 2 * event.raw().len(),
                Body::Sent(sent) => sent.bytes.len() + sent.text.len(),
                Body::Mark(text) => text.len(),
            }
    }
}
