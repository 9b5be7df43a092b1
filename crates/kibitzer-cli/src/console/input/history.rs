//! Lines that were typed before, in this run and in others.

use std::collections::VecDeque;

use crate::console::input::store::Store;

/// Lines that are kept.
const KEPT_LINES: usize = 1_000;
/// The name of the file.
const FILE: &str = "history";

/// The lines, and which one is looked at.
#[derive(Debug, Default)]
pub(in crate::console) struct History {
    lines: VecDeque<String>,
    /// How far back the line that is shown stands: 0 is the one being typed.
    back: usize,
    /// What was being typed when looking back began.
    draft: String,
    store: Option<Store>,
}

impl History {
    /// The history of other runs; what is added goes to their file.
    pub(in crate::console) fn load(store: Option<Store>) -> Self {
        let text = store.as_ref().map(|store| store.read(FILE)).unwrap_or_default();
        let mut lines: VecDeque<_> = text.lines().filter(|line| may_be_kept(line)).map(str::to_owned).collect();
        let excess = lines.len().saturating_sub(KEPT_LINES);
        if excess > 0 {
            lines.drain(..excess);
            if let Some(store) = &store {
                store.write_lines(FILE, lines.iter().cloned());
            }
        }
        Self { lines, store, ..Self::default() }
    }

    /// Adds a line that was run.
    pub(in crate::console) fn add(&mut self, line: &str) {
        self.back = 0;
        if !may_be_kept(line) || self.lines.back().is_some_and(|last| last == line) {
            return;
        }
        if self.lines.len() >= KEPT_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line.to_owned());
        if let Some(store) = &self.store {
            store.append(FILE, &format!("{line}\n"));
        }
    }

    /// The line before the one that is shown; `None` if there is none.
    pub(in crate::console) fn back(&mut self, shown: &str) -> Option<&str> {
        if self.back >= self.lines.len() {
            return None;
        }
        if self.back == 0 {
            shown.clone_into(&mut self.draft);
        }
        self.back += 1;
        self.lines.get(self.lines.len() - self.back).map(String::as_str)
    }

    /// The line behind the one that is shown; at the end, what was being typed.
    pub(in crate::console) fn on(&mut self) -> Option<&str> {
        self.back = self.back.checked_sub(1)?;
        if self.back == 0 {
            return Some(&self.draft);
        }
        self.lines.get(self.lines.len() - self.back).map(String::as_str)
    }
}

/// Whether a line may stand in a file: it is one line, and sets no password (servers take shortened commands).
fn may_be_kept(line: &str) -> bool {
    let command = line.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let sets_password = command.contains("passw") || ("password".starts_with(&command) && command.len() >= 2);
    !command.is_empty() && !sets_password && !line.contains(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_the_draft_stays() {
        let mut history = History::default();
        assert_eq!(history.back("dra"), None);
        for line in ["who", "games", "games", " ", "finger foo"] {
            history.add(line);
        }
        assert_eq!(history.back("dra"), Some("finger foo"));
        assert_eq!(history.back("finger foo"), Some("games"));
        assert_eq!(history.back("games"), Some("who"));
        assert_eq!(history.back("who"), None);
        assert_eq!(history.on(), Some("games"));
        assert_eq!(history.on(), Some("finger foo"));
        assert_eq!(history.on(), Some("dra"));
        assert_eq!(history.on(), None);
    }

    #[test]
    fn passwords_are_not_kept() {
        for line in ["password old new", "PASSW a b", "asetpasswd foo bar", "pas old new", "who\u{1b}", ""] {
            assert!(!may_be_kept(line), "{line:?}");
        }
        for line in ["tell foo my password", "partner foo", "p", "/mark x"] {
            assert!(may_be_kept(line), "{line}");
        }
    }

    #[test]
    fn other_runs_have_it_too() {
        let store = Store::temporary("history");
        let mut history = History::load(Some(store.clone()));
        (0..1_500).for_each(|n| history.add(&format!("finger p{n}")));
        assert_eq!(history.lines.len(), KEPT_LINES);
        let mut later = History::load(Some(store.clone()));
        assert_eq!(later.back(""), Some("finger p1499"));
        assert_eq!(later.lines.front().map(String::as_str), Some("finger p500"));
        assert_eq!(store.read(FILE).lines().count(), KEPT_LINES);
        store.remove();
    }
}
