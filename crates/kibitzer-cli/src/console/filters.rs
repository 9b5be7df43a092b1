//! Expressions that have a name.

use std::collections::BTreeMap;

use super::command::is_name;
use super::filter::Filter;
use super::store::Store;

/// The name of the file: a line for each, `name = expression`.
const FILE: &str = "filters";
/// Names that are kept.
const KEPT_NAMES: usize = 100;

/// The expressions by name, also those of other runs.
#[derive(Debug, Default)]
pub(super) struct Filters {
    named: BTreeMap<String, Filter>,
    store: Option<Store>,
}

impl Filters {
    /// Those of other runs; lines that mean nothing (any more) are left alone.
    pub(super) fn load(store: Option<Store>) -> Self {
        let text = store.as_ref().map(|store| store.read(FILE)).unwrap_or_default();
        let named = text.lines().filter_map(read).take(KEPT_NAMES).collect();
        Self { named, store }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Filter> {
        self.named.get(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.named.keys().map(String::as_str)
    }

    /// Gives an expression a name; `false` if there are too many.
    pub(super) fn set(&mut self, name: &str, filter: Filter) -> bool {
        if self.named.len() >= KEPT_NAMES && !self.named.contains_key(name) {
            return false;
        }
        self.named.insert(name.to_owned(), filter);
        if let Some(store) = &self.store {
            store.write_lines(FILE, self.named.iter().map(|(name, filter)| format!("{name} = {filter}")));
        }
        true
    }
}

fn read(line: &str) -> Option<(String, Filter)> {
    let (name, source) = line.split_once('=')?;
    let name = name.trim();
    Some((name.to_owned(), Filter::parse(source).ok().filter(|_| is_name(name))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_to_other_runs() {
        let store = Store::temporary("filters");
        let mut filters = Filters::load(Some(store.clone()));
        assert!(filters.set("talk", Filter::parse("kind:tell \"a = b\"").unwrap()));
        assert!(filters.set("mine", Filter::parse("game:7").unwrap()));
        store.append(FILE, "no expression\nbroken = kind:x\n");
        let later = Filters::load(Some(store.clone()));
        assert_eq!(later.names().collect::<Vec<_>>(), ["mine", "talk"]);
        assert_eq!(later.get("talk").unwrap().to_string(), "kind:tell \"a = b\"");
        store.remove();
    }

    #[test]
    fn there_is_a_limit() {
        let mut filters = Filters::default();
        let filter = Filter::parse("x").unwrap();
        assert!((0..KEPT_NAMES).all(|n| filters.set(&n.to_string(), filter.clone())));
        assert!(!filters.set("more", filter.clone()));
        assert!(filters.set("7", filter));
    }
}
