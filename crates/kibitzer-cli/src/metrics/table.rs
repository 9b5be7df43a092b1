//! The counters of a session with their names, and both of their forms.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use kibitzer::core::session::SessionState;
use kibitzer::{Client, ClientCounters};
use tokio::time::Instant;

use crate::output::SessionClock;

/// One counter. In JSON its key has the unit `_ms` for a time; in the Prometheus format its name has a prefix, and the suffixes
/// `_seconds` for a time and `_total` for a sum.
struct Metric {
    key: &'static str,
    help: &'static str,
    read: Read,
}

/// How a counter is read.
enum Read {
    Count(fn(&ClientCounters) -> u64),
    TotalTime(fn(&ClientCounters) -> Duration),
    /// The last measurement, if there was one.
    LastTime(fn(&ClientCounters) -> Option<Duration>),
}

/// All counters, in the order of their output.
const METRICS: [Metric; 13] = [
    count("bytes_received", "Bytes received", |all| all.session.bytes_received),
    count("bytes_sent", "Bytes sent", |all| all.session.bytes_sent),
    count("lines_received", "Lines and datagrams received", |all| all.session.lines_received),
    count("lines_sent", "Lines sent", |all| all.session.lines_sent),
    count("events", "Events read from the received bytes", |all| all.session.events),
    count("missed_events", "Events missed by slow subscribers", |all| all.missed_events),
    count("unrecorded_pieces", "Pieces missing from recordings", |all| all.unrecorded_pieces),
    count("reconnects", "Connections opened after the session had been ready", |all| all.session.reconnects),
    count("pings", "Timeseal pings received", |all| all.session.pings),
    count("requests_answered", "Requests and probes answered", |all| all.session.requests_answered),
    count("requests_failed", "Requests that ended without a reply", |all| all.session.requests_failed),
    Metric {
        key: "request_time",
        help: "Time until the replies to the answered requests",
        read: Read::TotalTime(|all| all.session.request_time),
    },
    Metric {
        key: "round_trip",
        help: "Lag: time until the reply to the last answered request or probe",
        read: Read::LastTime(|all| all.session.round_trip),
    },
];

const fn count(key: &'static str, help: &'static str, read: fn(&ClientCounters) -> u64) -> Metric {
    Metric { key, help, read: Read::Count(read) }
}

/// The counters of a session at one time.
#[derive(Clone, Debug)]
pub(crate) struct SessionMetrics {
    clock: SessionClock,
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
            is_ready: client.state() == SessionState::Ready,
            counters: client.counters(),
        }
    }

    /// Writes them as a line of JSON, with the time at which they were read.
    pub(crate) fn write_json(&self, at: Instant, out: &mut impl io::Write) -> io::Result<()> {
        let stamp = self.clock.stamp(at).members();
        write!(out, "{{\"event\":\"metrics\",\"offset\":null{stamp},\"server\":")?;
        kibitzer::json::write(out, &self.server)?;
        out.write_all(b",\"handle\":")?;
        kibitzer::json::write(out, &self.handle)?;
        write!(out, ",\"ready\":{}", self.is_ready)?;
        for Metric { key, read, .. } in &METRICS {
            match read {
                Read::Count(read) => write!(out, ",\"{key}\":{}", read(&self.counters))?,
                Read::TotalTime(read) => write!(out, ",\"{key}_ms\":{}", read(&self.counters).as_millis())?,
                Read::LastTime(read) => match read(&self.counters) {
                    Some(time) => write!(out, ",\"{key}_ms\":{}", time.as_millis())?,
                    None => write!(out, ",\"{key}_ms\":null")?,
                },
            }
        }
        out.write_all(b"}\n")
    }
}

/// Returns the counters of sessions in the Prometheus text format, version 0.0.4. The number of a session is a label, because two
/// guests may have no other difference.
pub(super) fn prometheus(sessions: &[(usize, SessionMetrics)]) -> String {
    let labels = sessions.iter().map(|(number, session)| {
        let (server, handle) = (escape(&session.server), escape(session.handle.as_deref().unwrap_or_default()));
        format!("{{session=\"{number}\",server=\"{server}\",handle=\"{handle}\"}}")
    });
    let labels: Vec<_> = labels.collect();
    let sessions: Vec<_> = labels.iter().zip(sessions.iter().map(|(_, session)| session)).collect();
    let mut page = String::new();
    let ready = sessions.iter().map(|(labels, session)| (*labels, u8::from(session.is_ready).to_string()));
    write_metric(&mut page, "ready", "gauge", "Whether the session accepts requests", ready);
    for Metric { key, help, read } in &METRICS {
        let (suffix, kind) = match read {
            Read::Count(_) => ("_total", "counter"),
            Read::TotalTime(_) => ("_seconds_total", "counter"),
            Read::LastTime(_) => ("_seconds", "gauge"),
        };
        let values =
            sessions.iter().filter_map(|(labels, session)| Some((*labels, read.prometheus(&session.counters)?)));
        write_metric(&mut page, &format!("{key}{suffix}"), kind, help, values);
    }
    page
}

impl Read {
    /// Returns the value as the Prometheus format has it; `None` without a measurement.
    fn prometheus(&self, counters: &ClientCounters) -> Option<String> {
        let seconds = |time: Duration| format!("{}.{:06}", time.as_secs(), time.subsec_micros());
        match self {
            Self::Count(read) => Some(read(counters).to_string()),
            Self::TotalTime(read) => Some(seconds(read(counters))),
            Self::LastTime(read) => read(counters).map(seconds),
        }
    }
}

/// Writes a metric with its values, each after its labels.
fn write_metric<'a>(
    page: &mut String,
    name: &str,
    kind: &str,
    help: &str,
    values: impl Iterator<Item = (&'a String, String)>,
) {
    let name = format!("kibitzer_session_{name}");
    // Writing to a string cannot fail.
    let _ = write!(page, "# HELP {name} {help}.\n# TYPE {name} {kind}\n");
    for (labels, value) in values {
        let _ = writeln!(page, "{name}{labels} {value}");
    }
}

/// Escapes the value of a label.
fn escape(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

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
        let page = prometheus(&[(1, session("hall.example", Some("Newton"))), (3, session(odd, None))]);
        let samples = parse(&page);
        assert_eq!(samples.len(), METRICS.len() + 1);
        let bytes = &samples["kibitzer_session_bytes_received_total"];
        assert_eq!((bytes.len(), bytes[1].0["server"].as_str(), bytes[1].0["session"].as_str()), (2, odd, "3"));
        assert_eq!((bytes[0].0["handle"].as_str(), bytes[1].0["handle"].as_str()), ("Newton", ""));
        assert_eq!(samples["kibitzer_session_request_time_seconds_total"][0].1, "1.234567");
        let lag = &samples["kibitzer_session_round_trip_seconds"];
        assert_eq!((lag.len(), lag[0].1.as_str()), (1, "0.070500"), "no value without a measurement");
        assert_eq!(parse(&prometheus(&[]))["kibitzer_session_ready"].len(), 0);
    }

    #[test]
    fn the_event_has_every_counter() {
        let mut line = Vec::new();
        session("hall.example", Some("Newton")).write_json(Instant::now(), &mut line).unwrap();
        let event: serde_json::Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(event.as_object().unwrap().len(), 7 + METRICS.len(), "{event}");
        assert_eq!(
            (&event["event"], &event["server"], &event["ready"]),
            (&"metrics".into(), &"hall.example".into(), &true.into())
        );
        assert_eq!((&event["bytes_received"], &event["round_trip_ms"]), (&u64::MAX.into(), &70.into()));
        assert_eq!(event["request_time_ms"], 1234);
        assert!(line.ends_with(b"}\n"));
    }
}
