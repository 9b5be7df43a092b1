//! The counters of a session with their names, as JSON and in the Prometheus format.

use std::fmt::Write as _;
use std::time::Duration;

use kibitzer::{Client, ClientCounters};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

use crate::output::SessionClock;

/// Reads one counter.
type Read<T> = fn(&ClientCounters) -> T;

/// The counts in the order of their output: key, help, and how the value is read. In the Prometheus format, the key gets the
/// suffix `_total`.
const COUNTS: [(&str, &str, Read<u64>); 11] = [
    ("bytes_received", "Bytes received", |all| all.session.bytes_received),
    ("bytes_sent", "Bytes sent", |all| all.session.bytes_sent),
    ("lines_received", "Lines and datagrams received", |all| all.session.lines_received),
    ("lines_sent", "Lines sent", |all| all.session.lines_sent),
    ("events", "Events read from the received bytes", |all| all.session.events),
    ("missed_events", "Events missed by slow subscribers", |all| all.missed_events),
    ("unrecorded_pieces", "Pieces missing from recordings", |all| all.unrecorded_pieces),
    ("reconnects", "Connections opened after the session had been ready", |all| all.session.reconnects),
    ("pings", "Timeseal pings received", |all| all.session.pings),
    ("requests_answered", "Requests and probes with a complete reply", |all| all.session.requests_answered),
    ("requests_failed", "Requests that ended without a complete reply", |all| all.session.requests_failed),
];

/// The durations, which follow the counts: key, suffix in the Prometheus format, help, and how the value is read. In JSON, the
/// key gets the suffix `_ms`. `None` stands for a duration that was not measured yet.
const TIMES: [(&str, &str, &str, Read<Option<Duration>>); 2] = [
    ("request_time", "_seconds_total", "Sum of all round trips, of incomplete replies too", |all| {
        Some(all.session.request_time)
    }),
    ("round_trip", "_seconds", "Lag: time until the last reply to a request or probe began", |all| {
        all.session.round_trip
    }),
];

/// The counters of a session at one moment. Serialized as the members of the event `metrics`.
#[derive(Clone, Debug)]
pub(crate) struct SessionMetrics {
    pub(super) clock: SessionClock,
    server: String,
    handle: Option<String>,
    is_ready: bool,
    counters: ClientCounters,
}

impl SessionMetrics {
    /// Reads the counters of a session.
    pub(crate) fn of(client: &Client) -> Self {
        Self {
            clock: SessionClock::new(client.began()),
            server: client.server().to_owned(),
            handle: client.handle().map(|handle| handle.to_string()),
            is_ready: client.state().accepts_requests(),
            counters: client.counters(),
        }
    }
}

impl Serialize for SessionMetrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("server", &self.server)?;
        members.serialize_entry("handle", &self.handle)?;
        members.serialize_entry("ready", &self.is_ready)?;
        for (key, _, read) in COUNTS {
            members.serialize_entry(key, &read(&self.counters))?;
        }
        for (key, _, _, read) in TIMES {
            let ms = read(&self.counters).map(|time| time.as_millis());
            members.serialize_entry(&format!("{key}_ms"), &ms)?;
        }
        members.end()
    }
}

/// Returns the counters of numbered sessions in the Prometheus text format, version 0.0.4. The number is a label, because two
/// guests may have no other difference.
pub(super) fn prometheus_page(sessions: &[(usize, SessionMetrics)]) -> String {
    let mut page = String::new();
    write_metric(&mut page, sessions, "ready", "Whether the session accepts requests", |session| {
        Some(u8::from(session.is_ready).to_string())
    });
    for (key, help, read) in COUNTS {
        let value = |session: &SessionMetrics| Some(read(&session.counters).to_string());
        write_metric(&mut page, sessions, &format!("{key}_total"), help, value);
    }
    for (key, suffix, help, read) in TIMES {
        let seconds = |time: Duration| format!("{}.{:06}", time.as_secs(), time.subsec_micros());
        let value = |session: &SessionMetrics| read(&session.counters).map(seconds);
        write_metric(&mut page, sessions, &format!("{key}{suffix}"), help, value);
    }
    page
}

/// Appends a metric to the page, with its value for each session; a session for which `value` returns `None` is left out. A
/// metric whose name ends in `_total` is a counter, any other a gauge.
fn write_metric(
    page: &mut String,
    sessions: &[(usize, SessionMetrics)],
    name: &str,
    help: &str,
    value: impl Fn(&SessionMetrics) -> Option<String>,
) {
    let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
    let name = format!("kibitzer_session_{name}");
    // Writing to a string cannot fail.
    let _ = write!(page, "# HELP {name} {help}.\n# TYPE {name} {kind}\n");
    for (number, session) in sessions {
        let Some(value) = value(session) else { continue };
        let (server, handle) =
            (escape_label(&session.server), escape_label(session.handle.as_deref().unwrap_or_default()));
        let _ = writeln!(page, "{name}{{session=\"{number}\",server=\"{server}\",handle=\"{handle}\"}} {value}");
    }
}

/// Escapes backslashes, quotation marks and line feeds in the value of a label.
fn escape_label(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests;
