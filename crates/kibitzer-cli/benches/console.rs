//! What the console takes: while 1,000 boards and tells come in each second, how long a key takes to the screen, and how much of a
//! core; and how much memory after a million of them. It runs the program on a pseudo terminal against a server of its own; Linux
//! tells what a process used.
#![cfg(target_os = "linux")]
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a measurement fails loudly and prints"
)]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Boards and lines of talk a second; each comes with a prompt, which is an event as well.
const LINES_PER_SECOND: u32 = 1_000;
/// Keys that are typed, one every [`BETWEEN_KEYS`].
const KEYS: usize = 300;
const BETWEEN_KEYS: Duration = Duration::from_millis(47);
/// Characters after which the line is emptied, so that it stays in front of the screen's edge.
const KEYS_PER_LINE: usize = 50;
/// Lines after which memory is looked at, and after how many of them for the first time: by then all rings are full.
const LINES: u32 = 1_000_000;
const FIRST_LINES: u32 = 100_000;
/// The budget.
const MOST_LATENCY: Duration = Duration::from_millis(50);
const MOST_OF_A_CORE: f64 = 0.5;
const MOST_MEMORY_KB: u64 = 96 << 10;
const MOST_GROWTH_KB: u64 = 4 << 10;

fn main() {
    let port = listen(talk);
    for (columns, rows) in [(80, 24), (160, 50)] {
        measure(port, columns, rows);
    }
    let [first, last] = [FIRST_LINES, LINES].map(|lines| memory_kb(listen(move |said| flood(said, lines))));
    println!("resident after {FIRST_LINES} lines {first} kB, after {LINES} lines {last} kB");
    assert!(last < MOST_MEMORY_KB && last < first + MOST_GROWTH_KB, "over the budget");
}

/// Listens for consoles, and says this to each that has logged in.
fn listen(talk: impl Fn(&mut TcpStream) + Copy + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || serve(stream.unwrap(), talk));
        }
    });
    port
}

/// The most memory a console had by the time it showed the last line of such a server.
fn memory_kb(port: u16) -> u64 {
    // Whoever does not hold the keyboard takes the terminal away.
    let (_keyboard, screen, mut console) = start(port, 80, 24);
    wait_for(&screen, LAST_SPEAKER);
    let status = fs::read_to_string(format!("/proc/{}/status", console.id())).unwrap();
    console.kill().unwrap();
    console.wait().unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim_end_matches("kB").trim().parse().unwrap()
}

/// Waits until the terminal is sent this.
fn wait_for(screen: &Receiver<(Instant, Vec<u8>)>, wanted: &str) {
    let mut shown = Vec::new();
    while !shown.windows(wanted.len()).any(|window| window == wanted.as_bytes()) {
        let (_, bytes) = screen.recv_timeout(Duration::from_mins(1)).unwrap();
        shown.drain(..shown.len().saturating_sub(wanted.len()));
        shown.extend(bytes);
    }
}

fn measure(port: u16, columns: u16, rows: u16) {
    let (mut keyboard, screen, mut console) = start(port, columns, rows);
    // Until it is logged in, and the list is full.
    sleep(Duration::from_secs(5));
    let (used, began) = (cpu_time(&console), Instant::now());
    let mut delays: Vec<_> = (0..KEYS).map(|n| key(&mut keyboard, &screen, rows, n)).collect();
    let share = cpu_time(&console).saturating_sub(used).as_secs_f64() / began.elapsed().as_secs_f64();
    console.kill().unwrap();
    console.wait().unwrap();
    delays.sort_unstable();
    let (median, p99) = (delays[KEYS / 2], delays[KEYS * 99 / 100]);
    println!("{columns}x{rows}: key to screen p50 {median:?}, p99 {p99:?}; {:.0} % of a core", share * 100.0);
    assert!(p99 < MOST_LATENCY && share < MOST_OF_A_CORE, "over the budget");
}

/// The console on a terminal: where it is typed, what it shows with the time it came, and the process.
fn start(port: u16, columns: u16, rows: u16) -> (File, Receiver<(Instant, Vec<u8>)>, Child) {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap();
    tcsetwinsize(&theirs, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let end = || Stdio::from(theirs.try_clone().unwrap());
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
    command.args(["console", &format!("127.0.0.1:{port}")]).env_remove("HOME").env_remove("XDG_STATE_HOME");
    let console = command.stdin(end()).stdout(end()).stderr(end()).spawn().unwrap();
    let keyboard = File::from(ours);
    let mut shown = keyboard.try_clone().unwrap();
    let (sender, screen) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 16384];
        while let Ok(n) = shown.read(&mut buffer) {
            if sender.send((Instant::now(), buffer[..n].to_vec())).is_err() {
                break;
            }
        }
    });
    (keyboard, screen, console)
}

/// Types a character; how long until the cursor stands behind it.
fn key(keyboard: &mut File, screen: &Receiver<(Instant, Vec<u8>)>, rows: u16, n: usize) -> Duration {
    let place = n % KEYS_PER_LINE;
    if place == 0 {
        keyboard.write_all(b"\x15").unwrap();
    }
    sleep(BETWEEN_KEYS);
    while screen.try_recv().is_ok() {}
    // Behind the prompt of two cells, counted from 1.
    let wanted = format!("\x1b[{rows};{}H", place + 4);
    let typed = Instant::now();
    keyboard.write_all(b"x").unwrap();
    let mut shown = Vec::new();
    loop {
        let (at, bytes) = screen.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(typed.elapsed() < Duration::from_secs(10), "the cursor does not follow the keys");
        shown.extend(bytes);
        if shown.windows(wanted.len()).any(|window| window == wanted.as_bytes()) {
            return at.saturating_duration_since(typed);
        }
    }
}

/// What the process used of all cores so far.
fn cpu_time(process: &Child) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.id())).unwrap();
    // Behind the name, which is in brackets, fields 14 and 15 count hundredths of a second.
    let fields: Vec<_> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

/// Logs a guest in, refuses every command, and runs `talk`.
fn serve(stream: TcpStream, talk: impl Fn(&mut TcpStream) + Send + 'static) {
    let mut said = stream.try_clone().unwrap();
    let mut heard = BufReader::new(stream).lines().map_while(Result::ok);
    said.write_all(b"Welcome\n\r\n\rlogin: ").unwrap();
    heard.next();
    said.write_all(b"\n\r#Ivars set.\n\r\n\rlogin: ").unwrap();
    heard.next();
    let guest = "\n\rLogging you in as \"GuestPUPE\"; you may use this name to play unrated games.\n\r\n\r\
        Press return to enter the server as \"GuestPUPE\": ";
    said.write_all(guest.as_bytes()).unwrap();
    heard.next();
    said.write_all(b"\n\r**** Starting FICS session as GuestPUPE(U) ****\n\r\n\rfics% ").unwrap();
    let mut answers = said.try_clone().unwrap();
    thread::spawn(move || {
        // Until the set-up is answered.
        sleep(Duration::from_secs(2));
        talk(&mut said);
    });
    for line in heard {
        // The login waits for the reply to a command that no server knows.
        let command = line.split(' ').next().unwrap_or_default();
        let answer = format!("{command}: Command not found.\n\rfics% ");
        if answers.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// Boards and talk, evenly, without end.
fn talk(said: &mut TcpStream) {
    let began = Instant::now();
    for n in 0_u32.. {
        if said.write_all(line(n).as_bytes()).is_err() {
            return;
        }
        let due = Duration::from_secs(1) * (n + 1) / LINES_PER_SECOND;
        sleep(due.saturating_sub(began.elapsed()));
    }
}

/// So many of them, as fast as they are taken, and that they were all.
fn flood(said: &mut TcpStream, lines: u32) {
    for first in (0..lines).step_by(1_000) {
        let some: String = (first..lines.min(first + 1_000)).map(line).collect();
        if said.write_all(some.as_bytes()).is_err() {
            return;
        }
    }
    let _ = said.write_all(format!("\n\r{LAST_SPEAKER} shouts: done\n\rfics% ").as_bytes());
}

/// Who speaks last. Nothing that stands on the screen before has one of these letters in the same place, so that all of them are
/// drawn anew.
const LAST_SPEAKER: &str = "Zzyxzzyx";

/// A board or a line of talk.
fn line(n: u32) -> String {
    let clock = 60_000 + n % 1_000;
    if n.is_multiple_of(2) {
        format!(
            "\n\r<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 \
             Newton Einstein 0 2 12 39 39 {clock} {clock} 1 P/e2-e4 (0:06) e4 0\n\rfics% "
        )
    } else {
        format!("\n\rNewton(50): this is line {n} of many that come in a second\n\rfics% ")
    }
}
