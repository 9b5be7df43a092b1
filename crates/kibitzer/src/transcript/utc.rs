//! Times of day as RFC 3339 text.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::{format_rfc3339_millis, parse_rfc3339};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// The last millisecond of the year 9999: RFC 3339 has four digits for the year.
const LAST: Duration = Duration::from_millis(253_402_300_799_999);

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
        Self(time.min(LAST))
    }
}

impl From<Utc> for SystemTime {
    fn from(utc: Utc) -> Self {
        UNIX_EPOCH + utc.0
    }
}

impl fmt::Display for Utc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&format_rfc3339_millis(SystemTime::from(*self)), f)
    }
}

impl FromStr for Utc {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let time = parse_rfc3339(text).ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        time.map(Self::from_1970_limited).ok_or("not a UTC time of the form 2025-03-01T12:34:56.789Z")
    }
}

impl<'de> Deserialize<'de> for Utc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
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
            assert_eq!(text.parse(), Ok(utc));
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
        assert_eq!("2025-01-02T03:04:05Z".parse::<Utc>().unwrap().to_string(), "2025-01-02T03:04:05.000Z");
        assert_eq!("2025-01-02T03:04:05.1234567Z".parse::<Utc>().unwrap().to_string(), "2025-01-02T03:04:05.123Z");
        for text in [
            "",
            "now",
            "2025-01-02",
            "2025-01-02T03:04:05",
            "2025-01-02T03:04:05+01:00",
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
            "2025-01-02T03:04:05.é1Z",
            "2025-01-02-03T03:04:05Z",
        ] {
            assert!(text.parse::<Utc>().is_err(), "{text}");
        }
    }
}
