//! Dates, durations and counts in the server's texts.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

const SECONDS_PER_DAY: u64 = 86_400;

const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// A calendar date with hour and minute in UTC, the server's only time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UtcDateTime {
    year: u64,
    /// 1 to 12.
    month: u64,
    /// 1 to 31.
    day: u64,
    weekday: &'static str,
    hour: u64,
    minute: u64,
}

impl UtcDateTime {
    /// Converts a system time, rounded down to the minute; times before 1970 become the start of 1970.
    pub(crate) fn from_system_time(moment: SystemTime) -> Self {
        let seconds = moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let (days, rest) = (seconds / SECONDS_PER_DAY, seconds % SECONDS_PER_DAY);
        let (year, month, day) = civil_from_days(days);
        let weekday = usize::try_from(days % 7).ok().and_then(|at| WEEKDAYS.get(at)).copied().unwrap_or_default();
        Self { year, month, day, weekday, hour: rest / 3_600, minute: rest / 60 % 60 }
    }

    /// Formats the date as in replies to `date`: `Sat Nov 21, 00:30 UTC 2026`.
    pub(crate) fn format_long(self) -> String {
        let month = usize::try_from(self.month - 1).ok().and_then(|at| MONTHS.get(at)).copied().unwrap_or_default();
        let Self { weekday, day, hour, minute, year, .. } = self;
        format!("{weekday} {month} {day:>2}, {hour:02}:{minute:02} UTC {year}")
    }

    /// Formats the time of day: `00:30`.
    pub(crate) fn format_time_of_day(self) -> String {
        format!("{:02}:{:02}", self.hour, self.minute)
    }

    /// Formats the date as in lists: `2026-11-21 00:30 UTC`.
    pub(crate) fn format_short(self) -> String {
        let Self { year, month, day, hour, minute, .. } = self;
        format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02} UTC")
    }
}

/// Returns year, month and day of the date this number of days after 1 January 1970; month and day count from 1.
const fn civil_from_days(days: u64) -> (u64, u64, u64) {
    // Years start in March here, so that the leap day is the last day of a year; 400 years have 146,097 days.
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let january_or_february = if month <= 2 { 1 } else { 0 };
    (year + era * 400 + january_or_february, month, day)
}

/// Formats a duration in days to seconds: `49 seconds`, `2 hours 1 minute 5 seconds`. Omits units whose number is 0; a duration
/// below one second is `0 seconds`.
pub(crate) fn format_duration(time: Duration) -> String {
    let seconds = time.as_secs();
    let parts = [(seconds / SECONDS_PER_DAY, "day"), (seconds / 3_600 % 24, "hour"), (seconds / 60 % 60, "minute")];
    let mut words: Vec<_> = parts.into_iter().filter(|&(n, _)| n > 0).map(|(n, unit)| format_count(n, unit)).collect();
    if words.is_empty() || !seconds.is_multiple_of(60) {
        words.push(format_count(seconds % 60, "second"));
    }
    words.join(" ")
}

/// Formats a number and a noun: `1 player`, `2 players`, `0 players`.
pub(crate) fn format_count(n: impl TryInto<u64>, noun: &str) -> String {
    let n = n.try_into().unwrap_or(u64::MAX);
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> UtcDateTime {
        UtcDateTime::from_system_time(UNIX_EPOCH + Duration::from_secs(seconds))
    }

    #[test]
    fn dates_are_computed_across_leap_years() {
        let cases = [
            (0, "Thu Jan  1, 00:00 UTC 1970"),
            (951_782_400, "Tue Feb 29, 00:00 UTC 2000"),
            (1_709_251_199, "Thu Feb 29, 23:59 UTC 2024"),
            (1_709_251_200, "Fri Mar  1, 00:00 UTC 2024"),
            (1_795_221_000, "Sat Nov 21, 00:30 UTC 2026"),
            (4_107_542_399, "Sun Feb 28, 23:59 UTC 2100"),
            (4_107_542_400, "Mon Mar  1, 00:00 UTC 2100"),
        ];
        for (seconds, want) in cases {
            assert_eq!(at(seconds).format_long(), want);
        }
        assert_eq!(at(1_795_221_000).format_short(), "2026-11-21 00:30 UTC");
    }

    #[test]
    fn durations_omit_parts_that_are_zero() {
        let cases = [
            (0, "0 seconds"),
            (1, "1 second"),
            (60, "1 minute"),
            (83, "1 minute 23 seconds"),
            (7_265, "2 hours 1 minute 5 seconds"),
            (86_400, "1 day"),
        ];
        for (seconds, want) in cases {
            assert_eq!(format_duration(Duration::from_secs(seconds)), want);
        }
    }
}
