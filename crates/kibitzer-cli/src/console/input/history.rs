//! History of typed lines, stored across runs.

use std::collections::VecDeque;

use kibitzer::core::session::SecretDetector;

use crate::console::input::{Action, LineEditor, StateDirectory};

/// Maximum number of lines; the oldest is dropped.
const KEPT_LINES: usize = 1_000;
/// Name of the file in the state directory.
const FILE: &str = "history";

/// The entered lines, the oldest first, and the position while browsing them.
#[derive(Debug, Default)]
pub(crate) struct History {
    lines: VecDeque<String>,
    /// Number of lines from the draft back to the line shown; 0 while not browsing.
    back: usize,
    /// The line that was being typed when browsing started.
    draft: String,
    store: StateDirectory,
    detector: SecretDetector,
}

impl History {
    /// Loads the newest 1,000 lines of the stored history. Other lines, and those that must not be stored, are removed from the
    /// file.
    pub(crate) fn load_and_clean(store: StateDirectory) -> Self {
        let text = store.read_file(FILE);
        let mut history = Self { store, ..Self::default() };
        for line in text.lines() {
            history.push_if_allowed(line);
        }
        if history.lines.len() < text.lines().count() {
            history.store.overwrite_with_lines(FILE, history.lines.iter().cloned());
        }
        history
    }

    /// Adds a line to the history and its file, unless it contains a password or control characters, is blank, or repeats the
    /// last one. Ends browsing.
    pub(crate) fn add_unless_secret(&mut self, line: &str) {
        self.back = 0;
        if self.lines.back().is_none_or(|last| last != line) && self.push_if_allowed(line) {
            self.store.append_to(FILE, &format!("{line}\n"));
        }
    }

    /// Appends a line unless it is blank, contains control characters or a password; at the limit, drops the oldest. Returns
    /// whether the line was appended.
    fn push_if_allowed(&mut self, line: &str) -> bool {
        self.detector.learn_alias(line);
        let may_be_kept = !line.trim().is_empty() && !line.contains(char::is_control) && !self.detector.is_secret(line);
        if may_be_kept {
            if self.lines.len() >= KEPT_LINES {
                self.lines.pop_front();
            }
            self.lines.push_back(line.to_owned());
        }
        may_be_kept
    }

    /// Returns whether a line contains a password, as far as its command is known.
    pub(crate) fn is_secret(&self, line: &str) -> bool {
        self.detector.is_secret(line)
    }

    /// Applies an action to the input line: inserts, moves the cursor, cuts, pastes, or shows another line of the history.
    /// Ignores any other action.
    pub(crate) fn apply_action_to_editor(&mut self, editor: &mut LineEditor, action: Action) {
        match action {
            Action::Insert(character) => editor.insert(character.encode_utf8(&mut [0; 4])),
            Action::MoveCursor(motion) => editor.move_cursor(motion),
            Action::Cut(motion) => editor.cut(motion),
            Action::Yank => editor.yank(),
            Action::HistoryPrevious | Action::HistoryNext => {
                if let Some(line) = self.browse(action == Action::HistoryPrevious, editor.text()) {
                    editor.set_text(line);
                }
            }
            _ => {}
        }
    }

    /// Moves to the line before the one shown (`to_older`), or after it, and returns it; after the newest, the draft. `None` at the
    /// oldest line, and after the draft. Stores `typed` as the draft when browsing starts.
    fn browse(&mut self, to_older: bool, typed: &str) -> Option<&str> {
        let back = if to_older { self.back + 1 } else { self.back.checked_sub(1)? };
        let from_end = self.lines.len().checked_sub(back)?;
        if self.back == 0 {
            typed.clone_into(&mut self.draft);
        }
        self.back = back;
        Some(self.lines.get(from_end).unwrap_or(&self.draft))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_and_the_draft_stays() {
        let mut history = History::default();
        assert_eq!(history.browse(true, "dra"), None);
        for line in ["who", "games", "games", " ", "finger foo"] {
            history.add_unless_secret(line);
        }
        assert_eq!(history.browse(true, "dra"), Some("finger foo"));
        assert_eq!(history.browse(true, "finger foo"), Some("games"));
        assert_eq!(history.browse(true, "games"), Some("who"));
        assert_eq!(history.browse(true, "who"), None);
        assert_eq!(history.browse(false, ""), Some("games"));
        assert_eq!(history.browse(false, ""), Some("finger foo"));
        assert_eq!(history.browse(false, ""), Some("dra"));
        assert_eq!(history.browse(false, ""), None);
    }

    #[test]
    fn no_line_with_a_password_is_kept_or_stays_in_the_file() {
        let secrets =
            ["password old new", "$PASSW a b", "asetpasswd foo bar", "set pass x", "multi who; pa a b", "pw a b"];
        let store = StateDirectory::temporary("history-secrets");
        let mut history = History::load_and_clean(store.clone());
        let kept = ["alias pw password", "tell foo my password", "partner foo", "p", "/mark x"];
        for line in kept.iter().chain(&secrets).chain(&["who\u{1b}", ""]) {
            history.add_unless_secret(line);
        }
        assert_eq!(history.lines, kept);
        assert_eq!(store.read_file(FILE).lines().collect::<Vec<_>>(), kept);
        // Written by a program that did not know them.
        store.overwrite_with_lines(FILE, kept.iter().chain(&secrets).map(ToString::to_string));
        let later = History::load_and_clean(store.clone());
        assert_eq!(later.lines, kept);
        assert_eq!(store.read_file(FILE).lines().collect::<Vec<_>>(), kept);
        store.remove();
    }

    #[test]
    fn history_is_kept_between_runs() {
        let store = StateDirectory::temporary("history");
        let mut history = History::load_and_clean(store.clone());
        (0..1_500).for_each(|n| history.add_unless_secret(&format!("finger p{n}")));
        assert_eq!(history.lines.len(), KEPT_LINES);
        let mut later = History::load_and_clean(store.clone());
        assert_eq!(later.browse(true, ""), Some("finger p1499"));
        assert_eq!(later.lines.front().map(String::as_str), Some("finger p500"));
        assert_eq!(store.read_file(FILE).lines().count(), KEPT_LINES);
        store.remove();
    }
}
