//! Times of events.

use std::time::Duration;

use kibitzer::transcript::Utc;

/// The time of an event in a session or a recording.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    /// Time since the session began.
    pub(crate) time: Duration,
    /// Time of day, if it is known.
    pub(crate) utc: Option<Utc>,
}

impl Stamp {
    /// Returns the time in seconds, with the digits of [`json_members`](Self::json_members).
    pub(crate) fn seconds(self) -> f64 {
        Duration::from_micros(u64::try_from(self.time.as_micros()).unwrap_or(u64::MAX)).as_secs_f64()
    }

    /// Returns members for a JSON object, with a comma before each, as `kibitzer decode` prints them.
    pub(crate) fn json_members(self) -> String {
        let utc = self.utc.map_or_else(|| "null".to_owned(), |utc| format!("\"{utc}\""));
        format!(",\"t\":{}.{:06},\"utc\":{utc}", self.time.as_secs(), self.time.subsec_micros())
    }
}
