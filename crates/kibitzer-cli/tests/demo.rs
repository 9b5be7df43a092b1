//! `kibitzer` without a command: three games of the embedded server.

use crate::common;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};

use crate::common::{Outcome, kibitzer, objects, run};
use kibitzer_core::EventKind;
use serde_json::Value;

/// What is said by players.
const TALK: [&str; 9] =
    ["tell", "say", "shout", "it_shout", "c_shout", "channel_tell", "kibitz", "whisper", "announcement"];

fn demo(args: &[&str]) -> String {
    let Outcome { stdout, stderr, status } = run(args, b"");
    assert_eq!((status, stderr.as_str()), (0, ""), "{args:?}");
    stdout
}

fn number(object: &Value, key: &str) -> Option<i64> {
    object[key].as_i64()
}

#[test]
fn it_shows_boards_of_three_games_and_talk() {
    let printed = demo(&["--for", "4s", "--speed", "20"]);
    let terms = |line: &str| Some(line.split_once("   game ")?.1.split_once(',')?.0.to_owned());
    let games = printed.lines().filter_map(terms).collect::<BTreeSet<_>>();
    assert!(games.len() >= 3, "{printed}");
    assert_eq!(printed.matches("    a b c d e f g h\n").count(), printed.matches("\n 1  ").count(), "whole boards");
    assert!(printed.contains("Whetstone(C) tells you: welcome!"), "{printed}");
    assert!(!printed.contains('\u{1b}'), "no color on a pipe");
}

#[test]
fn a_socket_in_the_environment_that_is_not_used_is_reported() {
    for arguments in [&["--for", "1s"][..], &["bot", "--demo", "--for", "1s"]] {
        let folder = std::env::temp_dir();
        let output =
            kibitzer(arguments).current_dir(folder).env("KIBITZER_ATTACH_SOCKET", "unused.sock").output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.starts_with("kibitzer: KIBITZER_ATTACH_SOCKET is not used"), "{arguments:?}: {stderr}");
    }
}

#[test]
fn programs_get_every_event_in_json() {
    let events = objects(&demo(&["--json", "--for", "4s", "--speed", "20"]));
    let names = events.iter().map(|event| event["event"].as_str().unwrap()).collect::<BTreeSet<_>>();
    let is_known = |name: &&str| *name == "answered" || name.parse::<EventKind>().is_ok();
    assert!(names.iter().all(is_known) && names.contains("answered"), "{names:?}");
    for name in ["connecting", "connected", "logged_in", "session_ready", "sent", "position", "observing", "ended"] {
        assert!(names.contains(name), "{name}");
    }
    assert!(TALK.iter().any(|name| names.contains(name)), "{names:?}");
    let boards = events.iter().filter(|event| event["event"] == "position");
    let games = boards.map(|board| number(board, "game")).collect::<BTreeSet<_>>();
    assert!(games.len() >= 3, "{games:?}");
}

#[test]
fn other_games_follow_those_that_end() {
    let events = objects(&demo(&["--json", "--for", "5s", "--speed", "300"]));
    let changes = || events.iter().filter(|event| event["event"] == "observing");
    assert!(changes().any(|event| event["on"] == false), "no game has ended in all the time");
    let n_begun = changes().filter(|event| event["on"] == true).count();
    assert!(n_begun > 3, "none took the place of those that ended");
}

#[test]
fn the_same_seed_shows_the_same_players() {
    let players = |seed: &str| {
        let printed = demo(&["--json", "--for", "3s", "--seed", seed]);
        let boards = objects(&printed).into_iter().filter(|event| event["event"] == "position");
        boards.map(|board| (board["white"].to_string(), board["black"].to_string())).collect::<BTreeSet<_>>()
    };
    assert_eq!(players("7"), players("7"));
    assert_ne!(players("7"), players("8"));
}

#[test]
fn nobody_reads_on() {
    let mut child = kibitzer(&["--for", "1m", "--speed", "100"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]), "{line}");
}

#[test]
fn it_ends_in_time_though_nobody_reads() {
    // More than a pipe holds, of which nothing is read until the program has ended.
    let mut child = kibitzer(&["--json", "--for", "3s", "--speed", "1000"]).spawn().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
#[cfg(unix)]
fn signals_end_it() {
    use rustix::process::Signal;

    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut child = kibitzer(&["--for", "1m"]).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut String::new()).unwrap();
        common::signal(&child, signal);
        // The rest has to be read, or it ends for another reason.
        assert!(stdout.lines().all(|line| line.is_ok()));
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
    }
}

#[test]
fn nonsense_is_told_in_one_line() {
    for args in [&["--for", "10"][..], &["--speed", "0"], &["--speed", "fast"], &["--seed", "-1"], &["--nonsense"]] {
        let Outcome { stdout, stderr, status } = run(args, b"");
        assert_eq!((status, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{stderr}");
    }
}
