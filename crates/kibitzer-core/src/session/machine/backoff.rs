//! Attempts to connect: their number, and the delay before the next one.

use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::session::options::Reconnect;

/// Delays between attempts to connect: they double up to a maximum, and half of each is random.
#[derive(Debug, Default)]
pub(super) struct Backoff {
    /// Number of attempts since the last stable session.
    attempts: u32,
    /// Time at which the last session was set up; `None` if its loss was handled.
    ready_since: Option<Instant>,
    /// Whether a session was set up at least once.
    was_ready: bool,
}

impl Backoff {
    pub(super) const fn note_ready(&mut self, at: Instant) {
        self.ready_since = Some(at);
        self.was_ready = true;
    }

    /// Returns whether a session was set up at least once.
    pub(super) const fn was_ready(&self) -> bool {
        self.was_ready
    }

    /// Returns the number of attempts since the last stable session.
    pub(super) const fn attempts(&self) -> u32 {
        self.attempts
    }

    /// Returns the number of the connection attempt, from 1.
    pub(super) fn attempt_number(&self) -> u32 {
        self.attempts.saturating_add(u32::from(!self.was_ready)).max(1)
    }

    /// Counts an attempt and returns the delay before it; `None` if the limit of attempts is reached. The delay doubles with each
    /// attempt up to the cap, and its second half is random.
    ///
    /// Restarts from the first delay after a stable session only: a server that closes right after the set-up must not be dialed
    /// at full speed. The random half keeps sessions that lose the same server at once from reconnecting at once.
    pub(super) fn next_delay(&mut self, options: &Reconnect, rng: &mut Rng, now: Instant) -> Option<Duration> {
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
mod tests;
