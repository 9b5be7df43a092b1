//! JSON on one line that is safe to print on a terminal.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Writes a value as compact JSON, without a line end.
///
/// JSON requires only control characters up to U+001F to be escaped. This function also escapes every character that controls a
/// terminal, changes the direction of text, or ends a line for some readers (Python's `splitlines`), because strings may
/// contain text of players.
///
/// # Errors
///
/// The writer fails, or the value cannot be serialized as JSON.
///
/// ```
/// let mut line = Vec::new();
/// kibitzer::internal::json::write(&mut line, "a\u{2028}b\u{7f}")?;
/// assert_eq!(line, br#""a\u2028b\u007f""#);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn write<T: Serialize + ?Sized>(out: &mut impl Write, value: &T) -> io::Result<()> {
    Ok(value.serialize(&mut Serializer::with_formatter(out, TerminalSafe))?)
}

/// Formats compact JSON and escapes the characters of [`is_escaped`] in addition to those that JSON requires.
struct TerminalSafe;

impl Formatter for TerminalSafe {
    fn write_string_fragment<W: Write + ?Sized>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        // The first bytes, in UTF-8, of all characters that are escaped.
        while let Some(at) = rest.bytes().position(|b| matches!(b, 0x7F | 0xC2 | 0xD8 | 0xE2)) {
            let Some((before, from)) = rest.split_at_checked(at) else { break };
            let mut characters = from.chars();
            let Some(character) = characters.next() else { break };
            out.write_all(before.as_bytes())?;
            if is_escaped(character) {
                write!(out, "\\u{:04x}", u32::from(character))?;
            } else {
                write!(out, "{character}")?;
            }
            rest = characters.as_str();
        }
        out.write_all(rest.as_bytes())
    }
}

/// Returns whether the character is DEL, a C1 control (such as U+0085, next line), a line or paragraph separator, or a control of
/// the text direction.
pub const fn is_escaped(character: char) -> bool {
    matches!(character,
        '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_ends_a_line_or_controls_a_terminal() {
        /// The line ends of Python's `str.splitlines`, and the Unicode property `Bidi_Control`.
        const BREAKS: &str = "\n\r\u{b}\u{c}\u{1c}\u{1d}\u{1e}\u{85}\u{2028}\u{2029}";
        const BIDIRECTIONAL: &str =
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        for character in '\0'..=char::MAX {
            let text = format!("a{character}b");
            let mut line = Vec::new();
            write(&mut line, &text).unwrap();
            let line = String::from_utf8(line).unwrap();
            assert_eq!(serde_json::from_str::<String>(&line).unwrap(), text);
            let is_safe = |c: char| !c.is_control() && !BREAKS.contains(c) && !BIDIRECTIONAL.contains(c);
            assert_eq!(line == format!("\"{text}\""), is_safe(character) && !r#""\"#.contains(character), "{line}");
        }
    }
}
