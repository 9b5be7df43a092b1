//! Received text on a terminal.

use std::fmt::{self, Write as _};

/// Text that others wrote, fit for a terminal: what would not print, or would move the cursor or turn the direction of
/// writing, is shown as `\u{1b}`. Tabs stay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t')) {
            return f.write_str(self.0);
        }
        for character in self.0.chars() {
            match character {
                ' '..='~' | '\t' => f.write_char(character)?,
                _ => write!(f, "{}", character.escape_debug())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        let cases = [
            ("plain \"'\\ \t text", "plain \"'\\ \t text"),
            ("caf\u{e9} \u{265a}", "caf\u{e9} \u{265a}"),
            ("\u{1b}[2J\u{7}\r\n", r"\u{1b}[2J\u{7}\r\n"),
            ("\u{9b}31m\u{7f}", r"\u{9b}31m\u{7f}"),
            ("\u{202e}live", r"\u{202e}live"),
        ];
        for (text, want) in cases {
            assert_eq!(Shown(text).to_string(), want);
        }
    }
}
