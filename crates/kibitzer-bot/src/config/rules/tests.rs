use super::*;

const SHIPPED: &str = include_str!("../../../../../config/bot.toml");

/// Returns the result for a file of one setting.
fn check(path: &str, value: &str) -> Result<(), String> {
    let file = format!("{path} = {value}");
    let found = out_of_range(DeTable::parse(&file).unwrap().get_ref());
    found.into_iter().next().map_or(Ok(()), |(_, reason)| Err(reason))
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
    assert_eq!(check("offers.resign.below_cp", "900").unwrap_err(), "`offers.resign.below_cp` must be -29999 to -1");
    assert_eq!(check("matchmaking.pause", "'3s'").unwrap_err(), "`matchmaking.pause` must be 10s to 7days");
    assert!(check("engine.depth", "99999999999999999999999").is_err());
}

/// Adds the paths of all numbers below a table.
fn collect(table: &toml::Table, parent: &str, found: &mut Vec<String>) {
    for (name, value) in table.iter().filter(|(name, _)| *name != "options") {
        let path = if parent.is_empty() { name.clone() } else { format!("{parent}.{name}") };
        let list = value.as_array().map_or(std::slice::from_ref(value), |list| list);
        let first = list.first().unwrap_or(value);
        let tables: Vec<_> = list.iter().filter_map(toml::Value::as_table).collect();
        match value {
            _ if !tables.is_empty() => tables.iter().for_each(|inner| collect(inner, &path, found)),
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
    found.dedup();
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
