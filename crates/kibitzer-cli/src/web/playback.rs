//! Plays a recording as the page asks for it.

use std::time::{Duration, Instant};

use kibitzer_web::Control;

use super::pump::{AfterSeek, Playback, Pump};
use crate::console::model::SessionModel;
use crate::console::source::{RecordingPlayer, SeekGoal};

impl Pump {
    fn player(&mut self) -> Option<&mut RecordingPlayer> {
        self.source.try_as_recording_mut().map(|player| &mut **player)
    }

    /// Stops a recording at its first board, so that there is something to see.
    pub(super) fn show_first_board(&mut self) {
        self.control(Control::Step);
    }

    /// Changes the replay; does nothing if the source is not a recording.
    pub(super) fn control(&mut self, control: Control) {
        let now = Instant::now();
        let Some(player) = self.player() else { return };
        let (is_over, is_playing, time) = (player.reader.is_over, player.is_playing(), player.current_time(now));
        match control {
            Control::Play if is_over => {
                self.restart(now);
                if let Some(player) = self.player() {
                    player.clock.start(now);
                }
                self.hub.finish_seek();
            }
            Control::Play => {
                player.stop_and_drop_goal(now);
                player.clock.start(now);
            }
            Control::Pause => player.stop_and_drop_goal(now),
            Control::Speed(speed) => player.clock.set_speed(speed, now),
            Control::Step => self.seek_board(self.playback.n_boards + 1, now),
            Control::Back => {
                let boards = self.playback.n_boards;
                let goal = if self.playback.is_at_board { boards.saturating_sub(1) } else { boards };
                self.restart(now);
                self.playback.seek = Some(AfterSeek::Pause);
                if goal == 0 { self.finish_seek() } else { self.seek_board(goal, now) }
            }
            Control::Seek(to) => {
                if to < time || is_over {
                    self.restart(now);
                } else {
                    self.hub.begin_seek(false);
                }
                self.playback.seek = Some(if is_playing { AfterSeek::Play } else { AfterSeek::Pause });
                self.playback.goal = None;
                if let Some(player) = self.player() {
                    player.seek_to(SeekGoal::Time(to), now);
                }
            }
        }
        self.publish_line();
    }

    fn seek_board(&mut self, goal: u64, now: Instant) {
        self.playback.goal = Some(goal);
        if let Some(player) = self.player() {
            player.seek_to(SeekGoal::Time(Duration::MAX), now);
        }
    }

    /// Begins anew, without events.
    fn restart(&mut self, now: Instant) {
        if let Some(player) = self.player() {
            player.stop_and_drop_goal(now);
            player.restart(now);
        }
        self.model = SessionModel::default();
        self.newest_row = 0;
        self.playback = Playback::default();
        self.hub.begin_seek(true);
    }

    /// Stops if the newest board is the goal.
    pub(super) fn stop_at_goal(&mut self) {
        if self.playback.is_at_board && self.playback.goal == Some(self.playback.n_boards) {
            self.finish_seek();
        }
    }

    /// Ends a seek, at its goal or at the end of the recording.
    pub(super) fn finish_seek(&mut self) {
        let now = Instant::now();
        self.playback.goal = None;
        let seek = self.playback.seek.take();
        if let Some(player) = self.player() {
            if player.goal.is_some() {
                player.stop_and_drop_goal(now);
            }
            if seek == Some(AfterSeek::Play) {
                player.clock.start(now);
            }
        }
        if seek.is_some() {
            self.hub.finish_seek();
        }
    }
}
