//! Events to standard output.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write as _};

use anstream::AutoStream;
use clap::ValueEnum;
use kibitzer::core::Event;
use kibitzer::core::message::{Control, Message};
use thiserror::Error;

use super::{Stamp, text};

/// Standard output's own buffer is written out with every line.
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
    /// What is printed if nobody says.
    pub(crate) fn for_stdout() -> Self {
        if io::stdout().is_terminal() { Self::Text } else { Self::Jsonl }
    }
}

/// Standard output took no more.
#[derive(Debug, Error)]
#[error("cannot write to standard output: {0}")]
pub(crate) struct WriteError(#[from] io::Error);

impl WriteError {
    /// Whether nobody wants more: `kibitzer decode … | head`.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.0.kind() == io::ErrorKind::BrokenPipe
    }
}

/// Standard output, taking events. They stay in the buffer until it is flushed.
pub(crate) enum Lines {
    /// JSON Lines, and memory for one of them.
    Jsonl(BufWriter<StdoutLock<'static>>, Vec<u8>),
    /// For people; in color if that is shown.
    Text(BufWriter<AutoStream<Box<dyn io::Write>>>),
}

impl Lines {
    pub(crate) fn new(format: LineFormat) -> Self {
        match format {
            LineFormat::Jsonl => Self::Jsonl(stdout(), Vec::new()),
            // Where it removes escapes it writes what is between them piece by piece: it needs a buffer on either side.
            LineFormat::Text => Self::Text(BufWriter::with_capacity(
                BUFFER_BYTES,
                AutoStream::new(Box::new(stdout()), AutoStream::choice(&io::stdout())),
            )),
        }
    }

    /// Writes an event with its time, which a raw log does not have.
    pub(crate) fn event(&mut self, event: &Event, stamp: Option<&Stamp>) -> Result<(), WriteError> {
        let written = match self {
            Self::Jsonl(..) if matches!(event.message(), Some(Message::Control(Control::Ping))) => Ok(()),
            Self::Jsonl(out, line) => {
                line.clear();
                event.write_json(&stamp.map(Stamp::members).unwrap_or_default(), line);
                line.push(b'\n');
                out.write_all(line)
            }
            Self::Text(out) => text::write(out, event),
        };
        written.map_err(WriteError)
    }

    /// Writes that the recording ends inside this line.
    pub(crate) fn cut(&mut self, line: u64, stamp: &Stamp) -> Result<(), WriteError> {
        let written = match self {
            Self::Jsonl(out, _) => {
                writeln!(out, r#"{{"event":"cut","offset":null{},"line":{line}}}"#, stamp.members())
            }
            Self::Text(out) => text::write_cut(out, line),
        };
        written.map_err(WriteError)
    }

    pub(crate) fn flush(&mut self) -> Result<(), WriteError> {
        let flushed = match self {
            Self::Jsonl(out, _) => out.flush(),
            Self::Text(out) => out.flush(),
        };
        flushed.map_err(WriteError)
    }
}

fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock())
}
