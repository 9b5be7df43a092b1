//! `kibitzer decode`: prints a log or recording as events.

mod decoder;
mod input;

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::arguments::ReaderArgs;
use crate::failure::Failure;
use crate::filter::FilterArgs;
use crate::output::{EventWriter, FORMAT_HELP, LineFormat, Stamp};
pub(crate) use decoder::DecodePrinter;
pub(crate) use input::{RecordedInput, StreamPiece};

/// Decode the output of a server and print its events
///
/// Reads a log of a session, raw or recorded with times (JSON Lines), and prints one line for each thing the server said:
/// JSON for programs, or text with boards drawn for people.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Bytes from the server, or a transcript; `-` or nothing for standard input
    file: Option<PathBuf>,
    #[arg(long, value_enum, help = FORMAT_HELP)]
    format: Option<Format>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    reader: ReaderArgs,
    /// Feed the decoder this many bytes at a time; the output is the same for every number
    #[arg(long, value_name = "BYTES")]
    chunk: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  kibitzer decode session.raw                             follow the games of a log
  kibitzer decode session.jsonl | jq 'select(.event==\"tell\") | {from, text}'
  kibitzer decode --filter 'kind:tell,say -from:RoboTD' session.jsonl
  kibitzer decode session.raw | grep '\"event\":\"position\"' | tail -1
  kibitzer decode --format summary session.raw            count its events
  zcat session.raw.gz | kibitzer decode --timeseal 2      from a pipe, pings removed";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// One JSON object per event
    Jsonl,
    /// A line per event in color, boards drawn
    Text,
    /// One JSON object at the end: counts and speed
    Summary,
}

impl Args {
    /// Prints the events of the file, or of standard input without one or for `-`. Blocks until its end.
    pub(crate) fn decode_input(&self) -> Result<(), Failure> {
        let path = self.file.as_deref().filter(|path| path.as_os_str() != "-");
        let input = RecordedInput::open(path, !io::stdout().is_terminal())?;
        let writer = match self.format {
            None => EventWriter::new(LineFormat::for_stdout()),
            Some(Format::Jsonl) => EventWriter::new(LineFormat::Jsonl),
            Some(Format::Text) => EventWriter::new(LineFormat::Text),
            Some(Format::Summary) => EventWriter::new_summary(),
        };
        print_recorded_events(
            input,
            DecodePrinter::new(self.reader.event_reader(), self.chunk, self.filter.expression.clone(), writer),
            self.reader.strict,
            |_| {},
        )
    }
}

/// Prints the events of a log or recording. Calls `before_piece` with the time of each piece before its events are printed; a
/// piece of a raw log has no time. Prints the summary at the end, if the printer counts.
///
/// # Errors
///
/// [`Failure`] if reading or writing fails, or with `is_strict`, after all events, if the recording ends inside a line.
pub(crate) fn print_recorded_events(
    mut input: RecordedInput,
    mut decoder: DecodePrinter,
    is_strict: bool,
    before_piece: impl Fn(Option<Stamp>),
) -> Result<(), Failure> {
    let mut cut_line = None;
    while let Some((piece, stamp)) = input.next()? {
        if let StreamPiece::Cut(line) = piece {
            cut_line = Some(line);
        }
        before_piece(stamp);
        decoder.print_piece(piece, stamp)?;
    }
    decoder.finish_and_print_summary()?;
    cut_line.filter(|_| is_strict).map_or(Ok(()), |line| Err(input.cut_failure(line)))
}
