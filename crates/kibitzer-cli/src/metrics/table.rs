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
mod tests {
    use std::collections::{HashMap, HashSet};

    use tokio::time::Instant;

    use super::*;

    fn session(server: &str, handle: Option<&str>) -> SessionMetrics {
        let mut counters = ClientCounters::default();
        counters.session.bytes_received = u64::MAX;
        counters.session.request_time = Duration::from_micros(1_234_567);
        if handle.is_some() {
            counters.session.round_trip = Some(Duration::from_micros(70_500));
        }
        let clock = SessionClock::new(Instant::now());
        SessionMetrics { clock, server: server.to_owned(), handle: handle.map(str::to_owned), is_ready: true, counters }
    }

    type Labels = HashMap<String, String>;

    /// Parses a page strictly: the samples with their labels, by the name of the metric.
    fn parse(page: &str) -> HashMap<String, Vec<(Labels, String)>> {
        let (mut samples, mut seen) = (HashMap::<_, Vec<_>>::new(), HashSet::new());
        let mut lines = page.strip_suffix('\n').unwrap().lines().peekable();
        while let Some(line) = lines.next() {
            let (name, help) = line.strip_prefix("# HELP ").unwrap().split_once(' ').unwrap();
            let (typed, kind) = lines.next().unwrap().strip_prefix("# TYPE ").unwrap().split_once(' ').unwrap();
            assert!(!help.is_empty() && typed == name, "{line}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
            assert!(["counter", "gauge"].contains(&kind), "{line}");
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
            assert!(samples.insert(name.to_owned(), Vec::new()).is_none(), "{name} comes once");
            while let Some(sample) = lines.next_if(|line| !line.starts_with('#')) {
                assert!(seen.insert(sample.rsplit_once(' ').unwrap().0.to_owned()), "{sample} comes once");
                let (labels, value) = labels(sample.strip_prefix(name).unwrap().strip_prefix('{').unwrap());
                let value = value.strip_prefix(' ').unwrap();
                assert!(value.parse::<f64>().is_ok(), "{sample}");
                samples.get_mut(name).unwrap().push((labels, value.to_owned()));
            }
        }
        samples
    }

    /// Parses labels up to the closing brace, and returns the rest.
    fn labels(mut rest: &str) -> (Labels, &str) {
        let mut labels = Labels::new();
        loop {
            let (name, value) = rest.split_once("=\"").unwrap();
            let (mut text, mut characters) = (String::new(), value.chars());
            loop {
                match characters.next().unwrap() {
                    '"' => break,
                    '\\' => text.push(match characters.next().unwrap() {
                        'n' => '\n',
                        escaped @ ('\\' | '"') => escaped,
                        other => panic!("\\{other}"),
                    }),
                    character => text.push(character),
                }
            }
            assert!(labels.insert(name.to_owned(), text).is_none(), "{name}");
            rest = characters.as_str();
            match rest.strip_prefix(',') {
                Some(more) => rest = more,
                None => return (labels, rest.strip_prefix('}').unwrap()),
            }
        }
    }

    #[test]
    fn a_scrape_is_valid_whatever_the_names_contain() {
        let odd = "a\"b\\c\nd{e=\"f\"} 1";
        let page = prometheus_page(&[(1, session("hall.example", Some("Newton"))), (3, session(odd, None))]);
        let samples = parse(&page);
        assert_eq!(samples.len(), COUNTS.len() + TIMES.len() + 1);
        let bytes = &samples["kibitzer_session_bytes_received_total"];
        assert_eq!((bytes.len(), bytes[1].0["server"].as_str(), bytes[1].0["session"].as_str()), (2, odd, "3"));
        assert_eq!((bytes[0].0["handle"].as_str(), bytes[1].0["handle"].as_str()), ("Newton", ""));
        assert_eq!(samples["kibitzer_session_request_time_seconds_total"][0].1, "1.234567");
        let lag = &samples["kibitzer_session_round_trip_seconds"];
        assert_eq!((lag.len(), lag[0].1.as_str()), (1, "0.070500"), "no value without a measurement");
        assert_eq!(parse(&prometheus_page(&[]))["kibitzer_session_ready"].len(), 0);
    }

    #[test]
    fn the_event_has_every_counter() {
        let event = serde_json::to_value(session("hall.example", Some("Newton"))).unwrap();
        assert_eq!(event.as_object().unwrap().len(), 3 + COUNTS.len() + TIMES.len(), "{event}");
        assert_eq!((&event["server"], &event["ready"]), (&"hall.example".into(), &true.into()));
        assert_eq!((&event["bytes_received"], &event["round_trip_ms"]), (&u64::MAX.into(), &70.into()));
        assert_eq!(event["request_time_ms"], 1234);
    }
}
