//! Prints the pieces of a log or recording as events.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use kibitzer::core::session::SecretDetector;
use kibitzer::core::{Event, EventReader};

use super::input::StreamPiece;
use crate::failure::Failure;
use crate::filter::{EventFilter, Expression};
use crate::output::{EventWriter, PasswordPrompt, Stamp, text_unless_timeseal};

/// Parses the pieces of a log or recording, and prints their events.
pub(crate) struct DecodePrinter {
    events: EventReader,
    /// Number of bytes to parse at a time.
    chunk: NonZeroUsize,
    /// Reader in its initial state, which is cloned for each connection.
    initial_reader: EventReader,
    /// Number of bytes received on all connections.
    n_received: u64,
    password_prompt: PasswordPrompt,
    /// Detects sent lines with a password, which are printed without their text.
    secrets: SecretDetector,
    /// Time of the last piece that had one; `None` for a raw log.
    stamp: Option<Stamp>,
    /// Decides which events are printed; `None` prints all.
    filter: Option<EventFilter>,
    writer: EventWriter,
}

impl DecodePrinter {
    /// Creates a printer that parses with `events`, a reader in its initial state, and prints to `writer` the events that
    /// `filter` accepts, all without one. `chunk` is the number of bytes to parse at a time; `None` parses whole pieces.
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
            filter: filter.map(EventFilter::new),
            writer,
        }
    }

    /// Parses the next piece, prints its events and flushes the output, so that everything is shown before more input is read.
    /// `stamp` is the time of the piece; without one, that of the last piece with a time applies.
    pub(super) fn print_piece(&mut self, piece: StreamPiece, stamp: Option<Stamp>) -> Result<(), Failure> {
        self.stamp = stamp.or(self.stamp);
        match piece {
            StreamPiece::Received(bytes) => {
                self.writer.record_received(&bytes);
                self.n_received += bytes.len() as u64;
                for mut part in bytes.chunks(self.chunk.get()) {
                    while let Some(event) = self.events.next(&mut part) {
                        self.password_prompt.record_event(event.kind());
                        self.print_if_accepted(&event)?;
                    }
                }
            }
            StreamPiece::Sent(None) => {
                self.password_prompt.close_at_line_end(b"");
                self.events.note_sent_line(b"");
                self.print_sent(None)?;
            }
            StreamPiece::Sent(Some(bytes)) => {
                for line in bytes.split_inclusive(|&byte| byte == b'\n') {
                    let Some(text) = text_unless_timeseal(line) else { continue };
                    self.events.note_sent_line(text.as_bytes());
                    self.secrets.learn_alias(&text);
                    let is_secret = self.password_prompt.is_open || self.secrets.is_secret(&text);
                    self.password_prompt.close_at_line_end(line);
                    self.print_sent((!is_secret).then_some(text))?;
                }
            }
            StreamPiece::Ended => {
                self.print_unfinished_line()?;
                self.writer.end_connection();
                self.events = self.initial_reader.clone().with_start_offset(self.n_received);
                self.password_prompt = PasswordPrompt::default();
                if let Some(filter) = &mut self.filter {
                    filter.end_connection();
                }
            }
            StreamPiece::Cut(line) => {
                self.print_unfinished_line()?;
                self.writer.write_cut_recording(line, &self.stamp.unwrap_or_default())?;
            }
        }
        self.writer.flush()
    }

    /// Prints a sent line as an event if the filter accepts it; `None` stands for a line with a password.
    fn print_sent(&mut self, text: Option<String>) -> Result<(), Failure> {
        let sent = Event::Sent { line: text.map(Arc::from), request: None };
        self.print_if_accepted(&sent)
    }

    /// Prints an event if the filter accepts it. The filter sees the event in either case.
    fn print_if_accepted(&mut self, event: &Event) -> Result<(), Failure> {
        let at = self.stamp.map_or(Duration::ZERO, |stamp| stamp.time);
        if self.filter.as_mut().is_none_or(|filter| filter.record_and_check(event, at)) {
            self.writer.write_event(event, self.stamp.as_ref())?;
        }
        Ok(())
    }

    /// Parses an unfinished line at the end of a connection, and prints its events.
    fn print_unfinished_line(&mut self) -> Result<(), Failure> {
        while let Some(event) = self.events.finish() {
            self.print_if_accepted(&event)?;
        }
        Ok(())
    }

    /// Parses an unfinished line at the end of the input, and prints its events and the summary, if there is one.
    pub(super) fn finish_and_print_summary(mut self) -> Result<(), Failure> {
        self.print_unfinished_line()?;
        self.writer.finish()
    }
}
