//! Rates and delays: bytes and events per second, round trips, lag, parsing times.

use std::collections::VecDeque;
use std::time::Duration;

/// Maximum number of past seconds in the history.
const KEPT_SECONDS: usize = 120;
/// Maximum number of samples of each kind of delay; the oldest is dropped.
const KEPT_DELAYS: usize = 256;

/// Numbers of bytes, events and losses in one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SecondCounts {
    pub(crate) bytes: u64,
    pub(crate) events: u64,
    /// Number of lost connections.
    pub(crate) losses: u64,
}

/// History of counts per second, over the last two minutes.
#[derive(Debug, Default)]
pub(crate) struct RateHistory {
    /// The seconds before the newest one, at most 120, the oldest first.
    past: VecDeque<SecondCounts>,
    newest: SecondCounts,
    /// Number of the newest second, counted from 0 at the start of the session.
    number: u64,
}

impl RateHistory {
    /// Returns the counts of the second that contains a time of the session, so that the caller can increase them. Adds seconds
    /// up to that time, empty ones for those without a call. An earlier time than the newest second counts in that second.
    pub(crate) fn second_mut(&mut self, at: Duration) -> &mut SecondCounts {
        let gone = at.as_secs().saturating_sub(self.number);
        if gone > 0 {
            self.past.push_back(std::mem::take(&mut self.newest));
            let silent = usize::try_from(gone - 1).unwrap_or(usize::MAX).min(KEPT_SECONDS);
            self.past.extend(std::iter::repeat_n(SecondCounts::default(), silent));
            let excess = self.past.len().saturating_sub(KEPT_SECONDS);
            self.past.drain(..excess);
            self.number = at.as_secs();
        }
        &mut self.newest
    }

    /// Returns the last `n` seconds up to the time `now`, oldest first, including the current one. Seconds that are not stored
    /// are empty.
    pub(crate) fn last_seconds(&self, n: usize, now: Duration) -> Vec<SecondCounts> {
        let silent = usize::try_from(now.as_secs().saturating_sub(self.number)).unwrap_or(usize::MAX).min(n);
        let newest = std::iter::repeat_n(SecondCounts::default(), silent).chain([self.newest]);
        let known = newest.chain(self.past.iter().rev().copied());
        let mut seconds: Vec<_> = known.chain(std::iter::repeat(SecondCounts::default())).take(n).collect();
        seconds.reverse();
        seconds
    }
}

/// The newest samples of one kind of delay.
#[derive(Debug, Default)]
pub(crate) struct DelaySamples {
    /// The samples, at most 256, the oldest first.
    kept: VecDeque<Duration>,
}

impl DelaySamples {
    /// Appends a sample, and drops the oldest at the limit.
    pub(crate) fn push(&mut self, delay: Duration) {
        if self.kept.len() >= KEPT_DELAYS {
            self.kept.pop_front();
        }
        self.kept.push_back(delay);
    }

    /// Returns the newest sample, the median and the 99th percentile; `None` without samples.
    pub(crate) fn last_median_and_p99(&self) -> Option<[Duration; 3]> {
        let last = *self.kept.back()?;
        let mut sorted: Vec<_> = self.kept.iter().copied().collect();
        sorted.sort_unstable();
        let at = |percent: usize| sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1)).copied();
        Some([last, at(50)?, at(99)?])
    }

    /// Returns the last `n` samples, oldest first.
    pub(crate) fn last_samples(&self, n: usize) -> impl Iterator<Item = Duration> {
        self.kept.iter().rev().take(n).rev().copied()
    }
}

/// The samples of all delays that the console measures.
#[derive(Debug, Default)]
pub(crate) struct SessionDelays {
    /// Time from a sent line to its reply.
    pub(crate) round_trip: DelaySamples,
    /// Lag of the moves in boards, as the server reported it.
    pub(crate) lag: DelaySamples,
    /// Time to parse an event.
    pub(crate) decoding: DelaySamples,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(rates: &RateHistory, n: usize, now: u64) -> Vec<u64> {
        rates.last_seconds(n, Duration::from_secs(now)).iter().map(|second| second.events).collect()
    }

    #[test]
    fn every_second_has_its_count() {
        let mut rates = RateHistory::default();
        assert_eq!(events(&rates, 3, 0), [0, 0, 0]);
        for (at, n) in [(100, 1), (1_900, 2), (4_000, 3), (4_900, 1)] {
            rates.second_mut(Duration::from_millis(at)).events += n;
        }
        assert_eq!(events(&rates, 5, 4), [1, 2, 0, 0, 4]);
        assert_eq!(events(&rates, 5, 6), [0, 0, 4, 0, 0]);
        assert_eq!(events(&rates, 7, 4), [0, 0, 1, 2, 0, 0, 4]);
        assert_eq!(events(&rates, 2, 900), [0, 0]);
    }

    #[test]
    fn a_long_silence_takes_no_memory() {
        let mut rates = RateHistory::default();
        rates.second_mut(Duration::ZERO).events = 7;
        rates.second_mut(Duration::from_secs(u64::MAX)).events = 5;
        assert_eq!(rates.past.len(), KEPT_SECONDS);
        assert_eq!(events(&rates, 2, u64::MAX), [0, 5]);
    }

    #[test]
    fn percentiles_cover_the_stored_delays() {
        let mut delays = DelaySamples::default();
        assert_eq!(delays.last_median_and_p99(), None);
        for ms in (0..1000).rev() {
            delays.push(Duration::from_millis(ms));
        }
        let ms = Duration::from_millis;
        assert_eq!(delays.last_median_and_p99(), Some([ms(0), ms(127), ms(253)]));
        assert_eq!(delays.last_samples(2).collect::<Vec<_>>(), [ms(1), ms(0)]);
    }
}
