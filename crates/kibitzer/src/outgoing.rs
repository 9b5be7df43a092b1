//! What may be sent: one line.

use kibitzer_core::text;
use thiserror::Error;

/// Longest line that is sent, its line feed included, in bytes. Source: transport L6; servers cut or refuse longer ones.
pub const MAX_LINE_BYTES: usize = 1000;

/// Why a line was not sent. Nothing of it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum LineError {
    /// It holds a line break: it would be two commands.
    #[error("line break inside a line")]
    LineBreak,
    /// It holds another control character. Servers drop some and refuse the line for others, and timeseal has its own use
    /// for them.
    #[error("control character in a line")]
    Control,
    /// It is longer than servers take.
    #[error("line of {length} bytes is longer than {max}", max = MAX_LINE_BYTES)]
    TooLong {
        /// Its length with its line feed, after encoding, in bytes.
        length: usize,
    },
}

/// The bytes of a line with its line feed, encoded by [`text::encode`].
///
/// Source: transport L2, L5 to L7, C2.
pub(crate) fn encode(line: &str) -> Result<String, LineError> {
    if line.contains(['\n', '\r']) {
        return Err(LineError::LineBreak);
    }
    if line.contains(char::is_control) {
        return Err(LineError::Control);
    }
    let mut encoded = text::encode(line).into_owned();
    encoded.push('\n');
    if encoded.len() > MAX_LINE_BYTES {
        return Err(LineError::TooLong { length: encoded.len() });
    }
    Ok(encoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_out_in_printable_ascii() {
        let cases = [
            ("empty", "", "\n"),
            ("command", "tell 50 hello", "tell 50 hello\n"),
            ("blanks stay", "  say a  b ", "  say a  b \n"),
            ("Latin-1", "say Köln", "say K&#xf6;ln\n"),
            ("beyond", "say ♞ 🐎", "say &#x265e; &#x1f40e;\n"),
            ("no-break space, line separator", "\u{a0}\u{2028}", "&#xa0;&#x2028;\n"),
            ("an entity stays", "&#x41;", "&#x41;\n"),
        ];
        for (name, line, want) in cases {
            assert_eq!(encode(line).as_deref(), Ok(want), "{name}");
        }
    }

    // Rules: transport L5, transport L7
    #[test]
    fn a_line_that_would_be_more_than_text_is_refused() {
        for line in ["tell Foo hi\nresign", "\n", "quit\r", "a\r\nb"] {
            assert_eq!(encode(line), Err(LineError::LineBreak), "{line:?}");
        }
        for line in ["\0", "a\tb", "\x07", "\x18", "\x19", "\x1b[2J", "\x7f", "\u{85}", "\u{9b}2J"] {
            assert_eq!(encode(line), Err(LineError::Control), "{line:?}");
        }
    }

    // Rules: transport L6
    #[test]
    fn a_line_that_is_too_long_is_refused() {
        assert_eq!(encode(&"x".repeat(999)).map(|line| line.len()), Ok(1000));
        assert_eq!(encode(&"x".repeat(1000)), Err(LineError::TooLong { length: 1001 }));
        assert_eq!(encode(&"♞".repeat(125)), Err(LineError::TooLong { length: 1001 }), "what counts is what is sent");
    }
}
