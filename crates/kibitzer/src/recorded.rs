//! Logs and recordings as pieces of a stream, the events of these pieces, and their times. [`RecordedEvents`] is public, and the rest for
//! the crates of this workspace.

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::missing_errors_doc,
    reason = "only the crates of this workspace use all but RecordedEvents, as kibitzer::internal"
)]

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::transcript::{Direction, Record, TranscriptError, TranscriptReader, Utc};
use kibitzer_core::event::Attribution;
use kibitzer_core::session::SecretDetector;
use kibitzer_core::text::decode_characters;
use kibitzer_core::wire::unseal;
use kibitzer_core::{Event, EventKind, EventReader};

/// Maximum size of a read.
const READ_BYTES: usize = 64 << 10;

/// A piece of a log or recording, in the order of the stream.
#[derive(Clone, Debug)]
pub enum StreamPiece {
    /// Bytes received from the server.
    Received(Vec<u8>),
    /// A line sent by the client, and the recorded request. `bytes` are `None` if the recording leaves them out because they
    /// contain a password.
    Sent {
        /// The line as it was sent.
        bytes: Option<Vec<u8>>,
        /// The request that the recording names.
        stated: Attribution,
    },
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

/// A log or recording, which is read piece by piece.
#[expect(missing_debug_implementations, reason = "inputs and readers have nothing to show")]
pub enum RecordedReader<R> {
    /// Bytes as a server sent them.
    Raw(Buffered<R>),
    /// A transcript.
    Transcript(TranscriptReader<Buffered<R>>),
}

/// An input whose first two bytes were read.
type Buffered<R> = BufReader<io::Chain<io::Cursor<Vec<u8>>, R>>;

impl<R: Read> RecordedReader<R> {
    /// Detects the format from the first two bytes: a transcript begins with a JSON object, that is, `{` followed by a quotation
    /// mark or a blank. A line of a server may begin with a brace, too, but is followed by something else.
    ///
    /// # Errors
    ///
    /// Errors of the input.
    pub fn detect(mut source: R) -> io::Result<Self> {
        let mut start = Vec::with_capacity(2);
        source.by_ref().take(2).read_to_end(&mut start)?;
        let is_transcript = matches!(start[..], [b'{', b'"' | b' ' | b'\t']);
        let reader = BufReader::with_capacity(READ_BYTES, io::Cursor::new(start).chain(source));
        Ok(if is_transcript { Self::Transcript(TranscriptReader::new(reader)) } else { Self::Raw(reader) })
    }

    /// Takes the input for a transcript, whatever it contains.
    pub fn transcript(source: R) -> Self {
        Self::Transcript(TranscriptReader::new(BufReader::new(io::Cursor::new(Vec::new()).chain(source))))
    }

    /// Reads the next piece; `None` at the end. A record of a transcript has a time, a piece of a raw log has none. Blocks until
    /// a piece can be read.
    ///
    /// # Errors
    ///
    /// The input cannot be read (line 0 of a raw log), or a line of a transcript is not a record.
    pub fn next_piece(&mut self) -> Result<Option<(StreamPiece, Option<Stamp>)>, TranscriptError> {
        match self {
            Self::Raw(reader) => {
                let bytes = read_some(reader).map_err(|source| TranscriptError::Io { line: 0, source })?;
                Ok((!bytes.is_empty()).then_some((StreamPiece::Received(bytes), None)))
            }
            Self::Transcript(records) => match records.next().transpose() {
                Err(TranscriptError::Torn { line, .. }) => Ok(Some((StreamPiece::Cut(line), None))),
                record => Ok(record?.map(|record| {
                    let stamp = Stamp { time: record.time, utc: record.utc };
                    (record.into(), Some(stamp))
                })),
            },
        }
    }
}

/// Decodes the pieces of a log or recording to events.
#[expect(missing_debug_implementations, reason = "inputs and readers have nothing to show")]
pub struct PieceDecoder {
    /// Creates the reader of a connection.
    new_reader: Box<dyn Fn() -> EventReader + Send + Sync>,
    /// Reader of the present connection.
    events: EventReader,
    /// Number of bytes received on all connections.
    n_received: u64,
    password_prompt: PasswordPrompt,
    /// Detects sent lines with a password, whose events have no text.
    secrets: SecretDetector,
}

impl PieceDecoder {
    /// Creates a decoder that parses each connection with a reader that `new_reader` returns.
    pub fn new(new_reader: impl Fn() -> EventReader + Send + Sync + 'static) -> Self {
        Self {
            events: new_reader(),
            new_reader: Box::new(new_reader),
            n_received: 0,
            password_prompt: PasswordPrompt::default(),
            secrets: SecretDetector::default(),
        }
    }

    /// Decodes the next piece, and passes its events to `visit`; those of an unfinished line at the end of its connection.
    pub fn decode<E>(&mut self, piece: &StreamPiece, mut visit: impl FnMut(&Event) -> Result<(), E>) -> Result<(), E> {
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
                self.events = (self.new_reader)().with_start_offset(self.n_received);
                self.password_prompt = PasswordPrompt::default();
            }
            StreamPiece::Cut(_) => self.finish(visit)?,
        }
        Ok(())
    }

    /// Decodes an unfinished line at the end of the input, and passes its events to `visit`.
    pub fn finish<E>(&mut self, mut visit: impl FnMut(&Event) -> Result<(), E>) -> Result<(), E> {
        while let Some(event) = self.events.finish() {
            visit(&event)?;
        }
        Ok(())
    }
}

/// The events of a recording, over all its connections; also those of a log of received bytes.
///
/// It reads what [`Client::record`](crate::Client::record), [`Profile::record_file`](crate::Profile::record_file) and `kibitzer record`
/// write. Replies are attributed to their requests, and sent lines are events without the text of those with a password.
///
/// The iterator ends with the input, or after the first error. If the recording ends inside a line, its last item is
/// [`TranscriptError::Torn`].
pub struct RecordedEvents<R> {
    /// `None` at the end of the input or after an error.
    input: Option<RecordedReader<R>>,
    decoder: PieceDecoder,
    /// Time of the last piece that has one.
    stamp: Option<Stamp>,
    /// Events of the last piece, then an error.
    decoded: VecDeque<Result<RecordedEvent, TranscriptError>>,
}

/// An event of a recording.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedEvent {
    /// The event.
    pub event: Event,
    /// Time since the session began; `None` in a log of received bytes.
    pub time: Option<Duration>,
    /// Time of day; `None` if the recording does not have it.
    pub utc: Option<Utc>,
}

impl<R: Read> RecordedEvents<R> {
    /// Reads from this source, a transcript or the bytes that a server sent; blocks until two bytes are read.
    ///
    /// # Errors
    ///
    /// The source cannot be read.
    pub fn new(source: R) -> io::Result<Self> {
        let input = Some(RecordedReader::detect(source)?);
        Ok(Self { input, decoder: PieceDecoder::new(EventReader::default), stamp: None, decoded: VecDeque::new() })
    }

    /// Reads the next piece and decodes it; at the end of the input, the unfinished line.
    /// Returns the input; `None` if it has ended.
    fn decode_next(&mut self, mut input: RecordedReader<R>) -> Result<Option<RecordedReader<R>>, TranscriptError> {
        let piece = input.next_piece()?;
        self.stamp = piece.as_ref().and_then(|(_, stamp)| *stamp).or(self.stamp);
        let visit = |event: &Event| {
            let (time, utc) = self.stamp.map(|stamp| (stamp.time, stamp.utc)).unzip();
            self.decoded.push_back(Ok(RecordedEvent { event: event.clone(), time, utc: utc.flatten() }));
            Ok(())
        };
        let Ok::<(), Infallible>(()) = match &piece {
            Some((piece, _)) => self.decoder.decode(piece, visit),
            None => self.decoder.finish(visit),
        };
        match piece {
            Some((StreamPiece::Cut(line), _)) => Err(TranscriptError::Torn { line }),
            Some(_) => Ok(Some(input)),
            None => Ok(None),
        }
    }
}

impl<R: Read> Iterator for RecordedEvents<R> {
    type Item = Result<RecordedEvent, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.decoded.is_empty() {
            let input = self.input.take()?;
            match self.decode_next(input) {
                Ok(input) => self.input = input,
                Err(error) => self.decoded.push_back(Err(error)),
            }
        }
        self.decoded.pop_front()
    }
}

impl<R> fmt::Debug for RecordedEvents<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedEvents").finish_non_exhaustive()
    }
}

/// Tracks whether the server waits for a password.
#[derive(Clone, Copy, Debug, Default)]
pub struct PasswordPrompt {
    /// Whether the next sent line is a password.
    pub is_open: bool,
}

impl PasswordPrompt {
    /// Opens the prompt at the event of a password prompt, and closes it at any other prompt and at the start of a connection or
    /// session.
    pub const fn record_event(&mut self, kind: EventKind) {
        match kind {
            EventKind::PasswordPrompt => self.is_open = true,
            EventKind::Prompt | EventKind::LoginPrompt | EventKind::LoggedIn | EventKind::Connected => {
                self.is_open = false;
            }
            _ => {}
        }
    }

    /// Closes the prompt if the sent bytes end a line, or are empty because the recording redacted them. Without a line end, the
    /// rest of the password follows.
    pub fn close_at_line_end(&mut self, bytes: &[u8]) {
        self.is_open &= !bytes.is_empty() && !bytes.ends_with(b"\n");
    }
}

/// The time of an event in a session or a recording.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stamp {
    /// Time since the session began.
    pub time: Duration,
    /// Time of day, if it is known.
    pub utc: Option<Utc>,
}

impl Stamp {
    /// Returns members for a JSON object, with a comma before each: `,"t":1.500000,"utc":"..."`. `t` is the time in seconds since
    /// the session began; `utc` is `null` if it is not known.
    pub fn json_members(&self) -> String {
        let utc = self.utc.map_or_else(|| "null".to_owned(), |utc| format!("\"{utc}\""));
        format!(",\"t\":{}.{:06},\"utc\":{utc}", self.time.as_secs(), self.time.subsec_micros())
    }
}

/// Converts instants of a live session to [`Stamp`]s.
#[derive(Clone, Copy, Debug)]
pub struct SessionClock {
    began: Instant,
    utc: Utc,
}

impl SessionClock {
    /// Creates the clock of a session that began at this instant. The time of day is read once, here.
    pub fn new(began: Instant) -> Self {
        Self { began, utc: Utc::now().minus(began.elapsed()) }
    }

    /// Returns the stamp of an instant; an instant before the session began counts as its beginning.
    pub fn stamp(&self, at: Instant) -> Stamp {
        let time = at.saturating_duration_since(self.began);
        Stamp { time, utc: Some(self.utc.plus(time)) }
    }
}

/// Reads the available bytes, at most [`READ_BYTES`]; blocks until there are some. Returns no bytes at the end of the input.
fn read_some(reader: &mut impl Read) -> io::Result<Vec<u8>> {
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
