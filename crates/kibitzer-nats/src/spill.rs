//! A file for events that are not stored yet.
//!
//! The first line names the session; every other line is a position, a blank, and the JSON line of an event.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::NatsError;
use crate::event::{EventHead, Position, QueuedEvent};
use crate::subject::SessionName;

/// Maximum length of a line; NATS servers accept no longer messages.
const MAX_LINE_BYTES: u64 = 64 << 20;

/// A file of events that are not stored yet. It is emptied once all of them are.
#[derive(Debug)]
pub(crate) struct SpillFile {
    path: PathBuf,
    file: File,
    max_bytes: u64,
    /// Length of the first line.
    start: u64,
    /// Offset of the first event that was not read yet.
    next: u64,
    /// Length of the file.
    end: u64,
    /// Number of events that were not read yet.
    pub(crate) n_unread: u64,
    /// Position of the last event in the file.
    pub(crate) last: Option<Position>,
}

impl SpillFile {
    /// Opens and locks the spill file of a session, or creates it, readable by its owner alone. Removes an incomplete last line.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the file cannot be used, is not a spill file of this session, or is open in another publisher.
    pub(crate) fn open_locked(path: &Path, session: &SessionName, max_bytes: u64) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(invalid_data("another publisher uses it")),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let heading = format!("kibitzer spill v1 {}\n", session.token());
        if file.metadata()?.len() == 0 {
            file.write_all(heading.as_bytes())?;
        }
        file.rewind()?;
        let mut found = vec![0; heading.len()];
        if file.read_exact(&mut found).is_err() || found != heading.as_bytes() {
            return Err(invalid_data("it is not a spill file of this session"));
        }
        let start = heading.len() as u64;
        let path = path.to_owned();
        let mut spill = Self { path, file, max_bytes, start, next: start, end: u64::MAX, n_unread: 0, last: None };
        spill.cut_off_incomplete_end()?;
        Ok(spill)
    }

    /// Returns the failure for an error of this file.
    pub(crate) fn error(&self, source: io::Error) -> NatsError {
        NatsError::Spill { path: self.path.clone(), source }
    }

    /// Reads the file up to its last complete line, and truncates it there.
    fn cut_off_incomplete_end(&mut self) -> io::Result<()> {
        let mut end = self.start;
        let mut n_unread = 0;
        let mut last = None;
        self.visit_events_from(end, |event, length| {
            end += length;
            n_unread += 1;
            last = Some(event.position);
            true
        })?;
        self.end = end;
        self.n_unread = n_unread;
        self.last = last;
        self.file.set_len(end)
    }

    /// Passes the events from a byte offset on, each with the length of its line, to `visit`, until it returns `false` or no
    /// complete line is left.
    fn visit_events_from(&self, offset: u64, mut visit: impl FnMut(QueuedEvent, u64) -> bool) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(offset))?;
        let mut reader = BufReader::new(file);
        loop {
            let mut line = Vec::new();
            let length = reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
            let Some(text) = line.strip_suffix(b"\n") else { return Ok(()) };
            let event = parse_event(text).ok_or_else(|| invalid_data("one of its lines is not an event"))?;
            if !visit(event, length as u64) {
                return Ok(());
            }
        }
    }

    /// Lets every later write fail with an error of the system, or succeed again.
    #[cfg(test)]
    pub(crate) fn set_writable(&mut self, is_writable: bool) -> io::Result<()> {
        self.file = OpenOptions::new().read(true).write(is_writable).open(&self.path)?;
        Ok(())
    }

    /// Returns the length of all events in the file, read or unread.
    pub(crate) const fn event_bytes(&self) -> u64 {
        self.end - self.start
    }

    /// Writes the report of dropped events after the last event, in place of an earlier report. Only the next publisher reads it,
    /// as an event.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if it cannot be written.
    pub(crate) fn write_report(&mut self, report: &QueuedEvent) -> io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        write_line(&mut self.file, report)
    }

    /// Appends events. On an error the file is as before.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if they cannot be written, or the file would exceed its limit.
    pub(crate) fn append<'a>(&mut self, events: impl IntoIterator<Item = &'a QueuedEvent>) -> io::Result<()> {
        let mut lines = Vec::new();
        let mut n_events = 0;
        let mut last = self.last;
        for event in events {
            write_line(&mut lines, event)?;
            n_events += 1;
            last = Some(event.position);
        }
        let end = self.end.saturating_add(lines.len() as u64);
        if end > self.max_bytes {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.seek(SeekFrom::Start(self.end))?;
        if let Err(error) = self.file.write_all(&lines) {
            self.file.set_len(self.end)?;
            return Err(error);
        }
        self.end = end;
        self.last = last;
        self.n_unread += n_events;
        Ok(())
    }

    /// Appends events that stay in memory, too; [`read_next`](Self::read_next) skips them. Call it only while no event is unread.
    ///
    /// # Errors
    ///
    /// As for [`append`](Self::append).
    pub(crate) fn append_as_read<'a>(&mut self, events: impl IntoIterator<Item = &'a QueuedEvent>) -> io::Result<()> {
        self.append(events)?;
        self.next = self.end;
        self.n_unread = 0;
        Ok(())
    }

    /// Reads the next events, up to about this many bytes; none at the end. They stay in the file until [`clear`](Self::clear).
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the file cannot be read.
    pub(crate) fn read_next(&mut self, max_bytes: usize) -> io::Result<Vec<QueuedEvent>> {
        let mut events: Vec<QueuedEvent> = Vec::new();
        let mut n_bytes = 0;
        let mut next = self.next;
        if next < self.end {
            self.visit_events_from(next, |event, length| {
                next += length;
                n_bytes += event.line.len();
                events.push(event);
                n_bytes < max_bytes && next < self.end
            })?;
            if events.is_empty() {
                return Err(invalid_data("another program has changed it"));
            }
        }
        self.next = next;
        self.n_unread = self.n_unread.saturating_sub(events.len() as u64);
        Ok(events)
    }

    /// Removes all events.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the file cannot be truncated.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(self.start)?;
        self.next = self.start;
        self.end = self.start;
        self.n_unread = 0;
        self.last = None;
        Ok(())
    }
}

fn write_line(out: &mut impl io::Write, event: &QueuedEvent) -> io::Result<()> {
    writeln!(out, "{} {}", event.position, String::from_utf8_lossy(&event.line))
}

/// Parses a line: position, blank, JSON.
fn parse_event(line: &[u8]) -> Option<QueuedEvent> {
    let blank = line.iter().position(|byte| *byte == b' ')?;
    let position = Position::parse(std::str::from_utf8(line.get(..blank)?).ok()?)?;
    let line = line.get(blank + 1..)?;
    EventHead::parse(line).ok()?;
    Some(QueuedEvent { position, line: Bytes::copy_from_slice(line) })
}

fn invalid_data(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason)
}
