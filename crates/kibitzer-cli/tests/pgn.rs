//! `kibitzer pgn`.

use std::fs;

#[cfg(unix)]
use crate::common::kibitzer_on_full_disk;
use crate::common::{file, run, serve, transcript};

/// A game of two moves, which its observer left before another one began.
const OBSERVED: &[u8] = b"fics% \n\rGame 7: Ann (1500) Bob (++++) rated blitz 3 0\n\r\n\r\
    <12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 Ann Bob 0 3 0 39 39 180 180 1 \
    none (0:00) none 0 0 0\n\r\
    <12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 Ann Bob 0 3 0 39 39 179 180 1 \
    P/e2-e4 (0:01) e4 0 1 0\n\r\
    Bob(++++)[7] kibitzes: hello}\n\r\
    {Game 7 (Ann vs. Bob) Bob resigns} 1-0\n\rfics% \
    <12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 8 Cid Dan 0 3 0 39 39 180 180 1 \
    none (0:00) none 0 0 0\n\r";

fn vacant(name: &str) -> String {
    let path = file(name, "");
    fs::remove_file(&path).unwrap();
    path
}

#[test]
fn the_games_of_a_recording_are_printed_or_appended() {
    let recording = file("pgn-session.jsonl", transcript(OBSERVED, 40));
    let printed = run(&["pgn", "--site", "freechess.org", "--talk", &recording], b"");
    assert_eq!((printed.status, printed.stderr.as_str()), (0, ""));
    let games: Vec<_> = printed.stdout.split("[Event ").skip(1).collect();
    assert_eq!(games.len(), 2, "{}", printed.stdout);
    assert!(games[0].starts_with("\"FICS rated blitz game\"]\n[Site \"FICS freechess.org\"]\n"), "{}", games[0]);
    let moves = "\n\n1. e4 {[%clk 0:02:59.000][%emt 0:00:01.000]} {Bob: hello)} {Black resigns} 1-0\n";
    assert!(games[0].contains(moves), "{}", games[0]);
    assert!(games[1].contains("[Termination \"unterminated\"]\n[Result \"*\"]\n\n*\n"), "{}", games[1]);

    let path = vacant("pgn-appended.pgn");
    for times in 1..=2 {
        let outcome = run(&["pgn", &recording, "-o", &path], b"");
        assert_eq!((outcome.status, outcome.stdout.as_str(), outcome.stderr.as_str()), (0, "", ""));
        assert_eq!(fs::read_to_string(&path).unwrap().matches("[Event ").count(), 2 * times);
    }
}

#[test]
fn what_is_wrong_is_reported_in_one_line() {
    let cut = [&transcript(OBSERVED, 40)[..], b"{\"t\": 2, \"dir\": \"rx\", \"h"].concat();
    let (cut, text) = (file("pgn-cut.jsonl", cut), file("pgn-text", "no recording\n"));
    let cases: [(&[&str], i32, &str); 6] = [
        (&["none.jsonl"], 1, "cannot open none.jsonl"),
        (&[&text], 1, "cannot read"),
        (&["--strict", &cut], 1, "cannot read"),
        (&[&cut, "-o", "/none/games.pgn"], 1, "cannot open /none/games.pgn: No such file"),
        (&[], 2, "required arguments"),
        (&["--games", "2", "demo", "fics"], 2, "only one server"),
    ];
    for (arguments, status, words) in cases {
        let outcome = run(&[&["pgn"], arguments].concat(), b"");
        assert_eq!((outcome.status, outcome.stderr.lines().count()), (status, 1), "{arguments:?}: {outcome:?}");
        assert!(outcome.stderr.contains(words), "{arguments:?}: {}", outcome.stderr);
    }
    assert_eq!(run(&["pgn", &cut], b"").status, 0, "a cut recording has games");
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_whole_games_only() {
    let recording = file("pgn-many.jsonl", transcript(OBSERVED, 4000));
    let path = vacant("pgn-full.pgn");
    let recordings = [recording.as_str(); 20];
    let arguments = [&["pgn", "-o", &path], &recordings[..]].concat();
    let output = kibitzer_on_full_disk(&arguments).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.lines().count()), (Some(1), 1), "{told}");
    assert!(told.contains(&format!("cannot write {path}: File too large")), "{told}");
    let kept = fs::read_to_string(&path).unwrap();
    assert!(kept.len() < 4096 && kept.matches("[Event ").count() > 2, "{kept}");
    assert!(kept.ends_with(" 1-0\n") || kept.ends_with("\n*\n"), "{kept}");
}

#[test]
fn games_of_a_server_are_observed_until_they_end() {
    let server = serve(&["--speed", "200"]);
    let path = vacant("pgn-live.pgn");
    let arguments = ["pgn", &server.address, "--games", "2", "--for", "1m"];
    let (printed, live) = std::thread::scope(|scope| {
        let live = scope.spawn(|| run(&[&arguments[..], &["--live", "-o", &path]].concat(), b""));
        (run(&arguments, b""), live.join().unwrap())
    });
    assert_eq!((printed.status, printed.stderr.as_str()), (0, ""));
    assert_eq!((live.status, live.stdout.as_str(), live.stderr.as_str()), (0, "", ""));
    for text in [printed.stdout, fs::read_to_string(&path).unwrap()] {
        assert_eq!(text.matches("[Event ").count(), 2, "{text}");
        // A game may end before the server has listed its moves.
        assert!(text.matches("[FEN").count() < 2, "the moves before the observation are known: {text}");
        assert!(text.contains("[UTCDate \"20"), "{text}");
    }
}

#[test]
fn games_that_begin_later_are_observed_as_they_are_announced() {
    let server = serve(&["--speed", "200"]);
    let (host, port) = server.address.split_once(':').unwrap();
    let recording = vacant("pgn-announced.jsonl");
    let profile = format!("host = '{host}'\nports = [{port}]\nrecord_file = '{recording}'\n");
    let profile = file("pgn-announced.toml", profile);
    let printed = run(&["pgn", &profile, "--games", "25", "--for", "1m"], b"");
    // About the recording.
    assert_eq!((printed.status, printed.stderr.lines().count()), (0, 2), "{}", printed.stderr);
    assert_eq!(printed.stdout.matches("[Event ").count(), 25, "{}", printed.stdout);
    let events = run(&["decode", "--filter", "kind:sent", &recording], b"").stdout;
    let n_sent = |words: &str| events.lines().filter(|line| line.contains(words)).count();
    assert_eq!((n_sent("set gin 1"), n_sent(" games\"")), (1, 1), "{events}");
}

#[test]
fn a_game_that_was_only_looked_at_is_not_written() {
    let left = [OBSERVED, b"\n\rRemoving game 8 from observation list.\n\rfics% "].concat();
    let printed = run(&["pgn", &file("pgn-left.jsonl", transcript(&left, 40))], b"");
    assert_eq!((printed.status, printed.stdout.matches("[Event ").count()), (0, 1), "{}", printed.stdout);
    assert!(printed.stdout.contains("[White \"Ann\"]"), "{}", printed.stdout);
}

#[test]
fn a_file_to_poll_is_not_standard_output() {
    let output = run(&["pgn", "localhost:1", "--games", "1", "--live", "-o", "-"], b"");
    assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{}", output.stderr);
}
