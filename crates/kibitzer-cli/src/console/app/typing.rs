//! The line that is typed.

use super::{App, Echo};
use crate::console::input::Completion;
use crate::console::input::keys::{Action, Focus};
use crate::console::source::Notice;

impl App {
    pub(super) fn edit(&mut self, action: Action) {
        match action {
            Action::Insert(character) => self.input.insert(character.encode_utf8(&mut [0; 4])),
            Action::Move(reach) => self.input.go(reach),
            Action::Cut(reach) => self.input.cut(reach),
            Action::PasteCut => self.input.paste_cut(),
            Action::HistoryBack => {
                if let Some(line) = self.history.back(self.input.text()) {
                    self.input.set(line);
                }
            }
            Action::HistoryOn => {
                if let Some(line) = self.history.on() {
                    self.input.set(line);
                }
            }
            Action::Complete => self.complete(),
            _ => {}
        }
    }

    fn complete(&mut self) {
        let (line, _) = self.input.halves();
        let Some(completion) = Completion::of(line, &self.model, self.filters.names()) else { return };
        let (agreed, from) = (completion.agreed(), completion.from);
        let typed = line.len() - from;
        if agreed.len() > typed || completion.words.len() == 1 {
            self.input.complete(from, &agreed);
        } else {
            let words = completion.words;
            self.notice = Some(Notice::Done(format!("{}: {}", words.len(), words.join("  "))));
        }
    }

    /// What a key means on a line on which nothing is typed: Space and Tab do what they do in the list.
    pub(super) fn on_empty_line(&self, action: Action) -> Action {
        let is_empty = self.focus == Focus::Input && self.input.text().is_empty() && self.echo() == Echo::Shown;
        match action {
            Action::Insert(' ') if is_empty => Action::PlayOrPause,
            Action::Complete if is_empty => Action::NextView,
            action => action,
        }
    }

    /// Whether what is typed is a password: the server waits for one, and it is no command of the console.
    pub(in crate::console) fn echo(&self) -> Echo {
        let is_command = self.input.text().starts_with('/');
        if self.model.awaits_password() && !is_command { Echo::Hidden } else { Echo::Shown }
    }
}
