//! The same events pass an expression in the console, in `decode` and `replay`, and in `connect`.

use std::cell::RefCell;
use std::convert::Infallible;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use kibitzer::internal::filter::Passed;
use kibitzer::internal::recorded::Stamp;
use kibitzer_core::Event;

use super::fixed_instant;
use crate::arguments::ReaderArgs;
use crate::console::model::{ConsoleRow, RowContent, SessionModel};
use crate::console::source::RecordingReader;
use crate::decode::{DecodePrinter, RecordedInput, print_recorded_events};
use crate::filter::{EventFilter, Expression};
use crate::output::EventWriter;

const EXPRESSIONS: [&str; 16] = [
    "kind:position,tell",
    "-kind:prompt",
    "mine",
    "not mine game:1",
    "from:alice,euwe or name:boris",
    "e4",
    "\"^(creating|you)\"",
    "lag<1s",
    "clock<3m",
    "elapsed>2s or elapsed=0s",
    "reply>20ms",
    "reply<20ms and (kind:prompt or kind:block_start)",
    "move>3 mine",
    "rating<1500",
    "kind:sent \"s\"",
    "kind:sent or (mine and not kind:holding)",
];

/// Output that the test can read.
#[derive(Clone, Default)]
pub(crate) struct SharedOutput(pub(crate) Rc<RefCell<Vec<u8>>>);

impl io::Write for SharedOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn transcripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    // Only `decode` unseals lines without an option.
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        .filter(|path| !path.to_string_lossy().contains("seal"))
        .collect();
    files.sort();
    files
}

/// The lines of `decode`, and of `replay` on a pipe, without their times and offsets.
fn decoded(path: &Path, filter: Option<Expression>) -> Vec<String> {
    let output = SharedOutput::default();
    let writer = EventWriter::jsonl_to(Box::new(output.clone()));
    let printer = DecodePrinter::new(ReaderArgs::default(), filter, writer);
    print_recorded_events(RecordedInput::open_transcript(path).unwrap(), printer, |_| {}).unwrap();
    let text = String::from_utf8(output.0.take()).unwrap();
    text.lines().filter(|line| !is_left_out(line)).map(without_place).collect()
}

/// Returns whether a line is not in both outputs: the end of a recording is a mark in the console, the ends of connections are rows there,
/// `decode` prints no pings, reports replies, and withholds telnet commands after a password prompt.
fn is_left_out(line: &str) -> bool {
    let kinds = ["cut", "ping", "connected", "answered"].map(|kind| format!("\"event\":\"{kind}\""));
    kinds.iter().any(|kind| line.contains(kind)) || line.contains("\"line\":null") || line.contains("\"line\":\"\u{ff}")
}

/// Removes offset and times: offsets count from the start of the recording, in the console from the start of the connection.
fn without_place(line: &str) -> String {
    let (kind, rest) = line.split_once(",\"offset\":").unwrap();
    let (_, rest) = rest.split_once(",\"utc\":").unwrap();
    let members = rest.trim_start_matches(|c| !matches!(c, ',' | '}'));
    // The console removes blanks at the end of a sent line.
    let members = members
        .strip_suffix("\"}")
        .map_or(members.to_owned(), |text| text.trim_end_matches("\\t").trim_end().to_owned() + "\"}");
    kind.to_owned() + &members
}

fn json(event: &Event) -> String {
    let mut line = Vec::new();
    event.write_json(",\"t\":0,\"utc\":null", &mut line);
    without_place(std::str::from_utf8(&line).unwrap())
}

/// The rows of the console.
fn rows(path: &Path) -> Vec<ConsoleRow> {
    let mut reader = RecordingReader::open(path, ReaderArgs::default(), fixed_instant).unwrap();
    let mut model = SessionModel::default();
    while let Some(item) = reader.next_until(Duration::MAX).unwrap() {
        model.apply_item(item);
    }
    model.rows.iter().cloned().collect()
}

/// The event of a row in a live session; `None` for rows without one.
fn event_of(row: &ConsoleRow) -> Option<Event> {
    match &row.content {
        RowContent::Event(event) => Some(event.clone()),
        RowContent::Sent(sent) => Some(sent.to_event()),
        RowContent::Disconnected => Some(Event::Connected),
        _ => None,
    }
}

#[test]
fn the_same_events_pass_in_every_command() {
    let mut n_passed = [0; EXPRESSIONS.len()];
    for (at, path) in transcripts().into_iter().enumerate() {
        let rows = rows(&path);
        let events: Vec<_> = rows.iter().filter_map(|row| Some((row, event_of(row)?))).collect();
        let lines: Vec<_> = events.iter().map(|(_, event)| json(event)).collect();
        let printed = |line: &&String| !is_left_out(line);
        let name = path.display();
        let all = decoded(&path, None);
        let in_console: Vec<_> = lines.iter().filter(printed).collect();
        let differing = in_console.iter().zip(&all).find(|(one, other)| **one != *other);
        assert_eq!((differing, in_console.len()), (None, all.len()), "{name}");
        // Every expression on every recording would take too long.
        for (n, source) in EXPRESSIONS.into_iter().enumerate().skip(at % 16).step_by(16) {
            let expression = Expression::parse(source).unwrap();
            let mut filter = EventFilter::new(expression.clone());
            let in_connect = events.iter().map(|(row, event)| {
                let (mut passes, stamp) = (false, Stamp { time: row.at, utc: None });
                let Ok(()) = filter.record(event, stamp, |passed| {
                    passes |= matches!(passed, Passed::Event(..));
                    Ok::<_, Infallible>(())
                });
                passes
            });
            let in_connect: Vec<_> = in_connect.collect();
            let in_console: Vec<_> = events.iter().map(|(row, _)| expression.accepts(&row.filter_subject())).collect();
            assert_eq!(in_console, in_connect, "{source} in {name}: console and connect");
            let passed = lines.iter().zip(in_console).filter(|(_, passes)| *passes).map(|(line, _)| line);
            let passed: Vec<_> = passed.filter(printed).cloned().collect();
            n_passed[n] += passed.len();
            assert_eq!(passed, decoded(&path, Some(expression)), "{source} in {name}: console and decode");
        }
    }
    assert!(n_passed.iter().all(|n| *n > 0), "an expression that selects nothing proves nothing: {n_passed:?}");
}

/// Lines without a reply come out last in `decode`, once the connection has ended.
#[test]
fn the_same_lines_are_unanswered_in_every_command() {
    let mut n_unanswered = 0;
    for path in transcripts() {
        for source in ["unanswered", "kind:sent -unanswered"] {
            let expression = Expression::parse(source).unwrap();
            let rows = rows(&path);
            let accepted = rows.iter().filter(|row| expression.accepts(&row.filter_subject()));
            let mut in_console: Vec<_> = accepted.map(|row| json(&event_of(row).unwrap())).collect();
            in_console.retain(|line| !is_left_out(line));
            let mut in_decode = decoded(&path, Some(expression));
            in_console.sort();
            in_decode.sort();
            assert_eq!(in_console, in_decode, "{source} in {}", path.display());
            n_unanswered += if source == "unanswered" { in_decode.len() } else { 0 };
        }
    }
    assert!(n_unanswered > 20, "{n_unanswered}");
}
