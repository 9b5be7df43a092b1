//! Descriptors: for each type of event its kind, the game and speaker that a filter compares, its fields in JSON, and its text
//! for people.
//!
//! The table in `docs/architecture.md` lists all edits that a new message needs; here, its [`EventDescriptor`] and an arm in
//! [`Message::descriptor`].

mod game;
mod json;
mod listing;
mod player;
#[cfg(test)]
mod schema_tests;
#[cfg(feature = "serde")]
mod serialize;
mod session;
mod text;
mod value;

use std::fmt::{self, Write};

use self::game::ReportedBoard;
use self::value::{FieldSink, FieldType, Fields, Value};
use super::{Event, EventKind};
use crate::message::{Attribution, GameId, Message};
use crate::text::Handle;

/// Description of one type of event, from which filters, JSON and the text for people are derived.
pub(crate) trait EventDescriptor: Fields {
    /// Returns the kind; its name is the value of `event` in JSON.
    fn kind(&self) -> EventKind;

    /// Returns the game that the event names; `None` if it names none.
    fn game(&self) -> Option<GameId> {
        None
    }

    /// Returns the player who speaks; `None` if the event is not talk, or does not name its speaker.
    fn speaker(&self) -> Option<Handle> {
        None
    }

    /// Returns where the received line itself appears: in the text for people, in JSON, in both or in neither.
    fn line_display(&self) -> LineDisplay {
        LineDisplay::ForPeople
    }

    /// Writes the event as text for people. Default: the name of the kind, and the fields that have a value.
    fn write_for_people(&self, out: &mut dyn Write) -> fmt::Result {
        out.write_str(&self.kind().as_str().replace('_', " "))?;
        text::write_fields_as_text(": ", |put| self.put_fields(put), out)
    }
}

/// Use of a received line in the text for people and in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineDisplay {
    /// The received line is the text for people, in place of the descriptor's text.
    ForPeople,
    /// The received line is the text for people, and the last field of the JSON object, `text`.
    InText,
    /// The received line is a datagram, whose number and fields are the last fields of the JSON object.
    InDatagram,
    /// The received line is left out, because the descriptor's text contains all of it.
    Nowhere,
}

/// Implements [`EventDescriptor`] for types. Each entry has the type and its kind, then in this order: the game, if the event
/// names one; how the line is displayed; the fields; the text for people, if it differs from the default.
macro_rules! describe {
    ($($kind:ty as $it:ident => $event:expr, {
        $(game: $game:expr,)?
        $(line: $line:expr,)?
        fields: [$($fields:tt)*],
        $(words($out:ident): $words:expr,)?
    })+) => {$(
        impl $crate::event::describe::value::Fields for $kind {
            fn put_fields(&self, put: &mut $crate::event::describe::value::FieldSink<'_>) {
                let $it = self;
                let _ = ($it, &put);
                $crate::event::describe::value::fields!(put, $it; $($fields)*);
            }
        }

        impl $crate::event::describe::EventDescriptor for $kind {
            fn kind(&self) -> $crate::event::EventKind {
                let $it = self;
                let _ = $it;
                $event
            }

            $(fn game(&self) -> Option<$crate::message::GameId> {
                let $it = self;
                $game.into()
            })?

            $(fn line_display(&self) -> $crate::event::describe::LineDisplay {
                let $it = self;
                let _ = $it;
                $line
            })?

            $(fn write_for_people(&self, $out: &mut dyn ::std::fmt::Write) -> ::std::fmt::Result {
                let $it = self;
                let _ = $it;
                $words
            })?
        }
    )+};
}
use describe;

/// Unlike all other fields, those that do not apply are left out: most events have none of them.
impl Fields for Attribution {
    fn put_fields(&self, put: &mut FieldSink<'_>) {
        if *self == Self::default() {
            return;
        }
        if let Some(request) = self.request() {
            value::put_field(put, "request", &request);
        }
        if let Some(origin) = self.origin() {
            value::put_field(put, "requested_by", &origin);
        }
        if self.is_inferred() {
            value::put_field(put, "inferred", &true);
        }
        if self.is_own_game() {
            value::put_field(put, "own", &true);
        }
    }
}

impl Message {
    /// Returns the descriptor; `None` for text, and for boards and moves, which [`ReportedBoard`] describes.
    fn descriptor(&self) -> Option<&dyn EventDescriptor> {
        Some(match self {
            Self::Style12(_) | Self::Style10(_) | Self::Delta(_) | Self::Text(_) => return None,
            Self::Holding(it) => &**it,
            Self::GameInfo(it) => &**it,
            Self::Creating(it) => &**it,
            Self::GameCreated(it) => &**it,
            Self::GameEnded(it) => &**it,
            Self::Observing(it) => &**it,
            Self::Focus(it) => &**it,
            Self::Examine(it) => &**it,
            Self::GameUpdate(it) => &**it,
            Self::Mark(it) => &**it,
            Self::Clock(it) => &**it,
            Self::GameNotification(it) => &**it,
            Self::RatingChange(it) => &**it,
            Self::RatingForecast(it) => &**it,
            Self::Talk(it) => &**it,
            Self::Arrival(it) => &**it,
            Self::UserArrived(it) => &**it,
            Self::Challenge(it) => &**it,
            Self::ChallengeUpdate(it) => &**it,
            Self::Offer(it) => &**it,
            Self::Partner(it) => &**it,
            Self::Pending(it) => &**it,
            Self::PendingRemoved(it) => &**it,
            Self::Seek(it) => &**it,
            Self::SeeksRemoved(it) => &**it,
            Self::SeeksCleared(it) => &**it,
            Self::SeekNotice(it) => &**it,
            Self::Delivered(it) => &**it,
            Self::ListChange(it) => &**it,
            Self::Following(it) => &**it,
            Self::Refused(it) => &**it,
            Self::NameStatus(it) => &**it,
            Self::LoggedIn(it) => &**it,
            Self::LoginRefused(it) => &**it,
            Self::Kicked(it) => &**it,
            Self::Farewell(it) => &**it,
            Self::Datagram(it) => &**it,
            Self::Control(it) => it,
            Self::OverLong(it) => &**it,
        })
    }

    /// Returns the number of the game that the message names; `None` if it names none.
    ///
    /// On most servers, a line about the game that this login plays names none (`Foo offers you a draw.`). `None` also for boards
    /// in style 10, whose game numbers differ from those of all other messages.
    pub fn game(&self) -> Option<GameId> {
        match self {
            Self::Style12(board) => Some(board.game()),
            Self::Delta(delta) => Some(delta.game),
            _ => self.descriptor()?.game(),
        }
    }

    /// Returns the player who speaks; `None` if the message is not talk, or does not name its speaker.
    pub fn speaker(&self) -> Option<Handle> {
        self.descriptor()?.speaker()
    }
}

impl Event {
    /// Returns the kind.
    pub fn kind(&self) -> EventKind {
        self.with_descriptor(|it| it.kind())
    }

    /// Calls `visit` with the name and the value of each field that has a value, in the order of the JSON object.
    ///
    /// Members of a nested object are fields of their own, `last_move.san`. A list of objects is one call for each object. Values
    /// display as text for people, and may contain control characters that a player wrote.
    ///
    /// ```
    /// use kibitzer_core::EventReader;
    ///
    /// let mut events = EventReader::default();
    /// let event = events.next(&mut &b"Foo(GM)(50): hi\n\r"[..]).or_else(|| events.finish()).unwrap();
    /// let mut fields = Vec::new();
    /// event.visit_fields(&mut |name, value| fields.push(format!("{name} {value}")));
    /// assert_eq!(fields, ["from Foo", "titles GM", "text hi", "channel 50"]);
    /// ```
    pub fn visit_fields(&self, visit: &mut dyn FnMut(&str, &dyn fmt::Display)) {
        self.with_descriptor(|it| {
            let mut put = |key, value: Value<'_>, _: &FieldType| text::visit_flattened(key, value, visit);
            self.put_fields_and_line(it, &mut put);
            self.attribution().put_fields(&mut put);
        });
    }

    /// Passes every field of the descriptor `it` to `put`, then the fields of the received line.
    fn put_fields_and_line(&self, it: &dyn EventDescriptor, put: &mut FieldSink<'_>) {
        it.put_fields(put);
        let Some(received) = self.received() else { return };
        match it.line_display() {
            LineDisplay::InText => value::put_field(put, "text", &text::line_or_datagram_text(received).as_deref()),
            LineDisplay::InDatagram => received.datagram().iter().for_each(|datagram| datagram.put_fields(put)),
            LineDisplay::ForPeople | LineDisplay::Nowhere => {}
        }
    }

    /// Calls `read` with the descriptor of the event, and returns the result.
    fn with_descriptor<R>(&self, read: impl FnOnce(&dyn EventDescriptor) -> R) -> R {
        match self {
            Self::Received { received, .. } => match self.board() {
                Some(board) => read(&ReportedBoard { event: Some(self), board }),
                None => read(received.message.descriptor().unwrap_or(received)),
            },
            Self::Desync(desync) => read(desync),
            Self::Listing { listing, .. } => read(&**listing),
            Self::LoggedIn(identity) => read(&**identity),
            Self::SessionReady(capabilities) => read(capabilities),
            Self::Restored(restored) => read(&**restored),
            Self::AdjournedGame(game) => read(&**game),
            Self::Ended(reason) => read(reason),
            Self::Missed { .. }
            | Self::Connecting(_)
            | Self::Connected
            | Self::Sent { .. }
            | Self::Fault
            | Self::Lost(_) => read(self),
        }
    }
}
