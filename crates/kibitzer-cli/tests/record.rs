//! `kibitzer record`.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Output, Stdio};

#[cfg(unix)]
use crate::common::kibitzer_on_full_disk;
use crate::common::{decode, file, kibitzer, objects, serve};

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
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), format!("kibitzer: recording in {path}\n"));
    let recorded = fs::read_to_string(&path).unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let summary = format!("{path}: {} pieces, ", recorded.lines().count());
    assert!(told.starts_with(&summary) && told.lines().count() == 1, "{told}");

    // The second is how the file would have it.
    for secret in ["swordfish", "73776f726466697368"] {
        assert!(!recorded.contains(secret), "{recorded}");
    }
    assert!(recorded.contains("\"redacted\": true"), "{recorded}");
    let events = objects(&decode(&[&path], b""));
    assert!(events.iter().any(|event| event["event"] == "logged_in" && event["name"] == "Newton"), "{events:?}");
    let lines = events.iter().filter(|event| event["event"] == "listing_line");
    let texts = lines.map(|event| event["text"].as_str().unwrap());
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

#[cfg(unix)]
#[test]
fn a_full_disk_ends_it_with_the_reason() {
    let server = serve(&["--no-population"]);
    let path = vacant("record-full.jsonl");
    let mut child = kibitzer_on_full_disk(&["record", &server.address, &path, "--for", "1m"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end before all of it is typed.
    let _ = child.stdin.take().unwrap().write_all("help\n".repeat(20).as_bytes());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), told.lines().count()), (Some(1), 2), "{told}");
    assert!(told.contains("pieces of the session are not recorded; recording in "), "{told}");
    assert!(told.contains(" failed: File too large"), "{told}");
    assert!(fs::metadata(&path).unwrap().len() > 0);
}

#[cfg(unix)]
#[test]
fn connect_reports_a_full_disk_at_once_and_goes_on() {
    let server = serve(&["--no-population"]);
    let path = vacant("connect-full.jsonl");
    let mut child = kibitzer_on_full_disk(&["connect", &server.address, "--json", "--record", &path, "--for", "1m"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all("help\n".repeat(20).as_bytes()).unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(told.next().unwrap(), format!("kibitzer: recording in {path}"));
    let failure = told.next().unwrap();
    assert!(failure.starts_with(&format!("kibitzer: recording in {path} failed: File too large")), "{failure}");
    // It still listens.
    stdin.write_all(b"quit\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    let end: Vec<_> = told.collect();
    assert!(end.len() == 1 && end[0].contains(" pieces of the session are not recorded; "), "{end:?}");
}

#[test]
fn a_server_that_is_not_there_leaves_no_file() {
    let path = vacant("record-nowhere.jsonl");
    for command in [&["record", "127.0.0.1:1", &path][..], &["connect", "127.0.0.1:1", "--record", &path]] {
        let output = kibitzer(&[command, &["--no-reconnect"]].concat()).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        assert!(!fs::exists(&path).unwrap());
    }
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
    assert!(error.starts_with("kibitzer: cannot create the recording /"), "{error}");
}
