//! Times of day as RFC 3339 text.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use toml::value::{Datetime, Offset};

const SECONDS_PER_DAY: u64 = 86_400;
/// Number of days from 1 January of the year 1 to 1 January 1970.
const DAYS_BEFORE_1970: u64 = days_before_year(1970);
/// Last year that can be represented: RFC 3339 has four digits for it.
const LAST_YEAR: u64 = 9_999;

/// A date and time of day in UTC, between the years 1970 and 9999. As text it is RFC 3339 with milliseconds:
/// `2025-03-01T12:34:56.789Z`.
///
/// ```
/// use std::time::Duration;
/// use kibitzer::transcript::Utc;
///
/// let began: Utc = "2024-02-28T23:59:59.500Z".parse()?;
/// assert_eq!(began.plus(Duration::from_millis(1_234)).to_string(), "2024-02-29T00:00:00.734Z");
/// # Ok::<(), &'static str>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utc(
    /// Since 1970.
    Duration,
);

impl Utc {
    /// Returns the current time of the system's clock, limited to the years 1970 to 9999.
    pub fn now() -> Self {
        Self::from_1970_limited(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// Returns this time plus a duration, limited to the last millisecond of the year 9999.
    #[must_use]
    pub fn plus(self, time: Duration) -> Self {
        Self::from_1970_limited(self.0.saturating_add(time))
    }

    /// Returns this time minus a duration, limited to the beginning of 1970.
    #[must_use]
    pub fn minus(self, time: Duration) -> Self {
        Self(self.0.saturating_sub(time))
    }

    /// Creates a time from the duration since the beginning of 1970, limited to the last millisecond of the year 9999.
    fn from_1970_limited(time: Duration) -> Self {
        let end = (days_before_year(LAST_YEAR + 1) - DAYS_BEFORE_1970) * SECONDS_PER_DAY;
        Self(time.min(Duration::from_millis(end * 1_000 - 1)))
    }
}

impl From<Utc> for SystemTime {
    fn from(utc: Utc) -> Self {
        UNIX_EPOCH + utc.0
    }
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (days, seconds) = (self.0.as_secs() / SECONDS_PER_DAY, self.0.as_secs() % SECONDS_PER_DAY);
        let days = days + DAYS_BEFORE_1970;
        let mut year = days / 366 + 1;
        while days_before_year(year + 1) <= days {
            year += 1;
        }
        let mut day = days - days_before_year(year);
        let mut month = 1;
        while day >= days_in_month(month, year) {
            day -= days_in_month(month, year);
            month += 1;
        }
        let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        let millisecond = self.0.subsec_millis();
        write!(f, "{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z", day + 1)
    }
}

impl FromStr for Utc {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        parse_rfc3339(text).ok_or("not a UTC time of the form 2025-03-01T12:34:56.789Z")
    }
}

impl<'de> Deserialize<'de> for Utc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Parses an RFC 3339 time with the offset `Z`; `None` for another form, or a year before 1970.
fn parse_rfc3339(text: &str) -> Option<Utc> {
    // TOML contains RFC 3339 times.
    let Datetime { date: Some(date), time: Some(time), offset: Some(Offset::Z) } = text.parse().ok()? else {
        return None;
    };
    let year = Some(u64::from(date.year)).filter(|&year| year >= 1970)?;
    let months = (1..u64::from(date.month)).map(|month| days_in_month(month, year));
    let days = days_before_year(year) - DAYS_BEFORE_1970 + months.sum::<u64>() + u64::from(date.day) - 1;
    let minutes = u64::from(time.hour) * 60 + u64::from(time.minute);
    let seconds = days * SECONDS_PER_DAY + minutes * 60 + u64::from(time.second.unwrap_or_default());
    Some(Utc::from_1970_limited(Duration::new(seconds, time.nanosecond.unwrap_or_default())))
}

/// Returns the number of days from 1 January of the year 1 to 1 January of this year, in the Gregorian calendar.
const fn days_before_year(year: u64) -> u64 {
    let years = year - 1;
    365 * years + years / 4 - years / 100 + years / 400
}

/// Returns the number of days in a month from 1 to 12.
const fn days_in_month(month: u64, year: u64) -> u64 {
    match month {
        2 => days_before_year(year + 1) - days_before_year(year) - 337,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_printed_and_parsed() {
        // The seconds are those of `date -u -d TEXT +%s`.
        let cases = [
            (0, 0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, 1, "2000-02-28T23:59:59.001Z"),
            (951_782_400, 0, "2000-02-29T00:00:00.000Z"),
            (951_868_800, 999, "2000-03-01T00:00:00.999Z"),
            (1_735_689_599, 0, "2024-12-31T23:59:59.000Z"),
            (4_107_542_400, 0, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799, 999, "9999-12-31T23:59:59.999Z"),
        ];
        for (seconds, ms, text) in cases {
            let utc = Utc(Duration::from_secs(seconds) + Duration::from_millis(ms));
            assert_eq!(utc.to_string(), text);
            assert_eq!(parse_rfc3339(text), Some(utc));
        }
    }

    #[test]
    fn every_day_follows_the_day_before() {
        let (day, mut time) = (Duration::from_secs(SECONDS_PER_DAY), Utc(Duration::ZERO));
        let mut last = String::new();
        for _ in 0..50_000 {
            let text = time.to_string();
            assert!(text > last, "{last} {text}");
            assert_eq!(parse_rfc3339(&text), Some(time));
            (last, time) = (text, time.plus(day));
        }
    }

    #[test]
    fn times_out_of_range_are_clamped() {
        assert_eq!(Utc::now().plus(Duration::MAX).to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Utc::now().minus(Duration::MAX).to_string(), "1970-01-01T00:00:00.000Z");
        assert!(Utc::now().to_string().as_str() > "2025");
    }

    #[test]
    fn other_text_is_refused() {
        assert_eq!(parse_rfc3339("2025-01-02T03:04:05Z").unwrap().to_string(), "2025-01-02T03:04:05.000Z");
        assert_eq!(parse_rfc3339("2025-01-02T03:04:05.1234567Z").unwrap().to_string(), "2025-01-02T03:04:05.123Z");
        for text in [
            "",
            "now",
            "2025-01-02",
            "2025-01-02T03:04:05",
            "2025-01-02T03:04:05+00:00",
            "2025-02-29T00:00:00Z",
            "2025-13-01T00:00:00Z",
            "2025-00-01T00:00:00Z",
            "2025-01-00T00:00:00Z",
            "1969-12-31T23:59:59Z",
            "10000-01-01T00:00:00Z",
            "2025-01-02T24:00:00Z",
            "2025-01-02T03:60:00Z",
            "2025-01-02T03:04:61Z",
            "2025-01-02T03:04:+5Z",
            "2025-01-02T03:04:05.Z",
            "2025-01-02T03:04:05.é1Z",
            "2025-01-02-03T03:04:05Z",
        ] {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
    }
}
