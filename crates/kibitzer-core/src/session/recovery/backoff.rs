//! How long to wait before the next attempt.

use std::time::{Duration, Instant};

use crate::session::options::Reconnect;
use crate::session::random::Random;

/// Delays that double up to a cap, half of each left to chance.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    attempts: u32,
    /// When the current session was set up.
    ready_since: Option<Instant>,
}

impl Backoff {
    /// Number of attempts since the last stable session.
    pub(crate) const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Records that the session was set up.
    pub(crate) const fn ready(&mut self, now: Instant) {
        self.ready_since = Some(now);
    }

    /// Returns the delay before the next attempt; `None` if there were enough.
    ///
    /// Starts over after a stable session only: a server that closes right after the set-up must not be dialed at full speed.
    /// Many sessions lose the same server at once; chance keeps them from coming back at once.
    pub(crate) fn next(&mut self, options: &Reconnect, random: &mut Random, now: Instant) -> Option<Duration> {
        if self.ready_since.take().is_some_and(|since| now.saturating_duration_since(since) >= options.stable_after) {
            self.attempts = 0;
        }
        if options.attempts.is_some_and(|limit| self.attempts >= limit) {
            return None;
        }
        let factor = 1_u32.checked_shl(self.attempts).unwrap_or(u32::MAX);
        let delay = options.base.saturating_mul(factor).min(options.cap);
        self.attempts = self.attempts.saturating_add(1);
        // The upper 16 bits, as a fraction of 2^16.
        let share = u32::try_from(random.next() >> 48).unwrap_or_default();
        Some(delay / 2 + delay / 2 / (1 << 16) * share)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn delays(options: &Reconnect, seed: u64, n: usize) -> Vec<Duration> {
        let (mut backoff, mut random) = (Backoff::default(), Random::new(seed));
        let now = Instant::now();
        (0..n).map_while(|_| backoff.next(options, &mut random, now)).collect()
    }

    #[test]
    fn delays_double_up_to_the_cap() {
        let seconds = [1, 2, 4, 8, 16, 32, 60, 60];
        for (delay, full) in delays(&Reconnect::default(), 3, 8).into_iter().zip(seconds.map(Duration::from_secs)) {
            assert!(full / 2 <= delay && delay < full, "{delay:?} of {full:?}");
        }
    }

    #[test]
    fn chance_decides_but_not_twice() {
        let options = Reconnect::default();
        assert_eq!(delays(&options, 3, 9), delays(&options, 3, 9));
        assert_ne!(delays(&options, 3, 9), delays(&options, 4, 9));
    }

    #[test]
    fn a_stable_session_starts_over_and_a_limit_ends_it() {
        let (mut backoff, mut random) = (Backoff::default(), Random::new(1));
        let options = Reconnect::default().attempts(Some(2));
        let start = Instant::now();
        let almost = start + options.stable_after.saturating_sub(Duration::from_millis(1));
        assert!(backoff.next(&options, &mut random, start).is_some());
        assert!(backoff.next(&options, &mut random, start).is_some());
        assert_eq!((backoff.next(&options, &mut random, start), backoff.attempts()), (None, 2));
        backoff.ready(start);
        assert_eq!(backoff.next(&options, &mut random, almost), None);
        backoff.ready(start);
        let delay = backoff.next(&options, &mut random, start + options.stable_after);
        assert!(delay.unwrap() < Duration::from_secs(1));
    }

    proptest! {
        #[test]
        fn no_delay_is_over_the_cap(base in 0_u64..10_000, cap in 0_u64..100_000, n in 1_usize..100, seed: u64) {
            let options = Reconnect::default().base(Duration::from_millis(base)).cap(Duration::from_millis(cap));
            prop_assert!(delays(&options, seed, n).iter().all(|delay| *delay <= Duration::from_millis(cap)));
        }
    }
}
