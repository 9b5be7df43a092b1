//! Editing of the input line.

use super::App;
use crate::console::input::{Action, CompletionCandidates, Focus, Motion};
use crate::console::source::Notice;

impl App {
    /// Applies an action to the input line: editing, history or completion. Ignores any other action.
    pub(super) fn edit_input(&mut self, action: Action) {
        match action {
            Action::Complete => self.complete_word(),
            action => self.history.apply_action_to_editor(&mut self.input, action),
        }
    }

    /// Moves the focus to the input line, and inserts the `/` of a new command if it was typed. An unfinished command is continued;
    /// an unfinished line for the server is cut, so that Ctrl-Y returns it.
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
            self.notice = Some(Notice::Info("the unfinished line was cut: Ctrl-Y returns it".to_owned()));
        }
        self.input.insert(slash.encode_utf8(&mut [0; 4]));
    }

    /// Completes the word before the cursor. If the candidates have nothing further in common, lists them in the status row.
    fn complete_word(&mut self) {
        let (line, _) = self.input.split_at_cursor();
        let completion = CompletionCandidates::for_line(line, &self.model, self.filters.names());
        if let Some(candidates) = completion.and_then(|completion| completion.insert_or_list(&mut self.input)) {
            self.notice = Some(Notice::Info(candidates));
        }
    }

    /// Maps Space and Tab on an empty line to their actions in the list.
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
        self.model.expects_password() && !self.input.text().starts_with('/')
    }
}
