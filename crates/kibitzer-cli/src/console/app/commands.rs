//! Runs typed lines: commands of the console, and lines for the server.

use std::iter::once;
use std::time::{Duration, Instant};

use super::{App, DetailView, default_focus};
use crate::console::input::{CommandError, ConsoleCommand, Focus};
use crate::console::source::{LiveSession, Notice, SeekGoal};
use crate::filter::{Expression, kinds};

/// Error for a line for the server, if the source is a recording.
pub(super) const NO_SERVER: &str = "nothing is sent: this is a recording; commands of the console start with /";

impl App {
    /// Runs the typed or pasted lines in order, and empties the editor; blank lines are skipped. Stops at a line that shows an
    /// error: the later lines return to the editor, after that line unless [`run_or_send_line`](Self::run_or_send_line) dropped
    /// it. Closes an open page, resets the focus, and adds each line that is run to the history, unless the server asked for a
    /// password.
    pub(super) fn submit_input(&mut self, now: Instant) {
        let is_masked = self.masks_input();
        let typed = self.input.take_text();
        self.overlay = None;
        self.focus = default_focus(&self.source);
        let mut lines = typed.split('\n').filter(|line| !line.trim().is_empty());
        while let Some(line) = lines.next() {
            if !is_masked {
                self.history.add_unless_secret(line);
            }
            self.run_or_send_line(line, now);
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
    }

    /// Runs a line that starts with `/` as a command of the console; sends any other to the server. Shows an error for an invalid
    /// command, which returns to the editor, with the cursor at the mistake, if that is in an expression.
    fn run_or_send_line(&mut self, line: &str, now: Instant) {
        if !line.starts_with('/') {
            return self.send_line_or_restore(line);
        }
        match ConsoleCommand::parse(line.trim_end(), &self.filters) {
            Ok(command) => self.run_command(command, now),
            Err(CommandError { message, position }) => {
                self.show_error(message);
                if let Some(position) = position {
                    self.input.set_text(line);
                    self.input.move_cursor_to_offset(position);
                    self.focus = Focus::Input;
                }
            }
        }
    }

    /// Runs a command of the console. Shows an error if it does not apply to this source.
    fn run_command(&mut self, command: ConsoleCommand, now: Instant) {
        match command {
            ConsoleCommand::Game(game) => self.pin_game(game),
            ConsoleCommand::Filter(filter) => self.list_matching_rows(filter),
            ConsoleCommand::NameFilter(name, filter) if self.filters.try_set(&name, filter.clone()) => {
                self.show_info(format!("{name} = {filter}"));
                self.list.set_filter(Some(filter), &self.model.rows);
            }
            ConsoleCommand::NameFilter(..) => self.show_error("there are too many names"),
            ConsoleCommand::RemoveFilter(name) if self.filters.remove(&name) => {
                self.show_info(format!("{name} is forgotten"));
            }
            ConsoleCommand::RemoveFilter(name) => self.show_error(format!("no filter was named {name} here")),
            ConsoleCommand::Break(filter) => {
                let of = filter.as_ref().map(|filter| format!("break at {filter}"));
                self.show_info(of.unwrap_or_else(|| "no breakpoint".to_owned()));
                self.breakpoint = filter;
            }
            ConsoleCommand::Find(filter) => {
                self.search = Some(filter);
                self.select_or_seek_next_match(now);
            }
            ConsoleCommand::Color(color, filter) => self.set_or_remove_row_color(color, filter),
            ConsoleCommand::Mark(text) => self.add_mark(text, now),
            ConsoleCommand::Fault(request) => {
                self.start_job("a recording has no server for faults", |live| live.start_fault_injection(request));
            }
            ConsoleCommand::Times(times) => self.set_time_column(times),
            ConsoleCommand::Export(form, rows, file) => self.export_to_new_file(form, rows, &file),
            ConsoleCommand::Raw if self.view == DetailView::Bytes => self.show_view_from_top(DetailView::Event),
            ConsoleCommand::Raw => self.show_view_from_top(DetailView::Bytes),
            ConsoleCommand::Theme(colors) => self.colors = Some(colors),
            ConsoleCommand::Pieces(pieces) => self.pieces = Some(pieces),
            ConsoleCommand::Bell(is_on) => {
                self.has_bell = is_on;
                let when = if is_on { "rings for challenges, offers and your move" } else { "is off" };
                self.show_info(format!("the bell {when}"));
            }
            ConsoleCommand::CaptureMouse(is_on) => self.request_mouse_capture(is_on),
            ConsoleCommand::Play => self.play_or_follow(now),
            ConsoleCommand::Pause => self.pause_or_stop_following(now),
            ConsoleCommand::Speed(speed) => self.change_speed(|_| speed, now),
            ConsoleCommand::Record(file) => {
                self.start_job("only a live session can be recorded; this is a recording", |live| {
                    live.start_recording(file)
                });
            }
            ConsoleCommand::Time(jump) => {
                let (from, length) = (
                    self.source.current_time(now),
                    self.source.try_as_recording_ref().map(|player| player.reader.length),
                );
                let time = jump.absolute_time(from).min(length.unwrap_or(Duration::MAX));
                self.seek_to(SeekGoal::Time(time), time < from, now);
            }
            ConsoleCommand::Move(ply) => self.select_or_seek_ply(ply, now),
            ConsoleCommand::Act(action) => self.run_action(action),
        }
    }

    /// Replaces the filter of the list; `None` removes it. If the filter is only the name of a kind, which matches lines with
    /// that word, shows how to filter by the kind.
    fn list_matching_rows(&mut self, filter: Option<Expression>) {
        let text = filter.as_ref().map(ToString::to_string).unwrap_or_default();
        if kinds().any(|kind| kind == text) {
            self.show_info(format!("lines with the word {text}; kind:{text} lists those of this kind"));
        }
        self.list.set_filter(filter, &self.model.rows);
    }

    /// Draws the rows that match in a color, also in later runs; `None` removes the color. Shows a notice.
    fn set_or_remove_row_color(&mut self, color: &str, filter: Option<Expression>) {
        let Some(filter) = filter else {
            self.row_colors.remove(color);
            return self.show_info(format!("nothing is {color}"));
        };
        self.show_info(format!("{color}: {filter}"));
        self.row_colors.try_set(color, filter);
    }

    /// Starts to send a line to the server. If it cannot be sent now, shows an error; in a live session, the line then replaces
    /// the text of the editor. A later failure becomes a notice.
    fn send_line_or_restore(&mut self, line: &str) {
        if self.start_job(NO_SERVER, |live| live.start_sending(line)) {
            self.return_to_own_game();
        } else if self.source.is_live() {
            self.input.set_text(line);
        }
    }

    /// Starts a job of the live session. Returns `false` if it was not started, and shows an error: that of `start`, or
    /// `no_session` if the source is a recording.
    pub(super) fn start_job(
        &mut self,
        no_session: &'static str,
        start: impl FnOnce(&mut LiveSession) -> Result<(), &'static str>,
    ) -> bool {
        let started = self.source.try_as_live_mut().map_or(Err(no_session), |live| start(live));
        started.map_err(|why| self.show_error(why)).is_ok()
    }
}
