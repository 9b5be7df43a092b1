//! Where the lines of the log go: a file, standard error, or the console's page while it has the screen.

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::failure::Failure;
use crate::output::{TerminalSafe, print_above_input};

/// Number of lines that the console's page has.
const MAX_LINES: usize = 1_000;
/// Number of characters of a line that the page shows; files have all of them.
const MAX_LINE_CHARS: usize = 1_000;

static DESTINATION: Mutex<Destination> =
    Mutex::new(Destination { is_on: false, is_json: false, file: None, screen: None });

/// The destination of the log. One for the process, as the subscriber is.
struct Destination {
    is_on: bool,
    is_json: bool,
    file: Option<File>,
    /// The newest lines, while the console has the screen.
    screen: Option<VecDeque<String>>,
}

impl Destination {
    fn write(&mut self, line: &str) {
        let written = self.file.as_mut().map(|file| file.write_all(format!("{line}\n").as_bytes()));
        if let Some(Err(error)) = written {
            self.file = None;
            self.show(&format!("the log file cannot be written: {error}"));
        }
        if self.file.is_none() || self.screen.is_some() {
            self.show(line);
        }
    }

    /// Adds a line to the console's page; writes it to standard error if no console has the screen.
    fn show(&mut self, line: &str) {
        let Some(lines) = &mut self.screen else {
            // Without standard error there is no place for the log.
            let _ = print_above_input(|| writeln!(io::stderr(), "{line}"));
            return;
        };
        if lines.len() == MAX_LINES {
            lines.pop_front();
        }
        lines.push_back(line.chars().take(MAX_LINE_CHARS).collect());
    }
}

fn destination() -> MutexGuard<'static, Destination> {
    // Nothing that holds the lock panics.
    DESTINATION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Turns the log on, with a file or standard error as its destination.
pub(super) fn set_destination(file: Option<File>, is_json: bool) {
    let mut destination = destination();
    (destination.is_on, destination.is_json, destination.file) = (true, is_json, file);
}

/// Writer of the subscriber, which passes each line in one call.
#[derive(Debug)]
pub(super) struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut destination = destination();
        let safe = if destination.is_json {
            safe_json(line)?
        } else {
            TerminalSafe(String::from_utf8_lossy(line).trim_end_matches('\n')).to_string()
        };
        destination.write(&safe);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Escapes what controls a terminal in the strings of a JSON object.
fn safe_json(object: &[u8]) -> io::Result<String> {
    let value: serde_json::Value = serde_json::from_slice(object)?;
    let mut safe = Vec::new();
    kibitzer::json::write(&mut safe, &value)?;
    String::from_utf8(safe).map_err(io::Error::other)
}

/// Keeps the log off standard error until it is dropped, because the console has the screen.
#[derive(Debug)]
pub(crate) struct ScreenLog;

impl ScreenLog {
    pub(crate) fn begin() -> Self {
        destination().screen = Some(VecDeque::new());
        Self
    }
}

impl Drop for ScreenLog {
    fn drop(&mut self) {
        destination().screen = None;
    }
}

/// Returns the newest `n` lines that were logged since the console has the screen, newest first; `None` if the log is off.
pub(crate) fn newest_lines(n: usize) -> Option<Vec<String>> {
    let destination = destination();
    destination.is_on.then(|| destination.screen.iter().flatten().rev().take(n).cloned().collect())
}

/// Opens a log file to append to it, or creates it with mode 0600: it may contain private talk.
///
/// # Errors
///
/// [`Failure`] if it cannot be opened, or is not a regular file that only this user can read: no link is followed.
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

/// Turns the log on for a test of the console.
#[cfg(test)]
pub(crate) fn log_to_screen_only() {
    set_destination(None, false);
}

/// Logs a line as the subscriber does.
#[cfg(test)]
pub(crate) fn write_line(line: &str) {
    LogWriter.write_all(line.as_bytes()).unwrap();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_stays_the_same_value_and_controls_no_terminal() {
        let object = "{\"a\":\"caf\u{e9} \u{9b}2J \u{202e} \\n\"}\n";
        let safe = safe_json(object.as_bytes()).unwrap();
        assert_eq!(safe, "{\"a\":\"caf\u{e9} \\u009b2J \\u202e \\n\"}");
        let [got, want] = [&safe, object].map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
        assert_eq!(got, want);
    }

    #[test]
    fn the_page_has_the_newest_lines_and_the_file_has_all() {
        let path = std::env::temp_dir().join(format!("kibitzer-log-{}", std::process::id()));
        let mut destination =
            Destination { is_on: true, is_json: false, file: Some(open_log_file(&path).unwrap()), screen: None };
        destination.write("before the screen");
        destination.screen = Some(VecDeque::new());
        for number in 0..=MAX_LINES {
            destination.write(&format!("{number} {}", "x".repeat(2 * MAX_LINE_CHARS)));
        }
        let lines = destination.screen.unwrap();
        assert_eq!((lines.len(), lines[0].chars().count()), (MAX_LINES, MAX_LINE_CHARS));
        assert!(lines[0].starts_with("1 ") && lines[MAX_LINES - 1].starts_with("1000 "));
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), MAX_LINES + 2);
        std::fs::remove_file(&path).unwrap();
    }
}
