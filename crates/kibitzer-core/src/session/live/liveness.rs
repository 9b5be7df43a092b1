//! Whether the line is alive, and whether the server thinks that we are.

use std::time::Instant;

use crate::session::options::{Timings, after};

/// What is to be done about a silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Ask for a sign of life.
    Probe,
    /// Give one.
    KeepAlive,
    /// The line is dead.
    Dead,
}

/// When the server was last heard, and when it last heard something of us that counts.
#[derive(Debug)]
pub(crate) struct Liveness {
    heard: Instant,
    spoke: Instant,
    /// When the probe was sent that nothing was heard since.
    probed: Option<Instant>,
}

impl Liveness {
    pub(crate) const fn new(now: Instant) -> Self {
        Self { heard: now, spoke: now, probed: None }
    }

    /// Any byte is a sign of life.
    pub(crate) const fn heard(&mut self, now: Instant) {
        self.heard = now;
        self.probed = None;
    }

    /// A command was sent that ends our idle time.
    pub(crate) const fn spoke(&mut self, now: Instant) {
        self.spoke = now;
    }

    pub(crate) fn timeout(&self, timings: &Timings) -> Instant {
        self.line_due(timings).min(after(self.spoke, timings.keep_alive))
    }

    fn line_due(&self, timings: &Timings) -> Instant {
        match self.probed {
            Some(probed) => after(probed, timings.probe_timeout),
            None => after(self.heard, timings.probe_after),
        }
    }

    /// What is due now; ask until nothing is.
    pub(crate) fn handle_timeout(&mut self, timings: &Timings, now: Instant) -> Option<Due> {
        if self.line_due(timings) <= now {
            if self.probed.is_some() {
                return Some(Due::Dead);
            }
            self.probed = Some(now);
            return Some(Due::Probe);
        }
        if self.spoke < now && after(self.spoke, timings.keep_alive) <= now {
            self.spoke = now;
            return Some(Due::KeepAlive);
        }
        None
    }
}
