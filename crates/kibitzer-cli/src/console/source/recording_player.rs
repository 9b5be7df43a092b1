//! Plays a recording: at its speed, or as fast as it can be read up to a goal.

use std::time::{Duration, Instant};

use kibitzer::core::message::{GameId, Style12};

use crate::console::model::Model;
use crate::console::model::filter::RowFilter;
use crate::console::model::game_snapshot::board_in_event;
use crate::console::model::item::SourceItem;
use crate::console::model::row::Row;
use crate::console::source::recording_reader::{RecordingReader, ReplayError};
use crate::console::source::replay_clock::ReplayClock;

/// Where to go on to, whatever the clock shows.
#[derive(Clone, Debug)]
pub(in crate::console) enum SeekGoal {
    /// The next row that is listed.
    Row,
    /// A time.
    Time(Duration),
    /// The next row that is meant.
    Match(RowFilter),
    /// A ply of a game, or of whichever game comes.
    Ply(Option<GameId>, u32),
}

impl SeekGoal {
    /// Whether this row is it.
    pub(in crate::console) fn is_met(&self, row: &Row, is_listed: bool) -> bool {
        match self {
            Self::Row => is_listed,
            Self::Match(filter) => is_listed && filter.accepts(row),
            &Self::Ply(game, ply) => ply_after_row(row, game) == Some(ply),
            Self::Time(_) => false,
        }
    }
}

/// The ply a row brings a game to; any game, if none is named.
pub(in crate::console) fn ply_after_row(row: &Row, game: Option<GameId>) -> Option<u32> {
    let event = row.event().filter(|event| event.game().is_some() && (game.is_none() || event.game() == game))?;
    board_in_event(event).map(Style12::ply)
}

/// A recording with its clock.
#[derive(Debug)]
pub(in crate::console) struct RecordingPlayer {
    replay: RecordingReader,
    clock: ReplayClock,
    goal: Option<SeekGoal>,
}

/// What comes next.
pub(in crate::console) enum NextItem {
    Item(SourceItem),
    /// Nothing before more time has passed.
    Wait,
    /// The goal is a time, and it is there.
    GoalReached,
    /// There is no more; the goal, if there was one, was not met.
    End(Option<SeekGoal>),
}

impl RecordingPlayer {
    pub(in crate::console) fn new(replay: RecordingReader, speed: f64, now: Instant) -> Self {
        let mut clock = ReplayClock::new(speed, now);
        clock.run(now);
        Self { replay, clock, goal: None }
    }

    pub(in crate::console) const fn replay(&self) -> &RecordingReader {
        &self.replay
    }

    pub(in crate::console) const fn goal(&self) -> Option<&SeekGoal> {
        self.goal.as_ref()
    }

    pub(in crate::console) const fn speed(&self) -> f64 {
        self.clock.speed()
    }

    pub(in crate::console) const fn is_playing(&self) -> bool {
        self.clock.is_running() && !self.replay.is_over()
    }

    /// The time of the recording.
    pub(in crate::console) fn time(&self, now: Instant) -> Duration {
        self.clock.at(now).min(self.replay.length())
    }

    pub(in crate::console) fn play(&mut self, now: Instant) {
        self.clock.run(now);
    }

    /// Stops where it is, goal or not.
    pub(in crate::console) fn stop(&mut self, now: Instant) {
        self.clock.stop(now);
        self.goal = None;
    }

    /// Stops at a time that was just played, however late it is.
    pub(in crate::console) fn stop_at(&mut self, time: Duration, now: Instant) {
        self.stop(now);
        self.clock.set(time, now);
    }

    pub(in crate::console) fn set_speed(&mut self, speed: f64, now: Instant) {
        self.clock.set_speed(speed, now);
    }

    /// Goes on to a goal, where it stops.
    pub(in crate::console) fn seek(&mut self, goal: SeekGoal, now: Instant) {
        self.clock.stop(now);
        self.goal = Some(goal);
    }

    /// Begins anew.
    ///
    /// # Errors
    ///
    /// As [`RecordingReader::rewind`].
    pub(in crate::console) fn rewind(&mut self, now: Instant) -> Result<(), ReplayError> {
        self.clock.set(Duration::ZERO, now);
        self.replay.rewind()
    }

    /// The next thing that is due.
    ///
    /// # Errors
    ///
    /// As [`RecordingReader::next_by`].
    pub(in crate::console) fn next(&mut self, now: Instant) -> Result<NextItem, ReplayError> {
        let until = match &self.goal {
            // Where it stands still, what came at the very same time waits as well.
            None if !self.clock.is_running() => return Ok(NextItem::Wait),
            None => self.clock.at(now),
            Some(SeekGoal::Time(time)) => *time,
            Some(_) => Duration::MAX,
        };
        if let Some(item) = self.replay.next_by(until)? {
            if self.goal.is_some() {
                self.clock.set(item.at, now);
            }
            return Ok(NextItem::Item(item));
        }
        if let Some(SeekGoal::Time(time)) = self.goal {
            self.clock.set(time, now);
            self.goal = None;
            return Ok(NextItem::GoalReached);
        }
        if self.replay.is_over() {
            self.clock.set(self.time(now), now);
            return Ok(NextItem::End(self.goal.take()));
        }
        Ok(NextItem::Wait)
    }

    /// Ends the way to the goal if this row is it.
    pub(in crate::console) fn arrived(&mut self, model: &Model, row: u64, is_listed: bool) -> bool {
        let row = model.rows.get(row);
        let is_met = self.goal.as_ref().zip(row).is_some_and(|(goal, row)| goal.is_met(row, is_listed));
        if is_met {
            self.goal = None;
        }
        is_met
    }
}
