//! Filter expressions: `kind:tell,say from:foo`, `lag>1s and mine`, `not (kind:shout or "trade")`.
//!
//! One [`Expression`] decides about events and rows everywhere: in the console (filter, breakpoint, search, colors) and for
//! `--filter` of `decode`, `connect` and `replay`. `crates/kibitzer/docs/events.md` describes the language.
//!
//! | from | by | to |
//! |---|---|---|
//! | text | [`Expression::parse`] | the expression, or a [`FilterError`] with its position in the text |
//! | an event and its time | [`ReplyTimes::record_event`] | the delay of a reply |
//! | events in order | [`EventFilter::record`] | what [passes](Passed) |
//! | an event and that delay | [`Subject::of_event`] | the subject that [`Expression::accepts`] compares |

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    reason = "only the crates of this workspace use it, as kibitzer::internal"
)]

mod expression;
mod parser;
mod replies;
#[cfg(test)]
mod tests;
mod words;

use std::time::Duration;

use kibitzer_core::Event;
use kibitzer_core::event::Attribution;

use crate::recorded::Stamp;

pub use expression::{ANSWERED, BOT, DISCONNECTED, Expression, GAP, MARK, Subject, game_of, kinds};
pub use parser::{FilterError, is_quantity, term_completions};
pub use replies::{ReplyMatch, ReplyTimes, ShortDuration};
pub use words::{TerminalSafe, parse_duration, unknown_word_message};

/// Decides which events of a session meet an expression, and reports replies.
///
/// Remembers the sent lines without a reply. If it depends on the reply whether a line passes, as with `unanswered`, the line is
/// held back until the reply begins, the connection ends, or 256 later lines wait as well.
#[derive(Debug)]
pub struct EventFilter {
    /// The expression; all events pass without one.
    pub expression: Option<Expression>,
    replies: ReplyTimes<WaitingLine>,
}

/// What passes an [`EventFilter`].
#[derive(Clone, Copy, Debug)]
pub enum Passed<'a> {
    /// An event, with its time. It may be a sent line that was held back.
    Event(&'a Event, Stamp),
    /// The reply to a sent line begins, with the event after this report.
    Answered {
        /// The request, and who made it.
        attribution: Attribution,
        /// Time since the sent line.
        after: Duration,
        /// Time at which the reply began.
        stamp: Stamp,
    },
    /// A sent line has no reply. Its event has passed.
    Unanswered,
}

/// A sent line that waits for its reply.
#[derive(Debug)]
struct WaitingLine {
    event: Event,
    stamp: Stamp,
    passes_if_answered: bool,
    passes_if_unanswered: bool,
}

impl EventFilter {
    /// Creates the filter for a session, before its first event. `None` lets all events pass.
    pub fn new(expression: impl Into<Option<Expression>>) -> Self {
        Self { expression: expression.into(), replies: ReplyTimes::default() }
    }

    /// Records an event, and calls `visit` with everything that passes now. Has to be called for every event of the session, in
    /// order; `stamp` has the time since the session began.
    ///
    /// # Errors
    ///
    /// The first error of `visit`.
    pub fn record<E>(
        &mut self,
        event: &Event,
        stamp: Stamp,
        mut visit: impl FnMut(Passed<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Event::Connected | Event::Lost(_) | Event::Ended(_) = event {
            self.end_connection(&mut visit)?;
        }
        let attribution = event.attribution();
        if matches!(event, Event::Sent { .. }) && self.replies.is_awaiting_line(attribution) {
            let passes_if = |unanswered| self.accepts(&Subject::of_event(event, None).unanswered_if(unanswered));
            let (passes_if_answered, passes_if_unanswered) = (passes_if(false), passes_if(true));
            if passes_if_answered && passes_if_unanswered {
                visit(Passed::Event(event, stamp))?;
            }
            let line = WaitingLine { event: event.clone(), stamp, passes_if_answered, passes_if_unanswered };
            let oldest = self.replies.record_sent(line, stamp.time, attribution);
            return oldest.map_or(Ok(()), |line| line.visit_as_unanswered(visit));
        }
        // Without rows, the reply that a row belongs to is not used.
        let answered = self.replies.record_event(0, stamp.time, event);
        if let Some((line, reply)) = &answered {
            if line.passes_if_answered && !line.passes_if_unanswered {
                visit(Passed::Event(&line.event, line.stamp))?;
            }
            let after = reply.after;
            if self.accepts(&Subject::of_reply(after, &format_args!("answered after {}", ShortDuration(after)))) {
                visit(Passed::Answered { attribution, after, stamp })?;
            }
        }
        let reply_after = answered.map(|(_, reply)| reply.after);
        if self.accepts(&Subject::of_event(event, reply_after)) {
            visit(Passed::Event(event, stamp))?;
        }
        Ok(())
    }

    fn accepts(&self, subject: &Subject<'_>) -> bool {
        self.expression.as_ref().is_none_or(|expression| expression.accepts(subject))
    }

    /// Records that a connection of a recording, or the recording, ended: the waiting lines have no reply. Calls `visit` with what
    /// passes now.
    ///
    /// # Errors
    ///
    /// The first error of `visit`.
    pub fn end_connection<E>(&mut self, mut visit: impl FnMut(Passed<'_>) -> Result<(), E>) -> Result<(), E> {
        while let Some(line) = self.replies.take_oldest() {
            line.visit_as_unanswered(&mut visit)?;
        }
        Ok(())
    }
}

impl WaitingLine {
    fn visit_as_unanswered<E>(&self, mut visit: impl FnMut(Passed<'_>) -> Result<(), E>) -> Result<(), E> {
        if !self.passes_if_unanswered {
            return Ok(());
        }
        if !self.passes_if_answered {
            visit(Passed::Event(&self.event, self.stamp))?;
        }
        visit(Passed::Unanswered)
    }
}
