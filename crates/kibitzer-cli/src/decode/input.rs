//! Logs and recordings: a file or standard input, raw or a transcript, and the events of its pieces.

use std::fmt::Display;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, IsTerminal as _, Read};
use std::path::Path;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressFinish, ProgressStyle};
use kibitzer::transcript::{Direction, Record, TranscriptError, TranscriptReader};
use kibitzer_core::event::Attribution;
use kibitzer_core::session::SecretDetector;
use kibitzer_core::text::decode_characters;
use kibitzer_core::wire::unseal;
use kibitzer_core::{Event, EventReader};

use crate::arguments::ReaderArgs;
use crate::failure::Failure;
use crate::output::{PasswordPrompt, Stamp};

/// Maximum size of a read.
const READ_BYTES: usize = 64 << 10;
/// Minimum size of a file for which the progress is shown; smaller files are read too fast for it.
const LARGE_BYTES: u64 = 1 << 20;

/// A piece of a log or recording, in the order of the stream.
#[derive(Clone, Debug)]
pub(crate) enum StreamPiece {
    /// Bytes received from the server.
    Received(Vec<u8>),
    /// A line sent by the client, with what the recording states about its request. `bytes` are `None` if the recording leaves them
    /// out because they contain a password.
    Sent { bytes: Option<Vec<u8>>, stated: Attribution },
    /// The connection ended. Later pieces belong to another connection.
    Ended,
    /// The recording ends inside the line of this number, counted from 1.
    Cut(u64),
}

impl From<Record> for StreamPiece {
    fn from(record: Record) -> Self {
        match record.direction {
            Direction::Received if record.bytes.is_empty() => Self::Ended,
            Direction::Received => Self::Received(record.bytes),
            Direction::Sent => {
                Self::Sent { stated: record.attribution(), bytes: (!record.redacted).then_some(record.bytes) }
            }
        }
    }
}

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
    source: InputFormat,
}

/// Format of the input, with its reader.
enum InputFormat {
    Raw(Reader),
    Transcript(TranscriptReader<Reader>),
}

type Reader = BufReader<Box<dyn Read>>;

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
        let source = InputFormat::detect(source).map_err(failed)?;
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
        let source = InputFormat::Transcript(TranscriptReader::new(BufReader::new(Box::new(file))));
        Ok(Self { name, source })
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
        match &mut self.source {
            InputFormat::Raw(reader) => {
                let bytes = read_some(reader).map_err(|error| cannot_read(&self.name, error))?;
                Ok((!bytes.is_empty()).then_some((StreamPiece::Received(bytes), None)))
            }
            InputFormat::Transcript(records) => match records.next() {
                None => Ok(None),
                Some(Err(TranscriptError::Torn { line, .. })) => Ok(Some((StreamPiece::Cut(line), None))),
                Some(Err(error)) => Err(read_failure(&self.name, &error)),
                Some(Ok(record)) => {
                    let stamp = Stamp { time: record.time, utc: record.utc };
                    Ok(Some((record.into(), Some(stamp))))
                }
            },
        }
    }
}

/// Decodes the pieces of a log or recording to events.
pub(crate) struct PieceDecoder {
    reader: ReaderArgs,
    /// Reader of the present connection.
    events: EventReader,
    /// Number of bytes received on all connections.
    n_received: u64,
    password_prompt: PasswordPrompt,
    /// Detects sent lines with a password, whose events have no text.
    secrets: SecretDetector,
}

impl PieceDecoder {
    /// Creates a decoder that parses as `reader` says.
    pub(crate) fn new(reader: ReaderArgs) -> Self {
        Self {
            reader,
            events: reader.event_reader(),
            n_received: 0,
            password_prompt: PasswordPrompt::default(),
            secrets: SecretDetector::default(),
        }
    }

    /// Decodes the next piece, and passes its events to `visit`; those of an unfinished line at the end of its connection.
    pub(crate) fn decode<E>(
        &mut self,
        piece: &StreamPiece,
        mut visit: impl FnMut(&Event) -> Result<(), E>,
    ) -> Result<(), E> {
        match piece {
            StreamPiece::Received(bytes) => {
                self.n_received += bytes.len() as u64;
                let mut rest = &bytes[..];
                while let Some(event) = self.events.next(&mut rest) {
                    self.password_prompt.record_event(event.kind());
                    visit(&event)?;
                }
            }
            StreamPiece::Sent { bytes: None, stated } => {
                self.password_prompt.close_at_line_end(b"");
                let attribution = self.events.note_sent_line(b"", *stated);
                visit(&Event::sent(None, attribution))?;
            }
            StreamPiece::Sent { bytes: Some(bytes), stated } => {
                for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                    let Some(text) = text_unless_timeseal(line) else { continue };
                    let attribution = self.events.note_sent_line(text.as_bytes(), *stated);
                    self.secrets.learn_alias(&text);
                    let is_secret = self.password_prompt.is_open || self.secrets.is_secret(&text);
                    self.password_prompt.close_at_line_end(line);
                    visit(&Event::sent((!is_secret).then(|| Arc::from(text)), attribution))?;
                }
            }
            StreamPiece::Ended => {
                self.finish(visit)?;
                self.events = self.reader.event_reader().with_start_offset(self.n_received);
                self.password_prompt = PasswordPrompt::default();
            }
            StreamPiece::Cut(_) => self.finish(visit)?,
        }
        Ok(())
    }

    /// Decodes an unfinished line at the end of the input, and passes its events to `visit`.
    pub(crate) fn finish<E>(&mut self, mut visit: impl FnMut(&Event) -> Result<(), E>) -> Result<(), E> {
        while let Some(event) = self.events.finish() {
            visit(&event)?;
        }
        Ok(())
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

/// Reads the available bytes, at most [`READ_BYTES`]; blocks until there are some. Returns no bytes at the end of the input.
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
    /// Detects the format from the first two bytes: a transcript begins with a JSON object, that is, `{` followed by a quotation
    /// mark or a blank. A line of a server may begin with a brace, too, but is followed by something else.
    fn detect(mut source: Box<dyn Read>) -> io::Result<Self> {
        let mut start = Vec::with_capacity(2);
        source.by_ref().take(2).read_to_end(&mut start)?;
        let is_transcript = matches!(start[..], [b'{', b'"' | b' ' | b'\t']);
        let source: Box<dyn Read> = Box::new(io::Cursor::new(start).chain(source));
        let reader = BufReader::with_capacity(READ_BYTES, source);
        Ok(if is_transcript { Self::Transcript(TranscriptReader::new(reader)) } else { Self::Raw(reader) })
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

/// First byte of a telnet command.
const TELNET_COMMAND: u8 = 0xff;

/// Returns the text of a sent line without its end, decoded from timeseal if necessary. `None` for lines of the timeseal protocol:
/// its hello and answers to pings, and for telnet commands, such as the probe for an answer.
fn text_unless_timeseal(line: &[u8]) -> Option<String> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    // No character begins with this byte, neither in UTF-8 nor in what servers accept.
    if line.starts_with(&[TELNET_COMMAND]) {
        return None;
    }
    let text = match unseal(line) {
        Some(unsealed) if unsealed.is_ping_answer() || unsealed.hello_version().is_some() => return None,
        Some(unsealed) => unsealed.text,
        None => line.strip_suffix(b"\r").unwrap_or(line).to_vec(),
    };
    Some(decode_characters(&text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_telnet_command_is_no_line() {
        assert_eq!(text_unless_timeseal(b"\xff\xfd\x06"), None);
        assert_eq!(text_unless_timeseal(b"games\r\n").as_deref(), Some("games"));
    }
}
