//! Recognizes the session's own commands and the replies to them; text output omits these and the marks of the protocol.

use std::collections::{BTreeSet, VecDeque};

use kibitzer::core::message::{Control, Message};
use kibitzer::core::session::fence_in_sent_line;
use kibitzer::core::{Event, EventCategory, EventKind};

use crate::filter::{reply_number, split_request_number};

/// Decides which events the text output prints: neither protocol marks and prompts, nor the replies to commands that the session
/// itself sends.
///
/// Without block mode or tags, replies cannot be matched to commands. Therefore refusals before the session is ready count as
/// replies to its set-up, and replies to its fences are recognized by their words; everything else passes.
#[derive(Debug, Default)]
pub(crate) struct HousekeepingFilter {
    /// Passes only events of kinds for which this returns `true`; all kinds for `None`.
    kinds: Option<fn(EventKind) -> bool>,
    /// Whether the session is ready, so that later commands belong to the user.
    is_ready: bool,
    /// Numbers of the session's own commands without a reply.
    session_requests: BTreeSet<u64>,
    /// Words of the session's fences (commands that no server knows) without a reply.
    fences: VecDeque<Vec<u8>>,
    /// Nesting depth inside a reply to the session; 0 outside, and in replies to the user. Units can contain units.
    reply_depth: usize,
    /// Whether a line of the server has reported the login, so that the session's own event repeats it.
    is_login_announced: bool,
}

/// Command with which the session tests whether the connection is alive.
const PROBE: &str = "$$date";

/// Maximum number of stored fences, more than a session sends at once; then the oldest is dropped.
const MAX_FENCES: usize = 128;

impl HousekeepingFilter {
    /// Creates a filter for a session that is not connected yet. It passes only events of kinds for which `includes` returns
    /// `true`.
    pub(crate) fn for_kinds(includes: fn(EventKind) -> bool) -> Self {
        Self { kinds: Some(includes), ..Self::default() }
    }

    /// Creates the filter for a session that is ready already, whose login was reported before.
    pub(crate) fn for_ready_session() -> Self {
        Self { is_ready: true, is_login_announced: true, ..Self::default() }
    }

    /// Returns whether to print an event, and records it for later ones. Has to be called for every event of the session, in
    /// order.
    pub(crate) fn record_and_check_printed(&mut self, event: &Event) -> bool {
        let is_housekeeping = self.record_and_check_housekeeping(event);
        let is_repeated = self.is_login_announced && matches!(event, Event::LoggedIn(_));
        let is_mark = matches!(event.kind().category(), EventCategory::Control | EventCategory::Sent);
        !is_housekeeping && !is_repeated && !is_mark && self.kinds.is_none_or(|includes| includes(event.kind()))
    }

    /// Returns whether an event is a command of the session itself, part of the reply to one, or a repeated reserve, and records
    /// it for later events. Has to be called for every event of the session, in order, unless
    /// [`record_and_check_printed`](Self::record_and_check_printed) is.
    pub(crate) fn record_and_check_housekeeping(&mut self, event: &Event) -> bool {
        match event {
            Event::Connected => *self = Self { kinds: self.kinds, ..Self::default() },
            Event::Ready(_) => self.is_ready = true,
            Event::Sent { line: Some(line), .. } => return self.record_sent(line),
            _ => {}
        }
        match event.message() {
            Some(Message::Control(Control::BlockStart { .. } | Control::UnitStart(_))) if self.reply_depth > 0 => {
                self.reply_depth = self.reply_depth.saturating_add(1);
            }
            Some(start @ Message::Control(Control::BlockStart { .. } | Control::UnitStart(_))) => {
                self.reply_depth =
                    usize::from(reply_number(start).is_some_and(|number| self.session_requests.remove(&number)));
            }
            Some(Message::Control(Control::BlockEnd { .. } | Control::UnitEnd)) => {
                self.reply_depth = self.reply_depth.saturating_sub(1);
            }
            Some(Message::LoggedIn(_)) => self.is_login_announced = true,
            Some(_) => return self.reply_depth > 0 || is_repeated_reserve(event) || self.take_reply_to_session(event),
            None => {}
        }
        false
    }

    /// Returns whether an event is the reply to a fence, which is then forgotten, or a refusal during the set-up.
    fn take_reply_to_session(&mut self, event: &Event) -> bool {
        let line = event.raw();
        let reply_number = self.fences.iter().position(|word| line.windows(word.len()).any(|part| part == word));
        if let Some(at) = reply_number {
            self.fences.remove(at);
        }
        reply_number.is_some() || !self.is_ready && matches!(event.message(), Some(Message::Refused(_)))
    }

    /// Records a sent line, and returns whether the session itself sent it: a fence, a probe, or any numbered command before the
    /// session is ready.
    pub(crate) fn record_sent(&mut self, line: &str) -> bool {
        if let Some(word) = fence_in_sent_line(line.as_bytes()) {
            self.fences.push_back(word.to_vec());
            if self.fences.len() > MAX_FENCES {
                self.fences.pop_front();
            }
            return true;
        }
        let Some((number, command)) = split_request_number(line.as_bytes()) else { return false };
        let is_of_session = !self.is_ready || command == PROBE.as_bytes();
        if is_of_session {
            self.session_requests.insert(number);
        } else {
            self.session_requests.remove(&number);
        }
        is_of_session
    }
}

/// Returns whether an event reports a player's reserve without an added piece. Servers send such a report with every board.
pub(crate) fn is_repeated_reserve(event: &Event) -> bool {
    matches!(event.message(), Some(Message::Holding(holding)) if holding.passed.is_none())
}

#[cfg(test)]
mod tests;
