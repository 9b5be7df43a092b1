//! Words of filters and of the command line: safe on a terminal, durations, and suggestions for misspelled ones.
//!
//! Only this file defines which characters are allowed on a terminal.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::ops::RangeInclusive;
use std::time::Duration;

use unicode_width::UnicodeWidthChar as _;

use crate::profile::most_similar_word;

/// Displays received text safely on a terminal: characters that do not print, move the cursor, change the direction of
/// writing, or have a width on which terminals differ are escaped, such as `\u{1b}`. Tabs stay.
///
/// Letters of scripts that are written from right to left are escaped as well: terminals that support such scripts reorder
/// the neighboring text, too, so that the parts of a line would change places.
#[derive(Clone, Copy, Debug)]
pub struct TerminalSafe<'a>(pub &'a str);

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
    pub fn in_cells(self) -> Cow<'a, str> {
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

/// Returns the message for an unknown word, with the most similar known one if there is any: `unknown kind "tel", did you mean
/// "tell"?`. `what` is the sort of thing that the word should name, such as `kind`.
pub fn unknown_word_message<'a>(what: &str, word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let nearest =
        most_similar_word(word, known).map_or_else(String::new, |nearest| format!(", did you mean {nearest:?}?"));
    format!("unknown {what} {word:?}{nearest}")
}

/// Parses a duration: a whole number and the unit `ms`, `s`, `m` or `h`, such as `500ms` or `10s`. Zero is allowed; too many
/// hours or minutes give the longest duration.
///
/// # Errors
///
/// A description of the expected format.
pub fn parse_duration(text: &str) -> Result<Duration, &'static str> {
    const FORM: &str = "a time looks like 500ms, 10s, 2m or 1h";
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or(FORM)?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| FORM)?;
    match unit {
        "ms" => Ok(Duration::from_millis(number)),
        "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number.saturating_mul(60))),
        "h" => Ok(Duration::from_secs(number.saturating_mul(60 * 60))),
        _ => Err(FORM),
    }
}
