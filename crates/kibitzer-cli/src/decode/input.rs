//! Where the bytes come from: a file or standard input, raw or a transcript, in pieces.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, IsTerminal as _, Read};
use std::num::NonZeroUsize;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use kibitzer::transcript::{Direction, TranscriptError, TranscriptReader};

/// The longest piece that is held at once, however many bytes were asked for.
const MOST_BYTES: u64 = 1 << 20;
/// How much is read at once where nobody says.
const READ_BYTES: usize = 64 << 10;
/// Shorter files are read before anybody could look at a bar, which would only blink between the lines of a `| jq`.
const LARGE_BYTES: u64 = 1 << 20;

/// What the server sent, in pieces.
pub(super) struct Input {
    stream: ServerBytes,
    chunk: Option<NonZeroUsize>,
    piece: Vec<u8>,
    progress: ProgressBar,
}

impl Input {
    /// Opens a file, or standard input. A bar on standard error follows the reading of much if that is a terminal and
    /// nothing else is printed there.
    ///
    /// Whether it is a transcript is told by how it starts.
    pub(super) fn open(path: Option<&Path>, chunk: Option<NonZeroUsize>, may_show_progress: bool) -> io::Result<Self> {
        let file = path.map(File::open).transpose()?;
        let size = file.as_ref().and_then(|file| file.metadata().ok()).filter(Metadata::is_file);
        let progress = progress_bar(size.map(|file| file.len()), may_show_progress);
        let source: Box<dyn Read> = match file {
            Some(file) => Box::new(progress.wrap_read(file)),
            None => Box::new(progress.wrap_read(io::stdin().lock())),
        };
        let stream = ServerBytes::detect(source)?;
        Ok(Self { stream, chunk, piece: Vec::new(), progress })
    }

    /// The next piece: as many bytes as were asked for, else what one read gives; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        let read = if let Some(bytes) = self.chunk {
            self.piece.clear();
            let bytes = u64::try_from(bytes.get()).map_or(MOST_BYTES, |bytes| bytes.min(MOST_BYTES));
            self.stream.by_ref().take(bytes).read_to_end(&mut self.piece)?
        } else {
            self.piece.resize(READ_BYTES, 0);
            read_some(&mut self.stream, &mut self.piece)?
        };
        Ok(self.piece.get(..read).filter(|piece| !piece.is_empty()))
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

/// One read; `read_to_end` repeats itself where a signal comes between, this has to be told.
fn read_some(stream: &mut ServerBytes, piece: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(piece) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

type Source = BufReader<Box<dyn Read>>;

/// The byte stream of the server. A read gives no more than one recorded piece of a transcript.
enum ServerBytes {
    Raw(Source),
    Transcript {
        records: TranscriptReader<Source>,
        /// What the server sent at once, and how much of it was read.
        piece: io::Cursor<Vec<u8>>,
    },
}

impl ServerBytes {
    /// A transcript is lines of JSON objects; a line of a server may start with a brace too, but never with one and a
    /// quotation mark or a blank.
    fn detect(mut source: Box<dyn Read>) -> io::Result<Self> {
        let mut start = Vec::with_capacity(2);
        source.by_ref().take(2).read_to_end(&mut start)?;
        let is_transcript = matches!(start[..], [b'{', b'"' | b' ' | b'\t']);
        let source: Box<dyn Read> = Box::new(io::Cursor::new(start).chain(source));
        let source = BufReader::with_capacity(READ_BYTES, source);
        Ok(if is_transcript {
            Self::Transcript { records: TranscriptReader::new(source), piece: io::Cursor::default() }
        } else {
            Self::Raw(source)
        })
    }
}

impl Read for ServerBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Raw(source) => source.read(buffer),
            Self::Transcript { records, piece } => loop {
                let read = piece.read(buffer)?;
                if read > 0 || buffer.is_empty() {
                    return Ok(read);
                }
                match records.next() {
                    Some(Ok(record)) if record.direction == Direction::Received => {
                        *piece = io::Cursor::new(record.bytes);
                    }
                    Some(Ok(_)) => {}
                    Some(Err(error)) => return Err(into_io(error)),
                    None => return Ok(0),
                }
            },
        }
    }
}

fn into_io(error: TranscriptError) -> io::Error {
    match error {
        TranscriptError::Io { source, .. } => source,
        other => io::Error::new(io::ErrorKind::InvalidData, other),
    }
}
