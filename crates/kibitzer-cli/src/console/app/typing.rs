//! What is typed: lines with commands of the console, and lines for the server.

use std::time::Instant;

use kibitzer::internal::most_similar_word;

use super::App;
use super::commands::{Arguments, COMMANDS, CommandEffect, CommandError};
use super::screen::Focus;
use crate::console::input::{CompletionCandidates, Motion};
use crate::console::source::{JobError, LiveSession, Notice};

/// Error for a line for the server, if the source is a recording.
pub(super) const NO_SERVER: &str = "nothing is sent: this is a recording; commands of the console start with /";

impl App {
    /// Runs the typed or pasted lines in order, and empties the editor; blank lines are skipped. Stops at a line that shows an
    /// error: the later lines return to the editor, after that line unless [`run_or_send_line`](Self::run_or_send_line) dropped
    /// it. Closes an open page, resets the focus, and adds each line that is run to the history, unless the server asked for a
    /// password.
    pub(super) fn submit_input(&mut self, now: Instant) {
        let is_masked = self.masks_input();
        let typed = self.input.editor.take_text();
        self.screen.page = None;
        self.screen.focus = Focus::default_for(&self.playback.source);
        let mut lines = typed.split('\n').filter(|line| !line.trim().is_empty());
        while let Some(line) = lines.next() {
            if !is_masked {
                self.input.history.add_unless_secret(line);
            }
            self.run_or_send_line(line, now);
            if matches!(self.screen.notice, Some(Notice::Error(_))) {
                let editor = &mut self.input.editor;
                let at = editor.split_at_cursor().0.len();
                let failed = editor.take_text();
                let rest: Vec<_> = [failed.as_str()].into_iter().filter(|line| !line.is_empty()).chain(lines).collect();
                editor.set_text(&rest.join("\n"));
                if !failed.is_empty() {
                    editor.move_cursor_to_offset(at);
                }
                break;
            }
        }
    }

    /// Runs a line that starts with `/` as a command of the console; sends any other to the server. Shows an error for an invalid
    /// command, which returns to the editor, with the cursor at the mistake, if that is in an expression.
    pub(super) fn run_or_send_line(&mut self, line: &str, now: Instant) {
        if !line.starts_with('/') {
            return self.send_line_or_restore(line);
        }
        let line = line.trim_end();
        let (word, arguments) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let command = COMMANDS.iter().find(|command| command.word == word);
        let outcome = match command.map(|command| &command.effect) {
            Some(CommandEffect::Plain(run)) => {
                run(self, now);
                Ok(())
            }
            Some(CommandEffect::WithArguments(run)) => run(self, arguments.trim(), now),
            None => Err(match most_similar_word(word, COMMANDS.iter().map(|command| command.word)) {
                Some(nearest) => CommandError::Misspelled { word: word.to_owned(), nearest },
                None => CommandError::Unknown(word.to_owned()),
            }),
        };
        let Err(error) = outcome else { return };
        let words = command.map_or("", |command| command.arguments.text());
        self.screen.show_error(match &error {
            CommandError::NotOneOf => format!("{word} needs {}", words.replace('|', " or ")),
            CommandError::Needs(needed) => format!("{word} needs {needed}"),
            error => error.to_string(),
        });
        if let CommandError::Expression { from_end, .. } = error {
            self.input.editor.set_text(line);
            self.input.editor.move_cursor_to_offset(line.len().saturating_sub(from_end));
            self.screen.focus = Focus::Input;
        }
    }

    /// Starts to send a line to the server. If it cannot be sent now, or is an illegal move that was not reported yet, shows an error;
    /// in a live session, the line then replaces the text of the editor. A later failure becomes a notice.
    fn send_line_or_restore(&mut self, line: &str) {
        let reported = self.input.illegal_move.take();
        if reported.as_deref() != Some(line) && self.is_illegal_move(line) {
            // The board may have changed on the server.
            self.screen.show_error(format!("not sent, {} is not legal here: Enter again sends it", line.trim()));
            self.input.illegal_move = Some(line.to_owned());
            self.input.editor.set_text(line);
        } else if self.start_job(NO_SERVER, |live| live.start_sending(line)) {
            self.return_to_own_game();
        } else if self.playback.source.is_live() {
            self.input.editor.set_text(line);
        }
    }

    /// Starts a job of the live session. Returns `false` if it was not started, and shows an error: that of `start`, or
    /// `no_session` if the source is a recording.
    pub(super) fn start_job(
        &mut self,
        no_session: &'static str,
        start: impl FnOnce(&mut LiveSession) -> Result<(), JobError>,
    ) -> bool {
        let started =
            self.playback.source.try_as_live_mut().map_or(Err(JobError::Recording(no_session)), |live| start(live));
        started.map_err(|error| self.screen.show_error(error.to_string())).is_ok()
    }

    /// Moves the focus to the input line and starts a command, unless the line is one already: an unfinished line for the server is
    /// cut.
    pub(super) fn start_command(&mut self) {
        self.screen.focus = Focus::Input;
        if !self.input.editor.text().starts_with('/') {
            self.cut_unfinished_line();
            self.input.editor.insert("/");
        }
    }

    /// Empties the input line. Its text is cut, so that Ctrl-Y returns it; a password is deleted.
    pub(super) fn cut_unfinished_line(&mut self) {
        let is_masked = self.masks_input();
        let editor = &mut self.input.editor;
        if is_masked {
            // Cut text is not masked.
            editor.take_text();
        } else if !editor.text().is_empty() {
            editor.move_cursor(Motion::End);
            editor.cut(Motion::Start);
            self.screen.show_info("the unfinished line was cut: Ctrl-Y returns it");
        }
    }

    /// Inserts pasted text at the cursor of the input line, and moves the focus there. No line is run before Enter. Shows an
    /// error if the text is too long.
    pub(crate) fn on_paste(&mut self, text: &str) {
        self.screen.cancel_copy();
        self.screen.focus = Focus::Input;
        let editor = &mut self.input.editor;
        if !editor.try_paste(text) {
            return self.screen.show_error(format!("not pasted: {} bytes are too long for the line", text.len()));
        }
        let n_lines = editor.text().lines().count();
        if n_lines > 1 {
            self.screen.show_info(format!("{n_lines} lines: Enter runs each of them, Ctrl-C removes them"));
        }
    }

    /// Completes the word before the cursor. If the candidates have nothing further in common, lists them in the status row.
    pub(super) fn complete_word(&mut self) {
        let (line, _) = self.input.editor.split_at_cursor();
        let completion = self.completion_of(line);
        if let Some(candidates) = completion.and_then(|completion| completion.insert_or_list(&mut self.input.editor)) {
            self.screen.show_info(candidates);
        }
    }

    /// Returns the candidates for the last word of `line`, the input before the cursor; `None` without one.
    fn completion_of(&self, line: &str) -> Option<CompletionCandidates> {
        let names = &self.model.names;
        let Some((word, arguments)) = line.split_once(char::is_whitespace) else {
            let words = COMMANDS.iter().map(|command| command.word);
            return if line.starts_with('/') {
                CompletionCandidates::for_word(line, words)
            } else {
                CompletionCandidates::for_server_line(line, names, &self.legal_sans())
            };
        };
        let command = COMMANDS.iter().find(|command| command.word == word);
        match command.map_or(&Arguments::None, |command| &command.arguments) {
            Arguments::None | Arguments::Text(_) => CompletionCandidates::for_server_line(line, names, &[]),
            Arguments::Expression(_) => {
                let filters = self.preferences.filters.names();
                CompletionCandidates::for_expression(line, names, self.game_numbers(), filters)
            }
            Arguments::OneOf(words) => CompletionCandidates::for_word(line, words.split('|')),
            Arguments::Words(_, words) => {
                let begun = arguments.rsplit(char::is_whitespace).next().unwrap_or_default();
                CompletionCandidates::for_word(line, words(self, begun).into_iter())
            }
        }
    }

    pub(super) fn game_numbers(&self) -> impl Iterator<Item = String> {
        self.model.games.keys().map(ToString::to_string)
    }

    /// Returns whether to mask the input: the server expects a password, and the line is not a command of the console.
    pub(crate) fn masks_input(&self) -> bool {
        self.model.password_prompt.is_open && !self.input.editor.text().starts_with('/')
    }
}
