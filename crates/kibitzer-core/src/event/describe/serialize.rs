//! Events, listings and games for serde: objects as [`Event::write_json`] writes them, for any format.

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::game::ReportedBoard;
use super::value::{self, Displayed, FieldSink, Fields, Value, objects};
use crate::event::Event;
use crate::game::{Game, PlayedMove};
use crate::message::listing::AnyListing;
use crate::message::{Challenge, GameCreated, GameEnded, Parsed, Style12};

/// Writes the object that `kibitzer decode` prints for the event. Texts are written as they are: a format whose texts reach a
/// terminal has to escape control characters.
///
/// ```
/// use kibitzer_core::EventReader;
///
/// let mut events = EventReader::default();
/// let mut read = &b"{Game 39 (Foo vs. Bar) Bar checkmated} 1-0\n\r"[..];
/// while let Some(event) = events.next(&mut read) {
///     println!("{}", serde_json::to_string(&event)?);
///     assert_eq!(serde_json::to_value(&event)?["reason"], "mate");
/// }
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.with_descriptor(|it| {
            serialize_fields(serializer, |put| {
                value::put_field(put, "event", &it.kind().as_str());
                value::put_field(put, "offset", &self.offset());
                self.attribution().put_fields(put);
                self.put_fields_and_line(it, put);
            })
        })
    }
}

/// Serializes these types as objects with the keys of their events, without `event` and `offset`. A board has no `irregular` then; a
/// game has the keys of `position`, `game_info`, `game_ended` and `move_list`, and its `moves` are those since [`Game::base`].
macro_rules! serialize_objects {
    ($($kind:ty),+) => {$(
        /// Writes the object with the keys of the event of this kind.
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Value::Object(self).serialize(serializer)
            }
        }
    )+};
}
serialize_objects!(AnyListing, Game, Style12, Challenge, GameCreated, GameEnded);

impl<T: Serialize> Serialize for Parsed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

objects! {
    Game as it: [
        game: it.id(), kind: it.kind(), variant: it.variant(), rated: it.is_rated(), partner_game: it.partner_game(),
        white: it.position().white(), black: it.position().black(), relation: it.position().relation().code(),
        initial_s: u64::from(it.position().initial_min()) * 60, increment_s: it.position().increment_s(),
        fen: Displayed(it.fen()), side_to_move: it.position().side_to_move(), move_number: it.position().move_number(),
        white_clock_ms: it.position().white_clock().as_ms(), black_clock_ms: it.position().black_clock().as_ms(),
        moves: it.moves().to_vec(), result: it.ending().map(|ending| ending.result.as_str()),
        reason: it.ending().map(|ending| ending.reason.as_str()),
    ];
    PlayedMove as it: [san: it.pretty(), clock_ms: it.clock().as_ms(), elapsed_ms: it.elapsed_ms()];
}

impl Fields for Style12 {
    fn put_fields(&self, put: &mut FieldSink<'_>) {
        ReportedBoard { event: None, board: self }.put_fields(put);
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Null => serializer.serialize_none(),
            Self::Bool(value) => serializer.serialize_bool(value),
            Self::Number(number) => serializer.serialize_i64(number),
            Self::Letter(letter) => serializer.serialize_char(letter),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Display(shown) => serializer.collect_str(shown),
            Self::List(list) => {
                let mut items = serializer.serialize_seq(None)?;
                let mut written = Ok(());
                list.put_items(&mut |item| {
                    if written.is_ok() {
                        written = items.serialize_element(&item);
                    }
                });
                written?;
                items.end()
            }
            Self::Object(object) => serialize_fields(serializer, |put| object.put_fields(put)),
        }
    }
}

/// Writes the fields that `fields` passes to its argument as an object.
fn serialize_fields<S: Serializer>(serializer: S, fields: impl FnOnce(&mut FieldSink<'_>)) -> Result<S::Ok, S::Error> {
    let mut object = serializer.serialize_map(None)?;
    let mut written = Ok(());
    fields(&mut |key, value, _| {
        if written.is_ok() {
            written = object.serialize_entry(key, &value);
        }
    });
    written?;
    object.end()
}
