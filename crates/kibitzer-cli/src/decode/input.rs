//! Logs and recordings: a file or standard input, raw or a transcript, and the events of its pieces.

use std::fmt::Display;
use std::fs::{File, Metadata};
use std::io::{self, IsTerminal as _, Read};
use std::path::Path;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use kibitzer::internal::recorded::{RecordedReader, Stamp, StreamPiece};
use kibitzer::transcript::TranscriptError;

use crate::failure::Failure;

/// Minimum size of a file for which the progress is shown; smaller files are read too fast for it.
const LARGE_BYTES: u64 = 1 << 20;

/// Whether the progress of reading is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Hidden,
    Shown,
}

/// A log or recording, which is read piece by piece.
pub(crate) struct RecordedInput {
    /// Path of the file or `standard input`, for messages.
    name: String,
    source: RecordedReader<Box<dyn Read>>,
}

impl RecordedInput {
    /// Opens a file, or standard input for `None`, and detects from the first two bytes whether it is a transcript. Blocks until
    /// they can be read.
    ///
    /// With [`Progress::Shown`], and if standard error is a terminal, shows the progress for files of at least 1 MiB and for inputs of
    /// unknown size.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the input cannot be opened or read.
    pub(crate) fn open(path: Option<&Path>, progress: Progress) -> Result<Self, Failure> {
        let name = path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        let failed = |error| Failure::local(format!("cannot open {name}: {error}"));
        let file = path.map(File::open).transpose().map_err(failed)?;
        let size = file.as_ref().and_then(|file| file.metadata().ok()).filter(Metadata::is_file);
        let progress = progress_bar(size.map(|file| file.len()), progress);
        let source: Box<dyn Read> = match file {
            Some(file) => Box::new(progress.wrap_read(file)),
            None => Box::new(progress.wrap_read(io::stdin().lock())),
        };
        let source = RecordedReader::detect(source).map_err(failed)?;
        Ok(Self { name, source })
    }

    /// Opens a file as a transcript, without a progress bar. If it is not a transcript, [`next`](Self::next) fails.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the file cannot be opened.
    pub(crate) fn open_transcript(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| Failure::local(format!("cannot open {name}: {error}")))?;
        Ok(Self { name, source: RecordedReader::transcript(Box::new(file)) })
    }

    /// Returns the failure for a recording that ends inside the line of this number, counted from 1.
    pub(crate) fn cut_failure(&self, line: u64) -> Failure {
        read_failure(&self.name, &TranscriptError::torn(line))
    }

    /// Reads the next piece; `None` at the end. A record of a transcript has a time, a piece of a raw log has none. Blocks until
    /// a piece can be read.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the input cannot be read, or a line of a transcript is not a record.
    pub(crate) fn next(&mut self) -> Result<Option<(StreamPiece, Option<Stamp>)>, Failure> {
        self.source.next_piece().map_err(|error| read_failure(&self.name, &error))
    }
}

/// Creates a progress bar for an input of `size` bytes, `None` if the size is unknown. It is hidden on request, if the
/// input is small, or if standard error is not a terminal. It is cleared at its end.
fn progress_bar(size: Option<u64>, progress: Progress) -> ProgressBar {
    if progress == Progress::Hidden || size.is_some_and(|size| size < LARGE_BYTES) || !io::stderr().is_terminal() {
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

/// Returns the failure for an error of reading the transcript `name`.
fn read_failure(name: &str, error: &TranscriptError) -> Failure {
    match error {
        TranscriptError::Io { source, .. } => cannot_read(name, source),
        error => cannot_read(name, error),
    }
}

fn cannot_read(name: &str, error: impl Display) -> Failure {
    Failure::local(format!("cannot read {name}: {error}"))
}
