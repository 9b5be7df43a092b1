//! Runs typed lines: commands of the console, and lines for the server.

use std::iter::once;
use std::time::{Duration, Instant};

use super::{App, DetailView, default_focus};
use crate::console::input::{CommandError, ConsoleCommand, Focus};
use crate::console::source::{Notice, SeekGoal};
use crate::failure::Failure;
use crate::fault::FaultRequest;
use crate::filter::{Expression, FilterError, kinds};

/// Start of a line with this command, to return a line with an invalid expression to the editor.
const FILTER: &str = "/filter ";

impl App {
    /// Takes the typed or pasted lines and runs them in order: commands of the console, and lines for the server. The first that
    /// fails and all later lines return to the editor. Closes an open page, resets the focus, and adds the lines to the history,
    /// unless a password was asked for.
    pub(super) fn submit_input(&mut self, now: Instant) -> Result<(), Failure> {
        let is_masked = self.masks_input();
        let typed = self.input.take_text();
        self.overlay = None;
        self.focus = default_focus(&self.source);
        let mut lines = typed.split('\n').filter(|line| !line.trim().is_empty());
        while let Some(line) = lines.next() {
            if !is_masked {
                self.history.add_unless_secret(line);
            }
            self.run_or_send_line(line, now)?;
            if matches!(self.notice, Some(Notice::Error(_))) {
                let at = self.input.split_at_cursor().0.len();
                let failed = self.input.take_text();
                let rest: Vec<_> = once(failed.as_str()).filter(|line| !line.is_empty()).chain(lines).collect();
                self.input.set_text(&rest.join("\n"));
                if !failed.is_empty() {
                    self.input.move_cursor_to_offset(at);
                }
                break;
            }
        }
        Ok(())
    }

    /// Runs a line that starts with `/` as a command of the console; sends any other to the server. Shows an error for an invalid
    /// command, which returns to the editor if the error has a position.
    fn run_or_send_line(&mut self, line: &str, now: Instant) -> Result<(), Failure> {
        if !line.starts_with('/') {
            self.send_line_or_restore(line);
            return Ok(());
        }
        match ConsoleCommand::parse(line.trim_end()) {
            Ok(command) => return self.run_command(command, now),
            Err(CommandError { message, position }) => {
                self.show_error(message);
                if let Some(position) = position {
                    self.return_line_to_editor(line, position);
                }
            }
        }
        Ok(())
    }

    /// Runs a command of the console. Shows an error if it does not apply to this source.
    fn run_command(&mut self, command: ConsoleCommand, now: Instant) -> Result<(), Failure> {
        match command {
            ConsoleCommand::Game(game) => self.pin_game(game),
            ConsoleCommand::Filter(words) => self.apply_filter(words),
            ConsoleCommand::NameFilter(name, filter) => self.name_and_apply_filter(&name, filter),
            ConsoleCommand::RemoveFilter(name) => self.forget_named_filter(&name),
            ConsoleCommand::Break(filter) => self.set_or_remove_breakpoint(filter),
            ConsoleCommand::Find(filter) => {
                self.search = Some(filter);
                self.select_or_seek_next_match(now);
            }
            ConsoleCommand::Color(color, filter) => self.set_or_remove_row_color(color, filter),
            ConsoleCommand::Mark(text) => self.add_mark(text, now),
            ConsoleCommand::Fault(request) => self.inject_fault(request),
            ConsoleCommand::Times(times) => self.set_time_column(times),
            ConsoleCommand::Export(form, rows, file) => self.export_to_new_file(form, rows, &file),
            ConsoleCommand::Raw => self.toggle_bytes_view(),
            ConsoleCommand::Theme(colors) => self.appearance.colors = Some(colors),
            ConsoleCommand::Pieces(pieces) => self.appearance.pieces = Some(pieces),
            ConsoleCommand::Bell(is_on) => self.set_bell(is_on),
            ConsoleCommand::CaptureMouse(is_on) => self.request_mouse_capture(is_on),
            ConsoleCommand::Play => return self.play_or_follow(now),
            ConsoleCommand::Pause => self.pause_or_stop_following(now),
            ConsoleCommand::Speed(speed) => self.change_speed(|_| speed, now),
            ConsoleCommand::Record(file) => self.start_recording(file),
            ConsoleCommand::Time(jump) => {
                let (from, length) =
                    (self.source.current_time(now), self.source.player().map(|player| player.replay.length));
                let time = jump.absolute_time(from).min(length.unwrap_or(Duration::MAX));
                return self.seek_to(SeekGoal::Time(time), time < from, now);
            }
            ConsoleCommand::Move(ply) => return self.select_or_seek_ply(ply, now),
            ConsoleCommand::Act(action) => self.run_action(action),
        }
        Ok(())
    }

    fn set_bell(&mut self, is_on: bool) {
        self.has_bell = is_on;
        let text = if is_on { "the bell rings for challenges, offers and your move" } else { "the bell is off" };
        self.notice = Some(Notice::Info(text.to_owned()));
    }

    /// Shows the view of the bytes or, if it is already chosen, that of the event.
    fn toggle_bytes_view(&mut self) {
        self.show_view_from_top(if self.view == DetailView::Bytes { DetailView::Event } else { DetailView::Bytes });
    }

    /// Starts to send a line to the server. If it cannot be sent, shows an error, and the line returns to the editor.
    pub(super) fn send_line_or_restore(&mut self, line: &str) {
        let Some(live) = self.source.live_mut() else {
            return self.show_error("nothing is sent: this is a recording; commands of the console start with /");
        };
        if let Err(why) = live.start_sending(line) {
            self.input.set_text(line);
            self.show_error(why);
        }
    }

    /// Starts to inject a fault into the embedded server. Shows an error if the session is on another server, or the source is a
    /// recording.
    fn inject_fault(&mut self, request: FaultRequest) {
        let outcome = match self.source.live_mut() {
            Some(live) => live.start_fault_injection(request),
            None => Err("a recording has no server for faults"),
        };
        if let Err(why) = outcome {
            self.show_error(why);
        }
    }

    /// Starts to record the session in a new file. Shows an error for an attached session, and if the source is a recording.
    fn start_recording(&mut self, file: String) {
        let outcome = match self.source.live_mut() {
            Some(live) => live.start_recording(file),
            None => Err("only a live session can be recorded; this is a recording"),
        };
        if let Err(why) = outcome {
            self.show_error(why);
        }
    }

    /// Lists only the rows that match the filter with this name, or this expression; all rows without one. An invalid expression
    /// returns to the editor.
    fn apply_filter(&mut self, name_or_expression: Option<String>) {
        let filter = match name_or_expression {
            None => None,
            Some(text) => match self.filters.get(&text).cloned().map_or_else(|| self.parse_filter_with_hint(&text), Ok)
            {
                Ok(filter) => Some(filter),
                Err(error) => {
                    self.show_error(error.to_string());
                    let position = FILTER.len() + error.position;
                    return self.return_line_to_editor(&format!("{FILTER}{text}"), position);
                }
            },
        };
        self.list.set_filter(filter, &self.model.rows);
    }

    /// Parses an expression. For the name of a kind alone, which selects the lines that contain the word, shows how to select the
    /// kind.
    fn parse_filter_with_hint(&mut self, text: &str) -> Result<Expression, FilterError> {
        if kinds().any(|kind| kind == text) {
            self.notice =
                Some(Notice::Info(format!("lines with the word {text}; kind:{text} lists those of this kind")));
        }
        Expression::parse(text)
    }

    /// Stores a filter under a name, and makes it the filter of the list. Shows an error if there are too many names.
    fn name_and_apply_filter(&mut self, name: &str, filter: Expression) {
        let (text, shown) = (format!("{name} = {filter}"), filter.clone());
        if self.filters.try_set(name, filter) {
            self.list.set_filter(Some(shown), &self.model.rows);
            self.notice = Some(Notice::Info(text));
        } else {
            self.show_error("there are too many names");
        }
    }

    fn forget_named_filter(&mut self, name: &str) {
        if self.filters.remove(name) {
            self.notice = Some(Notice::Info(format!("{name} is forgotten")));
        } else {
            self.show_error(format!("no filter was named {name} here"));
        }
    }

    /// Puts a line into the input, with the focus, and the cursor at the position of its error.
    fn return_line_to_editor(&mut self, line: &str, position: usize) {
        self.input.set_text(line);
        self.input.move_cursor_to_offset(position);
        self.focus = Focus::Input;
    }

    /// Stores the expression of the rows with this color, also for later runs; `None` removes it.
    fn set_or_remove_row_color(&mut self, color: &str, filter: Option<Expression>) {
        let text = filter.as_ref().map_or_else(|| format!("nothing is {color}"), |filter| format!("{color}: {filter}"));
        match filter {
            Some(filter) => drop(self.row_colors.try_set(color, filter)),
            None => drop(self.row_colors.remove(color)),
        }
        self.notice = Some(Notice::Info(text));
    }

    /// Sets the expression at whose next match the screen pauses; `None` removes it.
    fn set_or_remove_breakpoint(&mut self, filter: Option<Expression>) {
        let text = filter.as_ref().map_or_else(|| "no breakpoint".to_owned(), |filter| format!("break at {filter}"));
        self.breakpoint = filter;
        self.notice = Some(Notice::Info(text));
    }
}
