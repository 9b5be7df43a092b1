//! Navigation in time: play, step, seek, breakpoints, search, marks.

use std::time::Instant;

use kibitzer_core::Event;
use kibitzer_core::event::RequestOrigin;
use kibitzer_core::message::{Message, Refusal};

use super::App;
use super::list::RowList;
use super::screen::{DetailView, Focus};
use crate::console::model::{ConsoleRow, RowContent, Search, SentLine, SessionModel};
use crate::console::source::{ConsoleSource, RecordingPlayer, SeekGoal, board_ply_in_row};
use crate::filter::Expression;

/// Error for a search before any `/find` or breakpoint.
const NO_SEARCH: &str = "nothing to search for yet: /find EXPR";
/// Error for a search without a match in either direction.
const NO_MATCH: &str = "no stored line matches";
/// Error for commands that need a recording.
const NO_RECORDING: &str = "only a recording can do that; this session is live";

/// Where the items come from, and where their playback stops.
#[derive(Debug)]
pub(crate) struct Playback {
    pub(crate) source: ConsoleSource,
    /// Expression of the rows at which a recording, or the screen of a session, pauses.
    pub(crate) breakpoint: Option<Expression>,
    /// The search that `n` and `N` repeat: the last `/find`, or the breakpoint at which the session or the replay stopped.
    pub(crate) search: Option<Search>,
}

impl Playback {
    pub(super) const fn new(source: ConsoleSource) -> Self {
        Self { source, breakpoint: None, search: None }
    }

    /// Returns the player of a recording; `None` for a session.
    pub(crate) fn player(&self) -> Option<&RecordingPlayer> {
        self.source.try_as_recording_ref().map(AsRef::as_ref)
    }

    pub(super) fn player_mut(&mut self) -> Option<&mut RecordingPlayer> {
        self.source.try_as_recording_mut().map(AsMut::as_mut)
    }

    /// Stops playback and abandons a seek; has no effect on a session.
    fn stop(&mut self, now: Instant) {
        if let Some(player) = self.player_mut() {
            player.stop_and_drop_goal(now);
        }
    }

    /// Returns whether the breakpoint stops at a row: a recording that plays or seeks, and a session, unless its list is paused.
    fn breaks_at(&self, row: &ConsoleRow, list: &RowList) -> bool {
        // A paused screen of a session must not jump; the session itself continues. A stopped recording has its break already.
        let may_break =
            self.player().map_or(!list.is_paused, |player| player.clock.is_running || player.goal.is_some());
        may_break && self.breakpoint.as_ref().is_some_and(|filter| filter.accepts(&row.filter_subject()))
    }
}

impl App {
    /// Adds a new row to the list if it belongs there, and chooses the game on the board. If the row matches the
    /// breakpoint, or reaches the goal of a seek, stops the recording there and selects the row. In a session, the
    /// breakpoint pauses the list alone.
    pub(super) fn on_new_row(&mut self, row_number: u64, now: Instant) {
        let Some(new) = self.model.rows.get(row_number) else { return };
        let oldest = self.model.rows.oldest_number();
        let is_listed = self.list.add_if_included(new, oldest);
        self.talk.add_row(new, oldest);
        if self.playback.source.is_live() {
            self.notifier.record(new);
        }
        if new.reply_after.is_some() {
            let mut rows = self.model.rows.iter_back_from(row_number);
            if let Some(answered) = rows.find(|row| row.is_answered_by(row_number)) {
                self.list.remove_unless_included(answered);
            }
        }
        let is_break = self.playback.breaks_at(new, &self.list);
        let game = new.game();
        let change = new.event().and_then(Event::change).cloned();
        let is_users = new.event().is_some_and(|event| event.attribution().origin() == Some(RequestOrigin::User));
        let refusal = new.event().and_then(Event::message).filter(|_| is_users);
        let known = match refusal {
            Some(Message::Refused(refusal)) if let Refusal::AlreadyObserving(known) = **refusal => Some(known),
            _ => None,
        };
        if let Some(change) = change {
            self.on_game_change(&change, is_users);
        } else if let Some(game) = game {
            self.consider_auto_game(game);
        }
        if let Some(known) = known {
            self.show_observed_game(known);
        }
        if is_break {
            self.break_at_row(row_number, now);
        } else if let Some(player) = self.playback.player_mut() {
            match player.take_reached_goal(&self.model, row_number, is_listed) {
                Some(SeekGoal::Match { search, .. }) => self.select_match(&search, row_number),
                Some(_) => self.list.select_and_stop_following(row_number),
                None => {}
            }
        }
    }

    /// Stops a recording at the newest row, selects the row, and makes the breakpoint the search of `n` and `N`. At a desync, shows
    /// its view.
    fn break_at_row(&mut self, row_number: u64, now: Instant) {
        let Some(row) = self.model.rows.get(row_number) else { return };
        if let Some(player) = self.playback.player_mut() {
            player.stop_and_drop_goal(now);
            player.clock.set_reading(row.at, now);
        }
        if matches!(row.event(), Some(Event::Desync(_))) {
            self.screen.show_view(DetailView::Event);
        }
        self.playback.search = self.playback.breakpoint.clone().map(Search::Breakpoint);
        self.list.select_and_stop_following(row_number);
        let next = if self.screen.focus == Focus::Input { "Esc and n go" } else { "n goes" };
        self.screen.show_info(format!("break at #{row_number}; Space goes on, {next} to the next"));
    }

    /// Toggles playback of a recording, or following of a session.
    pub(super) fn play_or_pause(&mut self, now: Instant) {
        let is_playing = self.playback.player().map_or(!self.list.is_paused, RecordingPlayer::is_playing);
        if is_playing { self.pause(now) } else { self.play(now) }
    }

    /// Plays a recording from its newest row or, once it is over, from its start. The selection follows the newest row, also in a
    /// session.
    pub(super) fn play(&mut self, now: Instant) {
        if self.playback.player().is_some_and(|player| player.reader.is_over) {
            self.restart_recording(now);
        }
        self.list.follow_end();
        if let Some(player) = self.playback.player_mut() {
            player.clock.start(now);
        }
    }

    /// Pauses a recording and ends its seek; in a session, keeps the selection on its row.
    pub(super) fn pause(&mut self, now: Instant) {
        match self.playback.player_mut() {
            Some(player) => player.stop_and_drop_goal(now),
            None => self.list.is_paused = true,
        }
    }

    /// Ends a running seek of a recording at the newest row, with a notice. Without one, empties the input line; if that is empty
    /// already, quits.
    pub(super) fn cancel(&mut self, now: Instant) {
        if let Some(player) = self.playback.player_mut().filter(|player| player.goal.is_some()) {
            player.stop_and_drop_goal(now);
            self.list.follow_end();
            self.screen.show_info("the search ended here; Space plays on");
        } else if self.input.editor.take_text().is_empty() {
            self.is_over = true;
        }
    }

    /// Sets the playback speed to a function of the previous one, limited to [`SPEEDS`](crate::console::SPEEDS). Shows an error
    /// for a session.
    pub(super) fn change_speed(&mut self, speed: impl FnOnce(f64) -> f64, now: Instant) {
        match self.playback.player_mut() {
            Some(player) => player.clock.set_speed(speed(player.clock.speed), now),
            None => self.screen.show_error(NO_RECORDING),
        }
    }

    /// Selects the next listed row, and stops playback. After the last one, seeks the next listed row of a recording; in a
    /// session, shows an error and follows the newest row.
    pub(super) fn step(&mut self, now: Instant) {
        self.screen.scroll = 0;
        if self.list.n_after_selected() > 0 {
            self.playback.stop(now);
            return self.list.move_selection_by(1);
        }
        self.list.follow_end();
        match self.playback.player_mut() {
            Some(player) => player.seek_to(SeekGoal::Row, now),
            None => self.screen.show_error("this is the newest line"),
        }
    }

    /// Moves the selection down by this number of listed rows, up if negative. Scrolls the talk pane instead if that is open.
    pub(super) fn move_rows(&mut self, places: isize) {
        if self.shows_talk() {
            return self.talk.scroll(places);
        }
        self.screen.scroll = 0;
        self.list.move_selection_by(places);
    }

    /// Starts to play a recording as fast as possible up to a goal. Shows an error for a session.
    pub(super) fn seek_to(&mut self, goal: SeekGoal, now: Instant) {
        match self.playback.player_mut() {
            Some(player) => {
                player.seek_to(goal, now);
                self.list.follow_end();
            }
            None => self.screen.show_error(NO_RECORDING),
        }
    }

    /// Restarts a recording from its beginning, with an empty model. Has no effect on a session.
    pub(super) fn restart_recording(&mut self, now: Instant) {
        if let Some(player) = self.playback.player_mut() {
            player.restart(now);
            self.model = SessionModel::default();
            self.talk.clear();
            self.list.rebuild(&self.model.rows);
            self.game_choice.auto = None;
        }
    }

    /// Selects the first stored row with the board after this ply of the shown game, or of any game if none is shown. Without
    /// one, seeks it in the recording, from the start if the shown game is past it; shows an error for a session.
    pub(super) fn select_or_seek_ply(&mut self, ply: u32, now: Instant) {
        let game = self.shown_game();
        let known = self.model.rows.iter().find(|row| board_ply_in_row(row, game) == Some(ply)).map(|row| row.number);
        if let Some(row) = known {
            self.playback.stop(now);
            return self.list.select_and_stop_following(row);
        }
        let shown = game.and_then(|game| self.model.games.get(&game));
        if shown.is_some_and(|game| game.board.ply() >= ply) {
            self.restart_recording(now);
        }
        self.seek_to(SeekGoal::Ply(game, ply), now);
    }

    /// Selects the reply to the selected sent line. Shows an error without one.
    pub(super) fn select_reply(&mut self) {
        match self.selected_row().map(|row| &row.content) {
            Some(RowContent::Sent(SentLine { reply: Some(reply), .. })) => {
                self.list.select_and_stop_following(reply.row);
            }
            Some(RowContent::Sent(_)) => self.screen.show_error("no reply has come"),
            _ => self.screen.show_error("this line was not sent"),
        }
    }

    /// Selects the first match of the last search after the selected row. Without one, a recording seeks the next match; a
    /// session that follows its newest row selects its last match; otherwise the search continues at the oldest stored row. Shows
    /// an error without a search.
    pub(super) fn select_or_seek_next_match(&mut self, now: Instant) {
        let Some(search) = self.playback.search.clone() else { return self.screen.show_error(NO_SEARCH) };
        let from = self.list.selected_number().unwrap_or(0);
        let later = self.matching_row_numbers(&search).find(|&row| row > from);
        if let Some(row) = later {
            self.playback.stop(now);
            return self.select_match(&search, row);
        }
        if self.playback.player().is_some_and(|player| !player.reader.is_over) {
            return self.seek_to(SeekGoal::Match { search, from }, now);
        }
        if self.playback.source.is_live() && !self.list.is_paused {
            let last = self.matching_row_numbers(&search).next_back();
            return match last {
                Some(row) => self.select_match(&search, row),
                None => self.screen.show_error(NO_MATCH),
            };
        }
        self.continue_search_at_oldest_row(&search, from);
    }

    /// Selects the first match among the stored rows, and shows that the search went on there. Without one, selects the row `from`,
    /// where the search began, and shows an error.
    pub(super) fn continue_search_at_oldest_row(&mut self, search: &Search, from: u64) {
        let first = self.matching_row_numbers(search).next();
        if let Some(row) = first {
            self.select_match(search, row);
            return self.screen.show_info("no match after this line: the search went on at the start");
        }
        self.screen.show_error(NO_MATCH);
        if self.model.rows.get(from).is_some() {
            self.list.select_and_stop_following(from);
        }
    }

    /// Selects the last match of the last search before the selected row; without one, the newest match, with a notice. Shows an
    /// error without a match or a search.
    pub(super) fn select_previous_match(&mut self) {
        let Some(search) = self.playback.search.clone() else { return self.screen.show_error(NO_SEARCH) };
        let selected = self.list.selected_number().unwrap_or(0);
        let earlier = self.matching_row_numbers(&search).rfind(|&row| row < selected);
        if let Some(row) = earlier {
            return self.select_match(&search, row);
        }
        let newest = self.matching_row_numbers(&search).next_back();
        let Some(row) = newest else { return self.screen.show_error(NO_MATCH) };
        self.select_match(&search, row);
        self.screen.show_info("no match before this line: the search went on at the end");
    }

    /// Returns the numbers of the stored rows that match, in ascending order.
    fn matching_row_numbers(&self, search: &Search) -> impl DoubleEndedIterator<Item = u64> {
        let is_match = |row: &&ConsoleRow| search.accepts(&self.model, row, self.list.includes(row));
        self.model.rows.iter().filter(is_match).map(|row| row.number)
    }

    /// Selects a row that matches. After a search for bytes, shows the view of the bytes.
    fn select_match(&mut self, search: &Search, number: u64) {
        self.list.select_and_stop_following(number);
        if matches!(search, Search::Bytes(_)) {
            self.screen.show_view(DetailView::Bytes);
        }
    }

    /// Adds a mark at the current time of the source.
    pub(super) fn add_mark(&mut self, text: &str, now: Instant) {
        let text = if text.is_empty() { "mark" } else { text };
        let row = self.model.add_mark(self.playback.source.current_time(now), text.to_owned());
        self.on_new_row(row, now);
    }
}
