//! Counters of sessions: as JSON events, and as a page in the Prometheus text format.

#[cfg(feature = "web")]
mod prometheus;

use std::future::pending;
#[cfg(feature = "web")]
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use kibitzer::internal::recorded::SessionClock;
use kibitzer::{Client, ClientCounters, WeakClient};
use kibitzer_bot::Statistics;
#[cfg(feature = "web")]
pub(crate) use prometheus::prometheus_page;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use tokio::sync::watch;
#[cfg(feature = "web")]
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::arguments::parse_duration;
use crate::failure::{Failure, USAGE};
use crate::output::{EventWriter, LineFormat, json_object};

/// Options that print the counters of a session at an interval, or serve them to Prometheus.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct MetricsArgs {
    /// With --json, print the counters of the session as an event `metrics` at this interval, such as 10s
    #[arg(long, value_name = "TIME", value_parser = parse_interval)]
    metrics_every: Option<Duration>,
    #[command(flatten)]
    address: MetricsAddress,
}

/// Option that serves the counters of a session to Prometheus.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct MetricsAddress {
    /// Serve the counters of the session to Prometheus, at /metrics on this loopback address, such as 127.0.0.1:9100
    #[cfg(feature = "web")]
    #[arg(long, value_name = "ADDRESS", value_parser = prometheus::parse_loopback)]
    metrics: Option<SocketAddr>,
}

impl MetricsArgs {
    /// Serves the counters as [`MetricsAddress::bind_and_serve`] does, after a check that they are printed in JSON only. Does not
    /// print them: see [`MetricsServer::print_at_interval`].
    ///
    /// # Errors
    ///
    /// [`Failure`] if they are requested in an output that is not JSON, or the address cannot be listened on.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn bind_and_serve(self, format: LineFormat) -> Result<MetricsServer, Failure> {
        if self.metrics_every.is_some() && format != LineFormat::Jsonl {
            return Err(Failure::new(USAGE, "--metrics-every needs --json (try --help)"));
        }
        Ok(MetricsServer { print_interval: self.metrics_every, ..self.address.bind_and_serve().await? })
    }
}

impl MetricsAddress {
    /// With `--metrics`, binds the address, spawns the HTTP server and reports its URL on standard error. Otherwise returns a
    /// [`MetricsServer`] that serves nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the address cannot be listened on.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    #[cfg_attr(not(feature = "web"), expect(clippy::unused_async, reason = "nothing is bound"))]
    pub(crate) async fn bind_and_serve(self) -> Result<MetricsServer, Failure> {
        #[cfg(feature = "web")]
        if let Some(address) = self.metrics {
            return prometheus::bind_and_serve(address).await;
        }
        Ok(MetricsServer::default())
    }
}

/// Returns a timer that first fires after `every`, then at this interval; a late tick delays the next ones.
pub(crate) fn metrics_ticks(every: Duration) -> Interval {
    let mut ticks = interval_at(Instant::now() + every, every);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

/// Sessions whose counters are printed or served.
type ServedSessions = Mutex<Vec<WeakClient>>;

/// Serves the counters of its sessions over HTTP, if an address was given, and prints them on request. Dropping it stops the HTTP
/// server.
#[derive(Debug, Default)]
pub(crate) struct MetricsServer {
    /// Interval at which counters are printed; `None` if they are not printed.
    pub(crate) print_interval: Option<Duration>,
    sessions: Arc<ServedSessions>,
    /// Results of the bot whose sessions they are.
    results: Arc<OnceLock<watch::Receiver<Statistics>>>,
    #[cfg(feature = "web")]
    task: JoinSet<()>,
}

impl MetricsServer {
    /// Adds a session. Its counters are served and printed until its last client is dropped.
    pub(crate) fn add_session(&self, client: &Client) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).push(client.downgrade());
    }

    /// Adds the results of a bot to what is served, once.
    pub(crate) fn add_bot(&self, results: watch::Receiver<Statistics>) {
        self.results.get_or_init(|| results);
    }

    /// Prints the counters of every session on standard output as JSON at each [`print_interval`](Self::print_interval). Returns
    /// only if printing fails; never without an interval.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn print_at_interval(&self) -> Failure {
        let Some(interval) = self.print_interval else { return pending().await };
        let mut ticks = metrics_ticks(interval);
        loop {
            let at = ticks.tick().await;
            let mut lines = EventWriter::new(LineFormat::Jsonl);
            let mut sessions = read_sessions(&self.sessions).into_iter().map(|(_, session)| session);
            let written = sessions.try_for_each(|session| {
                lines.write_own_event_if_json("metrics", &session.clock.stamp(at), &json_object(&session))
            });
            if let Err(failure) = written.and_then(|()| lines.finish()) {
                return failure;
            }
        }
    }
}

/// Reads the counters of the sessions that still have a client, each with the number of the session in this process, counted from
/// 1 in the order of [`add_session`](MetricsServer::add_session).
fn read_sessions(sessions: &ServedSessions) -> Vec<(usize, SessionMetrics)> {
    let sessions = sessions.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let sessions = (1..).zip(sessions.iter().map(WeakClient::upgrade));
    sessions.filter_map(|(number, client)| Some((number, SessionMetrics::of(&client?)))).collect()
}

/// Parses the interval of printed counters: a duration from 100 ms to 24 h.
fn parse_interval(text: &str) -> Result<Duration, &'static str> {
    /// A shorter interval would print more counters than events, a longer one nothing.
    const RANGE: std::ops::RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_hours(24);
    let interval = parse_duration(text)?;
    if RANGE.contains(&interval) { Ok(interval) } else { Err("it has to be from 100ms to 24h") }
}

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

#[cfg(test)]
mod tests;
