//! Editing of the input line.

use super::App;
use crate::console::input::{Action, Completion, Focus};
use crate::console::source::Notice;

impl App {
    pub(super) fn edit(&mut self, action: Action) {
        match action {
            Action::Insert(character) => self.input.insert(character.encode_utf8(&mut [0; 4])),
            Action::MoveCursor(motion) => self.input.move_cursor(motion),
            Action::Cut(motion) => self.input.cut(motion),
            Action::Yank => self.input.yank(),
            Action::HistoryPrevious => {
                if let Some(line) = self.history.previous(self.input.text()) {
                    self.input.set(line);
                }
            }
            Action::HistoryNext => {
                if let Some(line) = self.history.next() {
                    self.input.set(line);
                }
            }
            Action::Complete => self.complete(),
            _ => {}
        }
    }

    fn complete(&mut self) {
        let (line, _) = self.input.split_at_cursor();
        let Some(completion) = Completion::for_line(line, &self.model, self.filters.names()) else { return };
        let (common_prefix, from) = (completion.common_prefix(), completion.from);
        let typed = line.len() - from;
        if common_prefix.len() > typed || completion.words.len() == 1 {
            self.input.complete(from, &common_prefix);
        } else {
            let words = completion.words;
            self.notice = Some(Notice::Info(format!("{}: {}", words.len(), words.join("  "))));
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
