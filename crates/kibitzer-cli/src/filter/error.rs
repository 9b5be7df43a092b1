//! Errors in expressions, with their position.

use thiserror::Error;
use unicode_width::UnicodeWidthStr as _;

use crate::output::TerminalSafe;

/// Maximum number of characters that [`FilterError::excerpt`] shows before and after the position.
const SHOWN_CHARACTERS: usize = 36;

/// Error for text that is not a valid filter expression. `Display` ends with the position of the problem, as the number of a
/// character from 1.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} (character {})", self.n_characters_before() + 1)]
pub(crate) struct FilterError {
    /// Byte offset of the error in the text.
    pub(crate) position: usize,
    message: String,
    text: String,
}

impl FilterError {
    /// Creates an error at a byte offset of `text`. An offset inside a character is rounded down to its start, one beyond the end
    /// to the end.
    pub(crate) fn new(text: &str, position: usize, message: impl Into<String>) -> Self {
        Self { position: text.floor_char_boundary(position), message: message.into(), text: text.to_owned() }
    }

    /// Returns two lines for a terminal: at most 36 characters of the text on each side of the error, escaped, and a caret below
    /// the position.
    pub(crate) fn excerpt(&self) -> [String; 2] {
        let (before, after) = self.text.split_at_checked(self.position).unwrap_or((&self.text, ""));
        let n_hidden = self.n_characters_before().saturating_sub(SHOWN_CHARACTERS);
        let before: String = before.chars().skip(n_hidden).collect();
        let after: String = after.chars().take(SHOWN_CHARACTERS).collect();
        let before = TerminalSafe(&before).in_cells();
        [format!("{before}{}", TerminalSafe(&after).in_cells()), format!("{}^", " ".repeat(before.width()))]
    }

    /// Returns the number of characters before the error.
    fn n_characters_before(&self) -> usize {
        self.text.get(..self.position).map_or(0, |before| before.chars().count())
    }
}
