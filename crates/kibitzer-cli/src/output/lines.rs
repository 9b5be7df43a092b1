//! Events to standard output.

use std::io::{self, BufWriter, StdoutLock, Write as _};

use anstream::AutoStream;
use kibitzer::core::Event;

use super::{json, text};

/// Standard output's own buffer is written out with every line.
const BUFFER_BYTES: usize = 64 << 10;

/// Standard output, taking events. They stay in the buffer until it is flushed.
pub(crate) enum Lines {
    /// JSON Lines.
    Jsonl(BufWriter<StdoutLock<'static>>),
    /// For people; in colour if that is shown.
    Text(BufWriter<AutoStream<Box<dyn io::Write>>>),
}

impl Lines {
    pub(crate) fn jsonl() -> Self {
        Self::Jsonl(stdout())
    }

    pub(crate) fn text() -> Self {
        // Where it removes escapes it writes what is between them piece by piece: it needs a buffer on either side.
        let plain_or_coloured = AutoStream::new(Box::new(stdout()) as Box<_>, AutoStream::choice(&io::stdout()));
        Self::Text(BufWriter::with_capacity(BUFFER_BYTES, plain_or_coloured))
    }

    pub(crate) fn event(&mut self, event: &Event) -> io::Result<()> {
        match self {
            Self::Jsonl(out) => json::write(out, event),
            Self::Text(out) => text::write(out, event),
        }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Jsonl(out) => out.flush(),
            Self::Text(out) => out.flush(),
        }
    }
}

fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock())
}
