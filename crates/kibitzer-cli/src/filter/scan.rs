//! Reads words, signs and quoted text of a filter expression.

use super::FilterError;

/// Parser of a filter expression, at a position in its text.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    /// Byte offset of the next character.
    pub(super) at: usize,
}

impl<'a> Parser<'a> {
    /// Returns the text that is not consumed yet.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Creates an error at a byte offset of the text.
    pub(super) fn error(&self, position: usize, message: impl Into<String>) -> FilterError {
        FilterError::new(self.text, position, message)
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Consumes the sign if it comes next, without skipping blanks. Returns whether it did.
    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let is_there = self.rest().starts_with(sign);
        self.at += if is_there { sign.len() } else { 0 };
        is_there
    }

    /// Returns the characters up to the next blank or bracket, without consuming them; empty if one of these or the end comes
    /// next.
    pub(super) fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// Skips blanks, and consumes `word` if it is the next word, in any case. Returns whether it did; the blanks are consumed in
    /// either case.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        self.skip_blanks();
        self.peek_word().eq_ignore_ascii_case(word) && {
            self.at += word.len();
            true
        }
    }

    /// Consumes a text in quotation marks, and returns it without them. The opening mark has to come next. Backslashes and the
    /// characters that they escape are returned as they are.
    ///
    /// # Errors
    ///
    /// [`FilterError`] if there is no closing mark, or neither a blank, a bracket nor the end follows it.
    pub(super) fn take_quoted(&mut self) -> Result<&'a str, FilterError> {
        let start = self.at;
        let mut is_escaped = true;
        for (n, character) in self.rest().char_indices() {
            match character {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => {
                    self.at += n + 1;
                    let is_end = self.peek_word().is_empty();
                    let quoted = self.text.get(start + 1..start + n).filter(|_| is_end);
                    return quoted.ok_or_else(|| self.error(self.at, "a blank is missing after the quotation mark"));
                }
                _ => {}
            }
        }
        Err(self.error(start, "the quotation mark is not closed"))
    }
}

/// Removes each backslash that escapes the character after it; a backslash at the end is dropped.
pub(super) fn unescaped(quoted: &str) -> String {
    let mut characters = quoted.chars();
    std::iter::from_fn(|| match characters.next()? {
        '\\' => characters.next(),
        other => Some(other),
    })
    .collect()
}
