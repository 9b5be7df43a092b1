//! Detection of dead connections, and prevention of the server's idle logout.
//!
//! | state | input | action | next state |
//! |---|---|---|---|
//! | any | bytes received | | heard |
//! | heard | silence of `probe_after` | probe | probed |
//! | probed | silence of `probe_timeout` | close the connection | |
//! | any | `keep_alive` without a line that resets the idle timer | keep-alive | same |

use std::time::Instant;

use crate::session::options::{Timings, saturating_deadline};

/// Action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LivenessAction {
    /// Send a command that the server answers.
    Probe,
    /// Send a command that resets the server's idle timer.
    KeepAlive,
    /// Close the connection: the probe was not answered.
    Close,
}

/// Timers of one connection: silence of the server, and time since the last line that resets the idle timer.
#[derive(Debug)]
pub(crate) struct Liveness {
    last_heard: Instant,
    /// Time of the last sent line that resets the server's idle timer.
    pub(super) idle_timer_reset_at: Instant,
    /// Time of the unanswered probe; `None` if bytes were received since, or no probe was sent.
    probed: Option<Instant>,
}

impl Liveness {
    pub(super) const fn new(now: Instant) -> Self {
        Self { last_heard: now, idle_timer_reset_at: now, probed: None }
    }

    /// Records that bytes were received.
    pub(crate) const fn record_receipt(&mut self, now: Instant) {
        self.last_heard = now;
        self.probed = None;
    }

    /// Returns the time of the next action.
    pub(super) fn next_deadline(&self, timings: &Timings) -> Instant {
        self.silence_deadline(timings).min(saturating_deadline(self.idle_timer_reset_at, timings.keep_alive))
    }

    fn silence_deadline(&self, timings: &Timings) -> Instant {
        match self.probed {
            Some(probed) => saturating_deadline(probed, timings.probe_timeout),
            None => saturating_deadline(self.last_heard, timings.probe_after),
        }
    }

    /// Returns an action that is due, and restarts its timer unless it closes the connection; `None` if none is due. The caller
    /// repeats the call until `None`.
    pub(super) fn take_due_action(&mut self, timings: &Timings, now: Instant) -> Option<LivenessAction> {
        if self.silence_deadline(timings) <= now {
            if self.probed.is_some() {
                return Some(LivenessAction::Close);
            }
            self.probed = Some(now);
            return Some(LivenessAction::Probe);
        }
        if self.idle_timer_reset_at < now && saturating_deadline(self.idle_timer_reset_at, timings.keep_alive) <= now {
            self.idle_timer_reset_at = now;
            return Some(LivenessAction::KeepAlive);
        }
        None
    }
}
