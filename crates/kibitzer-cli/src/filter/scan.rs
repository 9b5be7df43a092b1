//! Reads words, signs and quoted text of a filter expression.

use super::FilterError;

/// A parser at a position in the text of an expression.
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    /// Byte offset of the next character.
    pub(super) at: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn error(&self, position: usize, message: impl Into<String>) -> FilterError {
        FilterError::new(self.text, position, message)
    }

    pub(super) fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Consumes the sign if it comes next. Returns whether it did.
    pub(super) fn take_sign(&mut self, sign: &str) -> bool {
        let is_there = self.rest().starts_with(sign);
        self.at += if is_there { sign.len() } else { 0 };
        is_there
    }

    /// Returns the characters up to the next blank or bracket, without consuming them.
    pub(super) fn peek_word(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '(' | ')'));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// Consumes blanks, and the reserved word if it comes next. Returns whether it did.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        self.skip_blanks();
        self.peek_word().eq_ignore_ascii_case(word) && {
            self.at += word.len();
            true
        }
    }

    /// Consumes a text in quotation marks, and returns it without them. Escapes inside remain as they are. A blank, a bracket or
    /// the end must follow.
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

/// Replaces a backslash and the character after it by that character.
pub(super) fn unescaped(quoted: &str) -> String {
    let mut characters = quoted.chars();
    std::iter::from_fn(|| match characters.next()? {
        '\\' => characters.next(),
        other => Some(other),
    })
    .collect()
}
