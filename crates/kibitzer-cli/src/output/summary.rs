//! `--format summary`: counts of a stream as one JSON object.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Instant;

use kibitzer::core::{Event, EventKind};
use serde::Serialize;

/// Counts of the events of a stream; serialized as they are printed.
#[derive(Debug, Serialize)]
pub(crate) struct Summary {
    #[serde(skip)]
    start: Instant,
    /// Received bytes.
    bytes: u64,
    /// Number of events except for desyncs and sent lines; includes pings.
    frames: u64,
    /// Number of events of each kind.
    events: BTreeMap<&'static str, u64>,
    desyncs: u64,
    /// Time since the summary was created; set when it is written.
    elapsed_s: f64,
    /// Speed in millions of bytes per second; set when it is written.
    mb_per_s: f64,
}

impl Summary {
    /// Creates a summary without counts. The speed is measured from now on.
    pub(super) fn start() -> Self {
        let (start, events) = (Instant::now(), BTreeMap::new());
        Self { start, bytes: 0, frames: 0, events, desyncs: 0, elapsed_s: 0.0, mb_per_s: 0.0 }
    }

    pub(super) fn count_bytes(&mut self, bytes: usize) {
        self.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
    }

    /// Counts an event under its kind, unless it is a ping, and as a frame, unless it is a desync or a sent line.
    pub(super) fn count(&mut self, event: &Event) {
        match event {
            Event::Desync(_) => self.desyncs += 1,
            Event::Sent { .. } => {}
            _ => self.frames += 1,
        }
        if event.kind() != EventKind::Ping {
            *self.events.entry(event.kind().as_str()).or_default() += 1;
        }
    }

    pub(super) fn count_cut(&mut self) {
        *self.events.entry("cut").or_default() += 1;
    }

    /// Writes the counts as one JSON object on a line, with the time since the start and the speed.
    pub(super) fn write(mut self, mut out: impl Write) -> io::Result<()> {
        self.elapsed_s = self.start.elapsed().as_secs_f64();
        self.mb_per_s = megabytes(self.bytes) / self.elapsed_s.max(f64::MIN_POSITIVE);
        kibitzer::json::write(&mut out, &self)?;
        out.write_all(b"\n")
    }
}

/// Returns a number of bytes in millions of bytes.
#[expect(clippy::cast_precision_loss, reason = "a speed is rounded for display anyway")]
const fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
