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
mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../../../../config/bot.toml");

    /// Returns the result for a file of one setting.
    fn check(path: &str, value: &str) -> Result<(), String> {
        check_numbers(DeTable::parse(&format!("{path} = {value}")).unwrap().get_ref()).map_err(|(_, reason)| reason)
    }

    #[test]
    fn every_number_is_accepted_within_its_range_only() {
        for (path, limits) in NUMBERS {
            let (inside, outside) = match limits {
                Number(range) => ([*range.start(), *range.end()], vec![range.start() - 1, range.end() + 1]),
                Seconds(range) => {
                    ([*range.start(), *range.end()].map(u64::cast_signed), vec![(range.end() + 1).cast_signed()])
                }
            };
            let text = |n: i64| if matches!(limits, Seconds(_)) { format!("\"{n}s\"") } else { n.to_string() };
            for inside in inside {
                assert_eq!(check(path, &text(inside)), Ok(()), "{path}");
            }
            for outside in outside {
                let reason = check(path, &text(outside)).unwrap_err();
                assert!(reason.starts_with(&format!("`{path}` must be ")), "{reason}");
                assert!(check(path, &format!("[{}, {}]", text(inside[1]), text(outside))).is_err(), "{path}");
            }
        }
        assert_eq!(
            check("offers.resign.below_cp", "900").unwrap_err(),
            "`offers.resign.below_cp` must be -29999 to -1"
        );
        assert_eq!(check("matchmaking.pause", "'3s'").unwrap_err(), "`matchmaking.pause` must be 10s to 7days");
        assert!(check("engine.depth", "99999999999999999999999").is_err());
    }

    /// Adds the paths of all numbers below a table.
    fn collect(table: &toml::Table, parent: &str, found: &mut Vec<String>) {
        for (name, value) in table.iter().filter(|(name, _)| *name != "options") {
            let path = if parent.is_empty() { name.clone() } else { format!("{parent}.{name}") };
            let first = value.as_array().and_then(|list| list.first()).unwrap_or(value);
            match value {
                toml::Value::Table(inner) => collect(inner, &path, found),
                _ if first.is_integer() || first.as_str().is_some_and(|text| parse_duration(text).is_ok()) => {
                    found.push(path);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn every_number_of_the_shipped_file_has_a_range_which_its_comment_states() {
        let is_setting = |line: &str| line.starts_with("# [") || line.starts_with("# ") && line.contains(" = ");
        let lines = SHIPPED.lines().map(|line| if is_setting(line) { line.trim_start_matches("# ") } else { line });
        let mut file: toml::Table = lines.collect::<Vec<_>>().join("\n").parse().unwrap();
        file.retain(|name, _| !["server", "account"].contains(&name));
        let mut found = Vec::new();
        collect(&file, "", &mut found);
        let mut listed: Vec<_> = NUMBERS.iter().map(|(path, _)| (*path).to_owned()).collect();
        found.sort();
        listed.sort();
        assert_eq!(found, listed);
        for (path, limits) in NUMBERS {
            let (table, key) = path.split_once('.').unwrap();
            let key = key.split('.').next_back().unwrap();
            let section = SHIPPED.split(&format!("[{table}]\n")).nth(1).unwrap();
            let section = section.split("\n[").next().unwrap();
            let stated = match limits {
                Seconds(range) => format!("{}s to 7days", range.start()),
                Number(range) => format!("{} to {}", range.start(), range.end()),
            };
            let at = section.lines().position(|line| line.contains(&format!("{key} = "))).unwrap();
            let mut before = section.lines().take(at + 1).skip(at.saturating_sub(5));
            assert!(before.any(|line| line.contains(&stated)), "{path}: {stated}");
        }
    }
}
