//! `kibitzer replay` where there is no terminal.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{decode, run, timeless, transcript};

/// A file of a test's own, gone when it is over.
struct Recording(PathBuf);

impl Recording {
    fn new(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("kibitzer-replay-{name}-{}.jsonl", std::process::id()));
        fs::write(&path, content).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

const SESSION: &[u8] = b"fics% \n\rFoo tells you: hi\n\r<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
    Euwe Flohr 0 2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\rhalf a line";

#[test]
fn it_prints_what_decode_prints() {
    let recorded = transcript(SESSION, 7);
    let recording = Recording::new("forms", &recorded);
    for format in [&[][..], &["--format", "jsonl"], &["--format", "text"]] {
        let outcome = run(&[&["replay", "--speed", "10000", recording.path()], format].concat(), b"");
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{format:?}");
        assert_eq!(outcome.stdout, decode(format, &recorded), "{format:?}");
    }
}

#[test]
fn a_torn_recording_is_played_up_to_the_cut() {
    let recorded = [&transcript(SESSION, 7)[..], b"{\"t\": 9, \"dir"].concat();
    let recording = Recording::new("torn", &recorded);
    let outcome = run(&["replay", "--speed", "10000", recording.path()], b"");
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
    assert_eq!(outcome.stdout, decode(&[], &recorded));
    assert!(outcome.stdout.lines().last().unwrap().starts_with(r#"{"event":"cut","#), "{}", outcome.stdout);
    let strict = run(&["replay", "--speed", "10000", "--strict", recording.path()], b"");
    assert_eq!((strict.status, strict.stdout), (1, outcome.stdout));
    assert!(strict.stderr.contains(": transcript ends inside line "), "{}", strict.stderr);
}

#[test]
fn it_is_played_at_its_own_pace() {
    let recording = Recording::new("pace", br#"{"t": 0.4, "dir": "rx", "hex": "610a0d"}"#);
    let started = std::time::Instant::now();
    let outcome = run(&["replay", "--speed", "2", recording.path()], b"");
    assert!(outcome.stdout.contains(r#""text":"a""#), "{outcome:?}");
    assert!(started.elapsed().as_millis() >= 200, "half of the time it took");
}

#[test]
fn pings_are_removed_on_request() {
    let recording = Recording::new("seal", &transcript(b"a[G]\0b\n\r", 3));
    let outcome = run(&["replay", "--timeseal", "2", "--speed", "10000", recording.path()], b"");
    assert_eq!(timeless(&outcome.stdout), decode(&["--timeseal", "2"], b"a[G]\0b\n\r"));
}

#[test]
fn what_cannot_be_played_is_told_in_one_line() {
    let raw = Recording::new("raw", SESSION);
    let cases: &[(&[&str], i32, &str)] = &[
        (&["replay", raw.path()], 1, "cannot read "),
        (&["replay", "no-such-file"], 1, "cannot open no-such-file: "),
        (&["replay", "--speed", "0", raw.path()], 2, "a speed is a number from 0.01 to 10000"),
        (&["replay", "--speed", "fast", raw.path()], 2, "a speed is a number from 0.01 to 10000"),
        (&["replay"], 2, "FILE"),
    ];
    for (args, status, message) in cases {
        let outcome = run(args, b"");
        assert_eq!((outcome.status, outcome.stdout.as_str()), (*status, ""), "{args:?}");
        assert!(
            outcome.stderr.contains(message) && outcome.stderr.lines().count() == 1,
            "{args:?}: {}",
            outcome.stderr
        );
    }
    assert!(Path::new(raw.path()).exists());
}
