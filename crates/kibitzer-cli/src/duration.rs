//! Parsing of durations.

use std::time::Duration;

/// Parses a duration such as `10s`, `2m` or `500ms`.
///
/// # Errors
///
/// A description of the expected format.
pub(crate) fn parse(text: &str) -> Result<Duration, &'static str> {
    const FORM: &str = "a time looks like 500ms, 10s, 2m or 1h";
    let digits = text.find(|c: char| !c.is_ascii_digit()).ok_or(FORM)?;
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().map_err(|_| FORM)?;
    match unit {
        "ms" => Ok(Duration::from_millis(number)),
        "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(number.saturating_mul(60))),
        "h" => Ok(Duration::from_secs(number.saturating_mul(60 * 60))),
        _ => Err(FORM),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_number_and_a_unit() {
        let cases = [("500ms", 500), ("10s", 10_000), ("2m", 120_000), ("1h", 3_600_000), ("0s", 0)];
        for (text, ms) in cases {
            assert_eq!(parse(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        assert!(parse("18446744073709551615h").is_ok(), "longer than anybody waits");
        for text in ["", "10", "s", "-1s", "1.5s", "10 s", "10S", "99999999999999999999s"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
