//! Counters of sessions as JSON events and in the Prometheus text format.

mod http;
mod table;

use std::future::pending;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kibitzer::{Client, WeakClient};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::arguments::parse_duration;
use crate::failure::{Failure, USAGE, report};
use crate::output::{EventWriter, LineFormat, json_object};

pub(crate) use table::SessionMetrics;

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
    #[arg(long, value_name = "ADDRESS", value_parser = parse_loopback)]
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
    pub(crate) async fn bind_and_serve(self) -> Result<MetricsServer, Failure> {
        let mut server = MetricsServer::default();
        if let Some(address) = self.metrics {
            let failed = |error| Failure::local(format!("cannot serve metrics on {address}: {error}"));
            let listener = TcpListener::bind(address).await.map_err(failed)?;
            report(&format!("metrics at http://{}/metrics", listener.local_addr().map_err(failed)?));
            let sessions = Arc::clone(&server.sessions);
            server.task.spawn(http::serve_page(listener, move || table::prometheus_page(&read_sessions(&sessions))));
        }
        Ok(server)
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
    task: JoinSet<()>,
}

impl MetricsServer {
    /// Adds a session. Its counters are served and printed until its last client is dropped.
    pub(crate) fn add_session(&self, client: &Client) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).push(client.downgrade());
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

/// Parses a loopback address with a port. Refuses other addresses, because everyone who can connect can read the handles of the
/// sessions.
fn parse_loopback(text: &str) -> Result<SocketAddr, &'static str> {
    let address: SocketAddr = text.parse().map_err(|_| "an address looks like 127.0.0.1:9100")?;
    if address.ip().is_loopback() { Ok(address) } else { Err("only a loopback address, such as 127.0.0.1, is served") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_other_machines_can_reach_are_refused() {
        for text in ["127.0.0.1:9100", "127.1.2.3:0", "[::1]:9100"] {
            assert_eq!(parse_loopback(text).unwrap().to_string(), text);
        }
        for text in ["0.0.0.0:9100", "192.168.0.1:9100", "[::]:9100", "[::ffff:127.0.0.1]:1"] {
            assert!(parse_loopback(text).unwrap_err().contains("loopback"), "{text}");
        }
        for text in ["", "9100", "localhost:9100", "127.0.0.1", "127.0.0.1:70000"] {
            assert!(parse_loopback(text).unwrap_err().contains("looks like"), "{text}");
        }
    }

    #[test]
    fn intervals_are_within_reason() {
        assert_eq!(parse_interval("100ms"), Ok(Duration::from_millis(100)));
        for text in ["0s", "99ms", "25h", "18446744073709551615h", "", "1"] {
            assert!(parse_interval(text).is_err(), "{text}");
        }
    }
}
