//! Times as servers print them.

use std::fmt;
use std::time::Duration;

use crate::scan::Cursor;

/// What a clock shows, in milliseconds; negative once its owner is out of time.
///
/// `Display` writes `m:ss`, or `h:mm:ss` from an hour on, with a `-` in front if time is out. Below a minute tenths are
/// added, `0:06.4`, unless the reading is of whole seconds, as those of servers that send no milliseconds are. What does
/// not fit is cut off, not rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockReading {
    ms: i64,
}

impl ClockReading {
    /// A reading of so many milliseconds.
    pub const fn from_ms(ms: i64) -> Self {
        Self { ms }
    }

    /// The reading in milliseconds.
    pub const fn as_ms(self) -> i64 {
        self.ms
    }

    /// The time left; `None` once the clock has run out.
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

/// A time a move took, as printed, and whether it had a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elapsed {
    pub(crate) ms: u32,
    pub(crate) has_fraction: bool,
}

impl Elapsed {
    /// Reads `m:ss`, `h:mm:ss`, with or without `.mmm`; minutes are not limited to 59.
    ///
    /// Source: style 12 rule K3.
    pub(crate) fn read(at: &mut Cursor<'_>) -> Option<Self> {
        let mut ahead = *at;
        let mut seconds: u32 = ahead.number()?;
        ahead.expect(b":")?;
        seconds = seconds.checked_mul(60)?.checked_add(ahead.number()?)?;
        if ahead.eat(b":") {
            seconds = seconds.checked_mul(60)?.checked_add(ahead.number()?)?;
        }
        let mut ms = seconds.checked_mul(1000)?;
        let has_fraction = ahead.eat(b".");
        if has_fraction {
            ms = ms.checked_add(read_milliseconds(&mut ahead)?)?;
        }
        *at = ahead;
        Some(Self { ms, has_fraction })
    }

    /// [`read`](Self::read) between round brackets.
    pub(crate) fn read_bracketed(at: &mut Cursor<'_>) -> Option<Self> {
        let mut ahead = *at;
        ahead.expect(b"(")?;
        let elapsed = Self::read(&mut ahead)?;
        ahead.expect(b")")?;
        *at = ahead;
        Some(elapsed)
    }
}

/// Digits behind the point: `.1` is 100 ms, digits past the third are dropped.
fn read_milliseconds(at: &mut Cursor<'_>) -> Option<u32> {
    let digits = at.take_while(|b| b.is_ascii_digit());
    (!digits.is_empty())
        .then(|| [100, 10, 1].iter().zip(digits).map(|(weight, digit)| weight * u32::from(digit - b'0')).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    // Rules: style12 K3
    #[test]
    fn k3_elapsed_times_in_every_form() {
        let cases: &[(&str, Option<(u32, bool)>)] = &[
            ("1:02:03.004", Some((3_723_004, true))),
            ("0:06.123", Some((6123, true))),
            ("12:26.052", Some((746_052, true))),
            ("0:07", Some((7000, false))),
            ("75:03", Some((4_503_000, false))),
            ("0:06.1", Some((6100, true))),
            ("0:06.", None),
            ("7", None),
            ("99999999:00", None),
        ];
        for &(sent, want) in cases {
            let read = Elapsed::read(&mut Cursor::new(sent.as_bytes()));
            assert_eq!(read.map(|e| (e.ms, e.has_fraction)), want, "{sent}");
        }
    }

    #[test]
    fn clocks_read_like_clocks() {
        let cases = [
            (0, "0:00"),
            (6_000, "0:06"),
            (6_440, "0:06.4"),
            (59_999, "0:59.9"),
            (60_500, "1:00"),
            (3_599_000, "59:59"),
            (3_661_000, "1:01:01"),
            (-917, "-0:00.9"),
            (-3_000, "-0:03"),
            (i64::MIN, "-2562047788015:12:55"),
        ];
        for (ms, want) in cases {
            assert_eq!(ClockReading::from_ms(ms).to_string(), want, "{ms}");
        }
    }

    #[test]
    fn a_clock_that_ran_out_has_nothing_left() {
        assert_eq!(ClockReading::from_ms(1500).remaining(), Some(Duration::from_millis(1500)));
        assert_eq!(ClockReading::from_ms(-917).remaining(), None);
    }
}
