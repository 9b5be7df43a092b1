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
mod tests;
