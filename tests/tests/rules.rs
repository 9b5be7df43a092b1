//! Every rule of the protocol has a test that names it.
//!
//! A test names its rules in a comment above its attribute: `Rules: transport T1, bugs 5` behind two slashes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

#[test]
fn every_rule_of_the_protocol_has_a_test() {
    let document = std::fs::read_to_string(root().join("docs/protocol.md")).unwrap();
    let (_, tables) = document.split_once("\n## The rules and their tests\n").unwrap();
    let rows: Vec<&str> = tables.lines().filter_map(rule_of_row).collect();
    let rules: BTreeSet<&str> = rows.iter().copied().collect();
    assert_eq!(rows.len(), rules.len(), "a rule stands in the tables twice");

    let tested = tested_rules();
    let untested: Vec<_> = rules.iter().filter(|rule| !tested.contains(**rule)).collect();
    assert!(untested.is_empty(), "rules without a test: {untested:?}");
    let unknown: Vec<_> = tested.iter().filter(|rule| !rules.contains(rule.as_str())).collect();
    assert!(unknown.is_empty(), "tests name rules that stand in no table: {unknown:?}");
}

/// The rule of a row such as `| transport T1 | its summary |`.
fn rule_of_row(line: &str) -> Option<&str> {
    let (rule, _) = line.strip_prefix('|')?.split_once('|')?;
    let rule = rule.trim();
    rule.contains(' ').then_some(rule)
}

/// The rules that tests name.
fn tested_rules() -> BTreeSet<String> {
    let mut rules = BTreeSet::new();
    for file in sources() {
        let text = std::fs::read_to_string(&file).unwrap();
        let named = text.lines().filter_map(|line| line.trim_start().strip_prefix("// Rules: "));
        rules.extend(named.flat_map(|rules| rules.split(", ")).map(|rule| rule.trim().to_owned()));
    }
    rules
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
