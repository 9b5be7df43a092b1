//! The console on a terminal that goes away, and told to end.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::common::{file, kibitzer_on_full_disk, serve};
use anstream::adapter::strip_str;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

/// Many times what it takes to end.
const BOUND: Duration = Duration::from_secs(20);

/// A terminal of the test's own, which controls no process: nobody is sent a signal when it goes.
struct Terminal {
    ours: File,
    theirs: File,
    name: String,
}

impl Terminal {
    fn open() -> Self {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let name = ptsname(&ours, Vec::new()).unwrap();
        let theirs = open(name.to_str().unwrap(), OFlags::NOCTTY);
        tcsetwinsize(&theirs, Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        Self { ours: File::from(ours), theirs, name: name.into_string().unwrap() }
    }

    /// A console on it, once it shows something.
    fn console(&mut self) -> Child {
        let recording =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts/fatics-game-quick-observer.jsonl");
        let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
        command.arg("replay").arg(recording);
        let child = self.start(&mut command);
        self.read_until("kibitzer");
        child
    }

    fn start(&self, command: &mut Command) -> Child {
        let end = || Stdio::from(self.theirs.try_clone().unwrap());
        command.env_remove("XDG_STATE_HOME").env_remove("HOME");
        command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap()
    }

    fn type_line(&mut self, line: &str) {
        self.ours.write_all(format!("{line}\r").as_bytes()).unwrap();
    }

    fn read_until(&mut self, wanted: &str) {
        let mut shown = Vec::new();
        let mut buffer = [0; 4096];
        while !String::from_utf8_lossy(&shown).contains(wanted) {
            let n = self.ours.read(&mut buffer).unwrap();
            assert!(n > 0, "the terminal is gone");
            shown.extend(&buffer[..n]);
        }
    }

    /// Waits until the whole screen, drawn anew for another size, holds this text.
    fn shows(&mut self, wanted: &str) {
        let wanted: String = wanted.split_whitespace().collect();
        let (mut shown, mut buffer) = (String::new(), [0; 4096]);
        for columns in [200, 201].into_iter().cycle().take(200) {
            tcsetwinsize(&self.theirs, Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
            let patience = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
            while poll(&mut [PollFd::new(&self.ours, PollFlags::IN)], Some(&patience)).unwrap() > 0 {
                let n = self.ours.read(&mut buffer).unwrap();
                shown.push_str(&String::from_utf8_lossy(&buffer[..n]));
            }
            // Blank cells are skipped with a movement of the cursor.
            let words: String = strip_str(&shown).to_string().split_whitespace().collect();
            if words.contains(&wanted) {
                return;
            }
        }
        panic!("it does not show {wanted}: {shown}");
    }

    /// Writes to it until it takes no more, as nobody reads: whoever draws on it has to wait.
    fn fill(&self) {
        let mut theirs = open(&self.name, OFlags::NOCTTY | OFlags::NONBLOCK);
        loop {
            while theirs.write(b"x").is_ok() {}
            // What was written is handed over a little later, which makes room once more.
            let settled = Timespec { tv_sec: 0, tv_nsec: 200_000_000 };
            if poll(&mut [PollFd::new(&theirs, PollFlags::OUT)], Some(&settled)).unwrap() == 0 {
                break;
            }
        }
    }

    fn is_raw(&self) -> bool {
        !tcgetattr(&self.theirs).unwrap().local_modes.contains(LocalModes::ICANON)
    }
}

fn open(name: &str, flags: OFlags) -> File {
    let mut options = File::options();
    let flags = flags.bits().cast_signed();
    options.read(true).write(true).custom_flags(flags).open(name).unwrap()
}

/// How it ended, if it did in time.
fn ended(mut child: Child) -> ExitStatus {
    let (sender, outcome) = channel();
    let pid = pid(&child);
    thread::spawn(move || sender.send(child.wait().unwrap()));
    outcome.recv_timeout(BOUND).unwrap_or_else(|_| {
        let _ = kill_process(pid, Signal::KILL);
        panic!("it goes on");
    })
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

#[test]
fn it_ends_with_its_terminal() {
    let mut terminal = Terminal::open();
    let child = terminal.console();
    drop(terminal);
    ended(child);
}

#[test]
fn a_signal_ends_it_and_the_terminal_is_as_before() {
    for signal in [Signal::HUP, Signal::INT, Signal::TERM] {
        let mut terminal = Terminal::open();
        let child = terminal.console();
        assert!(terminal.is_raw());
        kill_process(pid(&child), signal).unwrap();
        assert_eq!(ended(child).code(), Some(0), "{signal:?}");
        assert!(!terminal.is_raw(), "{signal:?}");
    }
}

#[test]
fn a_terminal_that_takes_nothing_does_not_keep_it() {
    let mut terminal = Terminal::open();
    let child = terminal.console();
    terminal.fill();
    kill_process(pid(&child), Signal::TERM).unwrap();
    assert_eq!(ended(child).code(), Some(1));
    assert!(!terminal.is_raw());
}

#[test]
fn a_recording_that_fails_is_shown_and_another_can_be_started() {
    let server = serve(&["--no-population"]);
    let vacant = |name: &str| {
        let path = file(name, "");
        fs::remove_file(&path).unwrap();
        path
    };
    let (full, other) = (vacant("full.jsonl"), vacant("other.jsonl"));
    let mut terminal = Terminal::open();
    let child = terminal.start(&mut kibitzer_on_full_disk(&["console", &server.address]));
    terminal.shows("live");
    terminal.type_line("/record /no/such/folder/x.jsonl");
    terminal.shows("cannot create the recording /no/such/folder/x.jsonl");
    terminal.type_line(&format!("/record {full}"));
    terminal.shows("recorded in ");
    terminal.type_line(&"help\r".repeat(20));
    terminal.shows("failed: File too large");
    terminal.type_line(&format!("/record {other}"));
    terminal.shows("recording in ");
    terminal.type_line("date");
    terminal.shows("Local time");
    terminal.type_line("/quit");
    terminal.shows("pieces of the session are not recorded");
    assert_eq!(ended(child).code(), Some(1));
    assert!(fs::read_to_string(&other).unwrap().starts_with("{\"t\": "));
}
