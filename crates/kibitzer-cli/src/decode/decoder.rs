//! Converts the pieces of a log or recording into lines.

use std::io;
use std::sync::Arc;

use kibitzer::core::session::SecretDetector;
use kibitzer::core::{Event, EventReader};
use kibitzer::transcript::{Direction, Record};

use super::Format;
use super::summary::Summary;
use crate::output::{Lines, PasswordPrompt, Stamp, WriteError, sent_text};

/// A piece of a log or a recording.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StreamPiece<'a> {
    /// Bytes received from the server.
    Received(&'a [u8]),
    /// Bytes sent by the client; `None` if the recording withholds them.
    Sent(Option<&'a [u8]>),
    /// The connection ended. Received bytes that follow are of another one.
    Ended,
    /// The recording ends inside this line.
    Cut(u64),
}

impl<'a> StreamPiece<'a> {
    /// Returns what a record holds.
    pub(crate) fn of(record: &'a Record) -> Self {
        match record.direction {
            Direction::Received if record.bytes.is_empty() => Self::Ended,
            Direction::Received => Self::Received(&record.bytes),
            Direction::Sent => Self::Sent((!record.redacted).then_some(&record.bytes)),
        }
    }
}

/// Parses pieces and prints their events.
pub(crate) struct Decoder {
    events: EventReader,
    /// Initial reader of every connection.
    fresh: EventReader,
    /// Number of bytes received on all connections.
    n_received: u64,
    password_prompt: PasswordPrompt,
    secrets: SecretDetector,
    /// The time of the last piece of a recording.
    stamp: Option<Stamp>,
    cut: Option<u64>,
    output: Output,
}

impl Decoder {
    pub(crate) fn new(events: EventReader, format: Format) -> Self {
        let (password_prompt, secrets) = (PasswordPrompt::default(), SecretDetector::default());
        let output = Output::new(format);
        Self {
            events: events.clone(),
            fresh: events,
            n_received: 0,
            password_prompt,
            secrets,
            stamp: None,
            cut: None,
            output,
        }
    }

    /// Parses and prints the next piece, with its time.
    pub(crate) fn take(&mut self, piece: StreamPiece<'_>, stamp: Option<Stamp>) -> Result<(), WriteError> {
        self.stamp = stamp;
        match piece {
            StreamPiece::Received(mut bytes) => {
                self.output.count_bytes(bytes.len());
                self.n_received += bytes.len() as u64;
                while let Some(event) = self.events.next(&mut bytes) {
                    self.password_prompt.event(event.kind());
                    self.output.event(&event, self.stamp.as_ref())?;
                }
            }
            StreamPiece::Sent(None) => {
                self.password_prompt.sent(b"");
                self.sent(None)?;
            }
            StreamPiece::Sent(Some(bytes)) => {
                for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                    let Some(text) = sent_text(line) else { continue };
                    self.secrets.learn(&text);
                    let is_secret = self.password_prompt.is_open() || self.secrets.is_secret(&text);
                    self.password_prompt.sent(line);
                    self.sent((!is_secret).then_some(text))?;
                }
            }
            StreamPiece::Ended => {
                self.finish_connection()?;
                self.events = self.fresh.clone().starting_at(self.n_received);
                self.password_prompt = PasswordPrompt::default();
            }
            StreamPiece::Cut(line) => self.cut = Some(line),
        }
        Ok(())
    }

    fn sent(&mut self, text: Option<String>) -> Result<(), WriteError> {
        let sent = Event::Sent { line: text.map(Arc::from), request: None };
        self.output.event(&sent, self.stamp.as_ref())
    }

    /// Prints an unfinished line at the end of a connection.
    fn finish_connection(&mut self) -> Result<(), WriteError> {
        while let Some(event) = self.events.finish() {
            self.output.event(&event, self.stamp.as_ref())?;
        }
        Ok(())
    }

    /// Writes all buffered output.
    pub(crate) fn flush(&mut self) -> Result<(), WriteError> {
        self.output.flush()
    }

    /// Prints the rest and the summary. Returns the line inside which the recording was cut off, if it was.
    pub(crate) fn finish(mut self) -> Result<Option<u64>, WriteError> {
        self.finish_connection()?;
        if let Some(line) = self.cut {
            self.output.cut(line, &self.stamp.unwrap_or_default())?;
        }
        self.output.finish()?;
        Ok(self.cut)
    }
}

/// Destination of the events.
enum Output {
    Lines(Lines),
    Summary(Summary),
}

impl Output {
    fn new(format: Format) -> Self {
        match format {
            Format::Lines(format) => Self::Lines(Lines::new(format)),
            Format::Summary => Self::Summary(Summary::start()),
        }
    }

    fn count_bytes(&mut self, bytes: usize) {
        if let Self::Summary(summary) = self {
            summary.count_bytes(bytes);
        }
    }

    fn event(&mut self, event: &Event, stamp: Option<&Stamp>) -> Result<(), WriteError> {
        match self {
            Self::Lines(lines) => lines.event(event, stamp),
            Self::Summary(summary) => {
                summary.count(event);
                Ok(())
            }
        }
    }

    fn cut(&mut self, line: u64, stamp: &Stamp) -> Result<(), WriteError> {
        match self {
            Self::Lines(lines) => lines.cut(line, stamp),
            Self::Summary(summary) => {
                summary.count_cut();
                Ok(())
            }
        }
    }

    fn flush(&mut self) -> Result<(), WriteError> {
        match self {
            Self::Lines(lines) => lines.flush(),
            Self::Summary(_) => Ok(()),
        }
    }

    fn finish(mut self) -> Result<(), WriteError> {
        if let Self::Summary(summary) = self {
            return Ok(summary.write(io::stdout().lock())?);
        }
        self.flush()
    }
}
