//! Writes events to standard output.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write as _};

use anstream::AutoStream;
use clap::ValueEnum;
use kibitzer::core::Event;
use kibitzer::core::message::{Control, Message};

use super::summary::Summary;
use super::{Stamp, text};
use crate::failure::Failure;

/// Size of the buffer: standard output's own buffer is written out with every line.
const BUFFER_BYTES: usize = 64 << 10;

/// The help of `--format`.
pub(crate) const FORMAT_HELP: &str = "How to print it [default: text on a terminal, else jsonl]";

/// The form of the lines.
#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub(crate) enum LineFormat {
    /// One JSON object per event
    Jsonl,
    /// A line per event in color, boards drawn
    Text,
}

impl LineFormat {
    /// Returns the default: text on a terminal, else JSON.
    pub(crate) fn for_stdout() -> Self {
        if io::stdout().is_terminal() { Self::Text } else { Self::Jsonl }
    }
}

/// Writes events to standard output, in one of three forms. Lines stay in a buffer until it is flushed.
pub(crate) enum EventWriter {
    /// JSON Lines, and memory for one of them.
    Jsonl(BufWriter<StdoutLock<'static>>, Vec<u8>),
    /// For people; in color if the terminal shows it.
    Text(BufWriter<AutoStream<Box<dyn io::Write>>>),
    /// Counts, written at the end.
    Summary(Summary),
}

impl EventWriter {
    pub(crate) fn new(format: LineFormat) -> Self {
        match format {
            LineFormat::Jsonl => Self::Jsonl(stdout(), Vec::new()),
            // It removes escapes by writing the text between them piece by piece, which needs a buffer on either side.
            LineFormat::Text => Self::Text(BufWriter::with_capacity(
                BUFFER_BYTES,
                AutoStream::new(Box::new(stdout()), AutoStream::choice(&io::stdout())),
            )),
        }
    }

    /// Creates a writer that counts events, and prints the counts when it is finished.
    pub(crate) fn summary() -> Self {
        Self::Summary(Summary::start())
    }

    /// Counts received bytes, for the summary.
    pub(crate) fn count_bytes(&mut self, bytes: usize) {
        if let Self::Summary(summary) = self {
            summary.count_bytes(bytes);
        }
    }

    /// Writes an event with its time; a raw log has none.
    pub(crate) fn event(&mut self, event: &Event, stamp: Option<&Stamp>) -> Result<(), Failure> {
        let written = match self {
            Self::Jsonl(..) if matches!(event.message(), Some(Message::Control(Control::Ping))) => Ok(()),
            Self::Jsonl(out, line) => {
                line.clear();
                event.write_json(&stamp.map(Stamp::members).unwrap_or_default(), line);
                line.push(b'\n');
                out.write_all(line)
            }
            Self::Text(out) => text::write(out, event),
            Self::Summary(summary) => {
                summary.count(event);
                Ok(())
            }
        };
        written.map_err(Failure::stdout)
    }

    /// Writes that the recording ends inside a line; `number` counts from 1.
    pub(crate) fn cut(&mut self, number: u64, stamp: &Stamp) -> Result<(), Failure> {
        let written = match self {
            Self::Jsonl(out, _) => {
                writeln!(out, r#"{{"event":"cut","offset":null{},"line":{number}}}"#, stamp.members())
            }
            Self::Text(out) => text::write_cut(out, number),
            Self::Summary(summary) => {
                summary.count_cut();
                Ok(())
            }
        };
        written.map_err(Failure::stdout)
    }

    /// Writes the buffered lines out.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let flushed = match self {
            Self::Jsonl(out, _) => out.flush(),
            Self::Text(out) => out.flush(),
            Self::Summary(_) => Ok(()),
        };
        flushed.map_err(Failure::stdout)
    }

    /// Writes the buffered lines or the summary out.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        match self {
            Self::Summary(summary) => summary.write(io::stdout().lock()).map_err(Failure::stdout),
            _ => self.flush(),
        }
    }
}

fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock())
}
