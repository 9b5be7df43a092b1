//! Parts of lines: positional words, `key=value` pairs, lists of numbers; numbers of games, ratings, clocks and durations.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::ParseError;
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

/// The time on a player's clock, in milliseconds; negative once the player is out of time.
///
/// `Display` writes `m:ss`, or `h:mm:ss` from an hour on, with a `-` before it if it is negative. Below a minute it adds tenths,
/// `0:06.4`, unless the reading is a whole number of seconds, as from servers that send no milliseconds. Smaller fractions are
/// truncated, not rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockReading {
    ms: i64,
}

impl ClockReading {
    /// Creates a reading from milliseconds.
    pub const fn from_ms(ms: i64) -> Self {
        Self { ms }
    }

    /// Creates a reading from a clock field of a board, which is in milliseconds if the elapsed time of the last move has a
    /// fraction, and in seconds otherwise; `None` if it overflows 64-bit milliseconds. Source: rule `style12 K1` in
    /// `docs/protocol.md`.
    #[inline]
    pub(crate) fn from_board_field(field: i64, has_fraction: bool) -> Option<Self> {
        let ms = if has_fraction { field } else { field.checked_mul(1000)? };
        Some(Self { ms })
    }

    /// Returns the reading in milliseconds.
    pub const fn as_ms(self) -> i64 {
        self.ms
    }

    /// Returns the remaining time; `None` if the reading is negative.
    pub fn remaining(self) -> Option<Duration> {
        u64::try_from(self.ms).ok().map(Duration::from_millis)
    }
}

impl fmt::Display for ClockReading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, ms) = (if self.ms < 0 { "-" } else { "" }, self.ms.unsigned_abs());
        let (hours, minutes, seconds) = (ms / 3_600_000, ms / 60_000 % 60, ms / 1000 % 60);
        match (hours, minutes, ms % 1000) {
            (0, 0, 1..) => write!(f, "{sign}0:{seconds:02}.{}", ms % 1000 / 100),
            (0, ..) => write!(f, "{sign}{minutes}:{seconds:02}"),
            _ => write!(f, "{sign}{hours}:{minutes:02}:{seconds:02}"),
        }
    }
}

/// Reads a duration such as `m:ss`, `h:mm:ss` or `m:ss.mmm` as milliseconds. Minutes and seconds may exceed 59. Consumes nothing
/// if the text has another form or the result exceeds `u32`.
///
/// Source: rule `style12 K3` in `docs/protocol.md`.
pub(crate) fn read_duration_ms(at: &mut Cursor<'_>) -> Option<u32> {
    at.attempt(|at| {
        let first: u32 = at.number()?;
        let mut seconds = first.checked_mul(60)?.checked_add(at.expect(b":")?.number()?)?;
        if at.eat(b":") {
            seconds = seconds.checked_mul(60)?.checked_add(at.number()?)?;
        }
        let fraction_ms = if at.eat(b".") { read_fraction_ms(at)? } else { 0 };
        seconds.checked_mul(1000)?.checked_add(fraction_ms)
    })
}

/// Reads the digits after a decimal point as milliseconds: `1` is 100 ms. Digits after the third are consumed and ignored; `None`
/// without a digit.
fn read_fraction_ms(at: &mut Cursor<'_>) -> Option<u32> {
    let digits = at.take_while(|b| b.is_ascii_digit());
    (!digits.is_empty())
        .then(|| [100, 10, 1].iter().zip(digits).map(|(weight, digit)| weight * u32::from(digit - b'0')).sum())
}

/// A server-wide game number, as printed: from 1 on.
///
/// Signed, because servers print `0` and `-1` for stored positions (`sposition`, ICC's isolated boards).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(clippy::exhaustive_structs, reason = "a number with a name")]
pub struct GameId(pub i32);

impl GameId {
    /// Reads a decimal number with an optional minus sign; `None` if it exceeds `i32`.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        i32::try_from(at.signed()?).ok().map(Self)
    }
}

impl FromStr for GameId {
    type Err = ParseError;

    /// Parses a decimal number.
    fn from_str(text: &str) -> Result<Self, ParseError> {
        text.parse().map(Self).map_err(|_| ParseError::new("the number of a game is a whole number"))
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A rating as servers print it; `Display` writes `1500P`, `++++` or `----`, and `FromStr` parses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rating {
    /// `++++`: a guest, who cannot have a rating.
    Guest,
    /// `----` or `UNR`: a player without a rated game.
    Unrated,
    /// A number without a mark.
    Established(u16),
    /// A number marked `E`.
    Estimated(u16),
    /// A number marked `P`.
    Provisional(u16),
}

impl Rating {
    /// Returns the number; `None` for a guest and an unrated player.
    pub const fn value(self) -> Option<u16> {
        match self {
            Self::Established(value) | Self::Estimated(value) | Self::Provisional(value) => Some(value),
            Self::Guest | Self::Unrated => None,
        }
    }

    /// Returns the mark after the number: `E`, `P` or nothing.
    pub(crate) const fn mark(self) -> &'static str {
        match self {
            Self::Estimated(_) => "E",
            Self::Provisional(_) => "P",
            Self::Guest | Self::Unrated | Self::Established(_) => "",
        }
    }

    /// Returns the rating as tagged lines report it: 0 for a guest and an unrated player.
    pub(crate) const fn or_zero(self) -> Self {
        match self {
            Self::Guest | Self::Unrated => Self::Established(0),
            rated => rated,
        }
    }

    /// Reads `1500`, ` 958`, `1500P`, `----`, `++++` or `UNR`, after optional blanks. Consumes nothing if it is not a rating, or
    /// if the number exceeds `u16`.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        at.attempt(|at| {
            if at.skip_whitespace().eat(b"++++") {
                return Some(Self::Guest);
            }
            if at.eat(b"----") || at.eat(b"UNR") {
                return Some(Self::Unrated);
            }
            let value = at.number()?;
            Some(if at.eat(b"E") {
                Self::Estimated(value)
            } else if at.eat(b"P") {
                Self::Provisional(value)
            } else {
                Self::Established(value)
            })
        })
    }

    /// Reads a rating in round brackets, `(1500P)` or `( 958 )`. Consumes nothing if there is none.
    pub(crate) fn read_bracketed(at: &mut Cursor<'_>) -> Option<Self> {
        at.between(b"(", b")", |at| {
            let rating = Self::read(at)?;
            at.skip_whitespace();
            Some(rating)
        })
    }
}

impl FromStr for Rating {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut at = Cursor::new(text.as_bytes());
        let rating = Self::read(&mut at).filter(|_| at.is_empty());
        rating.ok_or(ParseError::new("a rating is a number with E, P or no mark, ++++ or ----"))
    }
}

impl fmt::Display for Rating {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => write!(f, "{value}{}", self.mark()),
            None => f.write_str(if *self == Self::Guest { "++++" } else { "----" }),
        }
    }
}

#[cfg(test)]
mod tests;
