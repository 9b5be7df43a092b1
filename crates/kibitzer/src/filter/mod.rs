//! Filter expressions: `kind:tell,say from:foo`, `lag>1s and mine`, `not (kind:shout or "trade")`.
//!
//! One [`Expression`] decides about events and rows everywhere: in the console (filter, breakpoint, search, colors) and for
//! `--filter` of `decode`, `connect` and `replay`. `crates/kibitzer/docs/events.md` describes the language.
//!
//! | from | by | to |
//! |---|---|---|
//! | text | [`Expression::parse`] | the expression, or a [`FilterError`] with its position in the text |
//! | an event and its time | [`ReplyTimes::record_event`] | the delay of a reply |
//! | an event and that delay | [`Subject::of_event`] | the subject that [`Expression::accepts`] compares |

#![expect(clippy::exhaustive_structs, reason = "only the crates of this workspace use it, as kibitzer::internal")]

mod expression;
mod parser;
mod replies;
#[cfg(test)]
mod tests;
mod words;

use std::time::Duration;

use kibitzer_core::Event;

pub use expression::{BOT, DISCONNECTED, Expression, GAP, MARK, Subject, game_of, kinds};
pub use parser::{FilterError, is_quantity, term_completions};
pub use replies::{ReplyMatch, ReplyTimes, ShortDuration};
pub use words::{TerminalSafe, parse_duration, unknown_word_message};

/// Decides which events of a session meet an expression. Remembers the sent lines, on which the delay of a reply depends.
#[derive(Debug)]
pub struct EventFilter {
    /// The expression; all events pass without one.
    pub expression: Option<Expression>,
    replies: ReplyTimes,
}

impl EventFilter {
    /// Creates the filter for a session, before its first event. `None` lets all events pass.
    pub fn new(expression: impl Into<Option<Expression>>) -> Self {
        Self { expression: expression.into(), replies: ReplyTimes::default() }
    }

    /// Returns whether an event passes, and records it for later ones. Has to be called for every event of the session, in order;
    /// `at` is the time since the session began.
    pub fn record_and_check(&mut self, event: &Event, at: Duration) -> bool {
        // Without rows, the reply that a row belongs to is not used.
        let reply_after = self.replies.record_event(0, at, event).map(|(_, reply)| reply.after);
        self.expression.as_ref().is_none_or(|expression| expression.accepts(&Subject::of_event(event, reply_after)))
    }

    /// Forgets the unanswered lines, because a connection of a recording ended.
    pub fn end_connection(&mut self) {
        self.replies = ReplyTimes::default();
    }
}
