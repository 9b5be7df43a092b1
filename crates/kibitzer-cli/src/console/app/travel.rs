//! Through time: play, step, jump, break, find.

use std::time::{Duration, Instant};

use super::{App, Notice};
use crate::console::model::Model;
use crate::console::player::{Goal, ply_of};
use crate::console::replay::ReplayError;
use crate::console::row::{Body, Row, Sent};

/// Marks that are put in again when the recording begins anew.
const KEPT_MARKS: usize = 1_000;

impl App {
    /// Takes note of a new row, and stops if that was wanted.
    pub(super) fn arrived(&mut self, row: u64, now: Instant) {
        let Some(new) = self.model.rows.get(row) else { return };
        let is_listed = self.list.arrived(new, self.model.rows.oldest());
        let at = new.at;
        let is_break = self.breakpoint.as_ref().is_some_and(|filter| filter.accepts(new));
        if let Some(game) = new.game() {
            self.find_game(game);
        }
        if is_break {
            self.player.stop_at(at, now);
            self.search.clone_from(&self.breakpoint);
            self.list.select(row);
            self.notice = Some(Notice::Done(format!("break at #{row}; space goes on, n goes to the next")));
        } else if self.player.arrived(&self.model, row, is_listed) {
            if is_listed {
                self.list.go_to_end();
            } else {
                self.list.select(row);
            }
        }
    }

    /// Plays on from the newest row, or from the beginning once the end was reached.
    pub(super) fn play(&mut self, now: Instant) {
        self.list.go_to_end();
        if self.player.replay().is_over() {
            self.notice = Some(Notice::Wrong("the recording is over; /time 0 begins anew".to_owned()));
            return;
        }
        self.player.play(now);
    }

    /// One line on: in the list, or at its end in the recording.
    pub(super) fn step(&mut self, now: Instant) {
        self.scroll = 0;
        if self.list.n_behind() > 0 {
            self.player.stop(now);
            self.list.go(1);
        } else {
            self.list.go_to_end();
            self.player.seek(Goal::Row, now);
        }
    }

    pub(super) fn jump(&mut self, goal: Goal, is_back: bool, now: Instant) -> Result<(), ReplayError> {
        if is_back {
            self.player.rewind(now)?;
            self.model = Model::default();
            self.list.renew(&self.model.rows);
            (self.found, self.n_marks) = (None, 0);
        }
        self.list.go_to_end();
        self.player.seek(goal, now);
        Ok(())
    }

    pub(super) fn go_to_ply(&mut self, ply: u32, now: Instant) -> Result<(), ReplayError> {
        let game = self.game();
        let known = self.model.rows.iter().find(|row| ply_of(row, game) == Some(ply)).map(|row| row.number);
        if let Some(row) = known {
            self.player.stop(now);
            self.list.select(row);
            return Ok(());
        }
        let shown = game.and_then(|game| self.model.games.get(&game));
        let was_played = shown.is_some_and(|game| game.card.board.ply() >= ply);
        self.pinned = game;
        self.jump(Goal::Ply(game, ply), was_played, now)
    }

    /// From a line that was sent to what came back.
    pub(super) fn go_to_reply(&mut self) {
        let row = self.list.selected().and_then(|row| self.model.rows.get(row));
        match row.map(|row| &row.body) {
            Some(Body::Sent(Sent { reply: Some(reply), .. })) => self.list.select(reply.row),
            Some(Body::Sent(_)) => self.wrong("no reply has come"),
            _ => self.wrong("this line was not sent"),
        }
    }

    pub(super) fn next_match(&mut self, now: Instant) {
        let Some(search) = self.search.clone() else {
            return self.wrong("nothing to look for yet: /find EXPR");
        };
        let from = self.list.selected().unwrap_or(0);
        let is_meant = |row: &&Row| row.number > from && self.list.lists(row) && search.accepts(row);
        let known = self.model.rows.iter().find(is_meant).map(|row| row.number);
        match known {
            Some(row) => {
                self.player.stop(now);
                self.list.select(row);
            }
            None if self.player.replay().is_over() => self.wrong("no further line matches"),
            None => self.player.seek(Goal::Match(search), now),
        }
    }

    pub(super) fn last_match(&mut self) {
        let Some(search) = self.search.clone() else {
            return self.wrong("nothing to look for yet: /find EXPR");
        };
        let to = self.list.selected().unwrap_or(0);
        let is_meant = |row: &&Row| row.number < to && self.list.lists(row) && search.accepts(row);
        let known = self.model.rows.iter().rev().find(is_meant).map(|row| row.number);
        match known {
            Some(row) => self.list.select(row),
            None => self.wrong("no line before this one matches"),
        }
    }

    pub(super) fn mark(&mut self, text: String, now: Instant) {
        let at = self.player.time(now);
        let text = if text.is_empty() { format!("mark {}", self.marks.len() + 1) } else { text };
        if self.marks.len() < KEPT_MARKS {
            let place = self.marks.partition_point(|(other, _)| *other <= at);
            self.marks.insert(place, (at, text.clone()));
            self.n_marks += 1;
        }
        let row = self.model.mark(at, text);
        self.arrived(row, now);
    }

    /// Puts in the marks that were made up to this time before the recording began anew.
    pub(super) fn put_marks(&mut self, until: Duration) {
        while let Some((at, text)) = self.marks.get(self.n_marks).filter(|(at, _)| *at < until).cloned() {
            self.n_marks += 1;
            let row = self.model.mark(at, text);
            if let Some(new) = self.model.rows.get(row) {
                self.list.arrived(new, self.model.rows.oldest());
            }
        }
    }
}
