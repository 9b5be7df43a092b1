//! Every type that `docs/glossary.md` names exists in the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../../docs/glossary.md");

#[test]
fn every_type_in_the_glossary_exists() {
    let files = sources();
    let mut declared: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for text in &files {
        for name in text.lines().filter_map(declared_type) {
            declared.entry(name).or_default().push(text);
        }
    }
    let mut named: Vec<&str> = PAGE.lines().filter_map(type_column).flat_map(names).collect();
    assert!(named.len() > 100, "the tables were not found");
    named.retain(|name| {
        let (parent, member) = name.split_once("::").unwrap_or((name, ""));
        !declared.get(parent).is_some_and(|texts| texts.iter().any(|text| has_word(text, member)))
    });
    assert!(named.is_empty(), "the glossary names types that do not exist: {named:?}");
}

#[test]
fn every_term_has_one_row() {
    let mut seen = BTreeSet::new();
    let twice: Vec<_> =
        PAGE.lines().filter_map(|line| cells(line).map(|cells| cells[0])).filter(|term| !seen.insert(*term)).collect();
    assert_eq!(twice, ["term", "---"], "each of the two tables has its head, and no term is defined twice");
}

/// Name of the type that a line of Rust declares.
fn declared_type(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let item = line.strip_prefix("pub ").or_else(|| line.strip_prefix("pub(crate) "))?;
    let name = ["struct ", "enum ", "trait ", "type "].iter().find_map(|keyword| item.strip_prefix(keyword))?;
    name.split(|c: char| !c.is_alphanumeric()).next()
}

/// Whether the text contains the word; an empty word is in every text.
fn has_word(text: &str, word: &str) -> bool {
    word.is_empty() || text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|found| found == word)
}

fn cells(line: &str) -> Option<[&str; 3]> {
    let cells: Vec<&str> = line.strip_prefix('|')?.strip_suffix('|')?.split('|').map(str::trim).collect();
    cells.try_into().ok()
}

fn type_column(line: &str) -> Option<&str> {
    cells(line).map(|[_, _, types]| types)
}

/// The words between backticks.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// The Rust files of the crates, without their tests and benchmarks.
fn sources() -> Vec<String> {
    let mut texts = Vec::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut folders: Vec<PathBuf> = entries(&crates).map(|path| path.join("src")).collect();
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                texts.push(std::fs::read_to_string(path).unwrap());
            }
        }
    }
    texts
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())
}
