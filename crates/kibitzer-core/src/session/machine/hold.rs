//! Time in which nothing is read, for reasons of our own.

use std::time::Instant;

use super::{Phase, Session};

impl Session {
    /// Tells that nothing is read for now, for reasons of our own: the silence is not the server's. The deadlines of the
    /// login and of the set-up stand still until [`receive`](Self::receive) is called again.
    ///
    /// Those of requests do not: whoever holds the reading back may wait for one.
    pub fn held_back(&mut self, now: Instant) {
        self.held.get_or_insert(now);
        self.stand_still(now);
        if let Phase::Live(live) = &mut self.phase {
            live.heard(now);
        }
    }

    /// What has passed since reading was held back does not count.
    pub(super) fn stand_still(&mut self, now: Instant) {
        let Some(held) = &mut self.held else { return };
        let passed = now.saturating_duration_since(std::mem::replace(held, now));
        match &mut self.phase {
            Phase::LoggingIn(login) => login.defer(passed),
            Phase::Live(live) => live.defer(passed),
            _ => {}
        }
    }

    /// What is there is read again.
    pub(super) fn read_on(&mut self, now: Instant) {
        self.stand_still(now);
        self.held = None;
    }
}
