//! What a line that was typed does.

use std::time::{Duration, Instant};

use super::{App, Echo, View, home};
use crate::console::input::command::Command;
use crate::console::input::keys::Focus;
use crate::console::model::filter::Filter;
use crate::console::source::Notice;
use crate::console::source::player::Goal;
use crate::console::source::replay::ReplayError;

impl App {
    pub(super) fn run_line(&mut self, now: Instant) -> Result<(), ReplayError> {
        let echo = self.echo();
        let line = self.input.take();
        self.focus = home(&self.source);
        if line.trim().is_empty() {
            return Ok(());
        }
        if echo == Echo::Shown {
            self.history.add(&line);
        }
        if !line.starts_with('/') {
            self.send(&line);
            return Ok(());
        }
        match Command::parse(line.trim_end()) {
            Ok(command) => return self.run(command, now),
            Err(error) => self.wrong(error.to_string()),
        }
        Ok(())
    }

    fn run(&mut self, command: Command, now: Instant) -> Result<(), ReplayError> {
        match command {
            Command::Game(game) => self.pin(game),
            Command::Filter(words) => self.filter(words),
            Command::Name(name, filter) => self.name_filter(&name, filter),
            Command::Forget(name) => self.forget_filter(&name),
            Command::Break(filter) => self.set_break(filter),
            Command::Find(filter) => {
                self.search = Some(filter);
                self.next_match(now);
            }
            Command::Mark(text) => self.mark(text, now),
            Command::Flip => self.flip = !self.flip,
            Command::Raw => self.look(if self.view == View::Bytes { View::Event } else { View::Bytes }),
            Command::All => self.list.toggle_plumbing(&self.model.rows),
            Command::Play => self.play(now),
            Command::Pause => self.pause(now),
            Command::Speed(speed) => self.play_at(|_| speed, now),
            Command::Record(file) => self.record(file),
            Command::Time(jump) => {
                let (from, length) =
                    (self.source.time(now), self.source.player().map(|player| player.replay().length()));
                let time = jump.from(from).min(length.unwrap_or(Duration::MAX));
                return self.jump(Goal::Time(time), time < from, now);
            }
            Command::Move(ply) => return self.go_to_ply(ply, now),
            Command::Help => (self.focus, self.scroll) = (Focus::Help, 0),
            Command::Quit => self.is_over = true,
        }
        Ok(())
    }

    /// Sends what was typed to the server.
    fn send(&mut self, line: &str) {
        let Some(live) = self.source.live_mut() else {
            return self.wrong("nothing is sent: this is a recording; commands of the console start with /");
        };
        if let Err(why) = live.request(line) {
            self.input.set(line);
            self.wrong(why);
        }
    }

    fn record(&mut self, file: String) {
        let outcome = match self.source.live_mut() {
            Some(live) => live.record(file),
            None => Err("only a live session can be recorded; this is a recording"),
        };
        if let Err(why) = outcome {
            self.wrong(why);
        }
    }

    fn filter(&mut self, words: Option<String>) {
        let filter = match words {
            None => None,
            Some(words) => match self.filters.get(&words).cloned().map_or_else(|| Filter::parse(&words), Ok) {
                Ok(filter) => Some(filter),
                Err(error) => return self.wrong(error.to_string()),
            },
        };
        self.list.set_filter(filter, &self.model.rows);
    }

    fn name_filter(&mut self, name: &str, filter: Filter) {
        let (text, shown) = (format!("{name} = {filter}"), filter.clone());
        if self.filters.set(name, filter) {
            self.list.set_filter(Some(shown), &self.model.rows);
            self.notice = Some(Notice::Done(text));
        } else {
            self.wrong("there are too many names");
        }
    }

    fn forget_filter(&mut self, name: &str) {
        if self.filters.forget(name) {
            self.notice = Some(Notice::Done(format!("{name} is forgotten")));
        } else {
            self.wrong(format!("no filter was named {name} here"));
        }
    }

    fn set_break(&mut self, filter: Option<Filter>) {
        let text = filter.as_ref().map_or_else(|| "no breakpoint".to_owned(), |filter| format!("break at {filter}"));
        self.breakpoint = filter;
        self.notice = Some(Notice::Done(text));
    }
}
