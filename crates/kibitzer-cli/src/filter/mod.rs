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

mod expression;
mod parser;
mod replies;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;
use std::time::Duration;

use clap::builder::TypedValueParser;
use kibitzer_core::Event;

use crate::arguments::SuggestingParser;
pub(crate) use expression::{BOT, DISCONNECTED, Expression, GAP, MARK, Subject, game_of, kinds};
pub(crate) use parser::{FilterError, is_quantity, term_completions};
pub(crate) use replies::{ReplyMatch, ReplyTimes, ShortDuration};

/// Returns the value parser of `--filter`. Shells complete a term `kind:KIND`.
fn expression_parser() -> impl TypedValueParser<Value = Expression> {
    static KINDS: LazyLock<Vec<String>> = LazyLock::new(|| kinds().map(|kind| format!("kind:{kind}")).collect());
    SuggestingParser::new(parse_argument, || KINDS.iter().map(String::as_str).collect())
}

/// Parses the value of `--filter`. Refuses text that starts with `--`, which is another option after a missing value; a single
/// minus sign is part of the language.
fn parse_argument(text: &str) -> Result<Expression, FilterError> {
    if text.starts_with("--") {
        return Err(FilterError::new(text, 0, "an expression is missing before this option"));
    }
    Expression::parse(text)
}

/// The option `--filter`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FilterArgs {
    /// Print only events that match this expression, such as 'kind:tell from:foo' or 'mine and clock<10s'
    #[arg(
        long = "filter",
        value_name = "EXPR",
        value_parser = expression_parser(),
        hide_possible_values = true,
        allow_hyphen_values = true
    )]
    pub(crate) expression: Option<Expression>,
}

/// Decides which events of a session meet an expression. Remembers the sent lines, on which the delay of a reply depends.
#[derive(Debug)]
pub(crate) struct EventFilter {
    /// The expression; all events pass without one.
    pub(crate) expression: Option<Expression>,
    replies: ReplyTimes,
}

impl EventFilter {
    /// Creates the filter for a session, before its first event. `None` lets all events pass.
    pub(crate) fn new(expression: impl Into<Option<Expression>>) -> Self {
        Self { expression: expression.into(), replies: ReplyTimes::default() }
    }

    /// Returns whether an event passes, and records it for later ones. Has to be called for every event of the session, in order;
    /// `at` is the time since the session began.
    pub(crate) fn record_and_check(&mut self, event: &Event, at: Duration) -> bool {
        // Without rows, the reply that a row belongs to is not used.
        let reply_after = self.replies.record_event(0, at, event).map(|(_, reply)| reply.after);
        self.expression.as_ref().is_none_or(|expression| expression.accepts(&Subject::of_event(event, reply_after)))
    }

    /// Forgets the unanswered lines, because a connection of a recording ended.
    pub(crate) fn end_connection(&mut self) {
        self.replies = ReplyTimes::default();
    }
}
