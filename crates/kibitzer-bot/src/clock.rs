//! Clocks of a game, the measured lag, and the time that an engine may use.

use std::time::Duration;

use kibitzer_core::chess::Color;
use kibitzer_core::message::ClockReading;

use crate::engine::{EngineConfig, SearchLimits};

/// Remaining time below which a search has a fixed time for the move, because many engines lose on time with so little.
const SMALL_CLOCK: Duration = Duration::from_secs(1);
/// Shortest time for a move and shortest deadline, also after the clock has run out.
const SHORTEST_SEARCH: Duration = Duration::from_millis(10);
/// Shortest clock that an engine is sent; some divide by it.
const SHORTEST_CLOCK: Duration = Duration::from_millis(1);
/// Largest lag that is deducted. A larger one is a disturbance, and its deduction would leave no time in short games.
const LARGEST_LAG: Duration = Duration::from_secs(2);

/// The clocks of a game as a board showed them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GameClocks {
    /// White's reading when the board was received.
    pub white: ClockReading,
    /// Black's reading when the board was received.
    pub black: ClockReading,
    /// Time added after each move.
    pub increment: Duration,
    /// Side whose clock runs; `None` while both stand, as before the first moves.
    pub running: Option<Color>,
}

impl GameClocks {
    /// Creates a value from the clocks of a board. `increment` is added after each move; `running` is the side whose clock runs.
    pub fn new(white: ClockReading, black: ClockReading, increment: Duration, running: Option<Color>) -> Self {
        Self { white, black, increment, running }
    }

    /// Returns the time of a side after `elapsed` since the board was received; zero if it has run out. `elapsed` is deducted
    /// only from a [running](Self::running) clock.
    pub fn remaining(&self, side: Color, elapsed: Duration) -> Duration {
        let reading = if side == Color::White { self.white } else { self.black };
        let used = if self.running == Some(side) { elapsed } else { Duration::ZERO };
        reading.remaining().unwrap_or_default().saturating_sub(used)
    }
}

/// Estimate of the lag that the server charges to the clock: the smoothed measurements, plus twice their mean deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LagEstimate {
    smoothed: Option<Duration>,
    deviation: Duration,
}

impl LagEstimate {
    /// Adds a measurement, such as the lag that a board reports, to the estimate; more than 2 s counts as 2 s.
    pub fn record(&mut self, lag: Duration) {
        let lag = lag.min(LARGEST_LAG);
        let smoothed = self.smoothed.unwrap_or(lag);
        self.deviation = (self.deviation * 3 + smoothed.abs_diff(lag)) / 4;
        self.smoothed = Some((smoothed * 7 + lag) / 8);
    }

    /// Returns the estimate, at most 2 s; zero without a measurement.
    pub fn estimate(&self) -> Duration {
        (self.smoothed.unwrap_or_default() + self.deviation * 2).min(LARGEST_LAG)
    }
}

impl EngineConfig {
    /// Returns the limits of a search for `side` in a game with clocks, `elapsed` after the board with these clocks was received.
    ///
    /// The lag and the overhead are deducted from the side's own clock; no limit is ever zero. The deadline is
    /// [`max_clock_percent`](Self::max_clock_percent) of the remaining time plus the increment, but at most half of the remaining time,
    /// so that there is time left to start another engine. A lag of more than 2 s counts as 2 s.
    ///
    /// With [`move_time_ms`](Self::move_time_ms) the engine is given this time, without the clocks, but at most a twentieth of the
    /// remaining time plus half of the increment. If less than a second remains, it is given as much without the setting.
    pub fn timed_limits(&self, clock: &GameClocks, side: Color, elapsed: Duration, lag: Duration) -> SearchLimits {
        let own = self.usable_time(clock, side, elapsed, lag);
        let other = clock.remaining(side.opponent(), elapsed).max(SHORTEST_CLOCK);
        let sent = own.max(SHORTEST_CLOCK);
        let share = own.saturating_mul(self.max_clock_percent) / 100;
        let deadline = share.saturating_add(clock.increment).min(own / 2).max(SHORTEST_SEARCH);
        let even_part = (own / 20 + clock.increment / 2).min(deadline).max(SHORTEST_SEARCH);
        let fixed = self.move_time_ms.map(|ms| Duration::from_millis(ms).min(even_part));
        SearchLimits {
            // Without clocks, the fixed time is not one limit of several.
            clocks: fixed.is_none().then_some(if side == Color::White { [sent, other] } else { [other, sent] }),
            increments: [clock.increment; 2],
            move_time: fixed.or((own < SMALL_CLOCK).then_some(even_part)),
            nodes: self.nodes,
            depth: self.depth,
            deadline,
        }
    }

    /// Returns the time of a side that a move may use: without the lag, at most 2 s of it, and the overhead.
    fn usable_time(&self, clock: &GameClocks, side: Color, elapsed: Duration, lag: Duration) -> Duration {
        let lost = lag.min(LARGEST_LAG).saturating_add(Duration::from_millis(self.move_overhead_ms));
        clock.remaining(side, elapsed).saturating_sub(lost)
    }

    /// Returns how much longer to wait with a move that was found `elapsed` after its board, for
    /// [`min_move_ms`](Self::min_move_ms): at most a fiftieth of the remaining time of the side with the move, and not at all if less than
    /// a second remains. `clock` is `None` in a game without clocks.
    pub(crate) fn waiting_time(
        &self,
        clock: Option<(GameClocks, Color)>,
        elapsed: Duration,
        lag: Duration,
    ) -> Duration {
        let own = clock.map_or(Duration::MAX, |(clock, side)| self.usable_time(&clock, side, elapsed, lag));
        let longest = if own < SMALL_CLOCK { Duration::ZERO } else { own / 50 };
        Duration::from_millis(self.min_move_ms).saturating_sub(elapsed).min(longest)
    }

    /// Returns the limits of a search in a game without clocks: a fixed time of [`move_time_ms`](Self::move_time_ms), otherwise of
    /// [`untimed_move_ms`](Self::untimed_move_ms), at least 10 ms.
    pub(crate) fn untimed_limits(&self) -> SearchLimits {
        let time = Duration::from_millis(self.move_time_ms.unwrap_or(self.untimed_move_ms)).max(SHORTEST_SEARCH);
        SearchLimits { nodes: self.nodes, depth: self.depth, ..SearchLimits::for_fixed_time(time) }
    }
}

#[cfg(test)]
mod tests;
