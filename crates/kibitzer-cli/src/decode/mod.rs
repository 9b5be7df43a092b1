//! `kibitzer decode` and `kibitzer replay`: print a log or recording as events, at once or at its own pace.

mod input;

use std::io::{self, IsTerminal as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use clap::ValueEnum;
use kibitzer::core::session::SecretDetector;
use kibitzer::core::{Event, EventReader};

use crate::arguments::{ReaderArgs, speed_parser};
use crate::console;
use crate::failure::Failure;
use crate::filter::{EventFilter, Expression, FilterArgs};
use crate::output::{EventWriter, FORMAT_HELP, LineFormat, PasswordPrompt, Stamp, text_unless_timeseal};

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
    fn print_piece(&mut self, piece: StreamPiece, stamp: Option<Stamp>) -> Result<(), Failure> {
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
    fn finish_and_print_summary(mut self) -> Result<(), Failure> {
        self.print_unfinished_line()?;
        self.writer.finish()
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
    filter: FilterArgs,
    #[command(flatten)]
    reader: ReaderArgs,
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
            return console::replay(&self.file, self.reader, filter, self.speed);
        }
        let started = Instant::now();
        let wait_until_due = |stamp: Option<Stamp>| {
            let time = stamp.unwrap_or_default().time;
            let due = Duration::try_from_secs_f64(time.as_secs_f64() / self.speed).unwrap_or(Duration::MAX);
            thread::sleep(due.saturating_sub(started.elapsed()));
        };
        let writer = EventWriter::new(self.format.unwrap_or_else(LineFormat::for_stdout));
        let decoder = DecodePrinter::new(self.reader.event_reader(), None, filter, writer);
        print_recorded_events(RecordedInput::open_transcript(&self.file)?, decoder, self.reader.strict, wait_until_due)
    }
}
