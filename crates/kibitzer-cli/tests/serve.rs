//! `kibitzer serve`.

use crate::common;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::process::Stdio;

use crate::common::{Outcome, decode, file, kibitzer, objects, run, serve, timeless};
use serde_json::Value;

/// What a guest is shown who types this.
fn guest(address: &str, typed: &str) -> Outcome {
    let mut child =
        kibitzer(&["connect", address, "--for", "30s", "--no-reconnect"]).stdin(Stdio::piped()).spawn().unwrap();
    // A session that was refused takes no lines.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    let output = child.wait_with_output().unwrap();
    Outcome {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code().unwrap(),
    }
}

#[test]
fn its_players_play() {
    // Besides them, one game of crazyhouse, two of bughouse and a relayed one.
    for (games, n_listed) in [("2", 6), ("9", 13)] {
        let server = serve(&["--seed", "7", "--games", games, "--speed", "0.01"]);
        let Outcome { stdout, status, .. } = guest(&server.address, "games\nquit\n");
        assert!(status == 0 && stdout.contains(&format!("{n_listed} games displayed")), "{stdout}");
    }
}

/// What an account sees of the first games of a server of that family whose players are too slow to move meanwhile.
fn games_of(family: &str) -> Vec<Value> {
    let accounts = file(&format!("serve-{family}.toml"), "[[account]]\nhandle = 'Newton'\npassword = 'swordfish'\n");
    let server = serve(&["--family", family, "--seed", "7", "--speed", "0.01", "--accounts", &accounts]);
    let secret = file(&format!("serve-{family}-password"), "swordfish\n");
    let recording = file(&format!("serve-{family}.jsonl"), "");
    std::fs::remove_file(&recording).unwrap();
    let mut child = kibitzer(&["connect", &server.address, "--user", "Newton", "--password-file", &secret, "--json"]);
    let child = child.args(["--for", "1m", "--record", &recording]).stdin(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"observe 1\nobserve 2\nobserve 3\nobserve 4\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    let decoded = decode(&["--server", family, &recording], b"");
    let sent = |printed: &str| -> Vec<Value> {
        objects(printed)
            .into_iter()
            .filter(|event| event["event"] == "sent")
            .filter_map(|event| event.get("line").cloned())
            .collect()
    };
    // The recording leaves out what was sent at the login.
    let (shown, recorded) = (sent(&printed), sent(&decoded));
    assert_eq!(shown.len(), recorded.len(), "{printed}");
    assert!(shown.iter().zip(&recorded).all(|(shown, line)| line.is_null() || line == shown), "{shown:?} {recorded:?}");
    assert!(recorded.iter().any(|line| line.as_str().is_some_and(|line| line.ends_with("observe 4"))), "{recorded:?}");
    let of_the_server: Vec<_> =
        objects(&timeless(&printed)).into_iter().filter(|event| !event["offset"].is_null()).collect();
    assert_eq!(objects(&timeless(&decoded)), of_the_server, "what was recorded says the same");
    of_the_server
}

#[test]
fn both_families_show_the_same_games() {
    let seen = ["fics", "icc"].map(|family| {
        let events = games_of(family);
        let is_known = |kind: &str| events.iter().any(|event| event["event"] == kind);
        assert_eq!(is_known("unit_start"), family == "icc");
        assert!(is_known("logged_in") && is_known("holding"), "{family}");
        // One board of each game; ICC tells the clocks once more beside it, and has no milliseconds in it.
        let mut boards: Vec<_> = events.iter().filter(|event| event["event"] == "position").collect();
        boards.dedup_by_key(|board| &board["game"]);
        let fields = ["game", "fen", "white", "black", "initial_s", "increment_s", "move_number", "last_move"];
        boards.iter().map(|board| fields.map(|field| board[field].clone())).collect::<Vec<_>>()
    });
    assert_eq!(seen[0].len(), 4, "{seen:?}");
    let without_times = |games: &[[Value; 8]]| {
        let mut games = games.to_vec();
        for [.., last_move] in &mut games {
            last_move["elapsed_ms"] = Value::Null;
        }
        games
    };
    assert_eq!(without_times(&seen[0]), without_times(&seen[1]));
}

/// crates/kibitzer/docs/events.md: which `refused` events are answers to the session's own fences.
#[test]
fn a_refused_event_with_the_fence_of_an_earlier_sent_event_answers_that() {
    let server = serve(&["--family", "icc", "--no-population"]);
    let mut child = kibitzer(&["connect", &server.address, "--guest", "--json", "--for", "1m"]);
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"nosuch\nquit\n").unwrap();
    let mut fences = Vec::new();
    let mut refused = Vec::new();
    for event in objects(&String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()) {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        match event["event"].as_str().unwrap() {
            "sent" => {
                let line = text("line");
                let fence = line.get(line.len().saturating_sub(10)..).unwrap_or_default();
                if fence.starts_with("zq") && fence.len() == 10 && fence.bytes().all(|byte| byte.is_ascii_lowercase()) {
                    fences.push(fence.to_owned());
                }
            }
            "refused" => refused.push(fences.iter().any(|fence| text("text").contains(fence))),
            _ => {}
        }
    }
    assert_eq!(refused, [true, false]);
}

#[test]
fn faults_come_when_they_are_ordered() {
    let cases = [
        ("refuse=full", 3, "cannot connect to", "server is full"),
        ("refuse=guests", 3, "cannot connect to", "guests are not admitted"),
        ("cut@login", 3, "cannot connect to", "no login prompt: the server began with \"This is an embedded"),
        ("reset@in-block", 3, "cannot connect to", "connection closed during login"),
        ("kick@setup", 4, "lost: ", "kicked"),
        ("kick@now", 4, "lost: ", "kicked"),
        // The reset arrives while the connection is made or right after that.
        ("reset@now", 3, "cannot connect to", "connection"),
    ];
    for (fault, code, what, why) in cases {
        let server = serve(&["--no-population", "--fault", fault]);
        let Outcome { stderr, status, .. } = guest(&server.address, "quit\n");
        assert_eq!((status, stderr.lines().count()), (code, 1), "{fault}: {stderr}");
        assert!(stderr.contains(what) && stderr.contains(why), "{fault}: {stderr}");
        // The next connection is whole.
        let Outcome { stderr, status, .. } = guest(&server.address, "quit\n");
        assert_eq!((status, stderr.as_str()), (0, ""), "{fault}");
    }
}

#[test]
#[cfg(unix)]
fn commands_on_the_control_socket_inject_faults_and_report_them() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::net::UnixStream;

    let path = std::env::temp_dir().join(format!("kibitzer-serve-{}.sock", std::process::id()));
    let server = serve(&["--no-population", "--control-socket", path.to_str().unwrap()]);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mut socket = UnixStream::connect(&path).unwrap();
    let mut replies = BufReader::new(socket.try_clone().unwrap()).lines();
    let mut ask = |line: &str, n_lines: usize| -> Vec<String> {
        socket.write_all(format!("{line}\n").as_bytes()).unwrap();
        replies.by_ref().take(n_lines).map(Result::unwrap).collect()
    };
    assert_eq!(ask("connections", 1), ["ok"]);
    assert_eq!(ask("falt cut", 1), ["error: unknown command \"falt\", did you mean \"fault\"?"]);
    assert_eq!(ask("fault ct", 1), ["error: unknown fault \"ct\", did you mean \"cut\"?"]);
    assert_eq!(
        ask("fault cut #7", 1),
        ["error: connection #7: no such connection, or too many faults are queued for it"]
    );
    assert!(ask("help", 5).last().unwrap() == "ok");
    assert_eq!(ask("fault cut@login next", 1), ["ok: cut@login is set for the next connection"]);
    assert_eq!(guest(&server.address, "quit\n").status, 3);
    let fired = replies.next().unwrap().unwrap();
    assert!(fired.starts_with("fault cut@login took effect on connection #") && fired.contains(" at byte "), "{fired}");
    socket.write_all(&[b'x'; 2000]).unwrap();
    assert_eq!(replies.next().unwrap().unwrap(), "error: the line is too long");
    assert!(replies.next().is_none_or(|end| end.is_err()), "the connection is closed");
}

#[test]
fn it_ends_in_time_and_tells_its_address_before() {
    let Outcome { stdout, stderr, status } = run(&["serve", "--port", "0", "--for", "500ms"], b"");
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert!(stdout.starts_with("127.0.0.1:") && stdout.lines().count() == 1, "{stdout}");
}

#[test]
fn websocket_connections_are_served_besides_tcp() {
    let arguments =
        ["serve", "--port", "0", "--websocket", "0", "--no-population", "--for", "1m", "--fault", "refuse=full"];
    let mut child = kibitzer(&arguments).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let (address, url) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(url.starts_with("ws://127.0.0.1:"), "{url}");
    // Faults apply to both: the fault of the next connection is that of this one.
    let Outcome { stderr, status, .. } = guest(&url, "quit\n");
    let reports_refusal =
        stderr.starts_with(&format!("kibitzer: cannot connect to {url}: ")) && stderr.contains("full");
    assert!(status == 3 && reports_refusal, "{stderr}");
    for target in [&url, &address] {
        let Outcome { stdout, stderr, status } = guest(target, "finger\nquit\n");
        assert_eq!((status, stderr.as_str()), (0, ""), "{target}");
        assert!(stdout.contains("Finger of Guest"), "{stdout}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
#[cfg(unix)]
fn signals_end_it() {
    let mut child = kibitzer(&["serve", "--port", "0", "--for", "1m"]).spawn().unwrap();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut String::new()).unwrap();
    common::signal(&child, rustix::process::Signal::TERM);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn why_it_does_not_run_is_told_in_one_line() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let wrong = file("serve-accounts.toml", "[[account]]\nhandle = 'Newton'\npassword = 'x'\nraitngs = {}\n");
    let cases: [(&[&str], i32, &str); 10] = [
        (&["--port", &port], 1, "cannot listen on 127.0.0.1:"),
        (&["--accounts", &wrong], 1, "TOML parse error at line 4"),
        (&["--accounts", "/nonexistent"], 1, "cannot read the accounts"),
        (&["--fault", "fire"], 2, "unknown fault \"fire\""),
        (&["--fault", "refuse=full@setup"], 1, "this fault can take effect at these points: connect, login, now"),
        (&["--speed", "0"], 2, "a number from 0.01 to 1000"),
        (&["--port", "70000"], 2, "70000"),
        (&["--port", "0", "--websocket", &port], 1, "cannot listen on 127.0.0.1:"),
        (
            &["--port", "0", "--websocket", "0", "--websocket-cert", "a.pem", "--websocket-key", "b.pem"],
            1,
            "a.pem: No such file",
        ),
        (&["--websocket", "0", "--websocket-cert", "a.pem"], 2, "--websocket-key"),
    ];
    for (arguments, code, want) in cases {
        let Outcome { stderr, status, .. } = run(&[&["serve", "--for", "1m"], arguments].concat(), b"");
        assert_eq!((status, stderr.lines().count()), (code, 1), "{stderr}");
        assert!(stderr.contains(want), "{stderr}");
    }
}
