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
    assert_eq!(limits.deadline, MS(59_500) * 33 / 100 + MS(2000));
    let limits = EngineConfig::default().timed_limits(&clock(60_000, 70_000, 0), Black, MS(100), MS(250));
    assert_eq!(limits.clocks, Some([MS(59_900), MS(69_600)]));
}

#[test]
fn small_clocks_get_a_fixed_time() {
    let engine = EngineConfig::default();
    // Clock and increment, time for the move, deadline; in milliseconds.
    let cases = [
        (1150, 0, None, 330),
        (1149, 0, Some(49), 329),
        (550, 0, Some(20), 132),
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
fn fixed_time_replaces_the_clocks_and_is_cut_when_they_are_short() {
    let engine = EngineConfig { move_time_ms: Some(2000), ..EngineConfig::default() };
    // Clock, increment, time for the move; in milliseconds.
    for (own, increment, want) in [(60_150, 0, 2000), (20_150, 0, 1000), (20_150, 3000, 2000), (550, 0, 20), (0, 0, 10)]
    {
        let limits = engine.timed_limits(&clock(own, 60_000, increment), White, Duration::ZERO, Duration::ZERO);
        assert_eq!((limits.clocks, limits.move_time), (None, Some(MS(want))), "{own} {increment}");
        assert!(limits.deadline >= MS(want));
    }
    assert_eq!(engine.untimed_limits().move_time, Some(MS(2000)));
    let engine = EngineConfig { max_clock_percent: 1, ..engine };
    let limits = engine.timed_limits(&clock(60_150, 0, 0), White, Duration::ZERO, Duration::ZERO);
    assert_eq!((limits.move_time, limits.deadline), (Some(MS(600)), MS(600)));
}

#[test]
fn minimum_time_never_uses_up_the_clock() {
    let engine = EngineConfig { min_move_ms: 60_000, ..EngineConfig::default() };
    let mut own = 60_000;
    for _ in 0..1000 {
        let wait = engine.waiting_time(Some((clock(own, 0, 0), White)), MS(20), MS(100));
        own -= i64::try_from(wait.as_millis()).unwrap();
    }
    assert!((1_000..2_000).contains(&own), "{own}");
    let engine = EngineConfig { min_move_ms: 800, ..EngineConfig::default() };
    let waiting_time = |elapsed| engine.waiting_time(Some((clock(60_000, 0, 0), White)), elapsed, Duration::ZERO);
    assert_eq!([MS(0), MS(300), MS(900)].map(waiting_time), [MS(800), MS(500), Duration::ZERO]);
    assert_eq!(engine.waiting_time(None, MS(300), Duration::ZERO), MS(500));
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
