//! Clocks and durations as servers print them.

use std::fmt;
use std::time::Duration;

use crate::scan::Cursor;

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

#[cfg(test)]
mod tests;
