//! Counters of sessions: `--metrics-every` and `--metrics`.

#![cfg(unix)]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;

use crate::common::schema::Schema;
use crate::common::{kibitzer, run, serve, signal};
use rustix::process::Signal;
use serde_json::Value;

const PAGE: &str = include_str!("../../kibitzer/docs/events.md");

/// The words between backticks.
fn words(cell: &str) -> BTreeSet<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// Starts the program, and returns the first printed object for which `is_wanted` holds. Then ends it.
fn first_object(mut command: Command, is_wanted: impl Fn(&Value) -> bool) -> Value {
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut objects = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let found = objects.find(is_wanted).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    found
}

#[test]
fn counters_are_printed_with_the_keys_of_the_page() {
    let server = serve(&["--no-population"]);
    let command = kibitzer(&["connect", &server.address, "--json", "--metrics-every", "100ms"]);
    let metrics = first_object(command, |object| object["event"] == "metrics" && object["ready"] == true);
    let keys: BTreeSet<_> = metrics.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(Schema::read("events").error(&metrics), None, "{metrics}");
    let row = PAGE.lines().find(|line| line.starts_with("| `metrics` |")).unwrap().split('|').nth(2).unwrap();
    let mut promised: BTreeSet<_> = words(row).into_iter().filter(|word| !word.starts_with("--")).collect();
    promised.extend(["event", "offset", "t", "utc"]);
    assert_eq!(keys, promised);
    assert_eq!((&metrics["server"], &metrics["missed_events"]), (&"127.0.0.1".into(), &0.into()));
    let number = |key: &str| metrics[key].as_u64().unwrap();
    assert!(number("bytes_received") > number("lines_received") && number("lines_received") > 10, "{metrics}");
    assert!(number("requests_answered") > 2 && number("lines_sent") > 5, "{metrics}");
    assert!(metrics["t"].as_f64().unwrap() >= 0.1, "{metrics}");
}

#[test]
fn a_bot_prints_the_counters_of_its_session() {
    let folder = std::env::temp_dir().join(format!("kibitzer-metrics-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut command = kibitzer(&["bot", "--demo", "--json", "--metrics-every", "100ms"]);
    command.current_dir(&folder);
    first_object(command, |object| object["event"] == "metrics" && object["ready"] == true);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_scrape_has_the_counters_of_the_session() {
    let server = serve(&["--no-population"]);
    let mut child = kibitzer(&["connect", &server.address, "--json", "--metrics", "127.0.0.1:0"]).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut address).unwrap();
    let address = address.trim_end().strip_prefix("kibitzer: metrics at http://").unwrap();
    let address = address.strip_suffix("/metrics").unwrap();
    for line in BufReader::new(child.stdout.as_mut().unwrap()).lines() {
        if line.unwrap().contains("\"event\":\"session_ready\"") {
            break;
        }
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    signal(&child, Signal::INT);
    child.wait().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4"), "{answer}");
    assert!(answer.contains("\n# TYPE kibitzer_session_events_total counter\n"), "{answer}");
    let ready = answer.lines().find(|line| line.starts_with("kibitzer_session_ready{")).unwrap();
    assert!(ready.contains("session=\"1\",server=\"127.0.0.1\",handle=\"Guest") && ready.ends_with(" 1"), "{ready}");
}

#[test]
fn counters_are_refused_where_they_cannot_be_shown() {
    for (arguments, reason) in [
        (&["connect", "--metrics", "0.0.0.0:9100"][..], "only a loopback address"),
        (&["record", "--metrics", "9100", "x.jsonl"], "an address looks like 127.0.0.1:9100"),
        (&["connect", "--metrics-every", "10s"], "--metrics-every needs --json"),
        (&["bot", "--demo", "--plain", "--metrics-every", "10s"], "--metrics-every needs --json"),
        (&["--json", "--metrics-every", "0s"], "it has to be from 100ms to 24h"),
        (&["console", "--attach", "x.sock", "--metrics", "127.0.0.1:0"], "cannot be used with"),
    ] {
        let outcome = run(arguments, b"");
        assert_eq!((outcome.status, outcome.stderr.lines().count()), (2, 1), "{arguments:?}: {outcome:?}");
        assert!(outcome.stderr.contains(reason), "{outcome:?}");
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let outcome = run(&["connect", "--metrics", &address], b"");
    assert_eq!(outcome.status, 1);
    assert!(outcome.stderr.starts_with(&format!("kibitzer: cannot serve metrics on {address}: ")), "{outcome:?}");
}
