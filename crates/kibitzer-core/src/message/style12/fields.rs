//! Cursor over the words of a style 12 line, for the parser that reports which field is invalid.

use super::Style12Error;
use crate::chess::{Board, Color};
use crate::scan::Cursor;

/// A cursor over the words of a line that counts them, so that errors have the number of the field.
///
/// The methods `next_x` fail with [`Style12Error::Missing`] at the end of the line, and with
/// [`Style12Error::Invalid`] for a word of another form; each says whether it consumes such a word.
pub(super) struct NumberedWords<'a> {
    pub(super) rest: &'a [u8],
    /// The number of the next word.
    pub(super) next: u8,
}

impl<'a> NumberedWords<'a> {
    /// Returns the next word, of any form.
    pub(super) fn next_word(&mut self) -> Result<&'a [u8], Style12Error> {
        self.skip_blanks();
        let field = self.next;
        let end = self.rest.iter().position(|&b| b == b' ').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).ok_or(Style12Error::Missing(field))?;
        if word.is_empty() {
            return Err(Style12Error::Missing(field));
        }
        self.rest = rest;
        self.next += 1;
        Ok(word)
    }

    /// Consumes blanks, but no other whitespace.
    fn skip_blanks(&mut self) {
        while let [b' ', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Parses the next eight words as the ranks of a board. Each must have eight letters and a blank after it. Consumes a word of
    /// eight bytes, even if one of them is not a legal square; this is reported as an error of the last of the eight words.
    pub(super) fn next_board(&mut self) -> Result<Board, Style12Error> {
        let mut rows = [[0_u8; 8]; 8];
        for row in &mut rows {
            self.skip_blanks();
            let field = self.next;
            let (squares, rest) = self.rest.split_first_chunk::<8>().ok_or(Style12Error::Missing(field))?;
            match rest.first() {
                Some(b' ') => {}
                Some(_) => return Err(Style12Error::Invalid(field)),
                None => return Err(Style12Error::Missing(field + 1)),
            }
            *row = *squares;
            self.rest = rest;
            self.next += 1;
        }
        Board::from_rows(&rows).ok_or(Style12Error::Invalid(self.next - 1))
    }

    /// Parses the next word, `W` or `B`, as the side to move. Any other word is consumed.
    pub(super) fn next_side(&mut self) -> Result<Color, Style12Error> {
        let field = self.next;
        match self.next_word()? {
            b"W" => Ok(Color::White),
            b"B" => Ok(Color::Black),
            _ => Err(Style12Error::Invalid(field)),
        }
    }

    /// Parses the next word as a decimal number with an optional minus sign and at most 18 digits. Does not consume an invalid word.
    pub(super) fn next_number(&mut self) -> Result<i64, Style12Error> {
        let (start, field) = (self.rest, self.next);
        let word = self.next_word()?;
        let mut at = Cursor::new(word);
        let is_short = word.strip_prefix(b"-").unwrap_or(word).len() <= 18;
        at.signed().filter(|_| is_short && at.is_empty()).ok_or_else(|| {
            (self.rest, self.next) = (start, field);
            Style12Error::Invalid(field)
        })
    }

    /// Parses the next word as a number in the range of `T`. A number out of range is consumed, a word that is no number is not.
    pub(super) fn next_fitting_number<T: TryFrom<i64>>(&mut self) -> Result<T, Style12Error> {
        let field = self.next;
        T::try_from(self.next_number()?).map_err(|_| Style12Error::Invalid(field))
    }

    /// Parses the next word as a number, and returns 0 for 0 and 1 for any other number. Does not consume an invalid word.
    pub(super) fn next_flag(&mut self) -> Result<u8, Style12Error> {
        Ok(u8::from(self.next_number()? != 0))
    }
}
