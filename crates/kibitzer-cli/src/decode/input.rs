//! Input of `kibitzer decode`: a file or standard input, raw or a transcript.

use std::fmt::Display;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, IsTerminal as _, Read};
use std::num::NonZeroUsize;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use kibitzer::transcript::{Record, TranscriptError, TranscriptReader};

use super::StreamPiece;
use crate::failure::Failure;
use crate::output::Stamp;

/// Maximum size of a piece, whatever `--chunk` says.
const MOST_BYTES: u64 = 1 << 20;
/// Size of a read without `--chunk`.
const READ_BYTES: usize = 64 << 10;
/// Minimum file size for a progress bar; shorter files are read too fast for one.
const LARGE_BYTES: u64 = 1 << 20;

/// Reads a log or recording piece by piece.
pub(crate) struct Input {
    /// Name in messages.
    name: String,
    source: Source,
    pub(super) chunk: Option<NonZeroUsize>,
    progress: ProgressBar,
}

/// Format of the input, and its reader.
enum Source {
    Raw {
        reader: Reader,
        piece: Vec<u8>,
    },
    Transcript {
        records: TranscriptReader<Reader>,
        /// The current record, and how much of it has been returned.
        record: Option<(Record, usize)>,
        /// The time of the last record.
        stamp: Stamp,
    },
}

type Reader = BufReader<Box<dyn Read>>;

impl Input {
    /// Opens a file or standard input, and detects its format. Large inputs show a progress bar if standard error is a
    /// terminal.
    ///
    /// The first bytes decide whether it is a transcript.
    pub(crate) fn open(
        path: Option<&Path>,
        chunk: Option<NonZeroUsize>,
        may_show_progress: bool,
    ) -> Result<Self, Failure> {
        let name = path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        let opened = path.map(File::open).transpose();
        let file = opened.map_err(|error| Failure::local(format!("cannot open {name}: {error}")))?;
        let size = file.as_ref().and_then(|file| file.metadata().ok()).filter(Metadata::is_file);
        let progress = progress_bar(size.map(|file| file.len()), may_show_progress);
        let source: Box<dyn Read> = match file {
            Some(file) => Box::new(progress.wrap_read(file)),
            None => Box::new(progress.wrap_read(io::stdin().lock())),
        };
        let detected = Source::detect(source);
        let source = detected.map_err(|error| Failure::local(format!("cannot open {name}: {error}")))?;
        Ok(Self { name, source, chunk, progress })
    }

    /// Opens a transcript. Another file fails at the first line that is read.
    pub(crate) fn open_transcript(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| Failure::local(format!("cannot open {name}: {error}")))?;
        let source = Source::transcript(BufReader::new(Box::new(file)));
        Ok(Self { name, source, chunk: None, progress: ProgressBar::hidden() })
    }

    /// Returns the failure of a recording that ends inside a line.
    pub(super) fn cut_failure(&self, line: u64) -> Failure {
        read_failure(&self.name, &TranscriptError::Torn { line })
    }

    /// Returns the next piece, with its time if the input is a transcript; `None` at the end.
    ///
    /// Received bytes are split into pieces of `--chunk` bytes, but never across records, so that the times of events do not
    /// depend on it.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the input cannot be read, or a line of a transcript is not a record.
    pub(super) fn next(&mut self) -> Result<Option<(StreamPiece<'_>, Option<Stamp>)>, Failure> {
        let Self { name, source, chunk, .. } = self;
        match source {
            Source::Raw { reader, piece } => {
                read_some(reader, *chunk, piece).map_err(|error| cannot_read(name, error))?;
                Ok((!piece.is_empty()).then_some((StreamPiece::Received(piece), None)))
            }
            Source::Transcript { records, record, stamp } => {
                record.take_if(|(record, n_given)| *n_given >= record.bytes.len());
                if record.is_none() {
                    let next = match records.next() {
                        None => return Ok(None),
                        Some(Err(TranscriptError::Torn { line })) => {
                            return Ok(Some((StreamPiece::Cut(line), Some(*stamp))));
                        }
                        Some(Err(error)) => return Err(read_failure(name, &error)),
                        Some(Ok(next)) => next,
                    };
                    *stamp = Stamp::of(&next);
                    *record = Some((next, 0));
                }
                Ok(record.as_mut().map(|(record, n_given)| (part(record, n_given, *chunk), Some(*stamp))))
            }
        }
    }
}

/// Returns the next part of a record: all sent bytes, or up to `chunk` received ones.
fn part<'a>(record: &'a Record, n_given: &mut usize, chunk: Option<NonZeroUsize>) -> StreamPiece<'a> {
    let rest = record.bytes.get(*n_given..).unwrap_or_default();
    let length = chunk.map_or(rest.len(), |chunk| chunk.get().min(rest.len()));
    match StreamPiece::of(record) {
        StreamPiece::Received(_) => {
            *n_given += length;
            StreamPiece::Received(rest.get(..length).unwrap_or_default())
        }
        whole => {
            *n_given = record.bytes.len();
            whole
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        self.progress.finish_and_clear();
    }
}

fn progress_bar(size: Option<u64>, may_show: bool) -> ProgressBar {
    if !may_show || size.is_some_and(|size| size < LARGE_BYTES) || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let (progress, template) = match size {
        Some(size) => (ProgressBar::new(size), "{bar:40} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left"),
        None => (ProgressBar::new_spinner(), "{spinner} {bytes}, {bytes_per_sec}"),
    };
    match ProgressStyle::with_template(template) {
        Ok(style) => progress.with_style(style),
        Err(_) => progress,
    }
}

/// Reads `chunk` bytes, or the result of one read. Reads nothing at the end.
fn read_some(reader: &mut Reader, chunk: Option<NonZeroUsize>, piece: &mut Vec<u8>) -> io::Result<()> {
    piece.clear();
    if let Some(bytes) = chunk {
        let bytes = u64::try_from(bytes.get()).map_or(MOST_BYTES, |bytes| bytes.min(MOST_BYTES));
        reader.take(bytes).read_to_end(piece)?;
        return Ok(());
    }
    piece.resize(READ_BYTES, 0);
    // Unlike `read_to_end`, `read` fails if a signal arrives.
    let read = loop {
        match reader.read(piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    piece.truncate(read);
    Ok(())
}

impl Source {
    /// A transcript starts with a JSON object. A line of a server may start with a brace, but not followed by a quotation mark
    /// or a blank.
    fn detect(mut source: Box<dyn Read>) -> io::Result<Self> {
        let mut start = Vec::with_capacity(2);
        source.by_ref().take(2).read_to_end(&mut start)?;
        let is_transcript = matches!(start[..], [b'{', b'"' | b' ' | b'\t']);
        let source: Box<dyn Read> = Box::new(io::Cursor::new(start).chain(source));
        let reader = BufReader::with_capacity(READ_BYTES, source);
        Ok(if is_transcript { Self::transcript(reader) } else { Self::Raw { reader, piece: Vec::new() } })
    }

    fn transcript(reader: Reader) -> Self {
        Self::Transcript { records: TranscriptReader::new(reader), record: None, stamp: Stamp::default() }
    }
}

fn read_failure(name: &str, error: &TranscriptError) -> Failure {
    match error {
        TranscriptError::Io { source, .. } => cannot_read(name, source),
        error => cannot_read(name, error),
    }
}

fn cannot_read(name: &str, error: impl Display) -> Failure {
    Failure::local(format!("cannot read {name}: {error}"))
}
