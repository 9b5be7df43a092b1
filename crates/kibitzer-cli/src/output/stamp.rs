//! Times of events: since the start of the session, and of day.

use std::time::Duration;

use kibitzer::transcript::Utc;
use tokio::time::Instant;

/// The time of an event in a session or a recording.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamp {
    /// Time since the session began.
    pub(crate) time: Duration,
    /// Time of day, if it is known.
    pub(crate) utc: Option<Utc>,
}

impl Stamp {
    /// Returns members for a JSON object, with a comma before each: `,"t":1.500000,"utc":"..."`. `t` is the time in seconds since
    /// the session began; `utc` is `null` if it is not known.
    pub(crate) fn json_members(&self) -> String {
        let utc = self.utc.map_or_else(|| "null".to_owned(), |utc| format!("\"{utc}\""));
        format!(",\"t\":{}.{:06},\"utc\":{utc}", self.time.as_secs(), self.time.subsec_micros())
    }
}

/// Converts instants of a live session to [`Stamp`]s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionClock {
    began: Instant,
    utc: Utc,
}

impl SessionClock {
    /// Creates the clock of a session that began at this instant. The time of day is read once, here.
    pub(crate) fn new(began: Instant) -> Self {
        Self { began, utc: Utc::now().minus(began.elapsed()) }
    }

    /// Returns the stamp of an instant; an instant before the session began counts as its beginning.
    pub(crate) fn stamp(&self, at: Instant) -> Stamp {
        let time = at.saturating_duration_since(self.began);
        Stamp { time, utc: Some(self.utc.plus(time)) }
    }
}
