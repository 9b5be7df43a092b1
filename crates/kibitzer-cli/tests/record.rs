//! `kibitzer record`.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod common;

use std::fs;
use std::io::Write as _;
use std::process::{Output, Stdio};

use common::{decode, file, kibitzer, objects, serve};

fn record(arguments: &[&str], typed: &str) -> Output {
    let arguments = [&["record", "--for", "1m"], arguments].concat();
    let mut child = kibitzer(&arguments).stdin(Stdio::piped()).spawn().unwrap();
    // A program that cannot start may be gone.
    let _ = child.stdin.take().unwrap().write_all(typed.as_bytes());
    child.wait_with_output().unwrap()
}

/// Where no file is yet.
fn vacant(name: &str) -> String {
    let path = file(name, "");
    fs::remove_file(&path).unwrap();
    path
}

#[test]
fn a_session_is_recorded_and_its_password_is_not() {
    let accounts = "[[account]]\nhandle = 'Newton'\npassword = 'swordfish'\n";
    let server = serve(&["--no-population", "--accounts", &file("record-accounts.toml", accounts)]);
    let (secret, path) = (file("record-password", "swordfish\n"), vacant("record.jsonl"));
    let login = ["--user", "Newton", "--password-file", &secret];
    let output = record(&[&[&*server.address, &*path], &login[..]].concat(), "games\nquit\n");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.starts_with(&format!("{path}: ")) && told.lines().count() == 1, "{told}");

    let recorded = fs::read_to_string(&path).unwrap();
    // The second is how the file would have it.
    for secret in ["swordfish", "73776f726466697368"] {
        assert!(!recorded.contains(secret), "{recorded}");
    }
    assert!(recorded.contains("\"redacted\": true"), "{recorded}");
    let events = objects(&decode(&[&path], b""));
    assert!(events.iter().any(|event| event["event"] == "logged_in" && event["name"] == "Newton"), "{events:?}");
    let texts = events.iter().filter(|event| event["event"] == "text").map(|event| event["text"].as_str().unwrap());
    assert_eq!(texts.filter(|&text| text == "There are no games in progress.").count(), 1);
}

#[test]
fn a_recording_is_not_written_over() {
    let path = file("record-there.jsonl", "precious");
    let output = record(&["127.0.0.1:1", &path], "");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(1), 1), "{error}");
    assert!(error.contains(&format!("cannot create the recording {path}: File exists")), "{error}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
}

#[test]
fn the_time_ends_it() {
    let server = serve(&["--no-population"]);
    let path = vacant("record-time.jsonl");
    let output =
        kibitzer(&["record", &server.address, &path, "--for", "3s"]).spawn().unwrap().wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(decode(&[&path], b"").contains("\"event\":\"logged_in\""));
}

#[test]
fn the_server_may_be_left_out_and_the_file_may_not() {
    let output = record(&[], "");
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
    // A directory is no file: it ends before anything is dialed.
    let output = record(&["/"], "");
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.starts_with("kibitzer: cannot connect to demo: cannot create the recording /"), "{error}");
}
