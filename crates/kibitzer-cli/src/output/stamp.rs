//! When something happened.

use std::time::Duration;

use kibitzer::transcript::{Record, Utc};
use serde::ser::{Error as _, SerializeMap};
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::values::{Printed, keys};

/// The time of an event in a session or a recording.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stamp {
    /// Since the session began.
    time: Duration,
    utc: Option<Utc>,
}

impl Stamp {
    /// Returns the time of a record.
    pub(crate) const fn of(record: &Record) -> Self {
        Self { time: record.time, utc: record.utc }
    }

    /// Writes `t`, in seconds with microseconds, and `utc`.
    pub(super) fn write_keys<M: SerializeMap>(&self, object: &mut M) -> Result<(), M::Error> {
        let seconds = format!("{}.{:06}", self.time.as_secs(), self.time.subsec_micros());
        let seconds = RawValue::from_string(seconds).map_err(M::Error::custom)?;
        keys!(object, "t": seconds, "utc": self.utc.map(Printed))
    }
}

/// Converts points in time of a live session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SessionClock {
    began: Instant,
    utc: Utc,
}

impl SessionClock {
    /// Counts from the beginning of the session.
    pub(crate) fn new(began: Instant) -> Self {
        Self { began, utc: Utc::now().minus(began.elapsed()) }
    }

    /// Returns the time of something that happens then.
    pub(crate) fn stamp(&self, at: Instant) -> Stamp {
        let time = at.saturating_duration_since(self.began);
        Stamp { time, utc: Some(self.utc.plus(time)) }
    }
}
