//! Writes events as JSON Lines, as text or as a summary, with their times.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::ops::Not;
use std::time::{Duration, Instant};

use anstream::AutoStream;
use clap::ValueEnum;
use kibitzer::internal::filter::{ANSWERED, Passed};
use kibitzer::internal::recorded::Stamp;
use kibitzer_bot::BotEvent;
use kibitzer_core::event::{Attribution, RequestId, RequestOrigin};
use kibitzer_core::{Event, EventKind};
use serde::{Serialize, Serializer};
use serde_json::json;

use super::terminal::StdoutAboveInput;
use super::text::{self, TextArgs};
use crate::failure::Failure;

/// Size of the output buffer. It is needed because standard output flushes its own buffer with every line.
const BUFFER_BYTES: usize = 64 << 10;

/// The help of `--format`.
pub(crate) const FORMAT_HELP: &str = "How to print it [default: text on a terminal, else jsonl]";

/// Format of printed events.
#[derive(Clone, Copy, Debug, ValueEnum, PartialEq, Eq)]
pub(crate) enum LineFormat {
    /// One JSON object per event
    Jsonl,
    /// A line per event in color, boards drawn
    Text,
}

impl LineFormat {
    /// Returns the format for standard output if none was chosen: text on a terminal, else JSON.
    pub(crate) fn for_stdout() -> Self {
        if io::stdout().is_terminal() { Self::Text } else { Self::Jsonl }
    }
}

/// Writes events to standard output. Lines stay in a buffer until it is flushed.
pub(crate) struct EventWriter {
    out: BufWriter<Box<dyn Write>>,
    form: OutputForm,
}

/// Form of an [`EventWriter`]'s output.
enum OutputForm {
    /// JSON Lines, with a buffer for one line that is reused.
    Jsonl(Vec<u8>),
    /// For people; in color if the terminal shows it.
    Text(TextArgs),
    /// Counts, written at the end.
    Summary(Summary),
}

impl EventWriter {
    /// Creates a writer to standard output; `None` counts events, and prints the counts when it is
    /// [finished](Self::finish). As JSON, keeps standard output locked for its lifetime; as text, prints above an input
    /// line being edited, and without color if standard output does not show it.
    pub(crate) fn new(format: impl Into<Option<LineFormat>>) -> Self {
        match format.into() {
            None => Self::of_form(OutputForm::Summary(Summary::start()), Box::new(io::stdout().lock())),
            Some(LineFormat::Jsonl) => Self::jsonl_to(Box::new(io::stdout().lock())),
            Some(LineFormat::Text) => {
                // It removes escapes by writing the text between them piece by piece, which needs a buffer on either side.
                let out = BufWriter::with_capacity(BUFFER_BYTES, StdoutAboveInput::default());
                let buffer: Box<dyn Write> = Box::new(out);
                let choice = AutoStream::choice(&io::stdout());
                Self::of_form(OutputForm::Text(TextArgs::default()), Box::new(AutoStream::new(buffer, choice)))
            }
        }
    }

    /// Returns the writer with options of its text; they have no effect on the other output forms.
    pub(crate) fn with_text(mut self, args: TextArgs) -> Self {
        if let OutputForm::Text(text) = &mut self.form {
            *text = args;
        }
        self
    }

    /// Creates a writer of JSON Lines to `out` instead of standard output.
    pub(crate) fn jsonl_to(out: Box<dyn Write>) -> Self {
        Self::of_form(OutputForm::Jsonl(Vec::new()), out)
    }

    fn of_form(form: OutputForm, out: Box<dyn Write>) -> Self {
        Self { out: BufWriter::with_capacity(BUFFER_BYTES, out), form }
    }

    /// Adds received bytes to the summary; does nothing in the other output forms.
    pub(crate) fn count_bytes(&mut self, bytes: usize) {
        if let OutputForm::Summary(summary) = &mut self.form {
            summary.bytes += bytes as u64;
        }
    }

    /// Writes what passed a filter: an event, or as JSON the report that a reply began; a summary counts it. `has_times` is false for
    /// a raw log.
    pub(crate) fn write_passed(&mut self, passed: Passed<'_>, has_times: bool) -> Result<(), Failure> {
        match (passed, &mut self.form) {
            (Passed::Event(event, stamp), _) => return self.write_event(event, has_times.then_some(&stamp)),
            (Passed::Answered { attribution, after, stamp }, OutputForm::Jsonl(_)) => {
                let object = json_object(&Answered::new(attribution, after));
                return self.write_own_event_if_json(ANSWERED, &stamp, &object);
            }
            (Passed::Answered { after, .. }, OutputForm::Summary(summary)) => summary.count_reply(after),
            (Passed::Unanswered, OutputForm::Summary(summary)) => summary.unanswered += 1,
            _ => {}
        }
        Ok(())
    }

    /// Writes an event: as JSON with its time, as text; a summary only counts it. `stamp` is `None` for a raw log. Writes
    /// no pings.
    pub(crate) fn write_event(&mut self, event: &Event, stamp: Option<&Stamp>) -> Result<(), Failure> {
        let written = match &mut self.form {
            OutputForm::Jsonl(_) if event.kind() == EventKind::Ping => Ok(()),
            OutputForm::Jsonl(line) => {
                line.clear();
                event.write_json(&stamp.map(Stamp::json_members).unwrap_or_default(), line);
                line.push(b'\n');
                self.out.write_all(line)
            }
            OutputForm::Text(args) => text::write_event(&mut self.out, event, *args, stamp.map(|stamp| stamp.time)),
            OutputForm::Summary(summary) => {
                summary.count(event);
                Ok(())
            }
        };
        written.map_err(Failure::stdout)
    }

    /// Writes that the recording ends inside the line with this number, counted from 1; a summary counts it.
    pub(crate) fn write_cut_recording(&mut self, line_number: u64, stamp: &Stamp) -> Result<(), Failure> {
        let written = match &mut self.form {
            OutputForm::Jsonl(_) => {
                return self.write_own_event_if_json("cut", stamp, &json_object(&json!({ "line": line_number })));
            }
            OutputForm::Text(_) => text::write_cut_recording(&mut self.out, line_number),
            OutputForm::Summary(summary) => {
                *summary.events.entry("cut").or_default() += 1;
                Ok(())
            }
        };
        written.map_err(Failure::stdout)
    }

    /// As JSON, writes an event of the program itself: its name, its time, and the members of `object`, a serialized JSON object
    /// that is not empty. Does nothing in the other output forms.
    pub(crate) fn write_own_event_if_json(&mut self, event: &str, stamp: &Stamp, object: &[u8]) -> Result<(), Failure> {
        let OutputForm::Jsonl(_) = &self.form else { return Ok(()) };
        let members = object.strip_prefix(b"{").unwrap_or_default();
        let written = write!(self.out, r#"{{"event":"{event}","offset":null{},"#, stamp.json_members());
        let written = written.and_then(|()| self.out.write_all(members)).and_then(|()| self.out.write_all(b"\n"));
        written.map_err(Failure::stdout)
    }

    /// Flushes the buffered lines.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::stdout)
    }

    /// Writes the counts if this is a summary, and flushes the output.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        if let OutputForm::Summary(summary) = self.form {
            summary.write(&mut self.out).map_err(Failure::stdout)?;
        }
        self.out.flush().map_err(Failure::stdout)
    }
}

/// Returns the JSON text of a value that serializes to an object.
pub(crate) fn json_object(value: &impl Serialize) -> Vec<u8> {
    let mut object = Vec::new();
    // Nothing fails on the way to memory.
    let _ = kibitzer::internal::json::write(&mut object, value);
    object
}

/// Returns an event of a bot as the JSON object that is printed.
pub(crate) fn bot_event_json(event: &BotEvent, stamp: &Stamp) -> Vec<u8> {
    let mut line = json_object(event);
    let end_of_kind = line.iter().position(|&byte| byte == b',').unwrap_or_default();
    let envelope = format!(",\"offset\":null{}", stamp.json_members());
    line.splice(end_of_kind..end_of_kind, envelope.into_bytes());
    line
}

/// Members of the event `answered`.
#[derive(Debug, Serialize)]
struct Answered {
    request: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_by: Option<RequestOrigin>,
    #[serde(skip_serializing_if = "Not::not")]
    inferred: bool,
    after_ms: f64,
}

impl Answered {
    fn new(attribution: Attribution, after: Duration) -> Self {
        Self {
            request: attribution.request().map(RequestId::number),
            requested_by: attribution.origin(),
            inferred: attribution.is_inferred(),
            after_ms: milliseconds(after),
        }
    }
}

/// Returns a time in milliseconds, to the microsecond.
#[expect(clippy::cast_precision_loss, reason = "only after 285 years")]
fn milliseconds(time: Duration) -> f64 {
    time.as_micros() as f64 / 1e3
}

/// Counts of the events of a stream; serialized as they are printed.
#[derive(Debug, Serialize)]
struct Summary {
    #[serde(skip)]
    start: Instant,
    /// Received bytes.
    bytes: u64,
    /// Number of events except for desyncs and sent lines; includes pings.
    frames: u64,
    /// Number of events of each kind.
    events: BTreeMap<&'static str, u64>,
    desyncs: u64,
    /// Number of sent lines without a reply.
    unanswered: u64,
    /// Times from a sent line to its reply.
    reply_ms: ReplyPercentiles,
    /// Time since the summary was created; set when it is written.
    elapsed_s: f64,
    /// Speed in millions of bytes per second; set when it is written.
    mb_per_s: f64,
}

impl Summary {
    /// Creates a summary without counts. The speed is measured from now on.
    fn start() -> Self {
        let start = Instant::now();
        Self {
            start,
            bytes: 0,
            frames: 0,
            events: BTreeMap::new(),
            desyncs: 0,
            unanswered: 0,
            reply_ms: ReplyPercentiles::default(),
            elapsed_s: 0.0,
            mb_per_s: 0.0,
        }
    }

    /// Counts a reply that began this long after its line.
    fn count_reply(&mut self, after: Duration) {
        *self.events.entry(ANSWERED).or_default() += 1;
        self.reply_ms.count(after);
    }

    /// Counts an event under its kind, unless it is a ping, and as a frame, unless it is a desync or a sent line.
    fn count(&mut self, event: &Event) {
        match event {
            Event::Desync(_) => self.desyncs += 1,
            Event::Sent { .. } => {}
            _ => self.frames += 1,
        }
        if event.kind() != EventKind::Ping {
            *self.events.entry(event.kind().as_str()).or_default() += 1;
        }
    }

    /// Writes the counts as one JSON object on a line, with the time since the start and the speed.
    #[expect(clippy::cast_precision_loss, reason = "a speed is rounded for display anyway")]
    fn write(mut self, mut out: impl Write) -> io::Result<()> {
        self.elapsed_s = self.start.elapsed().as_secs_f64();
        self.mb_per_s = self.bytes as f64 / 1e6 / self.elapsed_s.max(f64::MIN_POSITIVE);
        kibitzer::internal::json::write(&mut out, &self)?;
        out.write_all(b"\n")
    }
}

/// Counts of times, of which only the first three digits are kept, so that there are few different ones. Serialized as percentiles
/// in milliseconds, each `null` if nothing was counted.
#[derive(Debug, Default)]
struct ReplyPercentiles(BTreeMap<Duration, u64>);

impl ReplyPercentiles {
    /// Counts a time.
    fn count(&mut self, time: Duration) {
        let us = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let unit = 10_u64.pow(us.checked_ilog10().unwrap_or(0).saturating_sub(2));
        *self.0.entry(Duration::from_micros(us / unit * unit)).or_default() += 1;
    }

    /// Returns the time that this share of the times, in percent, does not exceed; `None` without times.
    fn at(&self, percent: u64) -> Option<Duration> {
        let rank = (self.0.values().sum::<u64>() * percent).div_ceil(100);
        let mut n_counted = 0;
        let mut times = self.0.iter().map(|(time, n)| {
            n_counted += n;
            (*time, n_counted)
        });
        times.find(|(_, n_counted)| *n_counted >= rank).map(|(time, _)| time)
    }
}

impl Serialize for ReplyPercentiles {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let percentiles = [("p50", 50), ("p90", 90), ("p99", 99)];
        serializer.collect_map(percentiles.map(|(name, percent)| (name, self.at(percent).map(milliseconds))))
    }
}
