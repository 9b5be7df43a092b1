//! `--log`, `--log-file` and `--log-format` of every command.

#![cfg(unix)]

use crate::common;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::thread;

use crate::common::{file, kibitzer, objects, run, serve};

/// A path of a test's own, without a file.
fn path(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_bad_filter_is_an_error_that_names_the_part() {
    for (arguments, part) in [
        (["connect", "--log", "debgu"], "\"debgu\" is not one of the levels"),
        (["decode", "--log", "info,kibitzer=lod"], "\"kibitzer=lod\" is not a filter"),
        (["bot", "--log", ","], "the filter is empty"),
    ] {
        let outcome = run(&arguments, b"");
        assert_eq!((outcome.status, outcome.stderr.lines().count()), (2, 1), "{outcome:?}");
        assert!(outcome.stderr.contains(part), "{outcome:?}");
    }
    let output = kibitzer(&["decode", "/dev/null"]).env("KIBITZER_LOG", "warn,[login").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("kibitzer: environment variable KIBITZER_LOG: \"[login\" is not a filter"), "{stderr}");
}

#[test]
fn a_session_is_logged_on_standard_error_if_requested() {
    let server = serve(&["--no-population"]);
    let quiet = run(&["connect", &server.address, "--json"], b"finger\nquit\n");
    assert_eq!((quiet.status, quiet.stderr.as_str()), (0, ""), "nothing by default");
    let logged = run(&["connect", &server.address, "--json", "--log", "kibitzer=debug"], b"finger\nquit\n");
    assert_eq!(logged.status, 0);
    assert!(logged.stderr.contains(" INFO session{server=\"127.0.0.1\" handle="), "{}", logged.stderr);
    assert!(logged.stderr.contains("request completed outcome=\"answered\""), "{}", logged.stderr);
    assert!(!logged.stdout.contains(" INFO "), "{}", logged.stdout);
    let mut by_variable = kibitzer(&["connect", &server.address, "--for", "1s", "--log-format", "json"]);
    let output = by_variable.env("KIBITZER_LOG", "info").output().unwrap();
    let lines = objects(std::str::from_utf8(&output.stderr).unwrap());
    let ready = lines.iter().find(|line| line["message"] == "session ready").unwrap();
    assert_eq!((&ready["level"], &ready["spans"][0]["server"]), (&"INFO".into(), &"127.0.0.1".into()));
}

#[test]
fn a_reader_of_the_log_that_stalls_does_not_stop_the_session() {
    let server = serve(&["--no-population"]);
    let mut child = kibitzer(&["connect", &server.address, "--json", "--log", "trace"]);
    let mut child = child.stdin(Stdio::piped()).spawn().unwrap();
    let _unread = child.stderr.take().unwrap();
    // More lines than the pipe and the queue of lines hold.
    let commands = "finger\n".repeat(1_000) + "quit\n";
    let mut stdin = child.stdin.take().unwrap();
    let writing = thread::spawn(move || stdin.write_all(commands.as_bytes()).unwrap());
    let events = std::io::read_to_string(child.stdout.take().unwrap()).unwrap();
    writing.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert!(events.contains("\"event\":\"ended\""), "{events}");
}

#[test]
fn typed_and_configured_passwords_are_not_logged() {
    let accounts = file("log-accounts.toml", "[[account]]\nhandle = 'Newton'\npassword = 'swordfish'\n");
    let password = file("log-password", "swordfish\n");
    let server = serve(&["--no-population", "--accounts", &accounts]);
    for format in ["text", "json"] {
        let log = path("secrets.log");
        let session = ["connect", &server.address, "--user", "Newton", "--password-file", &password, "--json"];
        let arguments = [&session[..], &["--log", "trace", "--log-format", format, "--log-file", &log]].concat();
        let outcome = run(&arguments, b"password swordfish troutling\n$passw troutling swordfish\nfinger\nquit\n");
        assert_eq!(outcome.status, 0, "{outcome:?}");
        let text = fs::read_to_string(&log).unwrap();
        assert!(text.contains("Newton") && text.contains("finger") && text.contains("session over"), "{text}");
        assert!(!text.contains("swordfish") && !text.contains("troutling"), "{text}");
    }
}

#[test]
fn a_log_file_is_private_and_grows() {
    let server = serve(&["--no-population"]);
    let log = path("session.log");
    for sessions in 1..=2 {
        let outcome = run(&["connect", &server.address, "--json", "--log-file", &log], b"quit\n");
        assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""));
        assert_eq!(fs::read_to_string(&log).unwrap().matches("session ready").count(), sessions);
    }
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_log_file_that_others_may_read_or_that_is_none_is_refused() {
    let (shared, target, link) = (file("shared.log", ""), file("target.log", ""), path("link.log"));
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o644)).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    for path in [&shared, &link, "/dev/null", "/", "/no/such/folder/x.log"] {
        let outcome = run(&["decode", "/dev/null", "--log-file", path], b"");
        assert_eq!((outcome.status, outcome.stderr.lines().count()), (1, 1), "{path}: {outcome:?}");
        assert!(outcome.stderr.starts_with(&format!("kibitzer: cannot log to {path}: ")), "{path}: {outcome:?}");
    }
    assert_eq!(fs::read_to_string(&target).unwrap(), "");
}

#[test]
fn lines_for_a_full_disk_are_lost_and_counted() {
    let server = serve(&[]);
    let log = path("full.log");
    let arguments = ["connect", &server.address, "--json", "--for", "2s", "--log", "trace", "--log-file", &log];
    let output = common::kibitzer_on_full_disk(&arguments).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let [first, last] = stderr.lines().collect::<Vec<_>>()[..] else { panic!("{stderr}") };
    assert!(
        first.starts_with("kibitzer: the log file cannot be written, and lines are lost: File too large"),
        "{first}"
    );
    let n_lost = last.strip_prefix("kibitzer: the log file could not be written: ").unwrap();
    assert!(n_lost.strip_suffix(" lines are missing").unwrap().parse::<u32>().unwrap() > 10, "{last}");
    assert_eq!(output.status.code(), Some(1), "{stderr}");
}
