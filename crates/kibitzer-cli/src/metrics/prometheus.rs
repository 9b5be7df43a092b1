//! Counters of sessions in the Prometheus text format, served over HTTP.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use kibitzer_bot::Statistics;
use kibitzer_bot::statistics::{LossCause, Tally};
use kibitzer_web::{WebOptions, WebServer};

use super::{COUNTS, MetricsServer, SessionMetrics, TIMES, read_sessions};
use crate::failure::{Failure, report};

/// Binds the address, spawns the HTTP server and reports its URL on standard error.
///
/// # Errors
///
/// [`Failure`] if the address cannot be listened on.
///
/// # Cancel safety
///
/// Cancel safe.
pub(super) async fn bind_and_serve(address: SocketAddr) -> Result<MetricsServer, Failure> {
    let mut server = MetricsServer::default();
    let bound = WebServer::bind(WebOptions::new(address)).await;
    let http = bound.map_err(|error| Failure::local(format!("cannot serve metrics on {address}: {error}")))?;
    report(&format!("metrics at {}metrics", http.links().concat()));
    let (sessions, results) = (Arc::clone(&server.sessions), Arc::clone(&server.results));
    server.task.spawn(http.serve_metrics(move || {
        let of_bot = results.get().map(|results| results_page(&results.borrow())).unwrap_or_default();
        prometheus_page(&read_sessions(&sessions)) + &of_bot
    }));
    Ok(server)
}

/// Parses a loopback address with a port. Refuses other addresses, because everyone who can connect can read the handles of the
/// sessions.
pub(super) fn parse_loopback(text: &str) -> Result<SocketAddr, &'static str> {
    let address: SocketAddr = text.parse().map_err(|_| "an address looks like 127.0.0.1:9100")?;
    if address.ip().is_loopback() { Ok(address) } else { Err("only a loopback address, such as 127.0.0.1, is served") }
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

/// Returns the results of a bot in the same format. No label has a name that a player or the server has chosen, so that the number
/// of series is bounded.
fn results_page(results: &Statistics) -> String {
    let of_color = |color, tally: &Tally| {
        let counts = [("won", tally.won), ("drawn", tally.drawn), ("lost", tally.lost)];
        let line = |(result, n)| format!("kibitzer_bot_games_total{{color=\"{color}\",result=\"{result}\"}} {n}\n");
        counts.map(line).concat()
    };
    let mut lines = vec![
        heading("kibitzer_bot_games_total", "Games of the bot that are over", "counter"),
        of_color("white", &results.white),
        of_color("black", &results.black),
        format!("kibitzer_bot_games_total{{color=\"unknown\",result=\"none\"}} {}\n", results.without_result),
        heading("kibitzer_bot_losses_total", "Lost games by cause", "counter"),
    ];
    let line =
        |(cause, n): (&LossCause, &u32)| format!("kibitzer_bot_losses_total{{cause=\"{}\"}} {n}\n", cause.as_str());
    lines.extend(results.losses.iter().map(line));
    lines.concat()
}

/// Returns the lines before the values of a metric.
fn heading(name: &str, help: &str, kind: &str) -> String {
    format!("# HELP {name} {help}.\n# TYPE {name} {kind}\n")
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
    page.push_str(&heading(&name, help, kind));
    for (number, session) in sessions {
        let Some(value) = value(session) else { continue };
        let (server, handle) =
            (escape_label(&session.server), escape_label(session.handle.as_deref().unwrap_or_default()));
        // Writing to a string cannot fail.
        let _ = writeln!(page, "{name}{{session=\"{number}\",server=\"{server}\",handle=\"{handle}\"}} {value}");
    }
}

/// Escapes backslashes, quotation marks and line feeds in the value of a label.
fn escape_label(value: &str) -> String {
    value.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

#[cfg(test)]
mod tests;
