//! The ranges of the numeric settings.

use std::ops::{Range, RangeInclusive};
use std::time::Duration;

use humantime::{format_duration, parse_duration};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The accepted values of a setting.
#[derive(Debug)]
enum Limits {
    /// Of a number, or of both ends of a range.
    Number(RangeInclusive<i64>),
    /// Of a duration.
    Seconds(RangeInclusive<u64>),
}

use Limits::{Number, Seconds};

/// All settings that are numbers, ranges of numbers or durations.
const NUMBERS: &[(&str, Limits)] = &[
    ("engine.move_overhead_ms", Number(0..=60_000)),
    ("engine.restarts_per_game", Number(0..=100)),
    ("engine.nodes", Number(1..=1_000_000_000_000)),
    ("engine.depth", Number(1..=1_000)),
    ("engine.untimed_move_ms", Number(10..=86_400_000)),
    ("book.max_moves", Number(0..=1_000)),
    ("book.min_weight", Number(0..=65_535)),
    ("accept.initial_min", Number(0..=9_999)),
    ("accept.increment_s", Number(0..=9_999)),
    ("accept.rating", Number(0..=9_999)),
    ("accept.games_per_opponent_per_day", Number(0..=10_000)),
    ("rematch.propose", Number(0..=1_000)),
    ("matchmaking.rating", Number(0..=9_999)),
    ("matchmaking.pause", Seconds(10..=604_800)),
    ("offers.takebacks", Number(0..=1_000)),
    ("offers.draw.within_cp", Number(0..=30_000)),
    ("offers.draw.for_moves", Number(1..=64)),
    ("offers.draw.from_move", Number(1..=10_000)),
    ("offers.resign.below_cp", Number(-29_999..=-1)),
    ("offers.resign.for_moves", Number(1..=64)),
    ("shutdown.finish_game_within", Seconds(0..=604_800)),
];

/// Fails with place and reason if a number or duration of the file is out of its range.
pub(super) fn check_numbers(file: &DeTable<'_>) -> Result<(), (Range<usize>, String)> {
    for (path, limits) in NUMBERS {
        let mut names = path.split('.');
        let first = names.next().and_then(|table| file.get(table));
        let Some(found) = names.try_fold(first, |value, name| Some(value?.get_ref().get(name))).flatten() else {
            continue;
        };
        let values = found.get_ref().as_array().map_or(std::slice::from_ref(found), |list| list);
        if let Some((span, problem)) =
            values.iter().find_map(|value| Some((value.span(), problem_with(value, limits)?)))
        {
            return Err((span, format!("`{path}` {problem}")));
        }
    }
    Ok(())
}

/// Returns the reason why a number or duration is not accepted; `None` if it is, and for a value of another type.
fn problem_with(value: &Spanned<DeValue<'_>>, limits: &Limits) -> Option<String> {
    let (is_accepted, min, max) = match (value.get_ref(), limits) {
        (DeValue::Integer(number), Number(range)) => {
            let is_accepted = i64::from_str_radix(number.as_str(), number.radix()).is_ok_and(|n| range.contains(&n));
            (is_accepted, range.start().to_string(), range.end().to_string())
        }
        (DeValue::String(text), Seconds(range)) => {
            let [min, max] = [range.start(), range.end()].map(|seconds| Duration::from_secs(*seconds));
            let duration = parse_duration(text).ok()?;
            ((min..=max).contains(&duration), format_duration(min).to_string(), format_duration(max).to_string())
        }
        _ => return None,
    };
    (!is_accepted).then(|| format!("must be {min} to {max}"))
}

#[cfg(test)]
mod tests;
