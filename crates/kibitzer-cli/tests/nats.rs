//! `publish`, `tail` and `pgn --nats` with a real NATS server. Without one, the tests report that they were skipped.

#![cfg(unix)]

#[path = "../../kibitzer-nats/tests/common/mod.rs"]
mod nats_server;

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::{kibitzer, run, serve};
use crate::fleet::{Fleet, without_bytes};
use nats_server::{Link, NatsServer};
use serde_json::Value;

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("nats-cli-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn recording(name: &str) -> String {
    format!("{}/../../tests/transcripts/{name}.jsonl", env!("CARGO_MANIFEST_DIR"))
}

/// Standard output of a command that has to succeed without a message.
fn output(args: &[&str]) -> String {
    let outcome = run(args, b"");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{args:?}");
    outcome.stdout
}

/// The events of a recording, without the times of replies, which are not stored.
fn decoded(path: &str) -> String {
    let lines = output(&["decode", path]);
    let stored = lines.split_inclusive('\n').filter(|line| !line.starts_with(r#"{"event":"answered""#));
    stored.collect()
}

fn stored(url: &str, session: &str) -> String {
    output(&["tail", "--nats", url, "--from", "first", "--stored", "--session", session, "--format", "jsonl"])
}

#[test]
fn a_recording_is_stored_as_it_is_decoded_and_its_games_as_they_are() {
    let Some(server) = NatsServer::start("cli") else { return };
    let url = server.url();
    for name in ["fatics-crazyhouse-black", "uhlinfics-bughouse-4-disconnect-Carla"] {
        let path = recording(name);
        // The second time all of it is stored already.
        for _ in 0..2 {
            assert_eq!(output(&["publish", &path, "--nats", &url]), "");
            let lines: Vec<_> = stored(&url, name).lines().map(|line| without_bytes(line.as_bytes())).collect();
            assert_eq!(String::from_utf8(lines.join(&b'\n')).unwrap(), decoded(&path).trim_end(), "{name}");
        }
    }
    let positions =
        output(&["tail", "--nats", &url, "--from", "first", "--stored", "--kind", "position", "--game", "1"]);
    assert!(positions.lines().count() > 20 && positions.lines().all(|line| line.contains(r#""event":"position""#)));
    let text =
        output(&["tail", "--nats", &url, "--from", "first", "--stored", "--format", "text", "--kind", "game_ended"]);
    assert!(text.contains(" game_ended ") && text.contains("fatics-crazyhouse-black"), "{text}");
    let missing = run(&["tail", "--nats", &url, "--from", "first", "--stored", "--session", "a.b"], b"");
    assert_eq!((missing.status, missing.stdout.as_str()), (0, ""));
    assert_eq!(missing.stderr, "kibitzer: the stream has no events of session a=2Eb\n");
    let games = folder("games");
    // The files are replaced, not appended to.
    for _ in 0..2 {
        assert_eq!(output(&["pgn", "--nats", &url, "-o", games.to_str().unwrap()]), "");
        for name in ["fatics-crazyhouse-black", "uhlinfics-bughouse-4-disconnect-Carla"] {
            let written = fs::read_to_string(games.join(format!("{name}.pgn"))).unwrap();
            assert_eq!(written.trim_end(), output(&["pgn", &recording(name)]).trim_end(), "{name}");
        }
    }
    assert_eq!(fs::read_dir(games).unwrap().count(), 2);
}

#[tokio::test]
async fn publishers_that_are_killed_at_random_lose_and_double_nothing() {
    let Some(server) = NatsServer::start("fleet") else { return };
    let fleet = Fleet { n_publishers: 8, n_victims: 4, events_per_session: 4_000 };
    let outcome = fleet.run(&folder("fleet"), &server.url()).await;
    assert!(outcome.n_kills > 4, "{outcome:?}");
}

/// Starts to publish a live session, and waits until its first boards are stored.
fn publish_live(url: &str, chess_server: &str, args: &[&str]) -> Child {
    let mut command = kibitzer(&[&["publish", chess_server, "--nats", url, "--session", "live"], args].concat());
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.as_mut().unwrap().write_all(b"observe 1\n").unwrap();
    child
}

/// Reads the events of a session until one satisfies the condition.
fn wait_for_event(url: &str, condition: impl Fn(&Value) -> bool) {
    let args = ["tail", "--nats", url, "--from", "first", "--session", "live", "--format", "jsonl"];
    let deadline = Instant::now() + Duration::from_mins(1);
    let mut is_found = false;
    // Ends at once as long as the stream does not exist.
    while !is_found && Instant::now() < deadline {
        let mut tail = kibitzer(&args).spawn().unwrap();
        let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines();
        is_found = lines.any(|line| condition(&serde_json::from_str(&line.unwrap()).unwrap()));
        tail.kill().unwrap();
        tail.wait().unwrap();
    }
    assert!(is_found);
}

fn terminate(child: Child) -> Output {
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    child.wait_with_output().unwrap()
}

fn events(url: &str) -> Vec<Value> {
    stored(url, "live").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_live_session_is_stored_to_its_end_over_a_link_that_is_cut() {
    let Some(server) = NatsServer::start("live") else { return };
    let chess = serve(&["--seed", "1", "--speed", "100"]);
    let link = Link::new(server.port);
    let child = publish_live(&link.url(), &chess.address, &["--guest"]);
    wait_for_event(&server.url(), |event| event["event"] == "position");
    for _ in 0..3 {
        let n_events = events(&server.url()).len();
        link.cut();
        wait_for_event(&server.url(), |_| events(&server.url()).len() > n_events + 5);
    }
    let ended = terminate(child);
    assert!(ended.status.success(), "{ended:?}");
    let events = events(&server.url());
    assert_eq!((&events[0]["event"], &events[events.len() - 1]["event"]), (&"connecting".into(), &"ended".into()));
    let offsets: Vec<_> = events.iter().filter_map(|event| event["offset"].as_u64()).collect();
    assert!(offsets.is_sorted() && offsets.len() > 20, "{offsets:?}");
}

#[test]
fn the_first_of_two_publishers_of_a_session_ends_with_the_reason() {
    let Some(server) = NatsServer::start("second") else { return };
    let chess = serve(&["--seed", "1", "--speed", "100"]);
    let first = publish_live(&server.url(), &chess.address, &["--guest"]);
    wait_for_event(&server.url(), |event| event["event"] == "position");
    let second = publish_live(&server.url(), &chess.address, &["--guest"]);
    let ended = first.wait_with_output().unwrap();
    let reason = String::from_utf8(ended.stderr).unwrap();
    assert!(ended.status.code() == Some(1) && reason.contains("another process publishes session live"), "{reason}");
    assert!(terminate(second).status.success());
}

#[test]
fn events_that_cannot_be_stored_are_counted_at_the_end() {
    let Some(mut server) = NatsServer::start("unsent") else { return };
    let chess = serve(&["--seed", "1", "--speed", "100"]);
    let spill = folder("unsent").join("spill");
    let args = ["--guest", "--when-unreachable", "spill", "--spill", spill.to_str().unwrap()];
    let mut child = publish_live(&server.url(), &chess.address, &args);
    wait_for_event(&server.url(), |event| event["event"] == "position");
    server.kill();
    let mut reports = BufReader::new(child.stderr.take().unwrap()).lines();
    let report = reports.next().unwrap().unwrap();
    assert!(report.starts_with("kibitzer: NATS stores no events: "), "{report}");
    assert_eq!(terminate(child).status.code(), Some(1));
    let report = reports.next().unwrap().unwrap();
    assert!(
        report.contains("events of session live are not stored: ") && report.contains("the spill file has them"),
        "{report}"
    );
    server.restart();
    let n_before = events(&server.url()).len();
    let next = publish_live(&server.url(), &chess.address, &args);
    wait_for_event(&server.url(), |event| event["event"] == "ended");
    assert!(terminate(next).status.success());
    let events = events(&server.url());
    assert!(events.len() > n_before + 5);
    let names: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names.iter().filter(|name| **name == "ended").count(), 2, "{names:?}");
    assert!(!names.contains(&"dropped"), "{names:?}");
}

#[test]
fn arguments_and_servers_that_do_not_fit_are_refused_without_the_password() {
    let url = "nats://user:s3cret@127.0.0.1:1";
    let cases: [(&[&str], i32, &str); 9] = [
        (
            &["publish", &recording("fatics-crazyhouse-black"), "--nats", url],
            1,
            "cannot connect to the NATS server at 127.0.0.1:1",
        ),
        (&["tail", "--nats", url], 1, "cannot connect to the NATS server at 127.0.0.1:1"),
        (&["tail", "--nats", "http://user:s3cret@x"], 1, "address of the NATS server is not valid"),
        (&["tail"], 2, "which NATS server?"),
        (&["publish", "x", "--nats", url, "--when-unreachable", "spill"], 2, "--spill"),
        (&["publish", "x.jsonl", "--nats", url, "--when-unreachable", "spill", "--spill", "y"], 2, "nothing to spill"),
        (&["publish", "x", "--nats", url, "--spill", "y"], 2, "belongs to --when-unreachable spill"),
        (
            &["publish", "x", "--nats", url, "--when-unreachable", "drop", "--spill", "y"],
            2,
            "belongs to --when-unreachable",
        ),
        (&["tail", "--from", "yesterday", "--nats", url], 2, "10m"),
    ];
    for (args, status, want) in cases {
        let outcome = run(args, b"");
        assert_eq!((outcome.status, outcome.stdout.as_str()), (status, ""), "{args:?} {outcome:?}");
        assert!(outcome.stderr.contains(want) && !outcome.stderr.contains("s3cret"), "{outcome:?}");
        // Wrong arguments are refused before the address is used.
        let warns = outcome.stderr.contains("set KIBITZER_NATS instead");
        assert_eq!((warns, outcome.stderr.lines().count()), (status == 1, 1 + usize::from(warns)), "{outcome:?}");
    }
    let mut tail = kibitzer(&["tail", "--log", "trace"]);
    let outcome = tail.env("KIBITZER_NATS", url).output().unwrap();
    let log = String::from_utf8(outcome.stderr).unwrap();
    assert!(log.contains("127.0.0.1") && !log.contains("s3cret") && !log.contains("list of processes"), "{log}");
}

#[test]
fn messages_of_other_programs_are_reported_and_skipped() {
    let Some(server) = NatsServer::start("foreign") else { return };
    let path = recording("fatics-crazyhouse-black");
    output(&["publish", &path, "--nats", &server.url()]);
    let mut client = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    client.write_all(b"CONNECT {\"headers\":true,\"verbose\":false}\r\n").unwrap();
    let position = "NATS/1.0\r\nKibitzer-Position: 1.0.0\r\n\r\n";
    for (headers, subject, line) in [
        (position, "kibitzer.v1./etc/x.text.text", r#"{"event":"text","text":"x"}"#),
        (position, "kibitzer.v1.x.text.text", "\x1b[2J"),
        (position, "kibitzer.v1.y.text.text", r#"{"event":"text","raw":"\u0100"}"#),
        (position, "kibitzer.v1.x.text.text", "{\"event\":\"text\",\n\"text\":\"\u{202e}\u{9b}\"}"),
        ("NATS/1.0\r\n\r\n", "kibitzer.v1.x.text.text", "{}"),
    ] {
        let size = headers.len() + line.len();
        write!(client, "HPUB {subject} {} {size}\r\n{headers}{line}\r\n", headers.len()).unwrap();
    }
    // The answer shows that all of it was received.
    client.write_all(b"PING\r\n").unwrap();
    assert!(BufReader::new(&client).lines().any(|line| line.unwrap() == "PONG"));
    let outcome = run(
        &["tail", "--nats", &server.url(), "--from", "first", "--stored", "--session", "x", "--format", "jsonl"],
        b"",
    );
    assert_eq!((outcome.status, outcome.stdout.as_str()), (0, "{\"event\":\"text\", \"text\":\"\\u202e\\u009b\"}\n"));
    assert_eq!(outcome.stderr.lines().count(), 2, "{}", outcome.stderr);
    assert!(!outcome.stderr.contains('\x1b'));
    let games = folder("foreign");
    let outcome = run(&["pgn", "--nats", &server.url(), "-o", games.to_str().unwrap()], b"");
    assert_eq!(outcome.status, 0, "{}", outcome.stderr);
    let files: Vec<_> = fs::read_dir(&games).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(files, ["fatics-crazyhouse-black.pgn"]);
    // As an earlier version stored it.
    let board = r#"{"event":"position","offset":0}"#;
    let size = position.len() + board.len();
    write!(client, "HPUB kibitzer.v1.x.game.position {} {size}\r\n{position}{board}\r\nPING\r\n", position.len())
        .unwrap();
    assert!(BufReader::new(&client).lines().any(|line| line.unwrap() == "PONG"));
    let outcome = run(&["pgn", "--nats", &server.url()], b"");
    assert!(outcome.status == 1 && outcome.stderr.contains("has no member `raw`"), "{outcome:?}");
}

#[test]
fn the_sample_configurations_are_yaml() {
    let python = std::env::var_os("KIBITZER_PYTHON").unwrap_or_else(|| "python3".into());
    let has_yaml = Command::new(&python).args(["-c", "import yaml"]).stderr(Stdio::null()).status();
    if !has_yaml.is_ok_and(|status| status.success()) {
        eprintln!("skipped: no Python with the module yaml; set KIBITZER_PYTHON, as .ci/run does");
        return;
    }
    for (name, part) in [("vector.yaml", "sources"), ("redpanda-connect.yaml", "input")] {
        let path = format!("{}/../../config/{name}", env!("CARGO_MANIFEST_DIR"));
        let script = "import sys, yaml; assert sys.argv[2] in yaml.safe_load(open(sys.argv[1]))";
        let status = Command::new(&python).args(["-c", script, &path, part]).status();
        assert!(status.unwrap().success(), "{name}");
    }
}

/// Shows a stored session from its start in a browser's terms, until an event has this JSON text. Returns all events, and the text of
/// the stream up to then.
#[cfg(feature = "web")]
fn shown_events(url: &str, session: &str, last: &str) -> (Vec<Value>, String) {
    let args = ["web", "--nats", url, "--session", session, "--from", "first", "--listen", "127.0.0.1:0"];
    let mut child = kibitzer(&args).spawn().unwrap();
    let mut link = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut link).unwrap();
    let address = link.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
    let get = |path: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
        BufReader::new(stream).lines().map(Result::unwrap)
    };
    let mut seen = String::new();
    for line in get("/events") {
        seen += &line;
        if line.contains(last) {
            break;
        }
    }
    // A viewer who comes later is told the account.
    seen.extend(get("/events").take_while(|line| !line.contains("event: line")));
    let events = get("/export?form=json").filter(|line| line.starts_with('{'));
    let events = events.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert!(terminate(child).status.success());
    (events, seen)
}

/// The events of lines, without the bytes of the server.
#[cfg(feature = "web")]
fn parsed<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<Value> {
    lines.map(|line| serde_json::from_slice(&without_bytes(line.as_bytes())).unwrap()).collect()
}

#[cfg(feature = "web")]
#[test]
fn a_stored_session_is_shown_in_a_browser() {
    let Some(server) = NatsServer::start("web") else { return };
    let url = server.url();
    let name = "uhlinfics-bughouse-4-disconnect-Carla";
    let path = recording(name);
    output(&["publish", &path, "--nats", &url]);
    let decoded = decoded(&path);
    let (shown, _) = shown_events(&url, name, decoded.lines().last().unwrap());
    assert_eq!(shown, parsed(decoded.lines()));
    let chess = serve(&["--seed", "1", "--speed", "100"]);
    let child = publish_live(&url, &chess.address, &["--guest"]);
    wait_for_event(&url, |event| event["event"] == "position");
    assert!(terminate(child).status.success());
    let stored = stored(&url, "live");
    let (mut shown, seen) = shown_events(&url, "live", "\"event\":\"ended\"");
    let mut expected = parsed(stored.lines());
    // A line of FICS ends with a carriage return, which is stored with the next event: the line is read with that one.
    for event in shown.iter_mut().chain(&mut expected) {
        assert!(event["utc"].take().is_string() && event["t"].take().is_number());
    }
    for events in [&mut shown, &mut expected] {
        events.sort_by_key(|event| event["offset"].is_null());
    }
    assert_eq!(shown, expected);
    assert!(seen.contains(r#""source":{"handle":""#) && seen.contains(r#""kind":"stream""#), "{seen}");
    for (args, reason) in [
        (&["web", "--nats", &url][..], "which session of the stream? give --session NAME"),
        (&["web", "--nats", &url, "--session", "live", "--write"], "cannot be used with"),
        (&["web", "--nats", &url, "--session", "live", "fics"], "cannot be used with"),
    ] {
        let outcome = run(args, b"");
        assert!(outcome.status == 2 && outcome.stderr.contains(reason), "{args:?}: {outcome:?}");
    }
}
