//! `kibitzer decode`: prints a log or recording as events.

mod decoder;
mod input;
mod summary;

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use kibitzer::core::EventReader;
use kibitzer::core::message::Reader;
use kibitzer::core::wire::Framer;
use kibitzer::transcript::TranscriptError;
use thiserror::Error;

use crate::arguments::{FamilyArg, TimesealArg};
use crate::failure::Failure;
use crate::output::{FORMAT_HELP, LineFormat, WriteError};
pub(crate) use decoder::{Decoder, StreamPiece};
use input::Input;

/// Decode the output of a server and print its events
///
/// Reads a log of a session, raw or recorded with times (JSON Lines), and prints one line for each thing the server said:
/// JSON for programs, or text with boards drawn for people.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What the server sent: raw bytes, or a transcript; `-` or nothing for standard input
    file: Option<PathBuf>,
    #[arg(long, value_enum, help = FORMAT_HELP)]
    format: Option<Format>,
    /// Which family the server belongs to
    #[arg(long, value_enum, default_value_t = FamilyArg::AUTO)]
    server: FamilyArg,
    /// Remove the pings of this timeseal protocol [default: there are none]
    #[arg(long, value_enum, value_name = "VERSION")]
    timeseal: Option<TimesealArg>,
    /// Feed the decoder this many bytes at a time; the output is the same for every number
    #[arg(long, value_name = "BYTES")]
    chunk: Option<NonZeroUsize>,
    /// Fail if a transcript ends inside a line, as it does after a crash or on a full disk
    #[arg(long)]
    strict: bool,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer decode session.raw                             follow the games of a log
  kibitzer decode session.jsonl | jq 'select(.event==\"tell\") | {from, text}'
  kibitzer decode session.raw | grep '\"event\":\"position\"' | tail -1
  kibitzer decode --format summary session.raw            count its events
  zcat session.raw.gz | kibitzer decode --timeseal 2      from a pipe, pings removed";

#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Lines(LineFormat),
    Summary,
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Lines(LineFormat::Jsonl), Self::Lines(LineFormat::Text), Self::Summary]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Lines(format) => format.to_possible_value(),
            Self::Summary => Some(PossibleValue::new("summary").help("One JSON object at the end: counts and speed")),
        }
    }
}

/// Failure of `kibitzer decode`.
#[derive(Debug, Error)]
pub(crate) enum DecodeError {
    #[error("cannot open {name}: {source}")]
    Open { name: String, source: io::Error },
    #[error("cannot read {name}: {source}")]
    Read { name: String, source: io::Error },
    #[error("{0}")]
    Write(#[from] WriteError),
}

impl Failure for DecodeError {}

impl Args {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<(), DecodeError> {
        let path = self.file.as_deref().filter(|path| path.as_os_str() != "-");
        let name = || path.map_or_else(|| "standard input".to_owned(), |path| path.display().to_string());
        let mut input = Input::open(path, self.chunk, !io::stdout().is_terminal())
            .map_err(|source| DecodeError::Open { name: name(), source })?;
        let format = self.format.unwrap_or_else(|| Format::Lines(LineFormat::for_stdout()));
        let mut decoder = Decoder::new(self.events(), format);
        let read = |source| DecodeError::Read { name: name(), source };
        while let Some((piece, stamp)) = input.next().map_err(read)? {
            decoder.take(piece, stamp)?;
            if self.chunk.is_none() {
                // Show all output before waiting for more input.
                decoder.flush()?;
            }
        }
        match decoder.finish()? {
            Some(line) if self.strict => Err(read(io::Error::other(TranscriptError::Torn { line }))),
            _ => Ok(()),
        }
    }

    fn events(&self) -> EventReader {
        EventReader::new(Reader::new(Framer::new().with_timeseal(TimesealArg::of(self.timeseal)), self.server.family()))
    }
}
