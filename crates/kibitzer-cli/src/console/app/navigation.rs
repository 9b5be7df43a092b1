//! Navigation in time: play, step, seek, breakpoints, search, marks.

use std::time::{Duration, Instant};

use kibitzer::core::Event;
use kibitzer::core::game::ChangeKind;

use super::{App, DetailView};
use crate::console::input::Focus;
use crate::console::model::{ConsoleRow, RowContent, Search, SentLine, SessionModel};
use crate::console::source::{SearchStart, SeekGoal, board_ply_in_row};

/// Maximum number of marks that are restored after a restart of the recording.
const KEPT_MARKS: usize = 1_000;
/// Error for a search before any `/find` or breakpoint.
const NO_SEARCH: &str = "nothing to search for yet: /find EXPR";
/// Error for a search without a match in either direction.
const NO_MATCH: &str = "no stored line matches";
/// Notice for a match that was found after a search continued at the start.
const WRAPPED: &str = "no match after this line: the search went on at the start";
/// Error for commands that need a recording.
const NO_RECORDING: &str = "only a recording can do that; this session is live";

impl App {
    /// Adds a new row to the list if it belongs there, and considers its game as the automatic choice; a game that the user begins
    /// to play ends the pause of the list. If the row matches the breakpoint, or reaches the goal of a seek, stops the recording
    /// there and selects the row; at a desync, shows its view. In a session, the breakpoint pauses the list alone, and is ignored
    /// while that is paused.
    pub(super) fn on_new_row(&mut self, row_number: u64, now: Instant) {
        let Some(new) = self.model.rows.get(row_number) else { return };
        let is_listed = self.list.add_if_included(new, self.model.rows.oldest_number());
        let (at, game) = (new.at, new.game());
        let is_desync = matches!(new.event(), Some(Event::Desync(_)));
        // A paused screen of a session must not jump; the session itself continues. A stopped recording has its break already.
        let player = self.source.try_as_recording_ref();
        let may_break = player.map_or(!self.list.is_paused, |player| player.may_break());
        let is_break =
            may_break && self.breakpoint.as_ref().is_some_and(|filter| filter.accepts(&new.filter_subject()));
        let change = new.event().and_then(Event::change).filter(|change| change.relation.is_mine());
        let begins = change.is_some_and(|change| matches!(change.kind, ChangeKind::Opened | ChangeKind::Replaced));
        if let Some(game) = game {
            self.consider_auto_game(game);
        }
        if begins {
            self.return_to_own_game();
        }
        if is_break {
            if let Some(player) = self.source.try_as_recording_mut() {
                player.stop_and_drop_goal(now);
                player.clock.set_reading(at, now);
            }
            self.search = self.breakpoint.clone().map(Search::Breakpoint);
            self.list.select_and_stop_following(row_number);
            if is_desync {
                self.show_view_from_top(DetailView::Event);
            }
            let next = if self.focus == Focus::Input { "Esc and n go" } else { "n goes" };
            self.show_info(format!("break at #{row_number}; Space goes on, {next} to the next"));
        } else if let Some(player) = self.source.try_as_recording_mut() {
            match player.take_reached_goal(&self.model, row_number, is_listed) {
                Some(SeekGoal::Match(search, _)) => self.select_match(&search, row_number),
                Some(SeekGoal::Wrapped(search, start)) => {
                    let found = self.matching_row_numbers(&search).next_back().filter(|last| *last == row_number);
                    if found.is_none() {
                        self.return_to_search_start(&start, now);
                    }
                    self.select_wrapped_match(&search, found, WRAPPED);
                }
                Some(_) => self.list.select_and_stop_following(row_number),
                None => {}
            }
        }
    }

    /// Toggles playback of a recording, or following of a session.
    pub(super) fn play_or_pause(&mut self, now: Instant) {
        let is_playing = self.source.try_as_recording_ref().map_or(!self.list.is_paused, |player| player.is_playing());
        if is_playing { self.pause_or_stop_following(now) } else { self.play_or_follow(now) }
    }

    /// Plays a recording from its newest row or, once it is over, from its start. The selection follows the newest row, also in a
    /// session.
    pub(super) fn play_or_follow(&mut self, now: Instant) {
        if self.source.try_as_recording_ref().is_some_and(|player| player.reader.is_over) {
            self.restart_recording(now);
        }
        self.list.follow_end();
        if let Some(player) = self.source.try_as_recording_mut() {
            player.clock.start(now);
        }
    }

    /// Ends the seek of a recording at the newest row, with a notice. Returns `false`, without an effect, if none is running.
    pub(super) fn end_running_seek(&mut self, now: Instant) -> bool {
        let Some(player) = self.source.try_as_recording_mut().filter(|player| player.goal.is_some()) else {
            return false;
        };
        player.stop_and_drop_goal(now);
        self.list.follow_end();
        self.show_info("the search ended here; Space plays on");
        true
    }

    /// Pauses a recording and ends its seek; in a session, keeps the selection on its row.
    pub(super) fn pause_or_stop_following(&mut self, now: Instant) {
        match self.source.try_as_recording_mut() {
            Some(player) => player.stop_and_drop_goal(now),
            None => self.list.is_paused = true,
        }
    }

    /// Sets the playback speed to a function of the previous one, limited to [`SPEEDS`](crate::console::SPEEDS). Shows an error
    /// for a session.
    pub(super) fn change_speed(&mut self, speed: impl FnOnce(f64) -> f64, now: Instant) {
        match self.source.try_as_recording_mut() {
            Some(player) => player.clock.set_speed(speed(player.clock.speed), now),
            None => self.show_error(NO_RECORDING),
        }
    }

    /// Stops playback and abandons a seek; has no effect on a session.
    fn stop_player(&mut self, now: Instant) {
        if let Some(player) = self.source.try_as_recording_mut() {
            player.stop_and_drop_goal(now);
        }
    }

    /// Selects the next listed row, and stops playback. After the last one, seeks the next listed row of a recording; in a
    /// session, shows an error and follows the newest row.
    pub(super) fn select_or_play_next_row(&mut self, now: Instant) {
        self.scroll = 0;
        if self.list.n_after_selected() > 0 {
            self.stop_player(now);
            self.list.move_selection_by(1);
        } else {
            self.list.follow_end();
            match self.source.try_as_recording_mut() {
                Some(player) => player.seek_to(SeekGoal::Row, now),
                None => self.show_error("this is the newest line"),
            }
        }
    }

    /// Starts to play a recording as fast as possible up to a goal; from the beginning if `from_start`. Shows an error for a
    /// session.
    pub(super) fn seek_to(&mut self, goal: SeekGoal, from_start: bool, now: Instant) {
        if self.source.is_live() {
            return self.show_error(NO_RECORDING);
        }
        if from_start {
            self.restart_recording(now);
        }
        self.list.follow_end();
        if let Some(player) = self.source.try_as_recording_mut() {
            player.seek_to(goal, now);
        }
    }

    /// Restarts a recording from its beginning, with an empty model and without a ruler; marks return while it plays. Has no
    /// effect on a session.
    fn restart_recording(&mut self, now: Instant) {
        if let Some(player) = self.source.try_as_recording_mut() {
            player.restart(now);
            self.model = SessionModel::default();
            self.list.rebuild(&self.model.rows);
            (self.auto_game, self.ruler_start, self.n_restored_marks) = (None, None, 0);
        }
    }

    /// Selects the first stored row with the board after this ply of the shown game, or of any game if none is shown. Without
    /// one, seeks it in the recording, from the start if the shown game is past it; shows an error for a session.
    pub(super) fn select_or_seek_ply(&mut self, ply: u32, now: Instant) {
        let game = self.shown_game();
        let known = self.model.rows.iter().find(|row| board_ply_in_row(row, game) == Some(ply)).map(|row| row.number);
        if let Some(row) = known {
            self.stop_player(now);
            return self.list.select_and_stop_following(row);
        }
        let shown = game.and_then(|game| self.model.games.get(&game));
        let was_played = shown.is_some_and(|game| game.board.ply() >= ply);
        self.seek_to(SeekGoal::Ply(game, ply), was_played, now);
    }

    /// Selects the reply to the selected sent line. Shows an error without one.
    pub(super) fn select_reply(&mut self) {
        match self.selected_row().map(|row| &row.content) {
            Some(RowContent::Sent(SentLine { reply: Some(reply), .. })) => {
                self.list.select_and_stop_following(reply.row);
            }
            Some(RowContent::Sent(_)) => self.show_error("no reply has come"),
            _ => self.show_error("this line was not sent"),
        }
    }

    /// Selects the first match of the last search after the selected row. Without one, a recording seeks the next match; a
    /// session that follows its newest row selects its last match; otherwise the search continues at the oldest row, with a
    /// notice. Shows an error without a match or a search.
    pub(super) fn select_or_seek_next_match(&mut self, now: Instant) {
        let Some(search) = self.search.clone() else { return self.show_error(NO_SEARCH) };
        let selected = self.list.selected_number().unwrap_or(0);
        let later = self.matching_row_numbers(&search).find(|&row| row > selected);
        if let Some(row) = later {
            self.stop_player(now);
            return self.select_match(&search, row);
        }
        if self.source.is_live() && !self.list.is_paused {
            let last = self.matching_row_numbers(&search).next_back();
            return match last {
                Some(row) => self.select_match(&search, row),
                None => self.show_error(NO_MATCH),
            };
        }
        let start = SearchStart {
            newest: self.model.rows.newest,
            selected: self.list.selected_number().filter(|_| self.list.is_paused),
            reading: self.source.current_time(now),
        };
        match self.source.try_as_recording_mut().filter(|player| !player.reader.is_over) {
            Some(player) => player.seek_to(SeekGoal::Match(search, start), now),
            None => self.continue_search_at_start(search, start, now),
        }
    }

    /// Selects the last match of the last search before the selected row; without one, the newest match, with a notice. Shows an
    /// error without a match or a search.
    pub(super) fn select_previous_match(&mut self) {
        let Some(search) = self.search.clone() else { return self.show_error(NO_SEARCH) };
        let selected = self.list.selected_number().unwrap_or(0);
        let earlier = self.matching_row_numbers(&search).rfind(|&row| row < selected);
        if let Some(row) = earlier {
            return self.select_match(&search, row);
        }
        let newest = self.matching_row_numbers(&search).next_back();
        self.select_wrapped_match(&search, newest, "no match before this line: the search went on at the end");
    }

    /// Continues a search that found nothing after `start`: selects the first match, and shows a notice that the search wrapped. If
    /// rows of a recording are no longer stored, or it is no longer where the search started, plays it again up to there. Shows an
    /// error if no row matches.
    pub(super) fn continue_search_at_start(&mut self, search: Search, start: SearchStart, now: Instant) {
        let (oldest, rows) = (self.matching_row_numbers(&search).next(), &self.model.rows);
        let has_all = rows.oldest_number() == 1 && (oldest.is_some() || rows.newest == start.newest);
        if has_all || self.source.is_live() {
            return self.select_wrapped_match(&search, oldest, WRAPPED);
        }
        self.seek_to(SeekGoal::Wrapped(search, start), true, now);
        if start.newest == 0 {
            self.return_to_search_start(&start, now);
        }
    }

    /// Stops a recording where a search without a match started, and shows an error.
    pub(super) fn return_to_search_start(&mut self, start: &SearchStart, now: Instant) {
        if let Some(player) = self.source.try_as_recording_mut() {
            player.stop_and_drop_goal(now);
            player.clock.set_reading(start.reading, now);
        }
        match start.selected {
            Some(row) => self.list.select_and_stop_following(row),
            None => self.list.follow_end(),
        }
        self.show_error(NO_MATCH);
    }

    /// Selects the match of a search that wrapped, and shows `text`; shows an error if `found` is `None`.
    fn select_wrapped_match(&mut self, search: &Search, found: Option<u64>, text: &str) {
        let Some(row) = found else { return self.show_error(NO_MATCH) };
        self.select_match(search, row);
        self.show_info(text);
    }

    /// Returns the numbers of the stored rows that match, in ascending order.
    fn matching_row_numbers(&self, search: &Search) -> impl DoubleEndedIterator<Item = u64> {
        let is_match = |row: &&ConsoleRow| search.accepts(&self.model, row, self.list.includes(row));
        self.model.rows.iter().filter(is_match).map(|row| row.number)
    }

    /// Selects a row that matches. After a search for bytes, sets the byte cursor to them and shows the view of the bytes.
    fn select_match(&mut self, search: &Search, number: u64) {
        self.list.select_and_stop_following(number);
        let row = self.model.rows.get(number);
        if let Some(at) = row.and_then(|row| search.match_position(&self.model, row)) {
            self.set_byte_cursor(at);
            self.show_view_from_top(DetailView::Bytes);
        }
    }

    /// Adds a mark at the current time of the source; an empty text is replaced by a number, such as `mark 3`. The first thousand
    /// marks are restored after a restart of the recording.
    pub(super) fn add_mark(&mut self, text: String, now: Instant) {
        let at = self.source.current_time(now);
        let text = if text.is_empty() { format!("mark {}", self.marks.len() + 1) } else { text };
        if self.marks.len() < KEPT_MARKS {
            let place = self.marks.partition_point(|(other, _)| *other <= at);
            self.marks.insert(place, (at, text.clone()));
            self.n_restored_marks += 1;
        }
        let row = self.model.add_mark(at, text);
        self.on_new_row(row, now);
    }

    /// Adds the marks of the user before a time that a restart of the recording has removed.
    pub(super) fn restore_marks(&mut self, until: Duration) {
        while let Some((at, text)) = self.marks.get(self.n_restored_marks).filter(|(at, _)| *at < until).cloned() {
            self.n_restored_marks += 1;
            let row = self.model.add_mark(at, text);
            if let Some(new) = self.model.rows.get(row) {
                self.list.add_if_included(new, self.model.rows.oldest_number());
            }
        }
    }
}
