//! Asking for a password on a terminal.

#![cfg(unix)]

use crate::common;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::process::{Child, Stdio};

use crate::common::{file, kibitzer, serve};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

const ACCOUNTS: &str = "[[account]]\nhandle = 'Newton'\npassword = 'swordfish'\n";

/// A terminal: the end of who types, and that of the program.
fn terminal() -> (File, File) {
    let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&near).unwrap();
    unlockpt(&near).unwrap();
    let path = ptsname(&near, Vec::new()).unwrap();
    let far = OpenOptions::new().read(true).write(true).open(path.to_str().unwrap()).unwrap();
    (File::from(near), far)
}

fn shows_what_is_typed(terminal: &File) -> bool {
    tcgetattr(terminal).unwrap().local_modes.contains(LocalModes::ECHO)
}

/// The program, waiting for a password on this terminal.
fn asking(address: &str, far: &File) -> Child {
    let mut command = kibitzer(&["connect", address, "--user", "Newton", "--for", "30s"]);
    let mut child = command.stdin(Stdio::from(far.try_clone().unwrap())).spawn().unwrap();
    let mut prompt = [0; "password for Newton: ".len()];
    child.stderr.as_mut().unwrap().read_exact(&mut prompt).unwrap();
    assert_eq!(&prompt, b"password for Newton: ");
    assert!(!shows_what_is_typed(far));
    child
}

#[test]
fn the_password_is_asked_for_and_not_shown() {
    let server = serve(&["--no-population", "--accounts", &file("prompt-accounts.toml", ACCOUNTS)]);
    let (mut near, far) = terminal();
    let child = asking(&server.address, &far);
    near.write_all(b"swordfish\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("Starting FICS session as Newton"));
    assert!(shows_what_is_typed(&far));
    let mut echoed = [0; 256];
    let length = near.read(&mut echoed).unwrap();
    assert!(!echoed.get(..length).unwrap().windows(4).any(|bytes| bytes == b"fish"), "{echoed:?}");
}

#[test]
fn the_terminal_shows_what_is_typed_again_however_it_ends() {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let (_near, far) = terminal();
        let child = asking("127.0.0.1:1", &far);
        common::signal(&child, signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(shows_what_is_typed(&far));
    }
    let (mut near, far) = terminal();
    let child = asking("127.0.0.1:1", &far);
    // The end of the file.
    near.write_all(b"\x04").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(shows_what_is_typed(&far));
}
