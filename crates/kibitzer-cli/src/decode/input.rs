//! Input of `kibitzer decode`: a file or standard input, raw or a transcript.

use std::fmt::Display;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, IsTerminal as _, Read};
use std::path::Path;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use kibitzer::transcript::{Direction, Record, TranscriptError, TranscriptReader};

use crate::failure::Failure;
use crate::output::Stamp;

/// Maximum size of a read.
const READ_BYTES: usize = 64 << 10;
/// Minimum file size for a progress bar; shorter files are read too fast for one.
const LARGE_BYTES: u64 = 1 << 20;

/// A piece of a log or a recording.
#[derive(Clone, Debug)]
pub(crate) enum StreamPiece {
    /// Bytes received from the server.
    Received(Vec<u8>),
    /// Bytes sent by the client; `None` if the recording withholds them.
    Sent(Option<Vec<u8>>),
    /// The connection ended. Received bytes that follow are of another one.
    Ended,
    /// The recording ends inside this line.
    Cut(u64),
}

impl From<Record> for StreamPiece {
    fn from(record: Record) -> Self {
        match record.direction {
            Direction::Received if record.bytes.is_empty() => Self::Ended,
            Direction::Received => Self::Received(record.bytes),
            Direction::Sent => Self::Sent((!record.redacted).then_some(record.bytes)),
        }
    }
}

/// A log or recording, which is read piece by piece.
pub(crate) struct RecordedInput {
    /// Name in messages.
    name: String,
    source: InputFormat,
}

/// Format of the input, and its reader.
enum InputFormat {
    Raw(Reader),
    Transcript(TranscriptReader<Reader>),
}

type Reader = BufReader<Box<dyn Read>>;

impl RecordedInput {
    /// Opens a file, or standard input for `None`, and detects from the first bytes whether it is a transcript. Fails if it
    /// cannot be opened or read.
    ///
    /// With `may_show_progress`, and a terminal as standard error, shows the progress of large files and of inputs of unknown
    /// size.
    pub(crate) fn open(path: Option<&Path>, may_show_progress: bool) -> Result<Self, Failure> {
        let name = path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        let failed = |error| Failure::local(format!("cannot open {name}: {error}"));
        let file = path.map(File::open).transpose().map_err(failed)?;
        let size = file.as_ref().and_then(|file| file.metadata().ok()).filter(Metadata::is_file);
        let progress = progress_bar(size.map(|file| file.len()), may_show_progress);
        let source: Box<dyn Read> = match file {
            Some(file) => Box::new(progress.wrap_read(file)),
            None => Box::new(progress.wrap_read(io::stdin().lock())),
        };
        let source = InputFormat::detect(source).map_err(failed)?;
        Ok(Self { name, source })
    }

    /// Opens a file as a transcript, without a progress bar. If it is not a transcript, the first call of [`next`](Self::next)
    /// fails.
    pub(crate) fn open_transcript(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| Failure::local(format!("cannot open {name}: {error}")))?;
        let source = InputFormat::Transcript(TranscriptReader::new(BufReader::new(Box::new(file))));
        Ok(Self { name, source })
    }

    /// Returns the failure of a recording that ends inside a line.
    pub(crate) fn cut_failure(&self, line: u64) -> Failure {
        read_failure(&self.name, &TranscriptError::Torn { line })
    }

    /// Returns the next piece, with its time if it is a record of a transcript; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the input cannot be read, or a line of a transcript is not a record.
    pub(crate) fn next(&mut self) -> Result<Option<(StreamPiece, Option<Stamp>)>, Failure> {
        match &mut self.source {
            InputFormat::Raw(reader) => {
                let bytes = read_some(reader).map_err(|error| cannot_read(&self.name, error))?;
                Ok((!bytes.is_empty()).then_some((StreamPiece::Received(bytes), None)))
            }
            InputFormat::Transcript(records) => match records.next() {
                None => Ok(None),
                Some(Err(TranscriptError::Torn { line })) => Ok(Some((StreamPiece::Cut(line), None))),
                Some(Err(error)) => Err(read_failure(&self.name, &error)),
                Some(Ok(record)) => {
                    let stamp = Stamp { time: record.time, utc: record.utc };
                    Ok(Some((record.into(), Some(stamp))))
                }
            },
        }
    }
}

/// Creates a progress bar for an input of this size in bytes; a hidden one if it is small, or standard error is no terminal. It is
/// cleared when it is dropped.
fn progress_bar(size: Option<u64>, may_show: bool) -> ProgressBar {
    if !may_show || size.is_some_and(|size| size < LARGE_BYTES) || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let (progress, template) = match size {
        Some(size) => (ProgressBar::new(size), "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes}, {bytes_per_sec}"),
    };
    let progress = progress.with_finish(ProgressFinish::AndClear);
    match ProgressStyle::with_template(template) {
        Ok(style) => progress.with_style(style),
        Err(_) => progress,
    }
}

/// Reads the bytes that are available, at most [`READ_BYTES`]; blocks until there are some. Empty at the end of the input.
fn read_some(reader: &mut Reader) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; READ_BYTES];
    // Unlike `read_to_end`, `read` fails if a signal arrives.
    let length = loop {
        match reader.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    bytes.truncate(length);
    Ok(bytes)
}

impl InputFormat {
    /// Detects the format from the first bytes: a transcript starts with a JSON object. A line of a server may start with a
    /// brace, too, but not followed by a quotation mark or a blank.
    fn detect(mut source: Box<dyn Read>) -> io::Result<Self> {
        let mut start = Vec::with_capacity(2);
        source.by_ref().take(2).read_to_end(&mut start)?;
        let is_transcript = matches!(start[..], [b'{', b'"' | b' ' | b'\t']);
        let source: Box<dyn Read> = Box::new(io::Cursor::new(start).chain(source));
        let reader = BufReader::with_capacity(READ_BYTES, source);
        Ok(if is_transcript { Self::Transcript(TranscriptReader::new(reader)) } else { Self::Raw(reader) })
    }
}

/// Returns the failure for an error of reading a transcript.
fn read_failure(name: &str, error: &TranscriptError) -> Failure {
    match error {
        TranscriptError::Io { source, .. } => cannot_read(name, source),
        error => cannot_read(name, error),
    }
}

fn cannot_read(name: &str, error: impl Display) -> Failure {
    Failure::local(format!("cannot read {name}: {error}"))
}
