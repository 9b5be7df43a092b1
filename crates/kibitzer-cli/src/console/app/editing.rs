//! Editing of the input line.

use super::App;
use crate::console::input::{Action, CompletionCandidates, Focus, Motion};

impl App {
    /// Moves the focus to the input line. With `slash`, the character `/`, also starts a command, unless the line is one already:
    /// an unfinished line for the server is cut, so that Ctrl-Y returns it, and a password is deleted.
    pub(super) fn start_typing(&mut self, slash: Option<char>) {
        let is_masked = self.masks_input();
        self.focus = Focus::Input;
        let Some(slash) = slash.filter(|_| !self.input.text().starts_with('/')) else { return };
        if is_masked {
            // Cut text is not masked.
            self.input.take_text();
        } else if !self.input.text().is_empty() {
            self.input.move_cursor(Motion::End);
            self.input.cut(Motion::Start);
            self.show_info("the unfinished line was cut: Ctrl-Y returns it");
        }
        self.input.insert(slash.encode_utf8(&mut [0; 4]));
    }

    /// Completes the word before the cursor. If the candidates have nothing further in common, lists them in the status row.
    pub(super) fn complete_word(&mut self) {
        let (line, _) = self.input.split_at_cursor();
        let completion = CompletionCandidates::for_line(line, &self.model, &self.filters);
        if let Some(candidates) = completion.and_then(|completion| completion.insert_or_list(&mut self.input)) {
            self.show_info(candidates);
        }
    }

    /// Returns the actions that Space and Tab have in the list if the focused input line is empty and expects no password;
    /// otherwise returns `action`.
    pub(super) fn remap_on_empty_line(&self, action: Action) -> Action {
        let is_empty = self.focus == Focus::Input && self.input.text().is_empty() && !self.masks_input();
        match action {
            Action::Insert(' ') if is_empty => Action::PlayOrPause,
            Action::Complete if is_empty => Action::NextView,
            action => action,
        }
    }

    /// Returns whether to mask the input: the server expects a password, and the line is not a command of the console.
    pub(crate) fn masks_input(&self) -> bool {
        self.model.password_prompt.is_open && !self.input.text().starts_with('/')
    }
}
