//! Times of day as RFC 3339 text.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::{format_rfc3339_millis, parse_rfc3339};
use kibitzer_core::ParseError;
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
/// # Ok::<(), kibitzer::ParseError>(())
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
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let time = parse_rfc3339(text).ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        time.map(Self::from_1970_limited).ok_or(ParseError::new("not a UTC time of the form 2025-03-01T12:34:56.789Z"))
    }
}

impl<'de> Deserialize<'de> for Utc {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
