//! `kibitzer bot`.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use common::{file, kibitzer, serve};
use serde_json::Value;

/// A folder of one test, with a program `stockfish` that knows the protocol, but plays no move.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let options =
        "option name Hash type spin default 16 min 1 max 1024\\noption name Threads type spin default 1 min 1 max 64";
    let answers =
        format!("uci) printf 'id name Paperfish\\n{options}\\nuciok\\n' ;; isready) echo readyok ;; quit) exit ;;");
    let program = folder.join("stockfish");
    fs::write(&program, format!("#!/bin/sh\nwhile read -r line; do case $line in {answers} esac; done\n")).unwrap();
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Runs the program in a folder, with the programs in it.
fn run_in(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let output = kibitzer(args).current_dir(folder).env("PATH", path).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[test]
fn check_prints_the_engine_and_the_rules_of_the_shipped_file() {
    let folder = folder("bot-check");
    let settings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/bot.toml");
    let (status, stdout, stderr) = run_in(&folder, &["bot", "--check", settings.to_str().unwrap()]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    for line in ["Engine: Paperfish", "Variants: chess", "Adjourned games are resumed"] {
        assert!(stdout.contains(line), "{line}: {stdout}");
    }
}

#[test]
fn shipped_file_starts_a_session() {
    let folder = folder("bot-session");
    let server = serve(&["--no-population"]);
    let settings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/bot.toml");
    let text = fs::read_to_string(settings).unwrap();
    let (_, port) = server.address.split_once(':').unwrap();
    let path = file("bot-session.toml", text.replace("ports = [5000]", &format!("ports = [{port}]")));
    let (status, stdout, stderr) = run_in(&folder, &["bot", &path, "--json", "--for", "3s"]);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let events: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let has = |action: &str| events.iter().any(|event| event["event"] == "bot" && event["action"] == action);
    assert!(has("started_engine") && has("connection") && has("stopping"), "{stdout}");
    assert!(events.iter().any(|event| event["account"] == "MyBot"), "{stdout}");
}

#[test]
fn demo_plays_and_writes_its_game() {
    let folder = folder("bot-demo");
    let (status, stdout, stderr) = run_in(&folder, &["bot", "--demo", "--format", "text", "--for", "18s"]);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.contains("Moved, game "), "{stdout}");
    let games = fs::read_to_string(folder.join("kibitzer-demo.pgn")).unwrap();
    assert!(games.starts_with("[Event \"") && games.contains("\n1. "), "{games}");
}

#[test]
fn mistakes_are_reported_in_one_line() {
    let folder = folder("bot-mistakes");
    let unknown = file("bot-unknown.toml", "[server]\nhost = 'x'\n[engine]\ncommand = ['stockfish']\n[acept]\n");
    let absent = file("bot-absent.toml", "[server]\nhost = 'x'\n[engine]\ncommand = ['no-such-engine']\n");
    for (args, status, words) in [
        (&["bot", "nosuch.toml"][..], 1, "cannot read nosuch.toml"),
        (&["bot", &unknown], 1, "line 5: unknown table `acept`"),
        (&["bot", "--check", &absent], 1, "\"no-such-engine\""),
        (&["bot"], 2, "CONFIG"),
    ] {
        let (found, stdout, stderr) = run_in(&folder, args);
        assert_eq!((found, stdout.as_str(), stderr.lines().count()), (status, "", 1), "{args:?}: {stderr}");
        assert!(stderr.contains(words), "{args:?}: {stderr}");
    }
}
