//! Converts the pieces of a log or recording into lines.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::core::session::SecretDetector;
use kibitzer::core::{Event, EventReader};

use super::input::StreamPiece;
use crate::failure::Failure;
use crate::filter::{EventFilter, Expression};
use crate::output::{EventWriter, PasswordPrompt, Stamp, sent_text};

/// Parses pieces and prints their events.
pub(crate) struct DecodePrinter {
    events: EventReader,
    /// Number of bytes to parse at a time.
    chunk: NonZeroUsize,
    /// Initial reader of every connection.
    initial_reader: EventReader,
    /// Number of bytes received on all connections.
    n_received: u64,
    password_prompt: PasswordPrompt,
    secrets: SecretDetector,
    /// The time of the last piece of a recording.
    stamp: Option<Stamp>,
    cut_line: Option<u64>,
    /// Decides which events are printed; `None` prints all.
    filter: Option<EventFilter>,
    writer: EventWriter,
}

impl DecodePrinter {
    pub(crate) fn new(
        events: EventReader,
        chunk: Option<NonZeroUsize>,
        filter: Option<Expression>,
        writer: EventWriter,
    ) -> Self {
        Self {
            initial_reader: events.clone(),
            events,
            chunk: chunk.unwrap_or(NonZeroUsize::MAX),
            n_received: 0,
            password_prompt: PasswordPrompt::default(),
            secrets: SecretDetector::default(),
            stamp: None,
            cut_line: None,
            filter: filter.map(EventFilter::new),
            writer,
        }
    }

    /// Parses and prints the next piece, with its time.
    pub(super) fn push(&mut self, piece: StreamPiece, stamp: Option<Stamp>) -> Result<(), Failure> {
        self.stamp = stamp;
        match piece {
            StreamPiece::Received(bytes) => {
                self.writer.count_bytes(bytes.len());
                self.n_received += bytes.len() as u64;
                for mut part in bytes.chunks(self.chunk.get()) {
                    while let Some(event) = self.events.next(&mut part) {
                        self.password_prompt.record_event(event.kind());
                        self.print(&event)?;
                    }
                }
            }
            StreamPiece::Sent(None) => {
                self.password_prompt.record_sent(b"");
                self.print_sent(None)?;
            }
            StreamPiece::Sent(Some(bytes)) => {
                for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                    let Some(text) = sent_text(line) else { continue };
                    self.secrets.learn_alias(&text);
                    let is_secret = self.password_prompt.is_open() || self.secrets.is_secret(&text);
                    self.password_prompt.record_sent(line);
                    self.print_sent((!is_secret).then_some(text))?;
                }
            }
            StreamPiece::Ended => {
                self.finish_connection()?;
                self.events = self.initial_reader.clone().with_start_offset(self.n_received);
                self.password_prompt = PasswordPrompt::default();
                if let Some(filter) = &mut self.filter {
                    filter.end_connection();
                }
            }
            StreamPiece::Cut(line) => self.cut_line = Some(line),
        }
        Ok(())
    }

    /// Prints a sent line; `None` for a line that is withheld.
    fn print_sent(&mut self, text: Option<String>) -> Result<(), Failure> {
        let sent = Event::Sent { line: text.map(Arc::from), request: None };
        self.print(&sent)
    }

    /// Prints an event that the filter accepts.
    fn print(&mut self, event: &Event) -> Result<(), Failure> {
        let at = self.stamp.map_or(Duration::ZERO, |stamp| stamp.time);
        if self.filter.as_mut().is_none_or(|filter| filter.accepts(event, at)) {
            self.writer.write_event(event, self.stamp.as_ref())?;
        }
        Ok(())
    }

    /// Prints an unfinished line at the end of a connection.
    fn finish_connection(&mut self) -> Result<(), Failure> {
        while let Some(event) = self.events.finish() {
            self.print(&event)?;
        }
        Ok(())
    }

    /// Writes the buffered lines out.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.writer.flush()
    }

    /// Prints the rest and the summary. Returns the number of the line inside which the recording was cut off, if it was.
    pub(super) fn finish(mut self) -> Result<Option<u64>, Failure> {
        self.finish_connection()?;
        if let Some(line) = self.cut_line {
            self.writer.write_cut(line, &self.stamp.unwrap_or_default())?;
        }
        self.writer.finish()?;
        Ok(self.cut_line)
    }
}
