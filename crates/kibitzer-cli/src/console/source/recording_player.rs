//! Plays a recording at its speed, or as fast as possible up to a goal.

use std::time::{Duration, Instant};

use kibitzer_core::Event;
use kibitzer_core::message::GameId;

use super::recording_reader::RecordingReader;
use crate::console::model::{ConsoleRow, Search, SessionModel, SourceItem, SourceItemKind};
use crate::failure::Failure;

/// Range of playback speeds, as multiples of the recorded speed.
pub(crate) const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=10_000.0;

/// Goal of a seek, which plays a recording as fast as possible until the goal is reached ([`RecordingPlayer::seek_to`]).
#[derive(Clone, Debug)]
pub(crate) enum SeekGoal {
    /// The next listed row.
    Row,
    /// A time of the recording.
    Time(Duration),
    /// The next row that matches; `from` is the number of the row where the search began.
    Match { search: Search, from: u64 },
    /// The board after a ply of this game, or of any game.
    Ply(Option<GameId>, u32),
}

/// Returns the ply of the board in a row; `None` without a board, and for a board of another game than `game`, if one is given.
pub(crate) fn board_ply_in_row(row: &ConsoleRow, game: Option<GameId>) -> Option<u32> {
    let event = row.event()?;
    let of_event = event.affected_game()?;
    event.board().filter(|_| game.is_none_or(|game| game == of_event)).map(|board| board.ply())
}

/// A recording, the clock by which it is played, and the goal of a seek, if one is running.
#[derive(Debug)]
pub(crate) struct RecordingPlayer {
    pub(crate) reader: RecordingReader,
    pub(crate) clock: ReplayClock,
    pub(crate) goal: Option<SeekGoal>,
    /// Whether the last item was a desync, whose message follows at once, even if the clock has stopped.
    is_at_desync: bool,
}

/// Result of asking a source for its next item.
pub(crate) enum NextItem {
    Item(SourceItem),
    /// Nothing is due yet.
    Wait,
    /// The seek to a time has ended there.
    GoalReached,
    /// The recording is over; contains the goal of a seek that was not reached.
    End(Option<SeekGoal>),
}

impl RecordingPlayer {
    /// Creates a player and starts it at the beginning of the recording. The speed is limited to
    /// [`SPEEDS`](crate::console::SPEEDS).
    pub(crate) fn new(reader: RecordingReader, speed: f64, now: Instant) -> Self {
        let mut clock = ReplayClock::new(speed, now);
        clock.start(now);
        Self { reader, clock, goal: None, is_at_desync: false }
    }

    /// Returns whether the clock runs and the recording is not over. A seek does not count as playing.
    pub(crate) const fn is_playing(&self) -> bool {
        self.clock.is_running && !self.reader.is_over
    }

    /// Returns the current time of the recording.
    pub(crate) fn current_time(&self, now: Instant) -> Duration {
        self.clock.reading_at(now).min(self.reader.length)
    }

    /// Stops the clock, and ends a seek.
    pub(crate) fn stop_and_drop_goal(&mut self, now: Instant) {
        self.clock.stop(now);
        self.goal = None;
    }

    /// Stops the clock, and lets [`next_item`](Self::next_item) return items as fast as possible until the goal is reached.
    /// Replaces an earlier goal.
    pub(crate) fn seek_to(&mut self, goal: SeekGoal, now: Instant) {
        self.clock.stop(now);
        self.goal = Some(goal);
    }

    /// Restarts the recording from the beginning. The clock is set to zero, and continues if it is running; a goal stays.
    pub(crate) fn restart(&mut self, now: Instant) {
        self.clock.set_reading(Duration::ZERO, now);
        self.reader.restart();
    }

    /// Returns the next item that is due by the clock or, during a seek, the next one before the goal, without waiting; a seek
    /// sets the clock to the time of each item. Reaches goals of time only: for the others, call
    /// [`take_reached_goal`](Self::take_reached_goal) with each new row.
    ///
    /// # Errors
    ///
    /// As [`RecordingReader::next_until`].
    pub(crate) fn next_item(&mut self, now: Instant) -> Result<NextItem, Failure> {
        let until = match &self.goal {
            None if std::mem::take(&mut self.is_at_desync) => self.reader.at,
            // A stopped clock must not deliver further items of the current time.
            None if !self.clock.is_running => return Ok(NextItem::Wait),
            None => self.clock.reading_at(now),
            Some(SeekGoal::Time(time)) => *time,
            Some(_) => Duration::MAX,
        };
        if let Some(item) = self.reader.next_until(until)? {
            self.is_at_desync = matches!(&item.kind, SourceItemKind::Event { event: Event::Desync(_), .. });
            if self.goal.is_some() {
                self.clock.set_reading(item.at, now);
            }
            return Ok(NextItem::Item(item));
        }
        if let Some(SeekGoal::Time(time)) = self.goal {
            self.clock.set_reading(time, now);
            self.goal = None;
            return Ok(NextItem::GoalReached);
        }
        if self.reader.is_over {
            self.clock.set_reading(self.current_time(now), now);
            return Ok(NextItem::End(self.goal.take()));
        }
        Ok(NextItem::Wait)
    }

    /// Clears and returns the goal if the row with this number reaches it; otherwise returns `None`. `is_listed` is whether the
    /// list shows the row.
    pub(crate) fn take_reached_goal(&mut self, model: &SessionModel, row: u64, is_listed: bool) -> Option<SeekGoal> {
        let row = model.rows.get(row)?;
        self.goal.take_if(|goal| match goal {
            SeekGoal::Row => is_listed,
            SeekGoal::Match { search, .. } => search.accepts(model, row, is_listed),
            SeekGoal::Ply(game, ply) => board_ply_in_row(row, *game) == Some(*ply),
            // Items reach a time, not rows.
            SeekGoal::Time(_) => false,
        })
    }
}

/// Clock of a recording: maps an [`Instant`] to a time of the recording. It runs at an adjustable speed, or is stopped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReplayClock {
    /// Reading of the clock at `since`.
    shown: Duration,
    since: Instant,
    pub(crate) speed: f64,
    pub(crate) is_running: bool,
}

impl ReplayClock {
    /// Creates a stopped clock at zero; the speed is clamped to [`SPEEDS`].
    pub(crate) fn new(speed: f64, now: Instant) -> Self {
        let mut clock = Self { shown: Duration::ZERO, since: now, speed: 1.0, is_running: false };
        clock.set_speed(speed, now);
        clock
    }

    /// Returns the reading at `now`.
    pub(crate) fn reading_at(&self, now: Instant) -> Duration {
        if !self.is_running {
            return self.shown;
        }
        let gone = now.saturating_duration_since(self.since).as_secs_f64() * self.speed;
        let gone = Duration::try_from_secs_f64(gone).unwrap_or(Duration::MAX);
        self.shown.saturating_add(gone)
    }

    /// Sets the reading without starting or stopping the clock.
    pub(crate) const fn set_reading(&mut self, time: Duration, now: Instant) {
        self.shown = time;
        self.since = now;
    }

    /// Starts the clock from its present reading.
    pub(crate) fn start(&mut self, now: Instant) {
        self.set_reading(self.reading_at(now), now);
        self.is_running = true;
    }

    /// Stops the clock at its present reading.
    pub(crate) fn stop(&mut self, now: Instant) {
        self.set_reading(self.reading_at(now), now);
        self.is_running = false;
    }

    /// Changes the speed from now on, clamped to [`SPEEDS`].
    pub(crate) fn set_speed(&mut self, speed: f64, now: Instant) {
        self.set_reading(self.reading_at(now), now);
        self.speed = speed.clamp(*SPEEDS.start(), *SPEEDS.end());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_runs_at_its_speed_and_stops() {
        let start = Instant::now();
        let s = |s| start + Duration::from_secs(s);
        let mut clock = ReplayClock::new(1.0, start);
        assert_eq!(clock.reading_at(s(5)), Duration::ZERO);
        clock.start(s(5));
        assert_eq!(clock.reading_at(s(7)), Duration::from_secs(2));
        clock.set_speed(4.0, s(7));
        assert_eq!(clock.reading_at(s(8)), Duration::from_secs(6));
        clock.stop(s(8));
        assert_eq!(clock.reading_at(s(99)), Duration::from_secs(6));
        clock.set_reading(Duration::from_secs(1), s(99));
        assert_eq!(clock.reading_at(s(100)), Duration::from_secs(1));
    }

    #[test]
    fn extreme_speeds_are_clamped() {
        let start = Instant::now();
        let mut clock = ReplayClock::new(f64::INFINITY, start);
        assert!(clock.speed.total_cmp(SPEEDS.end()).is_eq());
        clock.set_reading(Duration::MAX, start);
        clock.start(start);
        assert_eq!(clock.reading_at(start + Duration::from_secs(1)), Duration::MAX);
        clock.set_speed(-3.0, start);
        assert!(clock.speed.total_cmp(SPEEDS.start()).is_eq());
    }
}
