//! `kibitzer diff`: compares two recordings by their events.
//!
//! Each recording is read twice, event by event: first for the hashes of the events after the common start, which are compared, then
//! for the differences, which are printed. Memory: about 60 bytes for each of these events.

mod events;
mod report;

use std::collections::VecDeque;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use anstream::AutoStream;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kibitzer_core::EventKind;
use similar::{Algorithm, capture_diff_slices, group_diff_ops};

use self::events::{ComparedEvents, Comparison};
use self::report::DifferenceReport;
use crate::arguments::ReaderArgs;
use crate::failure::Failure;

/// Exit status if the recordings differ.
const DIFFERENT: u8 = 1;
/// Exit status if they cannot be compared.
const TROUBLE: u8 = 2;
/// Number of equal events that are printed before and after a difference.
const CONTEXT: usize = 3;
/// Maximum number of events of a recording after the common start.
const MAX_EVENTS: usize = 2 << 20;

/// Compare two recordings by their events
///
/// Prints the events that differ, with the events around them, as `diff -u` does with lines, and below a changed event the fields
/// that differ. Not compared are positions in the stream, times, numbers of requests, prompts and other marks of the protocol, and
/// the checks that a session sends by itself.
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    /// A recording, or a raw log
    old: PathBuf,
    /// The recording to compare it with
    new: PathBuf,
    /// Compare the events of these kinds only, such as tell,position
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = kind_parser(), hide_possible_values = true)]
    kinds: Vec<EventKind>,
    /// Do not compare the fields with these names, which are keys of the events in JSON; an object stands for its members
    #[arg(long, value_name = "FIELD,...", value_delimiter = ',')]
    ignore: Vec<String>,
    #[command(flatten)]
    reader: ReaderArgs,
}

const HELP: &str = "\
Examples:
  kibitzer diff before.jsonl after.jsonl
  kibitzer diff --kinds position,game_ended before.jsonl after.jsonl
  kibitzer diff --ignore white_clock_ms,black_clock_ms,last_move.elapsed_ms,lag_ms before.jsonl after.jsonl

Exit status:
  0  no difference
  1  the recordings differ
  2  a recording cannot be read, or the arguments are wrong";

fn kind_parser() -> impl TypedValueParser<Value = EventKind> {
    PossibleValuesParser::new(EventKind::ALL.iter().map(|kind| kind.as_str())).try_map(|kind| kind.parse::<EventKind>())
}

impl Args {
    /// Prints the differences of two recordings. Blocks until both are read.
    ///
    /// # Errors
    ///
    /// [`Failure`] with status 1 and no message if they differ, with status 2 if they cannot be compared.
    pub(crate) fn compare(&self) -> Result<(), Failure> {
        match self.print_differences() {
            Ok(false) => Ok(()),
            Err(failure) if failure.message.is_some() => Err(failure.with_status(TROUBLE)),
            // A pipe is closed while differences are printed.
            Ok(true) | Err(_) => Err(Failure::silent(DIFFERENT)),
        }
    }

    /// Prints the differences, and returns whether there are any.
    fn print_differences(&self) -> Result<bool, Failure> {
        let comparison = Comparison::new(self.reader, &self.kinds, &self.ignore);
        let open = |path: &Path| ComparedEvents::open(path, &comparison);
        let (mut old, mut new) = (open(&self.old)?, open(&self.new)?);
        // The last hashes of the common start, for the context of the first difference.
        let (mut start, mut n_start) = (VecDeque::new(), 0);
        let mut rest = loop {
            match (old.next_hash()?, new.next_hash()?) {
                (Some(one), Some(other)) if one == other => {
                    start.push_back(one);
                    if start.len() > CONTEXT {
                        start.pop_front();
                        n_start += 1;
                    }
                }
                rest => break <[_; 2]>::from(rest).map(|hash| start.iter().copied().chain(hash).collect::<Vec<_>>()),
            }
        };
        for (events, hashes) in [&mut old, &mut new].into_iter().zip(&mut rest) {
            events.read_hashes(hashes, MAX_EVENTS)?;
            events.check_end()?;
        }
        comparison.report_unknown_ignored_fields();
        let [old_hashes, new_hashes] = &rest;
        let operations = capture_diff_slices(Algorithm::Myers, old_hashes, new_hashes);
        drop(rest);
        let groups = group_diff_ops(operations, CONTEXT);
        if groups.is_empty() {
            return Ok(false);
        }
        let out = BufWriter::new(AutoStream::auto(io::stdout()));
        let mut report = DifferenceReport::new(out, [open(&self.old)?, open(&self.new)?], n_start, &comparison);
        report.print_head([&self.old, &self.new])?;
        groups.iter().try_for_each(|group| report.print_group(group))?;
        report.flush()?;
        Ok(true)
    }
}
