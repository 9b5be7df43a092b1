//! `kibitzer decode` and `kibitzer replay`: print a log or recording as events, at once or at its own pace.

mod input;

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use kibitzer::internal::recorded::{PieceDecoder, Stamp, StreamPiece};
use kibitzer_core::Event;

use crate::arguments::{ReaderArgs, speed_parser};
use crate::console::{self, SettingsArgs};
use crate::failure::Failure;
use crate::filter::{EventFilter, Expression, FilterArgs};
use crate::output::{EventWriter, FORMAT_HELP, LineFormat, TextArgs};

pub(crate) use input::{Progress, RecordedInput};

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
    text: TextArgs,
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
  kibitzer decode --filter unanswered session.jsonl       lines that the server did not answer
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
        let progress = if io::stdout().is_terminal() { Progress::Hidden } else { Progress::Shown };
        let input = RecordedInput::open(path, progress)?;
        let format = match self.format {
            None => Some(LineFormat::for_stdout()),
            Some(Format::Jsonl) => Some(LineFormat::Jsonl),
            Some(Format::Text) => Some(LineFormat::Text),
            Some(Format::Summary) => None,
        };
        let writer = EventWriter::new(format).with_text(self.text);
        let mut printer = DecodePrinter::new(self.reader, self.filter.expression.clone(), writer);
        printer.chunk = self.chunk;
        print_recorded_events(input, printer, |_| {})
    }
}

/// Prints the events of a log or recording. Calls `before_piece` with the time of each piece before its events are printed; a
/// piece of a raw log has no time. Prints the summary at the end, if the printer counts.
///
/// # Errors
///
/// [`Failure`] if reading or writing fails, or with `--strict`, after all events, if the recording ends inside a line.
pub(crate) fn print_recorded_events(
    mut input: RecordedInput,
    mut printer: DecodePrinter,
    before_piece: impl Fn(Option<Stamp>),
) -> Result<(), Failure> {
    let mut cut_line = None;
    while let Some((piece, stamp)) = input.next()? {
        if let StreamPiece::Cut(line) = piece {
            cut_line = Some(line);
        }
        before_piece(stamp);
        printer.print_piece(&piece, stamp)?;
    }
    let DecodePrinter { reader, mut decoder, mut output, .. } = printer;
    decoder.finish(|event| output.print_if_accepted(event))?;
    output.end_connection()?;
    output.writer.finish()?;
    cut_line.filter(|_| reader.strict).map_or(Ok(()), |line| Err(input.cut_failure(line)))
}

/// Decodes the pieces of a log or recording, and prints their events.
pub(crate) struct DecodePrinter {
    reader: ReaderArgs,
    decoder: PieceDecoder,
    /// Number of bytes to parse at a time; `None` parses whole pieces.
    pub(crate) chunk: Option<NonZeroUsize>,
    output: FilteredWriter,
}

/// Writes the events that its filter accepts.
struct FilteredWriter {
    /// Time of the last piece that had one; `None` for a raw log.
    stamp: Option<Stamp>,
    filter: EventFilter,
    writer: EventWriter,
}

impl DecodePrinter {
    /// Creates a printer that parses as `reader` says, and prints to `writer` the events that `filter` accepts, all without one.
    pub(crate) fn new(reader: ReaderArgs, filter: Option<Expression>, writer: EventWriter) -> Self {
        let output = FilteredWriter { stamp: None, filter: EventFilter::new(filter), writer };
        Self { reader, decoder: PieceDecoder::new(move || reader.event_reader()), chunk: None, output }
    }

    /// Parses the next piece, prints its events and flushes the output, so that everything is shown before more input is read.
    /// `stamp` is the time of the piece; without one, that of the last piece with a time applies.
    fn print_piece(&mut self, piece: &StreamPiece, stamp: Option<Stamp>) -> Result<(), Failure> {
        let Self { decoder, chunk, output, .. } = self;
        output.stamp = stamp.or(output.stamp);
        match (piece, chunk) {
            (StreamPiece::Received(bytes), Some(chunk)) => {
                for part in bytes.chunks(chunk.get()) {
                    decoder.decode(&StreamPiece::Received(part.to_vec()), |event| output.print_if_accepted(event))?;
                }
            }
            _ => decoder.decode(piece, |event| output.print_if_accepted(event))?,
        }
        match piece {
            StreamPiece::Received(bytes) => output.writer.count_bytes(bytes.len()),
            StreamPiece::Ended => output.end_connection()?,
            StreamPiece::Cut(line) => {
                output.end_connection()?;
                output.writer.write_cut_recording(*line, &output.stamp.unwrap_or_default())?;
            }
            StreamPiece::Sent { .. } => {}
        }
        output.writer.flush()
    }
}

impl FilteredWriter {
    /// Prints an event if the filter accepts it. The filter sees the event in either case.
    fn print_if_accepted(&mut self, event: &Event) -> Result<(), Failure> {
        let Self { stamp, filter, writer } = self;
        let has_times = stamp.is_some();
        filter.record(event, stamp.unwrap_or_default(), |passed| writer.write_passed(passed, has_times))
    }

    /// Prints the lines of a connection that ended without a reply to them, if the filter accepts them.
    fn end_connection(&mut self) -> Result<(), Failure> {
        let Self { stamp, filter, writer } = self;
        filter.end_connection(|passed| writer.write_passed(passed, stamp.is_some()))
    }
}

/// Show a recorded session again
///
/// On a terminal it opens the console, which shows the board, the games and every event with its bytes, and can play, step, jump
/// and filter. On a pipe, or with `--format`, it prints the lines of `kibitzer decode`, each when its time has come.
#[derive(Debug, clap::Args)]
#[command(after_help = REPLAY_EXAMPLES)]
pub(crate) struct ReplayArgs {
    /// A transcript: JSON Lines with a time, a direction and bytes
    file: PathBuf,
    /// How many times as fast as it was recorded: 0.01 to 10000
    #[arg(long, value_name = "N", default_value = "1", value_parser = speed_parser(console::SPEEDS))]
    speed: f64,
    /// Print lines of this form, and open no console [default on a pipe: jsonl]
    #[arg(long, value_enum)]
    format: Option<LineFormat>,
    #[command(flatten)]
    text: TextArgs,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    reader: ReaderArgs,
    #[command(flatten)]
    settings: SettingsArgs,
}

const REPLAY_EXAMPLES: &str = "\
Examples:
  kibitzer replay session.jsonl                    look at it in the console; ? lists the keys
  kibitzer replay --speed 10 session.jsonl         ten times as fast
  kibitzer replay --format text session.jsonl      watch it without a console
  kibitzer replay --speed 100 --filter 'kind:tell,shout or mine' session.jsonl
  kibitzer replay --speed 100 session.jsonl | jq 'select(.event==\"tell\")'";

impl ReplayArgs {
    /// Shows the recording in the console if standard output is a terminal and neither `plain` nor `--format` is set; otherwise
    /// prints its events at their recorded pace, divided by `--speed`. Blocks until the end.
    pub(crate) fn replay_recording(&self, plain: bool) -> Result<(), Failure> {
        let filter = self.filter.expression.clone();
        if self.format.is_none() && console::can_draw_on_stdout(plain) {
            return console::replay(&self.file, self.reader, filter, self.speed, self.settings.load()?);
        }
        let started = Instant::now();
        let wait_until_due = |stamp: Option<Stamp>| {
            let time = stamp.unwrap_or_default().time;
            let due = Duration::try_from_secs_f64(time.as_secs_f64() / self.speed).unwrap_or(Duration::MAX);
            thread::sleep(due.saturating_sub(started.elapsed()));
        };
        let writer = EventWriter::new(self.format.unwrap_or_else(LineFormat::for_stdout)).with_text(self.text);
        let decoder = DecodePrinter::new(self.reader, filter, writer);
        print_recorded_events(RecordedInput::open_transcript(&self.file)?, decoder, wait_until_due)
    }
}
