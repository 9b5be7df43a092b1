//! A cursor over the bytes of one line, for parsers that return `None` at the first mismatch.

pub(crate) mod masks;

/// Position of a parser in a line. Methods consume bytes from the front of the rest.
///
/// A method that returns `None` or `false` consumes nothing, unless its documentation says otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of `line`.
    pub(crate) const fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    /// Returns the bytes not consumed yet, without consuming them.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the next byte without consuming it; `None` at the end.
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    /// Consumes `literal` if the rest starts with it, and returns whether it did.
    #[must_use]
    pub(crate) fn eat(&mut self, literal: &[u8]) -> bool {
        match self.rest.strip_prefix(literal) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Consumes `literal` and returns the cursor; `None` if the rest does not start with it.
    #[must_use]
    pub(crate) fn expect(&mut self, literal: &[u8]) -> Option<&mut Self> {
        self.eat(literal).then_some(self)
    }

    /// Consumes ASCII whitespace, if there is any, and returns the cursor.
    pub(crate) fn skip_whitespace(&mut self) -> &mut Self {
        self.rest = self.rest.trim_ascii_start();
        self
    }

    /// Returns the result of `read`, which may consume bytes; restores the position if it is `None`.
    pub(crate) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let start = *self;
        let value = read(self);
        if value.is_none() {
            *self = start;
        }
        value
    }

    /// Consumes `open`, the bytes that `read` parses, and `close`; returns the parsed value. `None`, and nothing is consumed, if
    /// one of them is missing.
    pub(crate) fn between<T>(
        &mut self,
        open: &[u8],
        close: &[u8],
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<T> {
        self.attempt(|at| {
            let value = read(at.expect(open)?)?;
            at.expect(close)?;
            Some(value)
        })
    }

    /// Consumes and returns the longest run of bytes for which `accept` returns true; the run may be empty.
    pub(crate) fn take_while(&mut self, accept: impl Fn(u8) -> bool) -> &'a [u8] {
        let end = self.rest.iter().position(|&b| !accept(b)).unwrap_or(self.rest.len());
        self.take_at_most(end)
    }

    /// Consumes and returns the bytes up to the next blank or the end. Leading blanks are not skipped: `None` at a blank or at
    /// the end.
    pub(crate) fn word_here(&mut self) -> Option<&'a [u8]> {
        let word = self.take_while(|b| b != b' ');
        (!word.is_empty()).then_some(word)
    }

    /// Consumes everything up to and including `literal`, and returns the bytes before it; `None` if `literal` does not follow.
    pub(crate) fn take_until_and_skip(&mut self, literal: &[u8]) -> Option<&'a [u8]> {
        let at = find(self.rest, literal)?;
        let before = self.take_at_most(at);
        self.rest = self.rest.get(literal.len()..).unwrap_or_default();
        Some(before)
    }

    /// Consumes an unsigned decimal number; `None` if there is no digit, or the number does not fit `T`.
    pub(crate) fn number<T: TryFrom<u64>>(&mut self) -> Option<T> {
        self.attempt(|at| T::try_from(parse_decimal(at.take_while(|b| b.is_ascii_digit()))?).ok())
    }

    /// Consumes a decimal number with an optional minus sign; `None` if there is no digit, or the number does not fit.
    pub(crate) fn signed(&mut self) -> Option<i64> {
        self.attempt(|at| if at.eat(b"-") { at.number().map(i64::wrapping_neg) } else { at.number() })
    }

    /// Returns the bytes consumed since `from`, an earlier copy of this cursor.
    pub(crate) fn since(&self, from: Self) -> &'a [u8] {
        let consumed = from.rest.len().saturating_sub(self.rest.len());
        from.rest.get(..consumed).unwrap_or_default()
    }

    /// Consumes and returns one byte; returns an empty slice at the end.
    pub(crate) fn take_one(&mut self) -> &'a [u8] {
        self.take_at_most(1)
    }

    /// Consumes and returns all remaining bytes.
    pub(crate) fn take_rest(&mut self) -> &'a [u8] {
        self.take_at_most(self.rest.len())
    }

    /// Consumes ASCII whitespace; returns `None` if other bytes follow it, and has consumed the whitespace then, too.
    pub(crate) fn expect_blank_rest(&mut self) -> Option<()> {
        self.skip_whitespace();
        self.is_empty().then_some(())
    }

    /// Consumes and returns `n_bytes` bytes, or the rest if there are fewer.
    pub(crate) fn take_at_most(&mut self, n_bytes: usize) -> &'a [u8] {
        let (head, tail) = self.rest.split_at_checked(n_bytes).unwrap_or((self.rest, &[]));
        self.rest = tail;
        head
    }
}

/// Parses all of `digits` as a decimal number; `None` if it is empty, has a byte that is not a digit, or exceeds `u64`.
pub(crate) fn parse_decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, &b| {
        let digit = b.is_ascii_digit().then(|| u64::from(b - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// Returns the index of the first occurrence of `needle` in `haystack`.
pub(crate) fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    memchr::memmem::find(haystack, needle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_consumes_only_its_match() {
        let mut at = Cursor::new(b"Game 12: Foo  offers");
        assert!(at.eat(b"Game "));
        assert_eq!(at.number::<u16>(), Some(12));
        assert!(!at.eat(b"x"));
        assert_eq!(at.take_until_and_skip(b": "), Some(&b""[..]));
        assert_eq!(at.word_here(), Some(&b"Foo"[..]));
        let from = at;
        at.skip_whitespace();
        assert_eq!(at.since(from), b"  ");
        assert_eq!(at.take_rest(), b"offers");
        assert_eq!(at.expect_blank_rest(), Some(()));
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        assert_eq!(Cursor::new(b"70000").number::<u16>(), None);
        assert_eq!(Cursor::new(b"99999999999999999999").number::<u64>(), None);
        assert_eq!(Cursor::new(b"-17x").signed(), Some(-17));
        assert_eq!(Cursor::new(b"-").signed(), None);
        assert_eq!(parse_decimal(b""), None);
    }
}
