//! Events as JSON.
//!
//! The writer does not use `serde_json`: keys need no escaping, and most values are short. Writing a board takes a third less
//! time this way, and writing is most of the work of `kibitzer decode`.

use std::io::Write as _;

use super::value::{Fields as _, Value};
use crate::event::Event;

impl Event {
    /// Appends the event as one line of JSON, without a line end: the object that `kibitzer decode` prints. The page
    /// `guide::events` of the crate `kibitzer` lists the kinds and their keys.
    ///
    /// `extra_members` is inserted after the keys `event` and `offset`: more members as JSON, each after a
    /// comma, or nothing. The members of the [`attribution`](Self::attribution) that apply follow.
    ///
    /// Texts may hold anything that a player wrote. Besides the characters that JSON requires, characters are escaped that
    /// control a terminal, change the direction of text, or count as a line end in some programs (Python's `splitlines`).
    ///
    /// ```
    /// use kibitzer_core::EventReader;
    ///
    /// let mut events = EventReader::default();
    /// let mut read = &b"Foo(50): hi\n\r"[..];
    /// let mut line = Vec::new();
    /// while let Some(event) = events.next(&mut read) {
    ///     event.write_json("", &mut line);
    /// }
    /// assert_eq!(line, br#"{"event":"channel_tell","offset":0,"from":"Foo","titles":[],"text":"hi","channel":50}"#);
    /// ```
    pub fn write_json(&self, extra_members: &str, out: &mut Vec<u8>) {
        self.with_descriptor(|it| {
            out.extend_from_slice(b"{\"event\":\"");
            out.extend_from_slice(it.kind().as_str().as_bytes());
            out.extend_from_slice(b"\",\"offset\":");
            match self.offset() {
                Some(offset) => write_number(offset.cast_signed(), out),
                None => out.extend_from_slice(b"null"),
            }
            out.extend_from_slice(extra_members.as_bytes());
            self.attribution().put_fields(&mut |key, value, _| write_comma_and_member(key, value, out));
            self.put_fields_and_line(it, &mut |key, value, _| write_comma_and_member(key, value, out));
            out.push(b'}');
        });
    }
}

/// Appends a comma and a member of an object.
fn write_comma_and_member(key: &'static str, value: Value<'_>, out: &mut Vec<u8>) {
    out.reserve(key.len() + 4);
    out.extend_from_slice(b",\"");
    out.extend_from_slice(key.as_bytes());
    out.extend_from_slice(b"\":");
    write_value(value, out);
}

/// Appends a value as JSON, with all that it contains.
fn write_value(value: Value<'_>, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
        Value::Number(number) => write_number(number, out),
        Value::Letter(letter) => write_json_string(letter.encode_utf8(&mut [0; 4]), out),
        Value::Text(text) => write_json_string(text, out),
        Value::Display(shown) => {
            out.push(b'"');
            let start = out.len();
            // Nothing fails on the way to memory.
            let _ = write!(out, "{shown}");
            if !is_plain(out.get(start..).unwrap_or_default()) {
                let text = String::from_utf8_lossy(&out.split_off(start)).into_owned();
                write_escaped(&text, out);
            }
            out.push(b'"');
        }
        Value::List(list) => {
            let mut separator = b'[';
            list.put_items(&mut |item| {
                out.push(std::mem::replace(&mut separator, b','));
                write_value(item, out);
            });
            out.extend_from_slice(if separator == b'[' { b"[]" } else { b"]" });
        }
        Value::Object(object) => {
            let start = out.len();
            object.put_fields(&mut |key, value, _| write_comma_and_member(key, value, out));
            // The first member has no comma before it.
            match out.get_mut(start) {
                Some(comma) => *comma = b'{',
                None => out.push(b'{'),
            }
            out.push(b'}');
        }
    }
}

/// Appends a number in decimal; this is faster than `fmt`.
fn write_number(number: i64, out: &mut Vec<u8>) {
    if number < 0 {
        out.push(b'-');
    }
    write_digits(number.unsigned_abs(), out);
}

fn write_digits(number: u64, out: &mut Vec<u8>) {
    if number >= 10 {
        write_digits(number / 10, out);
    }
    out.push(b'0' + u8::try_from(number % 10).unwrap_or_default());
}

fn write_json_string(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    write_escaped(text, out);
    out.push(b'"');
}

/// Returns whether text needs no escape and is ASCII. Without an early exit the compiler can process the bytes in parallel.
fn is_plain(text: &[u8]) -> bool {
    text.iter().fold(true, |plain, &b| plain & (matches!(b, b' '..=b'~') && b != b'"' && b != b'\\'))
}

/// Appends text with the characters escaped that JSON or a terminal requires, without quotation marks.
fn write_escaped(text: &str, out: &mut Vec<u8>) {
    if is_plain(text.as_bytes()) {
        return out.extend_from_slice(text.as_bytes());
    }
    for character in text.chars() {
        match character {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\u{8}' => out.extend_from_slice(b"\\b"),
            '\u{c}' => out.extend_from_slice(b"\\f"),
            _ if needs_unicode_escape(character) => {
                out.extend_from_slice(format!("\\u{:04x}", u32::from(character)).as_bytes());
            }
            _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// Returns whether a character is written as `\u....`: control characters including U+0085, line and paragraph separators, and
/// controls of the text direction.
const fn needs_unicode_escape(character: char) -> bool {
    character.is_ascii_control()
        || matches!(character,
            '\u{80}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}
