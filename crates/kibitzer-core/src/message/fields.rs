//! Parts of tagged lines: positional words, `key=value` pairs, lists of numbers.

use std::fmt;

use crate::scan::{Cursor, parse_decimal};

/// Returns a cursor at the first field after the tag. Blanks around the tag are optional; `None` without the tag.
pub(crate) fn after_tag<'a>(line: &'a [u8], tag: &[u8]) -> Option<Cursor<'a>> {
    let mut at = Cursor::new(line);
    at.skip_whitespace().expect(tag)?.skip_whitespace();
    Some(at)
}

/// Reads one word, and skips the blanks after it; `None` at a blank or at the end of the line.
pub(crate) fn read_field_word<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let word = at.word_here()?;
    at.skip_whitespace();
    Some(word)
}

/// Reads one word as an unsigned decimal number, and skips the blanks after it; `None` if it is not one or does not fit `T`.
pub(crate) fn read_field_number<T: TryFrom<u64>>(at: &mut Cursor<'_>) -> Option<T> {
    T::try_from(parse_decimal(read_field_word(at)?)?).ok()
}

/// Reads one word as a decimal number with an optional minus sign, and skips the blanks after it; `None` if it is not one or does
/// not fit `T`.
pub(crate) fn read_field_signed<T: TryFrom<i64>>(at: &mut Cursor<'_>) -> Option<T> {
    T::try_from(parse_whole(read_field_word(at)?, Cursor::signed)?).ok()
}

/// Parses the rest of a line as one or more numbers; `None` if there is none, or if a word is not a number.
pub(crate) fn parse_number_list(mut at: Cursor<'_>) -> Option<Vec<u32>> {
    let mut numbers = Vec::new();
    while numbers.is_empty() || !at.is_empty() {
        numbers.push(read_field_number(&mut at)?);
    }
    Some(numbers)
}

/// Skips words without `=`, then reads the next `key=` and returns the key; `None` at the end of the line.
pub(crate) fn next_key<'a>(at: &mut Cursor<'a>) -> Option<&'a [u8]> {
    loop {
        let key = at.skip_whitespace().attempt(|at| {
            let key = at.take_while(|b| b != b'=' && b != b' ');
            at.expect(b"=").map(|_| key)
        });
        if key.is_some() {
            return key;
        }
        at.word_here()?;
    }
}

/// Reads the value after a `key=`, up to a blank. The value is empty if the blank follows at once. A blank before a comma belongs
/// to the value: `2100 ,1586E` is one value.
pub(crate) fn read_value<'a>(at: &mut Cursor<'a>) -> &'a [u8] {
    let from = *at;
    at.take_while(|b| b != b' ');
    // An established rating has a blank in place of its mark, also before the comma of a pair.
    while at.attempt(|at| at.skip_whitespace().expect(b",").map(drop)).is_some() {
        at.take_while(|b| b != b' ');
    }
    at.since(from)
}

/// Reads the next `key=value` with a value that is not empty; `None` at the end of the line. Other words are skipped.
pub(crate) fn next_pair<'a>(at: &mut Cursor<'a>) -> Option<(&'a [u8], &'a [u8])> {
    loop {
        let pair = (next_key(at)?, read_value(at));
        if !pair.1.is_empty() {
            return Some(pair);
        }
    }
}

/// Parses a complete value with `read`; `None` if `read` fails or leaves anything but blanks.
pub(crate) fn parse_whole<'a, T>(value: &'a [u8], read: impl FnOnce(&mut Cursor<'a>) -> Option<T>) -> Option<T> {
    let mut at = Cursor::new(value);
    let read = read(&mut at)?;
    at.expect_blank_rest()?;
    Some(read)
}

/// Parses `a,b` or another pair around `separator`, such as one value for each side. Both values are `Some`, so that
/// they can be assigned to optional fields. `None` for any other form.
pub(crate) fn parse_pair<'a, T>(
    value: &'a [u8],
    separator: &[u8],
    read: impl Fn(&mut Cursor<'a>) -> Option<T>,
) -> Option<(Option<T>, Option<T>)> {
    parse_whole(value, |at| {
        let first = read(at)?;
        at.skip_whitespace().expect(separator)?;
        Some((Some(first), Some(read(at)?)))
    })
}

/// Writes ` key=value`; nothing without a value.
pub(crate) fn write_field(f: &mut fmt::Formatter<'_>, key: &str, value: Option<impl fmt::Display>) -> fmt::Result {
    value.map_or(Ok(()), |value| write!(f, " {key}={value}"))
}

/// Writes ` key=a,b` with this separator; nothing if a value is missing.
pub(crate) fn write_pair<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    key: &str,
    values: [Option<T>; 2],
    separator: char,
) -> fmt::Result {
    let [Some(first), Some(second)] = values else { return Ok(()) };
    write!(f, " {key}={first}{separator}{second}")
}

/// Parses hexadecimal digits in either case; `None` for anything else, or for a value of more than 32 bits.
pub(crate) fn parse_hex(digits: &[u8]) -> Option<u32> {
    let digits = str::from_utf8(digits).ok()?;
    // The standard library would accept a plus sign, too.
    (!digits.starts_with('+')).then_some(())?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
pub(super) mod testing {
    use proptest::prelude::*;

    use crate::message::Rating;

    /// Generates ratings with a number.
    pub(in super::super) fn any_rating() -> impl Strategy<Value = Rating> {
        const FORMS: &[fn(u16) -> Rating] = &[Rating::Established, Rating::Estimated, Rating::Provisional];
        (any::<u16>(), proptest::sample::select(FORMS)).prop_map(|(value, form)| form(value))
    }
}

#[cfg(test)]
mod tests;
