//! The clocks of a game.

use std::time::{Duration, Instant};

use kibitzer_core::chess::Color;

use super::{Sides, Terms};

/// Both clocks of a game, at most one of them running. Readings are in milliseconds, negative once the time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Clocks {
    /// Readings when each clock last stopped.
    pub(crate) left_ms: Sides<i64>,
    increment_ms: i64,
    /// The running clock, and since when it runs.
    pub(crate) running: Option<(Color, Instant)>,
}

impl Clocks {
    /// Creates two full clocks that are stopped.
    pub(crate) fn new(terms: Terms) -> Self {
        let increment_ms = i64::from(terms.increment_s) * 1000;
        Self { left_ms: Sides::both(terms.initial_ms()), increment_ms, running: None }
    }

    /// Starts one clock. The time of a clock that was running before is lost: stop it first.
    pub(crate) const fn start(&mut self, color: Color, now: Instant) {
        self.running = Some((color, now));
    }

    /// Stops both clocks at their present readings.
    pub(crate) fn stop(&mut self, now: Instant) {
        self.left_ms = self.readings(now);
        self.running = None;
    }

    /// Stops the running clock after a move: charges the time since it started, minus `lag`, and adds the increment. Returns the
    /// charged time. Without a running clock, changes nothing and returns zero.
    ///
    /// `lag` is the network delay in that time, as measured by timeseal.
    pub(crate) fn stop_and_charge_move(&mut self, now: Instant, lag: Duration) -> Duration {
        let Some((color, since)) = self.running.take() else { return Duration::ZERO };
        // Lag beyond the time of the move is not credited.
        let taken = now.saturating_duration_since(since).saturating_sub(lag);
        *self.left_ms.of_mut(color) += self.increment_ms - whole_ms(taken);
        taken
    }

    /// Returns the reading of one clock in milliseconds; negative once its time is over.
    pub(crate) fn reading(&self, color: Color, now: Instant) -> i64 {
        let left = *self.left_ms.of(color);
        match self.running {
            Some((running, since)) if running == color => left - whole_ms(now.saturating_duration_since(since)),
            _ => left,
        }
    }

    /// Returns the readings of both clocks.
    pub(crate) fn readings(&self, now: Instant) -> Sides<i64> {
        Sides { white: self.reading(Color::White, now), black: self.reading(Color::Black, now) }
    }

    /// Adds time to one clock.
    pub(crate) fn add_time(&mut self, color: Color, time: Duration) {
        *self.left_ms.of_mut(color) += whole_ms(time);
    }

    /// Returns when the running clock reaches zero, which may be in the past; `None` if no clock is running.
    pub(crate) fn runs_out_at(&self) -> Option<Instant> {
        let (color, since) = self.running?;
        let left = u64::try_from(*self.left_ms.of(color)).unwrap_or(0);
        since.checked_add(Duration::from_millis(left))
    }
}

/// Returns a duration in milliseconds, rounded down.
fn whole_ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}
