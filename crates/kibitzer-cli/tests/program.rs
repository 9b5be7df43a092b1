//! Requests of programs to `kibitzer connect --json`.

use crate::common;
use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::common::schema::Schema;
use crate::common::{kibitzer, serve};
use serde_json::Value;

/// A running `kibitzer connect --json`, as a program sees it.
struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    events: Lines<BufReader<ChildStdout>>,
    /// Every event has to be valid by it.
    schema: Schema,
}

impl Session {
    fn start(address: &str) -> Self {
        let mut child = kibitzer(&["connect", address, "--json", "--for", "1m"]).stdin(Stdio::piped()).spawn().unwrap();
        let events = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { stdin: child.stdin.take(), child, events, schema: Schema::read("events") }
    }

    fn write(&mut self, lines: impl AsRef<[u8]>) {
        self.stdin.as_ref().unwrap().write_all(lines.as_ref()).unwrap();
    }

    /// The next event of one of these kinds.
    fn next(&mut self, kinds: &[&str]) -> Option<Value> {
        let parse = |line: std::io::Result<String>| {
            let event = serde_json::from_str::<Value>(&line.unwrap()).unwrap();
            assert_eq!(self.schema.error(&event), None, "{event}");
            event
        };
        self.events.by_ref().map(parse).find(|event| kinds.contains(&event["event"].as_str().unwrap()))
    }

    fn answer(&mut self) -> Value {
        self.next(&["reply", "failed"]).unwrap()
    }

    /// The answers up to the end of the session.
    fn rest(mut self) -> Vec<Value> {
        self.stdin = None;
        let answers = std::iter::from_fn(|| self.next(&["reply", "failed"])).collect();
        assert!(self.child.wait().unwrap().success());
        answers
    }
}

/// The words of an answer: its event, and the kind of the content or the reason.
fn outcome(answer: &Value) -> String {
    let word = answer["kind"].as_str().or_else(|| answer["reason"].as_str()).unwrap();
    format!("{} {word}", answer["event"].as_str().unwrap())
}

fn outcomes_of<'a>(answers: &'a [Value], id: &Value) -> Vec<&'a Value> {
    answers.iter().filter(|answer| answer["id"] == *id).collect()
}

const GUEST: &str = "\n\rPress return to enter the server as \"GuestPUPE\": ";
const STARTING: &str = "\n\r**** Starting FICS session as GuestPUPE(U) ****\n\r\n\rfics% ";

/// The server's end of a connection to a server that the test plays.
struct Peer(BufReader<TcpStream>);

impl Peer {
    fn say(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line
    }

    fn log_in(listener: &TcpListener) -> Self {
        let mut peer = Self(BufReader::new(listener.accept().unwrap().0));
        for text in ["login: ", "\n\r#Ivars set.\n\r\n\rlogin: ", GUEST] {
            peer.say(text);
            peer.line();
        }
        peer.say(STARTING);
        peer
    }

    /// Answers commands up to this one, which stays without an answer, and returns its number.
    fn serve_until(&mut self, wanted: &str) -> String {
        loop {
            let line = self.line();
            match line.trim_end().split_once(' ') {
                None => self.say("\x150\x16519\x16\x17\n\rfics% "),
                Some((number, command)) if command == wanted => return number.to_owned(),
                Some((number, _)) => self.say(&format!("\x15{number}\x1656\x16set.\n\r\x17\n\rfics% ")),
            }
        }
    }
}

#[test]
fn every_request_has_one_answer_of_its_type() {
    // On ICC the reply to `quit` ends before the connection does.
    for (family, quit) in [("fics", "failed ended"), ("icc", "reply text")] {
        let server = serve(&["--family", family]);
        let mut session = Session::start(&server.address);
        session.write(
            "{\"id\":1,\"command\":\"games\"}\n{\"id\":\"finger\",\"command\":\"finger Whetstone\",\"expires_ms\":60000}\n\
             {\"id\":12345678901234567890123,\"command\":\"who\"}\n{\"id\":4,\"command\":\"nonsense\"}\n\
             {\"id\":5,\"command\":\"date\",\"expires_ms\":0}\n{\"id\":6,\"command\":\"tell Whetstone hi\"}\n",
        );
        let mut answers: Vec<_> = (0..6).map(|_| session.answer()).collect();
        session.write("{\"id\":7,\"command\":\"e4\",\"game\":12345}\n{\"id\":8,\"command\":\"quit\"}\n");
        answers.extend(session.rest());
        let large: Value = serde_json::from_str("12345678901234567890123").unwrap();
        let want = [
            (1.into(), "reply game_list"),
            ("finger".into(), "reply finger"),
            (large, "reply who_list"),
            (4.into(), "reply refused"),
            (5.into(), "failed expired"),
            (6.into(), "reply text"),
            (7.into(), "failed game_over"),
            (8.into(), quit),
        ];
        assert_eq!(answers.len(), want.len(), "{family}: {answers:#?}");
        for (id, want) in want {
            let [answer] = outcomes_of(&answers, &id)[..] else { panic!("{family}, {id}: {answers:#?}") };
            assert_eq!(outcome(answer), want, "{family}, {id}");
        }
        let content = |id: u64| &outcomes_of(&answers, &id.into())[0]["content"];
        assert!(!content(1)["games"].as_array().unwrap().is_empty());
        assert_eq!(content(4)["reason"], "unknown_command");
        assert_eq!(content(6)["lines"][0], "(told Whetstone)");
    }
}

#[test]
fn a_subscription_limits_which_events_are_printed() {
    let server = serve(&[]);
    let mut session = Session::start(&server.address);
    session.write("{\"id\":\"s\",\"subscribe\":{\"filter\":\"kind:farewell or kind:session_ready\"}}\n");
    let subscribed = session.next(&["subscribed"]).unwrap();
    assert_eq!(
        (&subscribed["id"], &subscribed["filter"]),
        (&"s".into(), &"kind:farewell or kind:session_ready".into())
    );
    session.write("{\"id\":1,\"command\":\"games\"}\n");
    session.next(&["reply"]).unwrap();
    session.write("{\"id\":2,\"command\":\"nonsense\"}\n{\"id\":3,\"command\":\"quit\"}\n{\"id\":4}\n");
    let event_of = |line: String| serde_json::from_str::<Value>(&line).unwrap()["event"].as_str().unwrap().to_owned();
    let mut rest: Vec<_> = session.events.by_ref().map(|line| event_of(line.unwrap())).collect();
    rest.sort();
    assert_eq!(rest, ["failed", "failed", "farewell", "reply"]);
    session.rest();
}

#[test]
fn lines_that_are_no_requests_fail_with_their_number() {
    let server = serve(&["--no-population"]);
    let mut session = Session::start(&server.address);
    session.write("{\"id\":1,\"comand\":\"x\"}\n{\n");
    session.write(b"{\"id\":3,\"command\":\"\xff\"}\r\n");
    session.write(format!("{{\"id\":4,\"command\":\"{}\"}}\n", "x".repeat(100_000)));
    session.write("{\"id\":5,\"command\":\"date\"}\n{\"id\":5,\"command\":\"date\"}\n{\"id\":\"6\",\"command\":\"a\\nb\"}\ndate\nquit\n");
    let answers = session.rest();
    let failures: Vec<_> = answers.iter().filter(|answer| answer["event"] == "failed").collect();
    let want = [
        (1, 1.into(), "invalid"),
        (2, Value::Null, "invalid"),
        (3, Value::Null, "invalid"),
        (4, Value::Null, "invalid"),
        (6, 5.into(), "duplicate_id"),
        (7, "6".into(), "invalid"),
    ];
    assert_eq!(failures.len(), want.len(), "{answers:#?}");
    for (failure, (line, id, reason)) in failures.iter().zip(want) {
        assert_eq!((&failure["line"], &failure["id"], &failure["reason"]), (&line.into(), &id, &reason.into()));
    }
    assert_eq!(answers.iter().filter(|answer| answer["event"] == "reply" && answer["id"] == 5).count(), 1);
}

#[test]
fn a_request_that_expires_before_the_login_is_not_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut session = Session::start(&listener.local_addr().unwrap().to_string());
    session.write("{\"id\":1,\"command\":\"shout late\",\"expires_ms\":20}\n{\"id\":2,\"command\":\"finger\"}\n");
    assert_eq!(outcome(&session.answer()), "failed expired");
    let mut peer = Peer::log_in(&listener);
    peer.serve_until("finger");
    drop(peer);
    assert_eq!(outcome(&session.answer()), "failed lost");
    session.child.kill().unwrap();
    session.child.wait().unwrap();
}

#[test]
fn a_password_that_the_server_repeats_is_not_in_the_reply() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut session = Session::start(&listener.local_addr().unwrap().to_string());
    let mut peer = Peer::log_in(&listener);
    session.write("{\"id\":1,\"command\":\"alias pw password\"}\n{\"id\":2,\"command\":\"pw swordfish perch\"}\n");
    let number = peer.serve_until("pw swordfish perch");
    peer.say(&format!("\x15{number}\x1693\x16Password changed to \"PER&#x43;H\".\n\r\x17\n\rfics% "));
    assert_eq!(session.answer()["content"]["lines"][0], "set.");
    assert_eq!(session.answer()["content"]["lines"][0], "Password changed to \"**********\".");
    session.write("{\"id\":3,\"command\":\"pw swordfish perch\"}\n");
    let number = peer.serve_until("pw swordfish perch");
    peer.say(&format!("\x15{number}\x16512\x16perch: Command not found.\n\r\x17\n\rfics% "));
    let refused = session.answer();
    assert_eq!(
        (&refused["kind"], &refused["content"]["text"]),
        (&"refused".into(), &"*****: Command not found.".into())
    );
    session.child.kill().unwrap();
    session.child.wait().unwrap();
}

#[test]
fn an_alias_that_only_the_server_lists_is_known_to_contain_a_password() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut session = Session::start(&listener.local_addr().unwrap().to_string());
    let mut peer = Peer::log_in(&listener);
    // A plain line: the program sees its reply only as events.
    session.write("alias\n");
    let number = peer.serve_until("alias");
    peer.say(&format!("\x15{number}\x162\x16pw -> password\n\r\x17\n\rfics% "));
    session.write("{\"id\":1,\"command\":\"finger\"}\n");
    let number = peer.serve_until("finger");
    peer.say(&format!("\x15{number}\x1637\x16Finger\n\r\x17\n\rfics% "));
    session.answer();
    session.write("{\"id\":2,\"command\":\"pw swordfish perch\"}\n");
    let number = peer.serve_until("pw swordfish perch");
    peer.say(&format!("\x15{number}\x1693\x16Password changed to \"perch\".\n\r\x17\n\rfics% "));
    assert_eq!(session.answer()["content"]["lines"][0], "Password changed to \"*****\".");
    session.child.kill().unwrap();
    session.child.wait().unwrap();
}

#[test]
fn the_number_of_requests_without_an_answer_is_limited() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut session = Session::start(&listener.local_addr().unwrap().to_string());
    for id in 0..65 {
        session.write(format!("{{\"id\":{id},\"command\":\"finger\"}}\n"));
    }
    let failed = session.answer();
    assert_eq!((outcome(&failed).as_str(), &failed["id"]), ("failed busy", &64.into()));
    session.child.kill().unwrap();
    session.child.wait().unwrap();
}

#[test]
fn the_end_of_the_session_is_printed_after_every_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut session = Session::start(&listener.local_addr().unwrap().to_string());
    let mut peer = Peer::log_in(&listener);
    session.next(&["connected"]);
    for id in 0..30 {
        session.write(format!("{{\"id\":{id},\"command\":\"finger\"}}\n"));
    }
    session.write("{\"id\":30,\"command\":\"quit\"}\n");
    peer.serve_until("quit");
    drop(peer);
    let mut kinds: Vec<_> = std::iter::from_fn(|| session.next(&["reply", "failed", "ended"]))
        .map(|event| event["event"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds.pop().as_deref(), Some("ended"));
    assert_eq!(kinds.len(), 31);
    session.rest();
}

#[cfg(unix)]
#[test]
fn requests_fail_when_the_session_is_stopped() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut session = Session::start(&listener.local_addr().unwrap().to_string());
    let mut peer = Peer::log_in(&listener);
    session.next(&["connected"]);
    session.write("{\"id\":1,\"command\":\"finger\"}\n");
    peer.serve_until("finger");
    common::signal(&session.child, rustix::process::Signal::INT);
    let answers = session.rest();
    assert_eq!(answers.iter().map(outcome).collect::<Vec<_>>(), ["failed ended"]);
}
