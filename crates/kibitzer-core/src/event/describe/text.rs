//! Events and values as text for people.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::LineDisplay;
use super::value::{FieldSink, Value};
use crate::event::Event;
use crate::message::Received;
use crate::text::decode_received;

/// Writes the event as one line of text for people: the server's line if it is meant for people, otherwise the text of the
/// descriptor. Events of the session itself begin with `* `, sent lines with `> `.
///
/// Control characters except tabs are escaped. A terminal may still obey other characters that a player wrote, such as those that
/// change the direction of text.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = ControlEscaper(f);
        self.with_descriptor(|it| {
            let display = it.line_display();
            // Tagged lines and datagrams are meant for programs.
            let is_for_people = |received: &&Received| {
                let line = received.raw();
                !line.is_empty() && !line.starts_with(b"<") && !received.is_datagram()
            };
            match self.received().filter(is_for_people) {
                Some(received) if display != LineDisplay::Nowhere => out.write_str(&decode_received(received.raw())),
                _ => {
                    it.write_for_people(&mut out)?;
                    let words =
                        self.received().filter(|_| display == LineDisplay::InText).and_then(line_or_datagram_text);
                    words.map_or(Ok(()), |words| write!(out, ": {words}"))
                }
            }
        })
    }
}

/// Returns the server's text: the decoded line, or the argument `text` or `move` of a datagram; `None` for a datagram with
/// neither.
pub(super) fn line_or_datagram_text(received: &Received) -> Option<Cow<'_, str>> {
    let Some(datagram) = received.datagram() else { return Some(decode_received(received.raw())) };
    let words = ["text", "move"].into_iter().filter_map(|name| datagram.argument(name));
    words.map(|words| words.as_str().to_owned()).find(|words| !words.is_empty()).map(Cow::Owned)
}

/// Writer that escapes control characters except tabs.
struct ControlEscaper<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl Write for ControlEscaper<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let is_escaped = |c: char| c.is_control() && c != '\t';
        if !text.contains(is_escaped) {
            return self.0.write_str(text);
        }
        text.chars()
            .try_for_each(|c| if is_escaped(c) { write!(self.0, "{}", c.escape_debug()) } else { self.0.write_char(c) })
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Null => Ok(()),
            Self::Bool(value) => f.write_str(if value { "yes" } else { "no" }),
            Self::Number(number) => number.fmt(f),
            Self::Letter(letter) => f.write_char(letter),
            Self::Text(text) => f.write_str(text),
            Self::Display(shown) => shown.fmt(f),
            Self::List(list) => {
                let (mut separator, mut written) = ("", Ok(()));
                list.put_items(&mut |item| {
                    written = written.and_then(|()| write!(f, "{separator}{item}"));
                    separator = " ";
                });
                written
            }
            Self::Object(object) => write_fields_as_text("", |put| object.put_fields(put), f),
        }
    }
}

/// Writes the fields that are not [`Value::Null`] as text for people, separated by commas, with `start` before the first one.
pub(super) fn write_fields_as_text(
    start: &str,
    fields: impl FnOnce(&mut FieldSink<'_>),
    out: &mut dyn Write,
) -> fmt::Result {
    let (mut separator, mut written) = (start, Ok(()));
    fields(&mut |key, value, _| {
        if !matches!(value, Value::Null) {
            written = written.and_then(|()| write!(out, "{separator}{key} {value}"));
            separator = ", ";
        }
    });
    written
}

/// Calls `visit_field` with the name and value of a field. An object is replaced by its members, under names such as
/// `last_move.san`; a list of objects by one call for each. Skips [`Value::Null`] and empty lists.
pub(super) fn visit_flattened(name: &str, value: Value<'_>, visit_field: &mut dyn FnMut(&str, &dyn fmt::Display)) {
    match value {
        Value::Null => {}
        Value::Object(object) => {
            object.put_fields(&mut |key, value, _| visit_flattened(&format!("{name}.{key}"), value, visit_field));
        }
        Value::List(list) => {
            let mut has_plain_items = false;
            list.put_items(&mut |item| match item {
                Value::Object(_) => visit_field(name, &item),
                _ => has_plain_items = true,
            });
            if has_plain_items {
                visit_field(name, &value);
            }
        }
        value => visit_field(name, &value),
    }
}
