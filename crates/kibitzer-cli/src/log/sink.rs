//! Destinations of the log: a file, standard error, or the console's log page while the console is open.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::output::{TerminalSafe, print_above_input};

/// Maximum number of lines on the console's log page; then the oldest is dropped.
const MAX_LINES: usize = 1_000;
/// Maximum number of characters of a line on the log page; the rest is cut off. Files contain whole lines.
const MAX_LINE_CHARS: usize = 1_000;

/// Capacity of the queue to standard error, in lines; further lines are dropped and counted.
const MAX_UNWRITTEN_LINES: usize = 1_000;
/// Maximum time to wait at the end until queued lines are written to standard error.
const FINAL_WRITE_TIMEOUT: Duration = Duration::from_secs(1);

static DESTINATION: Mutex<LogDestination> =
    Mutex::new(LogDestination { is_on: false, file: None, screen: None, stderr: None });

/// Destination of the log: one for the process, because its subscriber is process-wide, too.
struct LogDestination {
    /// Whether a subscriber writes to the log.
    is_on: bool,
    file: Option<LogFile>,
    /// Newest lines for the console's log page, while the console is open.
    screen: Option<VecDeque<String>>,
    /// Queue to standard error, once a line was written to it.
    stderr: Option<LineQueue>,
}

impl LogDestination {
    /// Writes a line without its end to the file, or to standard error without one; while the console is open, to its log page,
    /// too, and not to standard error. A line that cannot be written to the file is lost and counted; reports the first one.
    fn write_log_line(&mut self, line: &str) {
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_line_or_count(line)
            && file.n_lost == 1
        {
            let report = format!("kibitzer: the log file cannot be written, and lines are lost: {error}");
            self.show_on_screen_or_stderr(&report);
        }
        if self.file.is_none() || self.screen.is_some() {
            self.show_on_screen_or_stderr(line);
        }
    }

    /// Adds a line to the console's log page; if the console is not open, queues it for standard error.
    fn show_on_screen_or_stderr(&mut self, line: &str) {
        let Some(lines) = &mut self.screen else {
            // Without standard error there is no place for the log.
            let write = |line: &str| drop(print_above_input(|| writeln!(io::stderr(), "{line}")));
            return self.stderr.get_or_insert_with(|| LineQueue::start(write)).push_or_drop(line);
        };
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line.chars().take(MAX_LINE_CHARS).collect());
    }
}

/// The log file, and the number of lines that could not be written to it.
struct LogFile {
    file: File,
    n_lost: u64,
    /// Whether the file may end inside a line.
    is_cut: bool,
}

impl LogFile {
    /// Writes a line and its end, after a line end if an earlier line was cut. Counts the line if that fails.
    fn write_line_or_count(&mut self, line: &str) -> io::Result<()> {
        let start = if self.is_cut { "\n" } else { "" };
        let written = self.file.write_all(format!("{start}{line}\n").as_bytes());
        self.is_cut = written.is_err();
        self.n_lost += u64::from(self.is_cut);
        written
    }
}

/// Queue to a thread that writes lines, so that a stalled reader of standard error does not block a session that logs.
struct LineQueue {
    lines: SyncSender<String>,
    /// Number of lines that were dropped because the queue was full, and are not reported yet.
    n_dropped: u64,
    /// Disconnects once the thread has ended, after it has written all lines. Never receives a value.
    is_writing: Receiver<()>,
}

impl LineQueue {
    /// Spawns a thread that calls `write` for each line. If no thread can be spawned, all lines are dropped.
    fn start(mut write: impl FnMut(&str) + Send + 'static) -> Self {
        let (lines, unwritten) = mpsc::sync_channel::<String>(MAX_UNWRITTEN_LINES);
        let (writing, is_writing) = mpsc::channel();
        let _ = thread::Builder::new().spawn(move || {
            let _writing: Sender<()> = writing;
            for line in unwritten {
                write(&line);
            }
        });
        Self { lines, n_dropped: 0, is_writing }
    }

    /// Queues a line without blocking; if the queue is full, drops and counts it. Before the first line after dropped ones,
    /// queues a line that reports their number.
    fn push_or_drop(&mut self, line: &str) {
        self.report_dropped();
        if self.n_dropped > 0 || self.lines.try_send(line.to_owned()).is_err() {
            self.n_dropped += 1;
        }
    }

    /// Queues a line with the number of dropped lines, and resets the number. Does nothing if no line was dropped or the queue is
    /// full.
    fn report_dropped(&mut self) {
        let report =
            || format!("kibitzer: {} lines of the log are missing: standard error was not read", self.n_dropped);
        if self.n_dropped > 0 && self.lines.try_send(report()).is_ok() {
            self.n_dropped = 0;
        }
    }

    /// Waits until all queued lines are written, at most one second.
    fn finish(mut self) {
        self.report_dropped();
        drop(self.lines);
        let _ = self.is_writing.recv_timeout(FINAL_WRITE_TIMEOUT);
    }
}

/// Locks the destination of the process.
fn lock_destination() -> MutexGuard<'static, LogDestination> {
    // Nothing that holds the lock panics.
    DESTINATION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Marks the log as on, and sets its destination: the file, or standard error for `None`. Does not install a subscriber.
pub(crate) fn turn_on(file: Option<File>) {
    let mut destination = lock_destination();
    destination.is_on = true;
    destination.file = file.map(|file| LogFile { file, n_lost: 0, is_cut: false });
}

/// Waits until the lines queued for standard error are written, at most one second. Called before the process ends.
///
/// # Errors
///
/// [`Failure`] with the number of lines that could not be written to the log file.
pub(crate) fn wait_for_queued_lines() -> Result<(), Failure> {
    let stderr = lock_destination().stderr.take();
    if let Some(lines) = stderr {
        lines.finish();
    }
    match lock_destination().file.as_ref().map_or(0, |file| file.n_lost) {
        0 => Ok(()),
        n_lost => Err(Failure::local(format!("the log file could not be written: {n_lost} lines are missing"))),
    }
}

/// Writer for the subscriber, which passes each line in one call of `write`. Escapes characters that control a terminal.
#[derive(Debug)]
pub(crate) struct LogWriter {
    /// Whether lines are JSON objects, whose strings are escaped as in JSON.
    pub(crate) is_json: bool,
}

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let safe = if self.is_json {
            safe_json(line)?
        } else {
            TerminalSafe(String::from_utf8_lossy(line).trim_end_matches('\n')).to_string()
        };
        lock_destination().write_log_line(&safe);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns a JSON object with characters that control a terminal escaped in its strings. Fails if the bytes are not JSON.
fn safe_json(object: &[u8]) -> io::Result<String> {
    let value: serde_json::Value = serde_json::from_slice(object)?;
    let mut safe = Vec::new();
    kibitzer::json::write(&mut safe, &value)?;
    String::from_utf8(safe).map_err(io::Error::other)
}

/// Guard of the open console: until it is dropped, lines of the log are kept for the console's log page, and not written to
/// standard error. Then they are discarded.
#[derive(Debug)]
pub(crate) struct LogOnScreen;

impl LogOnScreen {
    /// Starts to keep lines for the log page, which is empty at first.
    pub(crate) fn begin() -> Self {
        lock_destination().screen = Some(VecDeque::new());
        Self
    }
}

impl Drop for LogOnScreen {
    fn drop(&mut self) {
        lock_destination().screen = None;
    }
}

/// Returns at most `n` lines that were logged since the console was opened, newest first; empty without a console. `None` if the
/// log is off.
pub(crate) fn newest_lines_if_on(n: usize) -> Option<Vec<String>> {
    let destination = lock_destination();
    destination.is_on.then(|| destination.screen.iter().flatten().rev().take(n).cloned().collect())
}

/// Opens a log file to append to it, or creates it with mode 0600, because it may contain private talk. Outside Unix, permissions
/// and links are not checked.
///
/// # Errors
///
/// [`Failure`] if it cannot be opened, or is not a regular file that only this user can access. A symbolic link is refused.
pub(super) fn open_log_file(path: &Path) -> Result<File, Failure> {
    let failed = |reason: &dyn std::fmt::Display| Failure::local(format!("cannot log to {}: {reason}", path.display()));
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path).map_err(|error| failed(&error))?;
    let metadata = file.metadata().map_err(|error| failed(&error))?;
    if !metadata.is_file() || !is_private(&metadata) {
        return Err(failed(&"it has to be a regular file of yours with mode 0600"));
    }
    Ok(file)
}

/// Returns whether the file belongs to this user, without any permission for group and others.
#[cfg(unix)]
fn is_private(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let for_others = metadata.mode() & 0o077;
    for_others == 0 && metadata.uid() == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
const fn is_private(_: &std::fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests;
