//! Delay before the next attempt to connect.

use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::session::options::Reconnect;

/// Delays between attempts to connect: they double up to a maximum, and half of each is random.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    /// Number of attempts since the last stable session.
    pub(crate) attempts: u32,
    /// Time at which the current session was set up.
    pub(crate) ready_since: Option<Instant>,
}

impl Backoff {
    /// Counts an attempt and returns the delay before it; `None` if the limit of attempts is reached. The delay doubles with each
    /// attempt up to the cap, and its second half is random.
    ///
    /// Restarts from the first delay after a stable session only: a server that closes right after the set-up must not be dialed
    /// at full speed. The random half keeps sessions that lose the same server at once from reconnecting at once.
    pub(crate) fn next_delay(&mut self, options: &Reconnect, rng: &mut Rng, now: Instant) -> Option<Duration> {
        if self.ready_since.take().is_some_and(|since| now.saturating_duration_since(since) >= options.stable_after) {
            self.attempts = 0;
        }
        if options.attempts.is_some_and(|limit| self.attempts >= limit) {
            return None;
        }
        let factor = 1_u32.checked_shl(self.attempts).unwrap_or(u32::MAX);
        let delay = options.base.saturating_mul(factor).min(options.cap);
        self.attempts = self.attempts.saturating_add(1);
        Some(delay / 2 + (delay / 2).mul_f64(rng.f64()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    fn delays(options: &Reconnect, seed: u64, n: usize) -> Vec<Duration> {
        let (mut backoff, mut rng) = (Backoff::default(), Rng::with_seed(seed));
        let now = Instant::now();
        (0..n).map_while(|_| backoff.next_delay(options, &mut rng, now)).collect()
    }

    #[test]
    fn delays_double_up_to_the_cap() {
        let seconds = [1, 2, 4, 8, 16, 32, 60, 60];
        for (delay, full) in delays(&Reconnect::default(), 3, 8).into_iter().zip(seconds.map(Duration::from_secs)) {
            assert!(full / 2 <= delay && delay < full, "{delay:?} of {full:?}");
        }
    }

    #[test]
    fn delays_depend_on_the_seed_alone() {
        let options = Reconnect::default();
        assert_eq!(delays(&options, 3, 9), delays(&options, 3, 9));
        assert_ne!(delays(&options, 3, 9), delays(&options, 4, 9));
    }

    #[test]
    fn a_stable_session_resets_delays_and_the_limit_ends_them() {
        let (mut backoff, mut rng) = (Backoff::default(), Rng::with_seed(1));
        let options = Reconnect::default().attempts(Some(2));
        let start = Instant::now();
        let almost = start + options.stable_after.saturating_sub(Duration::from_millis(1));
        assert!(backoff.next_delay(&options, &mut rng, start).is_some());
        assert!(backoff.next_delay(&options, &mut rng, start).is_some());
        assert_eq!((backoff.next_delay(&options, &mut rng, start), backoff.attempts), (None, 2));
        backoff.ready_since = Some(start);
        assert_eq!(backoff.next_delay(&options, &mut rng, almost), None);
        backoff.ready_since = Some(start);
        let delay = backoff.next_delay(&options, &mut rng, start + options.stable_after);
        assert!(delay.unwrap() < Duration::from_secs(1));
    }

    proptest! {
        #[test]
        fn no_delay_exceeds_the_maximum(base in 0_u64..10_000, cap in 0_u64..100_000, n in 1_usize..100, seed: u64) {
            let options = Reconnect::default().base(Duration::from_millis(base)).cap(Duration::from_millis(cap));
            prop_assert!(delays(&options, seed, n).iter().all(|delay| *delay <= Duration::from_millis(cap)));
        }
    }
}
