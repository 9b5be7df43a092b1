//! Reads a recording piece by piece and parses it like a live session.

use std::collections::VecDeque;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kibitzer::transcript::{Direction, Record, TranscriptError, TranscriptReader, Utc};
use kibitzer_core::event::Attribution;
use kibitzer_core::session::SecretDetector;
use kibitzer_core::wire::{Timeseal, Unsealed, unseal};
use kibitzer_core::{Event, EventReader};

use crate::arguments::ReaderArgs;
use crate::console::model::{GameSnapshot, SentItem, SourceItem, SourceItemKind};
use crate::failure::Failure;
use crate::output::cut_recording_text;

/// A recording that is read and parsed piece by piece, and the position in it.
#[derive(Debug)]
pub(crate) struct RecordingReader {
    path: PathBuf,
    pub(super) args: ReaderArgs,
    /// Clock that measures parsing times.
    stopwatch: fn() -> Instant,
    /// Latest time of a record.
    pub(crate) length: Duration,
    /// Time of day at which the session began, derived from the first record with a time of day; `None` without one.
    pub(crate) utc_start: Option<Utc>,
    /// Number of the incomplete line at the end of the file; `None` if the file is complete.
    cut: Option<u64>,
    /// Text of the mark that reports the cut; `None` once it was delivered.
    cut_mark: Option<String>,
    /// The open file; `None` before the first read.
    records: Option<TranscriptReader<BufReader<File>>>,
    /// The next record, once it was read ahead.
    next: Option<Record>,
    events: EventReader,
    detector: SecretDetector,
    /// Received bytes that are not parsed yet.
    undecoded: VecDeque<u8>,
    /// Items of the current record that are not delivered yet.
    ready: VecDeque<SourceItemKind>,
    /// Time of the current record.
    pub(super) at: Duration,
    /// Whether everything in the recording has been delivered.
    pub(crate) is_over: bool,
}

impl RecordingReader {
    /// Opens a recording, and reads it once to validate it and find its length. `stopwatch` is the clock that measures parsing
    /// times.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the file cannot be read, or a line is not a record; with strict arguments, also if the file ends inside
    /// a line.
    pub(crate) fn open(path: &Path, args: ReaderArgs, stopwatch: fn() -> Instant) -> Result<Self, Failure> {
        let (mut length, mut utc_start, mut cut) = (Duration::ZERO, None, None);
        for record in open_transcript(path)? {
            match record {
                Ok(record) => {
                    length = length.max(record.time);
                    utc_start = utc_start.or_else(|| Some(record.utc?.minus(record.time)));
                }
                Err(TranscriptError::Torn { line, .. }) if !args.strict => cut = Some(line),
                Err(error) => return Err(read_failure(path, &error)),
            }
        }
        Ok(Self { length, utc_start, ..Self::at_start(path.to_owned(), args, stopwatch, cut) })
    }

    /// Returns the reader before its first read, with a length of zero. `cut` is the line inside which the file ends.
    fn at_start(path: PathBuf, args: ReaderArgs, stopwatch: fn() -> Instant, cut: Option<u64>) -> Self {
        Self {
            path,
            args,
            stopwatch,
            length: Duration::ZERO,
            utc_start: None,
            cut,
            cut_mark: cut.map(cut_recording_text),
            records: None,
            next: None,
            events: args.event_reader(),
            detector: SecretDetector::default(),
            undecoded: VecDeque::new(),
            ready: VecDeque::new(),
            at: Duration::ZERO,
            is_over: false,
        }
    }

    /// Returns the file name without its directory.
    pub(crate) fn file_name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }

    /// Restarts from the beginning. The next read opens the file again.
    pub(crate) fn restart(&mut self) {
        *self = self.restarted();
    }

    /// Returns another reader of the recording, at its beginning.
    pub(crate) fn restarted(&self) -> Self {
        let start = Self::at_start(self.path.clone(), self.args, self.stopwatch, self.cut);
        Self { length: self.length, utc_start: self.utc_start, ..start }
    }

    /// Returns the next item if its time is at most `until`; `None` if it is later, and at the end of the recording, where
    /// `is_over` is set.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the file or a record can no longer be read. A file that now ends inside a line counts as ending before that line.
    pub(crate) fn next_until(&mut self, until: Duration) -> Result<Option<SourceItem>, Failure> {
        loop {
            if self.at <= until
                && let Some(kind) = self.ready.pop_front().or_else(|| self.decode_next_event())
            {
                return Ok(Some(SourceItem { at: self.at, kind }));
            }
            match self.peek_record()?.map(|record| record.time) {
                Some(time) if time.max(self.at) <= until => self.convert_next_record(),
                Some(_) => return Ok(None),
                None => return Ok(self.next_at_end()),
            }
        }
    }

    /// Returns the next record without consuming it, and reads it if necessary; `None` at the end of the file, or if only an
    /// incomplete line is left.
    fn peek_record(&mut self) -> Result<Option<&Record>, Failure> {
        if self.next.is_none() {
            let records = match &mut self.records {
                Some(records) => records,
                None => self.records.insert(open_transcript(&self.path)?),
            };
            self.next = match records.next().transpose() {
                Err(TranscriptError::Torn { .. }) => None,
                read => read.map_err(|error| read_failure(&self.path, &error))?,
            };
        }
        Ok(self.next.as_ref())
    }

    /// Converts the record that was read ahead to items, if there is one. The times of items never decrease, even if the times of
    /// the records do.
    fn convert_next_record(&mut self) {
        let Some(record) = self.next.take() else { return };
        self.at = record.time.max(self.at);
        let stated = record.attribution();
        match record.direction {
            Direction::Received if record.bytes.is_empty() => {
                while let Some(event) = self.events.finish() {
                    self.ready.push_back(self.event_item(event, Duration::ZERO));
                }
                self.ready.push_back(SourceItemKind::Disconnected);
                self.events = self.args.event_reader();
            }
            Direction::Received => {
                self.undecoded.extend(&record.bytes);
                self.ready.push_back(SourceItemKind::Bytes(record.bytes));
            }
            Direction::Sent => {
                let lines = record.bytes.split_inclusive(|&b| b == b'\n');
                let timeseal = self.args.timeseal();
                for mut item in lines.map(|line| sent_item(line, record.redacted, timeseal, &mut self.detector)) {
                    if let SourceItemKind::Sent(SentItem { text, attribution, .. }) = &mut item {
                        *attribution = self.events.note_sent_line(text, stated);
                    }
                    self.ready.push_back(item);
                }
            }
        }
    }

    /// Decodes the next event of the received bytes, and measures the time; `None` if more bytes are needed.
    fn decode_next_event(&mut self) -> Option<SourceItemKind> {
        let started = (self.stopwatch)();
        let mut rest: &[u8] = self.undecoded.make_contiguous();
        let before = rest.len();
        let event = self.events.next(&mut rest);
        let decoding = (self.stopwatch)().saturating_duration_since(started);
        let n_taken = before - rest.len();
        self.undecoded.drain(..n_taken);
        event.map(|event| self.event_item(event, decoding))
    }

    /// Returns the next of the last items of the recording: an unfinished line, then the mark that reports a cut. After them,
    /// sets `is_over`.
    fn next_at_end(&mut self) -> Option<SourceItem> {
        let rest = self.events.finish().map(|event| self.event_item(event, Duration::ZERO));
        let kind = rest.or_else(|| self.cut_mark.take().map(SourceItemKind::Note));
        self.is_over = kind.is_none();
        Some(SourceItem { at: self.at, kind: kind? })
    }

    /// Converts an event, with the present state of its game.
    fn event_item(&self, event: Event, decoding: Duration) -> SourceItemKind {
        let game = event.affected_game().and_then(|id| self.events.games().get(id));
        SourceItemKind::Event { snapshot: game.map(|game| Box::new(GameSnapshot::new(game))), event, decoding }
    }
}

/// Converts a sent line, unsealed if it is sealed; `detector` decides whether it is secret, unless the recording redacted it.
fn sent_item(line: &[u8], is_redacted: bool, timeseal: Timeseal, detector: &mut SecretDetector) -> SourceItemKind {
    let unsealed = if timeseal == Timeseal::Off { None } else { unseal(line) };
    let answers_ping = unsealed.as_ref().is_some_and(Unsealed::is_ping_answer);
    let text = unsealed.map_or_else(|| line.trim_ascii_end().to_vec(), |unsealed| unsealed.text);
    let typed = String::from_utf8_lossy(&text);
    detector.learn_alias(&typed);
    let is_secret = is_redacted || detector.is_secret(&typed);
    let attribution = Attribution::default();
    SourceItemKind::Sent(SentItem { bytes: line.to_vec(), text, answers_ping, is_secret, attribution })
}

fn open_transcript(path: &Path) -> Result<TranscriptReader<BufReader<File>>, Failure> {
    let opened = File::open(path);
    let file = opened.map_err(|error| Failure::local(format!("cannot open {}: {error}", path.display())))?;
    Ok(TranscriptReader::new(BufReader::new(file)))
}

fn read_failure(path: &Path, error: &TranscriptError) -> Failure {
    Failure::local(format!("cannot read {}: {error}", path.display()))
}
