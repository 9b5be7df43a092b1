//! The log of the program: its arguments, its filter, and its destinations.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{env, thread};

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::failure::Failure;
use crate::output::{TerminalSafe, print_above_input};

/// Environment variable with the filter, used if `--log` is not given.
const VARIABLE: &str = "KIBITZER_LOG";

/// Filter used with `--log-file` if neither `--log` nor the variable names one.
const DEFAULT_FILTER: &str = "info";

/// Arguments of the log.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct LogArgs {
    /// Log from this level on: error, warn, info, debug or trace; or by a filter such as warn,kibitzer=debug [default: the
    /// variable `KIBITZER_LOG`, else off]
    #[arg(long, global = true, value_name = "FILTER", value_parser = parse_filter, help_heading = "Log")]
    log: Option<String>,
    /// Append the log to this file, which only its owner can read, instead of standard error
    #[arg(long, global = true, value_name = "FILE", help_heading = "Log")]
    log_file: Option<PathBuf>,
    /// Form of its lines
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text, value_name = "FORMAT", help_heading = "Log")]
    log_format: LogFormat,
}

/// Form of the lines of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Time, level, spans, message and fields
    Text,
    /// One JSON object per line
    Json,
}

impl LogArgs {
    /// Installs the subscriber of the log for the process, and opens the log file. Does nothing if `--log`, `--log-file` and the
    /// variable are all missing, so that logging costs nothing.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the variable has no valid filter, or the file cannot be used.
    pub(crate) fn install_subscriber(&self) -> Result<(), Failure> {
        let Some(filter) = self.chosen_filter()? else { return Ok(()) };
        let file = self.log_file.as_deref().map(open_log_file).transpose()?;
        let is_json = self.log_format == LogFormat::Json;
        turn_on(file);
        let filter = filter_builder().parse(filter).map_err(Failure::caused_by)?;
        let log = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(move || LogWriter { is_json })
            .with_ansi(false)
            .log_internal_errors(false);
        let started =
            if is_json { log.json().flatten_event(true).with_current_span(false).try_init() } else { log.try_init() };
        started.map_err(|error| Failure::local(format!("cannot start the log: {error}")))
    }

    /// Returns the filter: of `--log`, else of the variable, else [`DEFAULT_FILTER`] with `--log-file`; `None` if nothing is to
    /// be logged. An empty variable counts as not set.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the variable has no valid filter.
    fn chosen_filter(&self) -> Result<Option<String>, Failure> {
        let variable = env::var_os(VARIABLE).filter(|value| !value.is_empty());
        match (&self.log, variable) {
            (Some(filter), _) => Ok(Some(filter.clone())),
            (None, Some(value)) => {
                let parsed = parse_filter(&value.to_string_lossy());
                parsed.map(Some).map_err(|reason| Failure::local(format!("environment variable {VARIABLE}: {reason}")))
            }
            (None, None) => Ok(self.log_file.as_ref().map(|_| DEFAULT_FILTER.to_owned())),
        }
    }
}

/// Returns the builder that parses all filters of the log.
fn filter_builder() -> tracing_subscriber::filter::Builder {
    // A pattern of a field would be an automaton of any size.
    EnvFilter::builder().with_regex(false)
}

/// Checks a filter: parts between commas, each a level, a target or span with a level, or a target of kibitzer alone. Returns the
/// filter without blanks around the parts and without empty parts.
///
/// # Errors
///
/// The first part that is not valid, and the reason.
fn parse_filter(text: &str) -> Result<String, String> {
    let parts: Vec<_> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    for part in &parts {
        check_filter_part(part).map_err(|reason| format!("{part:?} {reason}"))?;
    }
    if parts.is_empty() { Err("the filter is empty".to_owned()) } else { Ok(parts.join(",")) }
}

/// Checks one part of a filter. An error is the end of a message that begins with the part.
///
/// `EnvFilter` treats a word that is no level as a target, so that a misspelled level would log nothing. Such a word is refused
/// unless it begins with `kibitzer`.
fn check_filter_part(part: &str) -> Result<(), &'static str> {
    let is_word = !part.contains(['=', '[']) && !part.starts_with("kibitzer");
    if is_word && part.parse::<LevelFilter>().is_err() {
        return Err(
            "is not one of the levels off, error, warn, info, debug and trace; a target has one: kibitzer=debug",
        );
    }
    filter_builder().parse(part).map(drop).map_err(|_| "is not a filter such as kibitzer=debug or [login]=trace")
}

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
    kibitzer::internal::json::write(&mut safe, &value)?;
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
    let opened = open_for_owner(path, OpenOptions::new().append(true).create(true));
    let file = opened.map_err(|error| failed(&error))?;
    let metadata = file.metadata().map_err(|error| failed(&error))?;
    if !metadata.is_file() || !is_private(&metadata) {
        return Err(failed(&"it has to be a regular file of yours with mode 0600"));
    }
    Ok(file)
}

/// Opens a file as `options` say, with mode 0600 if it is created. On Unix, follows no symbolic link and does not wait for the
/// other end of a pipe.
pub(crate) fn open_for_owner(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.mode(0o600).custom_flags(flags.bits().cast_signed());
    }
    options.open(path)
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
