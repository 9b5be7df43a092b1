//! A fleet of publishers, each a process of its own with a session of its own, some of which are killed and started again.

#![allow(
    dead_code,
    clippy::allow_attributes,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test and a benchmark fail loudly, and only one of them prints the figures"
)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use kibitzer_nats::{EventStream, ReadFrom, StreamOptions, StreamReader, SubjectFilter};

/// Size of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fleet {
    pub(crate) n_publishers: usize,
    /// Number of publishers that are killed, again and again.
    pub(crate) n_victims: usize,
    pub(crate) events_per_session: usize,
}

/// What was measured.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) n_kills: usize,
    /// Until the last event was read.
    pub(crate) elapsed: Duration,
    /// Largest peak of the resident memory of a publisher, in kilobytes; `None` where the system does not report it.
    pub(crate) peak_kb: Option<u64>,
    /// Total size of the lines.
    pub(crate) bytes: usize,
}

impl Fleet {
    /// Publishes recordings to a server, and reads all events meanwhile. Panics unless every event arrives once and in order.
    pub(crate) async fn run(self, folder: &Path, url: &str) -> Outcome {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).unwrap();
        for n in 0..self.n_publishers {
            fs::write(folder.join(format!("s{n}.raw")), recording(self.events_per_session)).unwrap();
        }
        let lines = decoded(&folder.join("s0.raw"));
        assert_eq!(lines.len(), self.events_per_session);
        let stream = EventStream::open_or_create(&StreamOptions::new(url)).await.unwrap();
        let mut reader = StreamReader::open(&stream, &SubjectFilter::default(), ReadFrom::First).await.unwrap();
        let start = Instant::now();
        let mut children: Vec<_> = (0..self.n_publishers).map(|n| publish(folder, url, n)).collect();
        let mut read: BTreeMap<String, usize> = BTreeMap::new();
        let (mut n_kills, mut peak_kb, mut next_kill) = (0, None, 0);
        for n_read in 0..self.n_publishers * self.events_per_session {
            let event = tokio::time::timeout(Duration::from_mins(2), reader.recv()).await.unwrap().unwrap();
            let n_of_session = read.entry(event.session_token().to_owned()).or_default();
            let line = without_bytes(&event.line);
            assert!(line == lines[*n_of_session], "event {n_of_session} of {}: {event:?}", event.session_token());
            *n_of_session += 1;
            if self.n_victims > 0 && n_read >= next_kill {
                let victim = fastrand::usize(..self.n_victims);
                peak_kb = peak_kb.max(peak_memory(&children));
                // One that has ended is started again, too: it finds everything stored.
                n_kills += usize::from(kill(&mut children[victim]));
                children[victim] = publish(folder, url, victim);
                next_kill = n_read + fastrand::usize(1..=2 * self.events_per_session / 10);
            }
        }
        let elapsed = start.elapsed();
        for (n, child) in children.into_iter().enumerate() {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "publisher {n}: {output:?}");
        }
        assert_eq!(reader.n_pending(), 0);
        assert!(read.values().all(|count| *count == self.events_per_session));
        Outcome { n_kills, elapsed, peak_kb, bytes: self.n_publishers * lines.iter().map(Vec::len).sum::<usize>() }
    }
}

/// Returns the line of a stored event as `kibitzer decode` prints it: without the bytes of the server.
pub(crate) fn without_bytes(line: &[u8]) -> Vec<u8> {
    let find =
        |text: &[u8], from: usize| line[from..].windows(text.len()).position(|part| part == text).map(|at| from + at);
    let Some(start) = find(b",\"connection\":", 0) else { return line.to_vec() };
    let mut end = find(b"\"raw\":\"", start).unwrap() + 7;
    while line[end] != b'"' {
        end += if line[end] == b'\\' { 2 } else { 1 };
    }
    [&line[..start], &line[end + 1..]].concat()
}

/// Starts a publisher.
fn publish(folder: &Path, url: &str, n: usize) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kibitzer"));
    command.args(["publish", "--nats", url]).arg(folder.join(format!("s{n}.raw")));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Kills a process. Returns whether it was still running.
fn kill(child: &mut Child) -> bool {
    let is_running = child.try_wait().unwrap().is_none();
    let _ = child.kill();
    child.wait().unwrap();
    is_running
}

/// Returns the largest peak of the resident memory of the processes, in kilobytes.
fn peak_memory(children: &[Child]) -> Option<u64> {
    let peak = |child: &Child| {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.split_whitespace().next()?.parse().ok()
    };
    children.iter().filter_map(peak).max()
}

/// Returns the log of an observed game of so many boards, in which the knights go back and forth.
fn recording(n_boards: usize) -> String {
    const ROWS: [[&str; 2]; 4] =
        [["rnbqkbnr", "RNBQKBNR"], ["rnbqkbnr", "RNBQKB-R"], ["rnbqkb-r", "RNBQKB-R"], ["rnbqkb-r", "RNBQKBNR"]];
    const SANS: [&str; 4] = ["Ng8", "Nf3", "Nf6", "Ng1"];
    const MOVES: [&str; 4] = ["N/f6-g8", "N/g1-f3", "N/g8-f6", "N/f3-g1"];
    let mut log = String::new();
    for ply in 0..n_boards {
        let phase = ply % 4;
        let [black, white] = ROWS[phase];
        let sixth = if black == "rnbqkb-r" { "-----n--" } else { "--------" };
        let third = if white == "RNBQKB-R" { "-----N--" } else { "--------" };
        let side = if ply % 2 == 0 { 'W' } else { 'B' };
        let (verbose, san) = if ply == 0 { ("none", "none") } else { (MOVES[phase], SANS[phase]) };
        writeln!(
            log,
            "<12> {black} pppppppp {sixth} -------- -------- {third} PPPPPPPP {white} {side} -1 1 1 1 1 {ply} 7 Newton Einstein \
             0 999 0 39 39 {clock} {clock} {number} {verbose} (0:00.100) {san} 0 1 0\r",
            clock = 59_940_000 - ply * 100,
            number = ply / 2 + 1,
        )
        .unwrap();
    }
    log
}

/// Returns the lines that `kibitzer decode` prints for a log.
fn decoded(path: &Path) -> Vec<Vec<u8>> {
    let output = Command::new(env!("CARGO_BIN_EXE_kibitzer")).arg("decode").arg(path).output().unwrap();
    output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}
