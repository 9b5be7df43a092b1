//! Clocks of a game, the measured lag, and the time that an engine may use.

use std::time::Duration;

use kibitzer::core::chess::Color;
use kibitzer::core::message::ClockReading;

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
    /// The lag and the overhead are deducted from the side's own clock; no limit is ever zero. If less than a second remains, the
    /// engine is given a fixed time for the move. The deadline is a third of the remaining time plus the increment, but at most
    /// half of the remaining time, so that there is time left to start another engine. A lag of more than 2 s counts as 2 s.
    pub fn timed_limits(&self, clock: &GameClocks, side: Color, elapsed: Duration, lag: Duration) -> SearchLimits {
        let lost = lag.min(LARGEST_LAG).saturating_add(Duration::from_millis(self.move_overhead_ms));
        let own = clock.remaining(side, elapsed).saturating_sub(lost);
        let other = clock.remaining(side.opponent(), elapsed).max(SHORTEST_CLOCK);
        let sent = own.max(SHORTEST_CLOCK);
        let small = (own < SMALL_CLOCK).then(|| (own / 20 + clock.increment / 2).min(own / 2).max(SHORTEST_SEARCH));
        let deadline = (own / 3).saturating_add(clock.increment).min(own / 2);
        SearchLimits {
            clocks: Some(if side == Color::White { [sent, other] } else { [other, sent] }),
            increments: [clock.increment; 2],
            move_time: small,
            nodes: self.nodes,
            depth: self.depth,
            deadline: deadline.max(small.unwrap_or(SHORTEST_SEARCH)),
        }
    }

    /// Returns the limits of a search in a game without clocks: a fixed time of [`untimed_move_ms`](Self::untimed_move_ms), at
    /// least 10 ms.
    pub fn untimed_limits(&self) -> SearchLimits {
        let time = Duration::from_millis(self.untimed_move_ms).max(SHORTEST_SEARCH);
        SearchLimits { nodes: self.nodes, depth: self.depth, ..SearchLimits::for_fixed_time(time) }
    }
}

#[cfg(test)]
mod tests {
    use Color::{Black, White};
    use proptest::prelude::*;

    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    fn clock(white_ms: i64, black_ms: i64, increment_ms: u64) -> GameClocks {
        let (white, black) = (ClockReading::from_ms(white_ms), ClockReading::from_ms(black_ms));
        GameClocks::new(white, black, MS(increment_ms), Some(White))
    }

    #[test]
    fn only_the_running_clock_loses_time() {
        let clock = clock(5000, -200, 0);
        assert_eq!(clock.remaining(White, MS(1500)), MS(3500));
        assert_eq!(clock.remaining(White, MS(9000)), Duration::ZERO);
        assert_eq!(clock.remaining(Black, Duration::ZERO), Duration::ZERO);
        assert_eq!(GameClocks { running: None, ..clock }.remaining(White, MS(1500)), MS(5000));
    }

    #[test]
    fn lag_and_overhead_are_deducted_from_the_own_clock() {
        let limits = EngineConfig::default().timed_limits(&clock(60_000, 70_000, 2000), White, MS(100), MS(250));
        assert_eq!(limits.clocks, Some([MS(59_500), MS(70_000)]));
        assert_eq!((limits.increments, limits.move_time), ([MS(2000); 2], None));
        assert_eq!(limits.deadline, MS(59_500) / 3 + MS(2000));
        let limits = EngineConfig::default().timed_limits(&clock(60_000, 70_000, 0), Black, MS(100), MS(250));
        assert_eq!(limits.clocks, Some([MS(59_900), MS(69_600)]));
    }

    #[test]
    fn small_clocks_get_a_fixed_time() {
        let engine = EngineConfig::default();
        // Clock and increment, time for the move, deadline; in milliseconds.
        let cases = [
            (1150, 0, None, 333),
            (1149, 0, Some(49), 333),
            (550, 0, Some(20), 133),
            (550, 12_000, Some(200), 200),
            (200, 0, Some(10), 16),
            (150, 2000, Some(10), 10),
            (0, 0, Some(10), 10),
            (-5000, 0, Some(10), 10),
        ];
        for (own, increment, move_time, deadline) in cases {
            let limits = engine.timed_limits(&clock(own, 60_000, increment), White, Duration::ZERO, Duration::ZERO);
            let in_ms = |time: Duration| u64::try_from(time.as_millis()).unwrap();
            assert_eq!(limits.move_time.map(in_ms), move_time, "{own} {increment}");
            assert_eq!(in_ms(limits.deadline), deadline, "{own} {increment}");
        }
    }

    #[test]
    fn untimed_games_have_a_fixed_time() {
        let engine = EngineConfig { nodes: Some(100), ..EngineConfig::default() };
        let limits = engine.untimed_limits();
        assert_eq!((limits.clocks, limits.move_time, limits.nodes), (None, Some(MS(5000)), Some(100)));
        assert!(limits.deadline > MS(5000));
    }

    #[test]
    fn deadline_of_the_longest_fixed_time_does_not_overflow() {
        assert_eq!(SearchLimits::for_fixed_time(Duration::MAX).deadline, Duration::MAX);
        let engine = EngineConfig { untimed_move_ms: u64::MAX, ..EngineConfig::default() };
        assert_eq!(engine.untimed_limits().move_time, Some(MS(u64::MAX)));
    }

    #[test]
    fn lag_estimate_follows_the_measurements() {
        let mut lag = LagEstimate::default();
        assert_eq!(lag.estimate(), Duration::ZERO);
        (0..50).for_each(|_| lag.record(MS(100)));
        assert_eq!(lag.estimate(), MS(100));
        lag.record(Duration::MAX);
        assert!(lag.estimate() > MS(500) && lag.estimate() <= LARGEST_LAG);
        (0..50).for_each(|_| lag.record(MS(100)));
        assert!(lag.estimate() < MS(120));
    }

    proptest! {
        #[test]
        fn no_time_is_zero_or_more_than_the_clock(
            [own, other] in any::<[i64; 2]>(),
            [increment, elapsed, lag] in any::<[u64; 3]>(),
        ) {
            let clock = clock(own, other, increment);
            let limits = EngineConfig::default().timed_limits(&clock, White, MS(elapsed), MS(lag));
            let [white, black] = limits.clocks.unwrap();
            prop_assert!(!white.is_zero() && !black.is_zero());
            let remaining = clock.remaining(White, MS(elapsed));
            prop_assert!(white <= remaining.max(SHORTEST_CLOCK));
            prop_assert!(limits.deadline <= remaining.max(SHORTEST_SEARCH));
            prop_assert!(limits.move_time.is_none_or(|time| time >= SHORTEST_SEARCH && time <= limits.deadline));
        }
    }
}
