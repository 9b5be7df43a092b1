//! Every rule of the protocol has a test that names it, and `docs/protocol.md` says which.
//!
//! A test names its rules in a comment above its attribute: `Rules: transport T1, bugs 5` behind two slashes.
//! `KIBITZER_BLESS=1 cargo test -p kibitzer-tests --test rules` rewrites the last column of the tables.
#![expect(clippy::unwrap_used, reason = "the helpers of a test fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kibitzer_tests::blessing;

/// Rules whose tests are still to be written. To be empty.
const PENDING: [&str; 0] = [];

#[test]
fn the_table_of_rules_is_complete_and_current() {
    let path = root().join("docs/protocol.md");
    let document = std::fs::read_to_string(&path).unwrap();
    let tests = tests_by_rule();
    let known: Vec<&str> = document.lines().filter_map(row).map(|(rule, ..)| rule).collect();
    let unique: BTreeSet<&str> = known.iter().copied().collect();
    assert_eq!(known.len(), unique.len(), "a rule stands in the tables twice");

    let unknown: Vec<_> = tests.iter().filter(|(rule, _)| !unique.contains(rule.as_str())).collect();
    assert!(unknown.is_empty(), "tests name rules that stand in no table: {unknown:#?}");

    let untested: Vec<_> = known.iter().filter(|rule| !tests.contains_key(**rule) && !PENDING.contains(rule)).collect();
    assert!(untested.is_empty(), "rules without a test: {untested:?}");

    let current: String = document.lines().map(|line| current(line, &tests) + "\n").collect();
    if blessing() {
        std::fs::write(&path, &current).unwrap();
    } else {
        let stale = document.lines().zip(current.lines()).find(|(kept, current)| kept != current);
        assert_eq!(stale, None, "the column of tests is stale: run with KIBITZER_BLESS=1");
    }
}

/// The line of the document as it has to be.
fn current(line: &str, tests: &BTreeMap<String, BTreeSet<String>>) -> String {
    let Some((rule, short, _)) = row(line) else { return line.to_owned() };
    let names = tests
        .get(rule)
        .map(|names| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))
        .unwrap_or_default();
    format!("| {rule} | {short} | {names} |")
}

/// Rule, statement and tests of a row of a table; titles and rulers are none.
fn row(line: &str) -> Option<(&str, &str, &str)> {
    let mut cells = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim);
    let (rule, short, tests) = (cells.next()?, cells.next()?, cells.next()?);
    let is_rule = rule.contains(' ') && cells.next().is_none();
    is_rule.then_some((rule, short, tests))
}

/// The tests that name each rule.
fn tests_by_rule() -> BTreeMap<String, BTreeSet<String>> {
    let mut tests: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in sources() {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut named: Vec<String> = Vec::new();
        for line in text.lines().map(str::trim_start) {
            if let Some(rules) = line.strip_prefix("// Rules: ") {
                named.extend(rules.split(", ").map(|rule| rule.trim().to_owned()));
            } else if let Some(name) = function_name(line) {
                for rule in named.drain(..) {
                    tests.entry(rule).or_default().insert(name.to_owned());
                }
            }
        }
        assert!(named.is_empty(), "{}: rules above no test: {named:?}", file.display());
    }
    tests
}

fn function_name(line: &str) -> Option<&str> {
    line.strip_prefix("async ").unwrap_or(line).strip_prefix("fn ")?.split(['(', '<']).next()
}

/// The Rust files of the workspace.
fn sources() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join("crates"), root().join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                files.push(path);
            }
        }
    }
    files
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}
