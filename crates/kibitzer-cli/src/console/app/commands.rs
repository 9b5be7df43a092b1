//! Runs typed lines: commands of the console, and lines for the server.

use std::iter::once;
use std::time::{Duration, Instant};

use super::{App, DetailView, default_focus};
use crate::console::input::{CommandError, ConsoleCommand, Focus};
use crate::console::source::{Notice, PlayGoal};
use crate::failure::Failure;
use crate::fault::FaultRequest;
use crate::filter::{Expression, FilterError, kinds};

/// Start of a line whose expression may be a name.
const FILTER: &str = "/filter ";

impl App {
    /// Runs the typed or pasted lines. The first that fails ends the rest, which returns to the editor.
    pub(super) fn run_input(&mut self, now: Instant) -> Result<(), Failure> {
        let is_masked = self.masks_input();
        let typed = self.input.take();
        self.overlay = None;
        self.focus = default_focus(&self.source);
        let mut lines = typed.split('\n').filter(|line| !line.trim().is_empty());
        while let Some(line) = lines.next() {
            if !is_masked {
                self.history.add(line);
            }
            self.run_line(line, now)?;
            if matches!(self.notice, Some(Notice::Error(_))) {
                let at = self.input.split_at_cursor().0.len();
                let failed = self.input.take();
                let rest: Vec<_> = once(failed.as_str()).filter(|line| !line.is_empty()).chain(lines).collect();
                self.input.set(&rest.join("\n"));
                if !failed.is_empty() {
                    self.input.move_to(at);
                }
                break;
            }
        }
        Ok(())
    }

    fn run_line(&mut self, line: &str, now: Instant) -> Result<(), Failure> {
        if !line.starts_with('/') {
            self.send(line);
            return Ok(());
        }
        match ConsoleCommand::parse(line.trim_end()) {
            Ok(command) => return self.run(command, now),
            Err(CommandError { message, position }) => {
                self.show_error(message);
                if let Some(position) = position {
                    self.correct(line, position);
                }
            }
        }
        Ok(())
    }

    fn run(&mut self, command: ConsoleCommand, now: Instant) -> Result<(), Failure> {
        match command {
            ConsoleCommand::Game(game) => self.pin_game(game),
            ConsoleCommand::Filter(words) => self.apply_filter(words),
            ConsoleCommand::NameFilter(name, filter) => self.name_and_apply_filter(&name, filter),
            ConsoleCommand::RemoveFilter(name) => self.forget_filter(&name),
            ConsoleCommand::Break(filter) => self.set_break(filter),
            ConsoleCommand::Find(filter) => {
                self.search = Some(filter);
                self.select_next_match(now);
            }
            ConsoleCommand::Color(color, filter) => self.set_row_color(color, filter),
            ConsoleCommand::Mark(text) => self.mark(text, now),
            ConsoleCommand::Fault(request) => self.inject(request),
            ConsoleCommand::Times(times) => self.show_times(times),
            ConsoleCommand::Export(form, rows, file) => self.export(form, rows, &file),
            ConsoleCommand::Raw => self.toggle_bytes(),
            ConsoleCommand::Theme(colors) => self.appearance.colors = Some(colors),
            ConsoleCommand::Pieces(pieces) => self.appearance.pieces = Some(pieces),
            ConsoleCommand::Bell(is_on) => self.set_bell(is_on),
            ConsoleCommand::CaptureMouse(is_on) => self.capture_mouse(is_on),
            ConsoleCommand::Play => return self.play(now),
            ConsoleCommand::Pause => self.pause(now),
            ConsoleCommand::Speed(speed) => self.change_speed(|_| speed, now),
            ConsoleCommand::Record(file) => self.record(file),
            ConsoleCommand::Time(jump) => {
                let (from, length) = (self.source.time(now), self.source.player().map(|player| player.replay.length));
                let time = jump.from(from).min(length.unwrap_or(Duration::MAX));
                return self.jump_to(PlayGoal::Time(time), time < from, now);
            }
            ConsoleCommand::Move(ply) => return self.go_to_ply(ply, now),
            ConsoleCommand::Act(action) => self.act(action),
        }
        Ok(())
    }

    fn set_bell(&mut self, is_on: bool) {
        self.has_bell = is_on;
        let text = if is_on { "the bell rings for challenges, offers and your move" } else { "the bell is off" };
        self.notice = Some(Notice::Info(text.to_owned()));
    }

    fn toggle_bytes(&mut self) {
        self.select_view(if self.view == DetailView::Bytes { DetailView::Event } else { DetailView::Bytes });
    }

    /// Sends a typed line to the server. If it fails, the line returns to the editor.
    pub(super) fn send(&mut self, line: &str) {
        let Some(live) = self.source.live_mut() else {
            return self.show_error("nothing is sent: this is a recording; commands of the console start with /");
        };
        if let Err(why) = live.request(line) {
            self.input.set(line);
            self.show_error(why);
        }
    }

    fn inject(&mut self, request: FaultRequest) {
        let outcome = match self.source.live_mut() {
            Some(live) => live.inject(request),
            None => Err("a recording has no server for faults"),
        };
        if let Err(why) = outcome {
            self.show_error(why);
        }
    }

    fn record(&mut self, file: String) {
        let outcome = match self.source.live_mut() {
            Some(live) => live.record(file),
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
            Some(text) => match self.filters.get(&text).cloned().map_or_else(|| self.parse_filter(&text), Ok) {
                Ok(filter) => Some(filter),
                Err(error) => {
                    self.show_error(error.to_string());
                    let position = FILTER.len() + error.position;
                    return self.correct(&format!("{FILTER}{text}"), position);
                }
            },
        };
        self.list.set_filter(filter, &self.model.rows);
    }

    /// Parses an expression. Of the name of a kind alone, which selects lines that contain the word, says how to select the kind.
    fn parse_filter(&mut self, text: &str) -> Result<Expression, FilterError> {
        if kinds().any(|kind| kind == text) {
            self.notice =
                Some(Notice::Info(format!("lines with the word {text}; kind:{text} lists those of this kind")));
        }
        Expression::parse(text)
    }

    /// Stores a filter under a name, and makes it the filter of the list. Shows an error if there are too many names.
    fn name_and_apply_filter(&mut self, name: &str, filter: Expression) {
        let (text, shown) = (format!("{name} = {filter}"), filter.clone());
        if self.filters.set(name, filter) {
            self.list.set_filter(Some(shown), &self.model.rows);
            self.notice = Some(Notice::Info(text));
        } else {
            self.show_error("there are too many names");
        }
    }

    fn forget_filter(&mut self, name: &str) {
        if self.filters.forget(name) {
            self.notice = Some(Notice::Info(format!("{name} is forgotten")));
        } else {
            self.show_error(format!("no filter was named {name} here"));
        }
    }

    /// Returns a line to the editor, with the cursor at the position of its error.
    fn correct(&mut self, line: &str, position: usize) {
        self.input.set(line);
        self.input.move_to(position);
        self.focus = Focus::Input;
    }

    /// Stores the expression of a color, or removes it.
    fn set_row_color(&mut self, color: &str, filter: Option<Expression>) {
        let text = filter.as_ref().map_or_else(|| format!("nothing is {color}"), |filter| format!("{color}: {filter}"));
        match filter {
            Some(filter) => drop(self.row_colors.set(color, filter)),
            None => drop(self.row_colors.forget(color)),
        }
        self.notice = Some(Notice::Info(text));
    }

    fn set_break(&mut self, filter: Option<Expression>) {
        let text = filter.as_ref().map_or_else(|| "no breakpoint".to_owned(), |filter| format!("break at {filter}"));
        self.breakpoint = filter;
        self.notice = Some(Notice::Info(text));
    }
}
