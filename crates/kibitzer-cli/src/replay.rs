//! `kibitzer replay`: plays a recorded session at its own pace.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use crate::arguments::{ReaderArgs, speed_parser};
use crate::console;
use crate::decode::{DecodePrinter, RecordedInput, print_recorded_events};
use crate::failure::Failure;
use crate::filter::FilterArgs;
use crate::output::{EventWriter, LineFormat, Stamp};

/// Show a recorded session again
///
/// On a terminal it opens the console, which shows the board, the games and every event with its bytes, and can play, step, jump
/// and filter. On a pipe, or with `--format`, it prints the lines of `kibitzer decode`, each when its time has come.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
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

const EXAMPLES: &str = "\
Examples:
  kibitzer replay session.jsonl                    look at it in the console; ? lists the keys
  kibitzer replay --speed 10 session.jsonl         ten times as fast
  kibitzer replay --format text session.jsonl      watch it without a console
  kibitzer replay --speed 100 --filter 'kind:tell,shout or mine' session.jsonl
  kibitzer replay --speed 100 session.jsonl | jq 'select(.event==\"tell\")'";

impl Args {
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
