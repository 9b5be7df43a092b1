//! The clock of a recording: runs at a speed, or stands still.

use std::time::{Duration, Instant};

/// Range of playback speeds, as multiples of the recorded speed.
pub(crate) const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=10_000.0;

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
