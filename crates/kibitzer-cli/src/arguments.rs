//! Arguments that several commands share, and the parsing of their values.

use std::ops::RangeInclusive;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use kibitzer::core::message::Family;
use kibitzer::core::wire::Timeseal;
use kibitzer_server::PopulationOptions;

use crate::output::LineFormat;

/// Output format of a live session.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct FormatArgs {
    /// Output format of the events
    #[arg(long, value_enum, default_value_t = LineFormat::Text)]
    format: LineFormat,
    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatArgs {
    pub(crate) const fn format(self) -> LineFormat {
        if self.json { LineFormat::Jsonl } else { self.format }
    }
}

/// A family of servers, by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FamilyArg(Family);

impl FamilyArg {
    pub(crate) const AUTO: Self = Self(Family::Auto);

    pub(crate) const fn family(self) -> Family {
        self.0
    }
}

impl ValueEnum for FamilyArg {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::AUTO, Self(Family::Fics), Self(Family::Icc)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Family::Auto => "The one that the login shows",
            Family::Fics => "FICS and its relatives",
            Family::Icc => "ICC",
        };
        Some(PossibleValue::new(self.0.as_str()).help(help))
    }
}

/// A version of the timeseal protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimesealArg(Timeseal);

impl TimesealArg {
    /// Returns the version, `Off` without the argument.
    pub(crate) fn of(option: Option<Self>) -> Timeseal {
        option.map_or(Timeseal::Off, |Self(version)| version)
    }
}

impl ValueEnum for TimesealArg {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self(Timeseal::V1), Self(Timeseal::V2)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self.0 {
            Timeseal::Off => return None,
            Timeseal::V1 => "`[G]` alone on a line",
            Timeseal::V2 => "`[G]` and a zero byte, anywhere",
        };
        Some(PossibleValue::new(self.0.as_str()).help(help))
    }
}

/// Accepted values of `--speed`.
const SIMULATION_SPEEDS: RangeInclusive<f64> = 0.01..=1000.0;

#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct PopulationArgs {
    /// Seed of the random numbers; another seed gives other players and games
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// How many times faster than people simulated players think and talk: 0.01 to 1000
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = parse_speed)]
    speed: f64,
}

impl PopulationArgs {
    pub(crate) const fn seed(self) -> u64 {
        self.seed
    }

    pub(crate) fn options(self) -> PopulationOptions {
        PopulationOptions::new().speed(self.speed)
    }
}

fn parse_speed(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|speed| SIMULATION_SPEEDS.contains(speed)).ok_or("a speed is a number from 0.01 to 1000")
}

/// Parses a duration such as `10s`, `2m` or `500ms`.
///
/// # Errors
///
/// A description of the expected format.
pub(crate) fn parse_duration(text: &str) -> Result<Duration, &'static str> {
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
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        assert!(parse_duration("18446744073709551615h").is_ok(), "longer than anybody waits");
        for text in ["", "10", "s", "-1s", "1.5s", "10 s", "10S", "99999999999999999999s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }
}
