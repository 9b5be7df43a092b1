//! Events as JSON.
//!
//! Written by hand rather than by `serde_json`: keys need no escaping, and most values are numbers and names. That is more than
//! twice as fast (docs/performance.md), and printing is most of the work of `kibitzer decode`.

use std::fmt::{self, Write as _};

use super::value::Value;
use crate::event::Event;

impl Event {
    /// Appends the event as one line of JSON, without a line end: the object that `kibitzer decode` prints. `docs/events.md`
    /// of the project lists the kinds and their keys.
    ///
    /// `members` is inserted after the keys `event` and `offset`: more members as JSON, each after a
    /// comma, or nothing.
    ///
    /// Texts may hold anything that a player wrote. Besides the characters that JSON requires, every character is escaped that a
    /// terminal obeys, that changes the direction of text, or that some reader of lines (Python's `splitlines`) takes for a
    /// line end.
    ///
    /// ```
    /// use kibitzer_core::EventReader;
    ///
    /// let mut events = EventReader::default();
    /// let mut read = &b"Foo(50): hi\n\r"[..];
    /// let mut line = String::new();
    /// while let Some(event) = events.next(&mut read) {
    ///     event.write_json("", &mut line);
    /// }
    /// assert_eq!(line, r#"{"event":"channel_tell","offset":0,"from":"Foo","titles":[],"text":"hi","channel":50}"#);
    /// ```
    pub fn write_json(&self, members: &str, out: &mut String) {
        out.push_str("{\"event\":\"");
        out.push_str(self.kind().as_str());
        out.push_str("\",\"offset\":");
        match self.position_in_stream() {
            Some(offset) => write_number(offset.cast_signed(), out),
            None => out.push_str("null"),
        }
        out.push_str(members);
        self.fields(&mut |key, value| write_member(key, value, out));
        out.push('}');
    }
}

/// Writes a member that follows another one.
fn write_member(key: &'static str, value: Value<'_>, out: &mut String) {
    out.push_str(",\"");
    out.push_str(key);
    out.push_str("\":");
    write_value(value, out);
}

fn write_value(value: Value<'_>, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if value { "true" } else { "false" }),
        Value::Number(number) => write_number(number, out),
        Value::Letter(letter) => write_text(letter.encode_utf8(&mut [0; 4]), out),
        Value::Text(text) => write_text(text, out),
        Value::Display(shown) => {
            out.push('"');
            // Nothing fails on the way to memory.
            let _ = write!(Escaped(out), "{shown}");
            out.push('"');
        }
        Value::List(list) => {
            let mut open = '[';
            list.items(&mut |item| {
                out.push(std::mem::replace(&mut open, ','));
                write_value(item, out);
            });
            out.push_str(if open == '[' { "[]" } else { "]" });
        }
        Value::Object(object) => {
            let start = out.len();
            object.fields(&mut |key, value| write_member(key, value, out));
            // The first member has no comma.
            if out.len() > start {
                out.replace_range(start..=start, "{");
            } else {
                out.push('{');
            }
            out.push('}');
        }
    }
}

/// Writes a number in decimal, without the machinery of `fmt`.
fn write_number(number: i64, out: &mut String) {
    let mut digits = [0; 20];
    let mut rest = number.unsigned_abs();
    let mut start = digits.len();
    for (at, digit) in digits.iter_mut().enumerate().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        start = at;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push('-');
    }
    out.extend(digits.get(start..).unwrap_or_default().iter().map(|&digit| char::from(digit)));
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    escape(text, out);
    out.push('"');
}

/// Text whose characters are escaped on the way.
struct Escaped<'a>(&'a mut String);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        escape(text, self.0);
        Ok(())
    }
}

fn escape(text: &str, out: &mut String) {
    if text.bytes().all(|b| matches!(b, b' '..=b'~') && b != b'"' && b != b'\\') {
        return out.push_str(text);
    }
    for character in text.chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            _ if is_escaped(character) => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
}

/// Control characters (U+0085, next line, among them), line and paragraph separator, controls of the text direction.
const fn is_escaped(character: char) -> bool {
    character.is_ascii_control()
        || matches!(character,
            '\u{80}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}
