//! The part of an event or a console row that expressions compare.

use std::cell::OnceCell;
use std::fmt;
use std::time::Duration;

use kibitzer::core::message::{GameId, Handle, Message};
use kibitzer::core::{Event, EventKind};

use crate::output::TerminalSafe;

/// Kind of the rows in which users of the console mark a place.
pub(crate) const MARK: &str = "mark";
/// Kind of the console's rows for actions of a bot.
pub(crate) const BOT: &str = "bot";
/// Kind of the console's rows for long silences.
pub(crate) const GAP: &str = "gap";
/// Kind of the console's rows at which a recorded connection ends.
pub(crate) const DISCONNECTED: &str = "disconnected";

/// Returns every valid value of `kind:`: the kinds of events, and those of the console's other rows.
pub(crate) fn kinds() -> impl Iterator<Item = &'static str> {
    EventKind::ALL.iter().map(|kind| kind.as_str()).chain([MARK, BOT, GAP, DISCONNECTED])
}

/// An event or a console row, as expressions see it.
pub(crate) struct Subject<'a> {
    pub(super) kind: &'static str,
    pub(super) game: Option<GameId>,
    /// `None` for rows that are not events, such as marks.
    pub(super) event: Option<&'a Event>,
    /// Time from the sent line to this event, if the event starts its reply.
    pub(super) reply_after: Option<Duration>,
    /// The text that words and patterns are searched in.
    display: &'a dyn fmt::Display,
    /// Result of [`text`](Self::text), which is formatted at the first use.
    text: OnceCell<String>,
}

impl<'a> Subject<'a> {
    /// Creates the subject of an event. `reply_after` is the time from the sent line, if the event starts its reply.
    pub(crate) fn of_event(event: &'a Event, reply_after: Option<Duration>) -> Self {
        Self { event: Some(event), reply_after, ..Self::of_row(event.kind().as_str(), game_of(event), event) }
    }

    /// Creates the subject of a row that is not an event, with the text to search in. `mine` and comparisons do not accept it.
    pub(crate) fn of_row(kind: &'static str, game: Option<GameId>, display: &'a dyn fmt::Display) -> Self {
        Self { kind, game, event: None, reply_after: None, display, text: OnceCell::new() }
    }

    /// Returns the text as the console's list of events shows it, with control characters escaped.
    pub(super) fn text(&self) -> &str {
        self.text.get_or_init(|| TerminalSafe(&self.display.to_string()).in_cells().into_owned())
    }

    /// Returns the player whose words the event reports; `None` for other events and for rows.
    pub(super) fn speaker(&self) -> Option<Handle> {
        self.event?.message().and_then(Message::speaker)
    }
}

/// Returns the game that an event changed, otherwise the game that its message names. `None` if the event is about no game.
pub(crate) fn game_of(event: &Event) -> Option<GameId> {
    event.affected_game().or_else(|| event.message()?.game())
}
