//! Running the program.

use std::io::{ErrorKind, Write as _};
use std::process::{Command, Stdio};
use std::thread;

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
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
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
