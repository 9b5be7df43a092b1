//! Timeseal clocks of a client, and the lag computed from them.

use std::time::{Duration, Instant};

use kibitzer_core::wire::{Timeseal, Unsealed};

/// The clock of a client and ours.
#[derive(Debug)]
pub(crate) struct Seal {
    version: Timeseal,
    /// The client's clock at its newest line, in its milliseconds.
    pub(crate) time_ms: u64,
    /// When the ping that was not answered yet went out.
    pinged: Option<Instant>,
    /// When the newest answered ping went out, and the client's clock at the answer.
    answer: Option<(Instant, u64)>,
    /// How long the newest answer took, and how many there were.
    lag: Duration,
    n_answers: u32,
}

impl Seal {
    pub(crate) const fn new(version: Timeseal) -> Self {
        Self { version, time_ms: 0, pinged: None, answer: None, lag: Duration::ZERO, n_answers: 0 }
    }

    /// Records a ping and returns its bytes.
    pub(crate) const fn ping(&mut self, now: Instant) -> &'static [u8] {
        self.pinged = Some(now);
        if matches!(self.version, Timeseal::V1) { b"\n\r[G]\n\r" } else { b"[G]\0" }
    }

    /// Records the answer to a ping. An answer without a ping only updates the client's clock.
    pub(crate) fn answered(&mut self, time_ms: u64, now: Instant) {
        self.time_ms = time_ms;
        if let Some(pinged) = self.pinged.take() {
            self.answer = Some((pinged, time_ms));
            self.lag = now.saturating_duration_since(pinged);
            self.n_answers = self.n_answers.saturating_add(1);
        }
    }

    /// Returns the time since the ping by the server's clock, minus the time since its answer by the client's; `None` before
    /// the first answer, zero if the client's clock runs ahead.
    pub(crate) fn lag_since_ping(&self, now: Instant) -> Option<Duration> {
        // Clients count their milliseconds anew from there.
        const MODULUS: u64 = Unsealed::TIME_MODULUS_MS;
        let (pinged, time_ms) = self.answer?;
        let there = (self.time_ms % MODULUS + MODULUS - time_ms % MODULUS) % MODULUS;
        Some(now.saturating_duration_since(pinged).saturating_sub(Duration::from_millis(there)))
    }

    /// How long the newest answer took, and how many there were.
    pub(crate) const fn samples(&self) -> (Duration, u32) {
        (self.lag, self.n_answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lag_is_the_difference_of_two_clocks() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut seal = Seal::new(Timeseal::V2);
        assert_eq!(seal.lag_since_ping(at(0)), None);
        seal.pinged = Some(at(1000));
        // The answer takes 60 ms, the client thinks for two seconds and passes the end of its clock, the move takes 40 ms.
        seal.answered(9_999_000, at(1060));
        seal.time_ms = 1_000;
        assert_eq!(seal.lag_since_ping(at(3100)), Some(Duration::from_millis(100)));
        assert_eq!(seal.samples(), (Duration::from_millis(60), 1));
        seal.answered(7, at(9000));
        assert_eq!(seal.samples().1, 1, "nobody had asked");
        seal.time_ms = 9_998_999;
        assert_eq!(seal.lag_since_ping(at(3100)), Some(Duration::ZERO));
    }
}
