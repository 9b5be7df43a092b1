//! Counters of sessions: as JSON events, and as an HTTP/1 page in the Prometheus text format, of which number, size and duration
//! of the requests are limited.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::future::pending;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kibitzer::internal::recorded::SessionClock;
use kibitzer::{Client, ClientCounters, WeakClient};
use memchr::memmem;
use serde::ser::{Serialize, SerializeMap as _, Serializer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at, sleep, timeout};
use tracing::warn;

use crate::arguments::parse_duration;
use crate::failure::{Failure, USAGE, report};
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
            server.task.spawn(serve_page(listener, move || prometheus_page(&read_sessions(&sessions))));
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

/// Returns the counters of numbered sessions in the Prometheus text format, version 0.0.4. The number is a label, because two
/// guests may have no other difference.
pub(crate) fn prometheus_page(sessions: &[(usize, SessionMetrics)]) -> String {
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

/// Maximum number of connections at the same time; a further one closes the oldest.
const MAX_CONNECTIONS: usize = 8;
/// Maximum size of a request with its headers.
const MAX_REQUEST_BYTES: usize = 8 << 10;
/// Bytes after the last header of a request.
const HEAD_END: &[u8] = b"\r\n\r\n";
/// Time in which the client has to send its request, read the answer and close the connection.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause after a failure to accept a connection, such as too many open files.
const ACCEPT_RETRY: Duration = Duration::from_secs(1);

/// Answers each request for `/metrics` with the result of a call of `page`, as plain text in the Prometheus format. Never
/// completes.
///
/// # Cancel safety
///
/// Dropping the future closes all connections.
async fn serve_page(listener: TcpListener, page: impl Fn() -> String + Clone + Send + 'static) {
    let mut connections = JoinSet::new();
    let mut oldest_first = VecDeque::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    oldest_first.retain(|connection: &AbortHandle| !connection.is_finished());
                    if oldest_first.len() >= MAX_CONNECTIONS
                        && let Some(oldest) = oldest_first.pop_front()
                    {
                        oldest.abort();
                    }
                    let answering = timeout(REQUEST_TIMEOUT, answer_request(stream, page.clone()));
                    oldest_first.push_back(connections.spawn(answering));
                }
                Err(error) => {
                    warn!(%error, "no scrape can be accepted");
                    sleep(ACCEPT_RETRY).await;
                }
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// Reads one request, answers it, and waits until the peer closes the connection. Sets no timeout.
///
/// # Errors
///
/// [`io::Error`] of the connection.
///
/// # Cancel safety
///
/// Dropping the future closes the connection.
async fn answer_request(mut stream: impl AsyncRead + AsyncWrite + Unpin, page: impl Fn() -> String) -> io::Result<()> {
    let mut request = Vec::new();
    while memmem::find(&request, HEAD_END).is_none() && request.len() <= MAX_REQUEST_BYTES {
        if (&mut stream).take(1 << 10).read_buf(&mut request).await? == 0 {
            break;
        }
    }
    let request = Request::parse(&request);
    let (status, body) = match &request {
        None => ("400 Bad Request", "the request is not HTTP/1 of at most 8 KiB\n".to_owned()),
        Some(request) if !request.names_this_machine() => {
            ("403 Forbidden", "the host of the request is neither an IP address nor localhost\n".to_owned())
        }
        Some(Request { method: "GET" | "HEAD", path: "/metrics", .. }) => ("200 OK", page()),
        Some(Request { method: "GET" | "HEAD", .. }) => ("404 Not Found", "the page is /metrics\n".to_owned()),
        Some(_) => ("405 Method Not Allowed", "the page can only be read\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\n\
         Allow: GET, HEAD\r\nConnection: close\r\n\r\n",
        body.len()
    );
    let body = if request.is_some_and(|request| request.method == "HEAD") { "" } else { &body };
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await?;
    stream.shutdown().await?;
    // A socket that is closed with unread bytes, such as those of a `POST`, resets the connection, which may lose the answer.
    while stream.read(&mut [0; 1 << 10]).await? > 0 {}
    Ok(())
}

/// The parts of a request on which its answer depends.
struct Request<'a> {
    method: &'a str,
    /// Path without its query.
    path: &'a str,
    /// Value of the header `Host`, which only HTTP/1.1 requires.
    host: Option<&'a str>,
}

impl<'a> Request<'a> {
    /// Parses the request line and the header `Host`. `None` if the headers are incomplete or not UTF-8, the request line does
    /// not have three words, the version is neither HTTP/1.0 nor 1.1, a request of HTTP/1.1 has no `Host`, or one has several.
    fn parse(request: &'a [u8]) -> Option<Self> {
        let head = request.get(..memmem::find(request, HEAD_END)?)?;
        let mut lines = str::from_utf8(head).ok()?.split("\r\n");
        let [method, target, version] = lines.next()?.split(' ').collect::<Vec<_>>()[..] else { return None };
        let headers = lines.filter_map(|line| line.split_once(':'));
        let mut hosts = headers.filter(|(name, _)| name.trim().eq_ignore_ascii_case("host"));
        let host = hosts.next().map(|(_, value)| value.trim());
        let is_valid = match version {
            "HTTP/1.0" => true,
            "HTTP/1.1" => host.is_some(),
            _ => false,
        };
        (is_valid && hosts.next().is_none()).then_some(Self { method, path: target.split('?').next()?, host })
    }

    /// Returns whether the host is an IP address or `localhost`, or not given. Refuses other names to prevent DNS rebinding, in
    /// which a web page reads the counters through a name of its own that resolves to this machine.
    fn names_this_machine(&self) -> bool {
        let Some(host) = self.host else { return true };
        let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let name = host.rsplit_once(':').filter(|(_, port)| is_port(port)).map_or(host, |(name, _)| name);
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        address.parse::<IpAddr>().is_ok() || name.eq_ignore_ascii_case("localhost")
    }
}

#[cfg(test)]
mod tests;
