//! `kibitzer console --attach`, at a bot: `kibitzer connect --attach-socket`.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Stdio};

use crate::common::{Outcome, Serving, kibitzer, objects, run, serve};

/// A process that exposes its session.
struct Bot {
    child: Child,
    socket: String,
    _server: Serving,
}

impl Bot {
    /// Starts it, and waits until it is logged in and observes a game.
    fn start(name: &str, args: &[&str]) -> Self {
        let server = serve(&["--seed", "7", "--speed", "0.01"]);
        let socket = new_socket(name);
        let connect = ["connect", &server.address, "--json", "--attach-socket", &socket, "--for", "1m"];
        let mut child = kibitzer(&[&connect, args].concat()).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(b"observe 1\n").unwrap();
        let mut bot = Self { child, socket, _server: server };
        let stdout = bot.child.stdout.take().unwrap();
        // It is read on, so that the bot is not held up.
        let mut lines = until(stdout, r#""event":"position""#);
        std::thread::spawn(move || while lines.read_line(&mut String::new()).is_ok_and(|n| n > 0) {});
        bot
    }

    /// What somebody sees who attaches.
    fn watched(&self, args: &[&str], typed: &[u8]) -> Outcome {
        run(&[&["console", "--attach", &self.socket], args].concat(), typed)
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// The path of a socket that does not exist.
fn new_socket(name: &str) -> String {
    let socket = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&socket);
    socket.to_str().unwrap().to_owned()
}

#[test]
fn bot_exposes_its_session_on_the_socket_of_the_option() {
    let socket = new_socket("attach-demo.sock");
    let arguments = ["bot", "--demo", "--json", "--for", "1m", "--attach-socket", &socket];
    let mut bot = kibitzer(&arguments).current_dir(env!("CARGO_TARGET_TMPDIR")).spawn().unwrap();
    let mut lines = until(bot.stdout.take().unwrap(), r#""action":"thinking""#);
    std::thread::spawn(move || while lines.read_line(&mut String::new()).is_ok_and(|n| n > 0) {});
    let outcome = run(&["console", "--attach", &socket, "--json", "--for", "3s"], b"");
    bot.kill().unwrap();
    bot.wait().unwrap();
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    assert!(objects(&outcome.stdout).iter().any(|event| event["event"] == "position"), "{outcome:?}");
}

/// Reads lines up to one that holds this.
fn until(stdout: ChildStdout, wanted: &str) -> BufReader<ChildStdout> {
    let mut lines = BufReader::new(stdout);
    let mut line = String::new();
    while !line.contains(wanted) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "it ended without {wanted}");
    }
    lines
}

#[test]
fn lines_of_a_watcher_are_sent_where_both_sides_want_it() {
    let bot = Bot::start("attach-write.sock", &["--attach-write"]);
    let outcome = bot.watched(&["--json", "--write", "--for", "3s"], b"date\n");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    let events = objects(&outcome.stdout);
    let times: Vec<_> = events.iter().map(|event| event["t"].as_f64().unwrap()).collect();
    assert!(times.is_sorted() && events.iter().all(|event| event["utc"].is_string()), "{events:?}");
    let place = |wanted: &dyn Fn(&serde_json::Value) -> bool| events.iter().position(wanted).unwrap();
    let board = place(&|event| event["event"] == "position" && event["game"] == 1);
    let sent = place(&|event| event["event"] == "sent" && event["line"].as_str().unwrap().ends_with(" date"));
    let reply = place(&|event| event["text"].as_str().is_some_and(|text| text.starts_with("Local time")));
    assert!(board < sent && sent < reply, "{events:?}");
    let outcome = bot.watched(&["--plain", "--for", "1s"], b"date\n");
    assert!(outcome.status == 0 && !outcome.stdout.contains("Local time"), "{outcome:?}");
    assert!(outcome.stdout.contains("game 1, "), "{outcome:?}");
}

#[test]
fn who_may_only_look_is_told_so_before_anything_is_typed() {
    let bot = Bot::start("attach-read.sock", &[]);
    let outcome = bot.watched(&["--plain", "--write"], b"date\n");
    assert!(outcome.status == 1 && outcome.stderr.contains("may only look"), "{outcome:?}");
}

#[test]
fn a_script_can_tell_how_it_ended() {
    let mut bot = Bot::start("attach-killed.sock", &[]);
    let second = run(&["connect", "127.0.0.1:1", "--attach-socket", &bot.socket], b"");
    assert!(second.status == 1 && second.stderr.contains("another session is exposed at"), "{second:?}");
    let mut watcher = kibitzer(&["console", "--attach", &bot.socket, "--json"]).spawn().unwrap();
    let rest = until(watcher.stdout.take().unwrap(), r#""event":"position""#);
    bot.child.kill().unwrap();
    let lost = watcher.wait_with_output().unwrap();
    drop(rest);
    assert_eq!(lost.status.code(), Some(4));
    assert!(String::from_utf8(lost.stderr).unwrap().contains("the process of the session is gone"));

    let abandoned = bot.watched(&[], b"");
    assert!(abandoned.status == 3 && abandoned.stderr.contains("no process listens on"), "{abandoned:?}");
    let nowhere = run(&["console", "--attach", "/no/such/bot.sock"], b"");
    assert!(nowhere.status == 3 && nowhere.stderr.contains("there is no socket /no/such/bot.sock"), "{nowhere:?}");
    for args in [&["fics"][..], &["--user", "Newton"], &["--record", "x.jsonl"], &["--attach-socket", "y"]] {
        let outcome = run(&[&["console", "--attach", &bot.socket], args].concat(), b"");
        assert!(outcome.status == 2 && outcome.stderr.contains("cannot be used with"), "{outcome:?}");
    }
}
