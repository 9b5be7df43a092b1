//! Escapes received text for terminals. Only this file defines which characters are allowed.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::ops::RangeInclusive;

use unicode_width::UnicodeWidthChar as _;

/// Displays received text safely on a terminal: characters that do not print, move the cursor, change the direction of
/// writing, or have a width on which terminals differ are escaped, such as `\u{1b}`. Tabs stay.
///
/// Letters of scripts that are written from right to left are escaped as well: terminals that support such scripts reorder
/// the neighboring text, too, so that the parts of a line would change places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TerminalSafe<'a>(pub(crate) &'a str);

/// Printable characters that are escaped nevertheless, because they are written from right to left or join with their neighbors:
/// blocks of such scripts, regional indicators, modifiers of emoji.
const SPELLED_OUT: [RangeInclusive<char>; 7] = [
    '\u{590}'..='\u{8ff}',
    '\u{fb1d}'..='\u{fdff}',
    '\u{fe70}'..='\u{feff}',
    '\u{10800}'..='\u{10fff}',
    '\u{1e800}'..='\u{1efff}',
    '\u{1f1e6}'..='\u{1f1ff}',
    '\u{1f3fb}'..='\u{1f3ff}',
];

impl<'a> TerminalSafe<'a> {
    /// Returns the escaped text for one row of the console, in which tabs are escaped, too.
    pub(crate) fn in_cells(self) -> Cow<'a, str> {
        if self.0.bytes().all(|b| matches!(b, b' '..=b'~')) {
            return Cow::Borrowed(self.0);
        }
        Cow::Owned(self.to_string().replace('\t', r"\t"))
    }
}

impl fmt::Display for TerminalSafe<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t')) {
            return f.write_str(self.0);
        }
        for character in self.0.chars() {
            match character {
                ' '..='~' | '\t' => f.write_char(character)?,
                _ if stands_alone(character) => write!(f, "{}", character.escape_debug())?,
                _ => write!(f, "{}", character.escape_unicode())?,
            }
        }
        Ok(())
    }
}

/// Returns whether the character occupies cells and does not change its neighbors. Also `true` for control characters, which
/// `escape_debug` escapes.
fn stands_alone(character: char) -> bool {
    // Control characters have no width; they have short names.
    matches!(character.width(), None | Some(1 | 2)) && !SPELLED_OUT.iter().any(|range| range.contains(&character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_spelled_out() {
        let cases = [
            ("plain \"'\\ \t text", "plain \"'\\ \t text"),
            ("caf\u{e9} \u{265a} \u{4e16}", "caf\u{e9} \u{265a} \u{4e16}"),
            ("\u{1b}[2J\u{7}\r\n", r"\u{1b}[2J\u{7}\r\n"),
            ("\u{9b}31m\u{7f}", r"\u{9b}31m\u{7f}"),
            ("\u{202e}live", r"\u{202e}live"),
            ("e\u{301}\u{1160}", r"e\u{301}\u{1160}"),
            ("\u{5d0}\u{627}", r"\u{5d0}\u{627}"),
            ("\u{1f1e9}\u{1f1ea} \u{1f44d}\u{1f3fb}", "\\u{1f1e9}\\u{1f1ea} \u{1f44d}\\u{1f3fb}"),
        ];
        for (text, want) in cases {
            assert_eq!(TerminalSafe(text).to_string(), want);
        }
    }

    #[test]
    fn every_character_that_gets_through_has_a_width_of_its_own() {
        for character in '\0'..=char::MAX {
            let text = character.to_string();
            let shown = TerminalSafe(&text).in_cells();
            assert!(!shown.is_empty() && shown.chars().all(|shown| matches!(shown.width(), Some(1 | 2))), "{shown:?}");
        }
    }

    #[test]
    fn a_line_of_cells_has_no_tabs() {
        assert_eq!(TerminalSafe("a\tb").in_cells(), r"a\tb");
        assert_eq!(TerminalSafe("a b").in_cells(), "a b");
    }
}
