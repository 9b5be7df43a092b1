//! Running the program.

#![allow(
    dead_code,
    clippy::panic,
    clippy::unwrap_used,
    clippy::allow_attributes,
    reason = "no test file uses all of it"
)]

pub(crate) mod schema;

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, ErrorKind, Write as _};
#[cfg(unix)]
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;

#[cfg(unix)]
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// What a run left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: i32,
}

/// The program, away from what a user may have set up.
pub(crate) fn kibitzer(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let is_ours =
        |name: &str| name.starts_with("KIBITZER_") || ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"].contains(&name);
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_ours)) {
        command.env_remove(name);
    }
    command
}

/// The same where no file grows beyond a few kilobytes: to a recording that is a full disk.
#[cfg(unix)]
pub(crate) fn kibitzer_on_full_disk(args: &[&str]) -> Command {
    let kibitzer = kibitzer(args);
    let mut command = Command::new("sh");
    command.args(["-c", r#"trap "" XFSZ; ulimit -f 4; exec "$0" "$@""#]).arg(kibitzer.get_program());
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, value) in kibitzer.get_envs().filter(|(_, value)| value.is_none()) {
        assert!(value.is_none());
        command.env_remove(name);
    }
    command
}

/// A `kibitzer serve` that ends with the test.
pub(crate) struct Serving {
    child: Child,
    pub(crate) address: String,
}

/// Starts a server on a free port.
pub(crate) fn serve(args: &[&str]) -> Serving {
    let mut child = kibitzer(&[&["serve", "--port", "0", "--for", "2m"], args].concat()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
    Serving { child, address: address.trim_end().to_owned() }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A file that only its owner can read, with this in it.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.mode(0o600);
    options.write(true).create_new(true).open(&path).unwrap().write_all(content.as_ref()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Lines of JSON.
pub(crate) fn objects(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What the server said, without times: what is printed of its bytes alone. Every line has to have its times.
/// The requests of events depend on the sent lines, too.
pub(crate) fn timeless(printed: &str) -> String {
    let mut lines = String::new();
    for line in printed.lines() {
        let (event, rest) = line.split_once(r#","t":"#).unwrap_or_else(|| panic!("no time: {line}"));
        let (time, keys) = rest.split_once(r#","utc":"#).unwrap();
        assert!(
            time.parse::<f64>().is_ok() && time.split_once('.').is_some_and(|(_, digits)| digits.len() == 6),
            "{line}"
        );
        let utc = keys.find([',', '}']).unwrap();
        if ![r#"{"event":"sent","offset":null"#, r#"{"event":"answered","offset":null"#].contains(&event) {
            lines.extend([event, without_request(keys.get(utc..).unwrap()), "\n"]);
        }
    }
    lines
}

/// Tells it to end, as a terminal does at Ctrl-C, or a service manager.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

/// Runs it with this on its standard input.
pub(crate) fn run(args: &[&str], input: &[u8]) -> Outcome {
    let mut child = kibitzer(args).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = thread::spawn(move || match stdin.write_all(&input) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("{error}"),
        _ => {}
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    Outcome {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code().unwrap(),
    }
}

/// The lines it prints for this input, which it has to read to the end without complaint.
pub(crate) fn decode(args: &[&str], input: &[u8]) -> String {
    let outcome = run(&[&["decode"], args].concat(), input);
    assert_eq!((outcome.status, outcome.stderr.as_str()), (0, ""), "{args:?}");
    outcome.stdout
}

/// The rest of an object after the members that say to which request the event belongs.
fn without_request(mut members: &str) -> &str {
    for key in [r#","request":"#, r#","requested_by":"#, r#","inferred":"#] {
        if let Some(rest) = members.strip_prefix(key) {
            members = rest.get(rest.find([',', '}']).unwrap()..).unwrap();
        }
    }
    members
}

/// The input as a transcript, in pieces of this many bytes, with what the client sent in between.
pub(crate) fn transcript(input: &[u8], piece: usize) -> Vec<u8> {
    let mut lines = Vec::new();
    for bytes in input.chunks(piece) {
        write_record(&mut lines, "rx", bytes);
        write_record(&mut lines, "tx", b"Foo shouts: sent\n");
        lines.push(b'\n');
    }
    lines
}

fn write_record(lines: &mut Vec<u8>, direction: &str, bytes: &[u8]) {
    write!(lines, "{{\"t\": 1.5, \"dir\": \"{direction}\", \"hex\": \"").unwrap();
    for byte in bytes {
        write!(lines, "{byte:02x}").unwrap();
    }
    lines.extend(b"\"}\n");
}
