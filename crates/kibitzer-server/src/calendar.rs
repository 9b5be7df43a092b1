//! Dates, durations and counts in the server's texts. UTC is the server's only time zone.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use humantime::format_rfc3339_seconds;

const SECONDS_PER_DAY: u64 = 86_400;

/// The last second of the year 9999; `humantime` formats no later one.
const LAST_SECOND: u64 = 253_402_300_799;

const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Formats a date as in lists: `2026-11-21 00:30 UTC`. Times before 1970 become its start, later than 9999 its end.
pub(crate) fn format_date(moment: SystemTime) -> String {
    let seconds = seconds_since_1970(moment);
    let date = format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(seconds)).to_string().replace('T', " ");
    format!("{} UTC", date.get(..16).unwrap_or_default())
}

/// Formats a date as in replies to `date`: `Sat Nov 21, 00:30 UTC 2026`.
pub(crate) fn format_date_with_weekday(moment: SystemTime) -> String {
    let name = |names: &[&'static str], index: u64| {
        usize::try_from(index).ok().and_then(|index| names.get(index)).copied().unwrap_or_default()
    };
    let weekday = name(&WEEKDAYS, seconds_since_1970(moment) / SECONDS_PER_DAY % 7);
    let date = format_date(moment);
    let mut parts = date.split([' ', '-']);
    let mut next = || parts.next().unwrap_or_default();
    let year = next();
    let month = name(&MONTHS, next().parse().map_or(0, |month: u64| month - 1));
    let (day, time) = (next().trim_start_matches('0'), next());
    format!("{weekday} {month} {day:>2}, {time} UTC {year}")
}

fn seconds_since_1970(moment: SystemTime) -> u64 {
    moment.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().min(LAST_SECOND)
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

    fn at(seconds: u64) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(seconds)
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
            assert_eq!(format_date_with_weekday(at(seconds)), want);
        }
        assert_eq!(format_date(at(1_795_221_000)), "2026-11-21 00:30 UTC");
        assert_eq!(format_date(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01 00:00 UTC");
        assert_eq!(format_date(at(1 << 40)), "9999-12-31 23:59 UTC");
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
