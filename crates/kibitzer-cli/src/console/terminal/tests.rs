//! Panics, each in a process of its own with a terminal of its own.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, tcgetattr};

use super::*;
use crate::arguments::ReaderArgs;
use crate::console::input::StateDirectory;
use crate::console::source::{ConsoleSource, RecordingPlayer, RecordingReader};

/// Set in a process that is to have a console, and a panic of this kind.
const PANIC: &str = "KIBITZER_TEST_PANIC";
const NAME: &str = "console::terminal::tests::after_a_panic_the_terminal_is_as_before";

/// A console on a recording, on the terminal of this process, in which something panics.
fn panic(kind: &str) {
    let recording =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts/fatics-game-quick-observer.jsonl");
    let replay = RecordingReader::open(&recording, ReaderArgs::default(), Instant::now).unwrap();
    let mut app = App::new(
        ConsoleSource::Recording(Box::new(RecordingPlayer::new(replay, 1.0, Instant::now()))),
        StateDirectory::default(),
    );
    let mut screen = TerminalSession::open().unwrap();
    screen.terminal.draw(|frame| view::draw(frame, &mut app, Theme::new(true), Duration::ZERO)).unwrap();
    if kind == "drawing" {
        screen.terminal.draw(|_| panic!("on purpose")).unwrap();
    }
    thread::spawn(|| panic!("on purpose")).join().unwrap_err();
    let error = run_event_loop(&mut app, &mut screen).unwrap_err();
    drop(screen);
    writeln!(io::stdout(), "{}", error.message.unwrap()).unwrap();
}

/// What is shown on a terminal, up to the last line of a test.
fn all(terminal: &mut File) -> String {
    let (mut shown, mut piece) = (Vec::new(), [0; 1024]);
    loop {
        let n = terminal.read(&mut piece).unwrap();
        shown.extend(&piece[..n]);
        let text = String::from_utf8_lossy(&shown);
        if text.lines().any(|line| line.starts_with("test result: ") && text.ends_with('\n')) {
            return text.into_owned();
        }
    }
}

#[test]
fn after_a_panic_the_terminal_is_as_before() {
    if let Some(kind) = env::var_os(PANIC) {
        return panic(kind.to_str().unwrap());
    }
    for kind in ["drawing", "beside"] {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&ours).unwrap();
        unlockpt(&ours).unwrap();
        let theirs = open(ptsname(&ours, Vec::new()).unwrap(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let end = || Stdio::from(theirs.try_clone().unwrap());
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", NAME, "--nocapture"]).env(PANIC, kind);
        let mut child = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
        let mut near = File::from(ours);
        let shown = all(&mut near);
        child.wait().unwrap();
        assert!(tcgetattr(&theirs).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO), "{kind}");
        let (screen, behind) = shown.split_once("\u{1b}[?1049l").unwrap();
        assert!(screen.contains("\u{1b}[?1049h"), "there was no screen: {shown}");
        assert!(shown.rfind("\u{1b}[?2004l") > shown.rfind("\u{1b}[?2004h"), "pasting is as before: {shown}");
        assert!(shown.rfind("\u{1b}[?25h") > shown.rfind("\u{1b}[?25l"), "there is a cursor: {shown}");
        assert!(!screen.contains("on purpose") && behind.contains("on purpose"), "{shown}");
        assert!(!behind.contains("\u{1b}[?1049"), "{shown}");
    }
}
