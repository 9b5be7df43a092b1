//! `kibitzer replay`: plays a recorded session at its own pace.

use std::fs::File;
use std::io::{self, BufReader, IsTerminal as _};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use kibitzer::core::EventReader;
use kibitzer::core::message::Reader;
use kibitzer::core::wire::Framer;
use kibitzer::transcript::{TranscriptError, TranscriptReader};
use thiserror::Error;

use crate::arguments::{FamilyArg, TimesealArg};
use crate::console::{self, ConsoleError};
use crate::decode::{Decoder, Format, StreamPiece};
use crate::failure::Failure;
use crate::output::{LineFormat, Stamp, WriteError};

/// Show a recorded session again
///
/// On a terminal it opens the console: the board, the games, every event with its bytes; play, step, jump, filter. On a
/// pipe, or with `--format`, it prints the lines of `kibitzer decode`, each when its time has come.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A transcript: JSON Lines with a time, a direction and bytes
    file: PathBuf,
    /// How many times as fast as it was recorded: 0.01 to 10000
    #[arg(long, value_name = "N", default_value = "1", value_parser = console::parse_speed)]
    speed: f64,
    /// Print lines of this form, and open no console [default on a pipe: jsonl]
    #[arg(long, value_enum)]
    format: Option<LineFormat>,
    /// Which family the server belongs to
    #[arg(long, value_enum, default_value_t = FamilyArg::AUTO)]
    server: FamilyArg,
    /// Which timeseal protocol the session spoke: its pings are removed, sealed lines shown in clear [default: none]
    #[arg(long, value_enum, value_name = "VERSION")]
    timeseal: Option<TimesealArg>,
    /// Fail if the transcript ends inside a line, as it does after a crash or on a full disk
    #[arg(long)]
    strict: bool,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer replay session.jsonl                    look at it in the console; ? lists the keys
  kibitzer replay --speed 10 session.jsonl         ten times as fast
  kibitzer replay --format text session.jsonl      watch it without a console
  kibitzer replay --speed 100 session.jsonl | jq 'select(.event==\"tell\")'";

/// Failure of `kibitzer replay`.
#[derive(Debug, Error)]
pub(crate) enum Error {
    #[error("cannot open {name}: {source}")]
    Open { name: String, source: io::Error },
    #[error("cannot read {name}: {source}")]
    Read { name: String, source: TranscriptError },
    #[error("{0}")]
    Write(#[from] WriteError),
    #[error("{0}")]
    Console(#[from] ConsoleError),
}

impl Failure for Error {}

impl Args {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<(), Error> {
        if self.format.is_none() && io::stdout().is_terminal() {
            let (family, timeseal) = (self.server.family(), TimesealArg::of(self.timeseal));
            return Ok(console::replay(&self.file, family, timeseal, self.speed, self.strict)?);
        }
        let name = || self.file.display().to_string();
        let file = File::open(&self.file).map_err(|source| Error::Open { name: name(), source })?;
        let format = Format::Lines(self.format.unwrap_or(LineFormat::Jsonl));
        let mut decoder = Decoder::new(self.events(), format);
        let started = Instant::now();
        let mut stamp = Stamp::default();
        for record in TranscriptReader::new(BufReader::new(file)) {
            match record {
                Ok(record) => {
                    thread::sleep(self.until(record.time, started));
                    stamp = Stamp::of(&record);
                    decoder.take(StreamPiece::of(&record), Some(stamp))?;
                }
                Err(TranscriptError::Torn { line }) => decoder.take(StreamPiece::Cut(line), Some(stamp))?,
                Err(source) => return Err(Error::Read { name: name(), source }),
            }
            decoder.flush()?;
        }
        match decoder.finish()? {
            Some(line) if self.strict => Err(Error::Read { name: name(), source: TranscriptError::Torn { line } }),
            _ => Ok(()),
        }
    }

    fn events(&self) -> EventReader {
        let framer = Framer::new().with_timeseal(TimesealArg::of(self.timeseal));
        EventReader::new(Reader::new(framer, self.server.family()))
    }

    /// Returns how long to wait until a record is due.
    fn until(&self, time: Duration, started: Instant) -> Duration {
        let due = Duration::try_from_secs_f64(time.as_secs_f64() / self.speed).unwrap_or(Duration::MAX);
        due.saturating_sub(started.elapsed())
    }
}
