//! `kibitzer decode`: what a server sent, printed as events.

mod input;
mod summary;

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use kibitzer::core::message::Reader;
use kibitzer::core::wire::{Framer, Timeseal};
use kibitzer::core::{Event, EventReader};
use thiserror::Error;

use crate::output::Lines;
use crate::server::Server;
use input::Input;
use summary::Summary;

/// Print what a server sent, event by event
///
/// Reads a log of a session, raw or recorded with times (JSON Lines), and prints one line for each thing the server said:
/// JSON for programs, or text with boards drawn for people.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What the server sent: raw bytes, or a transcript; `-` or nothing for standard input
    file: Option<PathBuf>,
    /// How to print it [default: text on a terminal, else jsonl]
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Which family the server belongs to
    #[arg(long, value_enum, default_value_t = Server::Auto)]
    server: Server,
    /// Remove the pings of this timeseal protocol [default: there are none]
    #[arg(long, value_enum, value_name = "VERSION")]
    timeseal: Option<Version>,
    /// Feed the decoder this many bytes at a time; what is printed stays the same
    #[arg(long, value_name = "BYTES")]
    chunk: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer decode session.raw                             follow the games of a log
  kibitzer decode session.jsonl | jq 'select(.event==\"tell\") | {from, text}'
  kibitzer decode session.raw | grep '\"event\":\"position\"' | tail -1
  kibitzer decode --format summary session.raw            how much of what is in it
  zcat session.raw.gz | kibitzer decode --timeseal 2      from a pipe, pings removed";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// One JSON object per event
    Jsonl,
    /// A line per event in colour, boards drawn
    Text,
    /// One JSON object at the end: counts and speed
    Summary,
}

impl Format {
    fn of_output(is_terminal: bool) -> Self {
        if is_terminal { Self::Text } else { Self::Jsonl }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Version {
    /// `[G]` alone on a line
    #[value(name = "1")]
    V1,
    /// `[G]` and a zero byte, anywhere
    #[value(name = "2")]
    V2,
}

/// Why decoding ended before the input did.
#[derive(Debug, Error)]
enum DecodeError {
    #[error("cannot open {name}: {source}")]
    Open { name: String, source: io::Error },
    #[error("cannot read {name}: {source}")]
    Read { name: String, source: io::Error },
    #[error("cannot write to standard output: {0}")]
    Write(io::Error),
}

impl DecodeError {
    /// Whether nobody wants more: `kibitzer decode … | head`.
    fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> ExitCode {
    match args.decode() {
        Err(error) if !error.is_closed_pipe() => crate::fail(&error),
        _ => ExitCode::SUCCESS,
    }
}

impl Args {
    fn decode(&self) -> Result<(), DecodeError> {
        let is_terminal = io::stdout().is_terminal();
        let path = self.file.as_deref().filter(|path| path.as_os_str() != "-");
        let name = || path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        let mut input =
            Input::open(path, self.chunk, !is_terminal).map_err(|source| DecodeError::Open { name: name(), source })?;
        let mut decoder = Decoder {
            events: self.events(),
            output: Output::new(self.format.unwrap_or_else(|| Format::of_output(is_terminal))),
        };
        while let Some(piece) = input.next().map_err(|source| DecodeError::Read { name: name(), source })? {
            decoder.feed(piece).map_err(DecodeError::Write)?;
            if self.chunk.is_none() {
                // What has come so far is shown before more is waited for.
                decoder.output.flush().map_err(DecodeError::Write)?;
            }
        }
        decoder.finish().map_err(DecodeError::Write)
    }

    fn events(&self) -> EventReader {
        let timeseal = match self.timeseal {
            None => Timeseal::Off,
            Some(Version::V1) => Timeseal::V1,
            Some(Version::V2) => Timeseal::V2,
        };
        EventReader::new(Reader::new(Framer::new().with_timeseal(timeseal), self.server.family()))
    }
}

/// Bytes to lines.
struct Decoder {
    events: EventReader,
    output: Output,
}

impl Decoder {
    fn feed(&mut self, mut piece: &[u8]) -> io::Result<()> {
        self.output.count_bytes(piece.len());
        while let Some(event) = self.events.next(&mut piece) {
            self.output.event(&event)?;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<()> {
        while let Some(event) = self.events.finish() {
            self.output.event(&event)?;
        }
        self.output.finish()
    }
}

/// Where events go.
enum Output {
    Lines(Lines),
    Summary(Summary),
}

impl Output {
    fn new(format: Format) -> Self {
        match format {
            Format::Jsonl => Self::Lines(Lines::jsonl()),
            Format::Text => Self::Lines(Lines::text()),
            Format::Summary => Self::Summary(Summary::start()),
        }
    }

    fn count_bytes(&mut self, bytes: usize) {
        if let Self::Summary(summary) = self {
            summary.count_bytes(bytes);
        }
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        match self {
            Self::Lines(lines) => lines.event(event),
            Self::Summary(summary) => {
                summary.count(event);
                Ok(())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Lines(lines) => lines.flush(),
            Self::Summary(_) => Ok(()),
        }
    }

    fn finish(mut self) -> io::Result<()> {
        if let Self::Summary(summary) = self {
            return summary.write(io::stdout().lock());
        }
        self.flush()
    }
}
