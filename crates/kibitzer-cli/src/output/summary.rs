//! `--format summary`: counts of a stream as one JSON object.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Instant;

use kibitzer::core::{Event, EventKind};
use serde::Serialize;

/// Counts events while a stream is read.
#[derive(Debug)]
pub(crate) struct Summary {
    start: Instant,
    totals: Totals,
}

/// The printed object.
#[derive(Debug, Default, Serialize)]
struct Totals {
    /// Received bytes.
    bytes: u64,
    /// Messages, including those that print no line.
    frames: u64,
    /// Number of events of each kind.
    events: BTreeMap<&'static str, u64>,
    desyncs: u64,
    elapsed_s: f64,
    /// Millions of bytes per second.
    mb_per_s: f64,
}

impl Summary {
    pub(super) fn start() -> Self {
        Self { start: Instant::now(), totals: Totals::default() }
    }

    pub(super) fn count_bytes(&mut self, bytes: usize) {
        self.totals.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
    }

    pub(super) fn count(&mut self, event: &Event) {
        match event {
            Event::Desync(_) => self.totals.desyncs += 1,
            Event::Sent { .. } => {}
            _ => self.totals.frames += 1,
        }
        if event.kind() != EventKind::Ping {
            *self.totals.events.entry(event.kind().as_str()).or_default() += 1;
        }
    }

    pub(super) fn count_cut(&mut self) {
        *self.totals.events.entry("cut").or_default() += 1;
    }

    pub(super) fn write(mut self, mut out: impl Write) -> io::Result<()> {
        self.totals.elapsed_s = self.start.elapsed().as_secs_f64();
        self.totals.mb_per_s = megabytes(self.totals.bytes) / self.totals.elapsed_s.max(f64::MIN_POSITIVE);
        kibitzer::json::write(&mut out, &self.totals)?;
        out.write_all(b"\n")
    }
}

#[expect(clippy::cast_precision_loss, reason = "a speed is rounded for display anyway")]
const fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
