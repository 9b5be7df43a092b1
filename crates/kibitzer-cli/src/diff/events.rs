//! The events of a recording as they are compared.

use std::cell::Cell;
use std::collections::VecDeque;
use std::hash::{BuildHasher as _, RandomState};
use std::path::Path;
use std::time::Duration;

use kibitzer::internal::recorded::{PieceDecoder, StreamPiece};
use kibitzer_core::event::RequestOrigin;
use kibitzer_core::{Event, EventCategory, EventKind};

use crate::arguments::ReaderArgs;
use crate::decode::{Progress, RecordedInput};
use crate::failure::{Failure, report};
use crate::output::cut_recording_text;

/// Fields that are not compared, because they depend on earlier events: the numbers of requests and what they say about an event,
/// and what the state of the game says about a position.
const DEPENDENT_FIELDS: [&str; 8] =
    ["request", "requested_by", "inferred", "id", "tag", "irregular", "white_reserve", "black_reserve"];

/// Selection of the kinds and fields of events that are compared.
pub(super) struct Comparison<'a> {
    reader: ReaderArgs,
    /// All kinds but marks of the protocol if empty.
    kinds: &'a [EventKind],
    ignored: Vec<IgnoredField<'a>>,
    hasher: RandomState,
}

/// A field that is not compared, or an object whose members are not.
struct IgnoredField<'a> {
    name: &'a str,
    /// Whether an event had it.
    was_found: Cell<bool>,
}

impl IgnoredField<'_> {
    /// Returns whether this is the field `name`, or the object that contains it; then stores that it was found.
    fn is_or_contains(&self, name: &str) -> bool {
        let rest = name.strip_prefix(self.name);
        let is_found = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.was_found.set(self.was_found.get() || is_found);
        is_found
    }
}

impl<'a> Comparison<'a> {
    /// Compares the events of these kinds, except for the fields of these names; the name of an object, such as `last_move`, stands
    /// for its members.
    pub(super) fn new(reader: ReaderArgs, kinds: &'a [EventKind], ignored: &'a [String]) -> Self {
        let ignored = ignored.iter().map(|name| IgnoredField { name, was_found: Cell::new(false) }).collect();
        Self { reader, kinds, ignored, hasher: RandomState::new() }
    }

    fn includes(&self, event: &Event) -> bool {
        let is_of_kind = match self.kinds {
            [] => event.kind().category() != EventCategory::Control,
            kinds => kinds.contains(&event.kind()),
        };
        // The session chooses the words of its checks at random.
        is_of_kind && event.attribution().origin() != Some(RequestOrigin::Probe)
    }

    /// Returns the names and values of the fields that are compared.
    pub(super) fn fields(&self, event: &Event) -> Vec<(String, String)> {
        let mut fields = Vec::new();
        event.visit_fields(&mut |name, value| {
            // Each name is checked, because several may match.
            let n_matching = self.ignored.iter().filter(|ignored| ignored.is_or_contains(name)).count();
            if n_matching == 0 && !DEPENDENT_FIELDS.contains(&name) {
                fields.push((name.to_owned(), value.to_string()));
            }
        });
        if matches!(event, Event::Sent { .. })
            && let Some((_, line)) = fields.iter_mut().find(|(name, _)| name == "line")
        {
            line.drain(..request_prefix_len(line));
        }
        fields
    }

    /// Reports on standard error, once all events are read, the names of ignored fields that no compared event has.
    pub(super) fn report_unknown_ignored_fields(&self) {
        for ignored in self.ignored.iter().filter(|ignored| !ignored.was_found.get()) {
            report(&format!("--ignore {}: no compared event has this field", ignored.name));
        }
    }
}

/// Returns the length of the number before a line in block mode, `12 finger`, or of the tag on ICC, `` `12`finger ``.
fn request_prefix_len(line: &str) -> usize {
    let (open, close) = if line.starts_with('`') { ("`", '`') } else { ("", ' ') };
    let number = line.strip_prefix(open).and_then(|rest| rest.split_once(close)).map_or("", |(number, _)| number);
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { open.len() + number.len() + 1 } else { 0 }
}

/// The compared events of a recording, in order.
pub(super) struct ComparedEvents<'a> {
    name: String,
    comparison: &'a Comparison<'a>,
    input: RecordedInput,
    decoder: PieceDecoder,
    /// Events of the last piece that were not returned yet.
    read: VecDeque<ComparedEvent>,
    is_at_end: bool,
    is_empty: bool,
    /// Whether the input is a transcript, or a line of it is one of a chess server.
    is_recording: bool,
    /// Number of the line inside of which the recording ends.
    cut_line: Option<u64>,
}

/// An event that is compared.
pub(super) struct ComparedEvent {
    pub(super) event: Event,
    /// Time since the recording began; `None` in a raw log.
    pub(super) at: Option<Duration>,
}

impl<'a> ComparedEvents<'a> {
    /// Opens a file, which has to be a regular one.
    pub(super) fn open(path: &Path, comparison: &'a Comparison<'a>) -> Result<Self, Failure> {
        let name = path.display().to_string();
        if path.metadata().is_ok_and(|file| !file.is_file()) {
            return Err(Failure::local(format!("cannot compare {name}: only files can be read twice")));
        }
        let reader = comparison.reader;
        Ok(Self {
            name,
            comparison,
            input: RecordedInput::open(Some(path), Progress::Hidden)?,
            decoder: PieceDecoder::new(move || reader.event_reader()),
            read: VecDeque::new(),
            is_at_end: false,
            is_empty: true,
            is_recording: false,
            cut_line: None,
        })
    }

    /// Returns the next event without consuming it; `None` at the end. Blocks until it is read.
    pub(super) fn peek(&mut self) -> Result<Option<&ComparedEvent>, Failure> {
        while self.read.is_empty() && !self.is_at_end {
            let piece = self.input.next()?;
            let (piece, stamp) = piece.map_or((None, None), |(piece, stamp)| (Some(piece), stamp));
            self.is_empty &= piece.is_none();
            self.is_recording |= stamp.is_some();
            let Self { comparison, read, is_recording, .. } = self;
            let keep = |event: &Event| {
                *is_recording |= is_of_chess_server(event.kind());
                if comparison.includes(event) {
                    read.push_back(ComparedEvent { event: event.clone(), at: stamp.map(|stamp| stamp.time) });
                }
                Ok::<_, Failure>(())
            };
            if let Some(piece) = piece {
                if let StreamPiece::Cut(line) = piece {
                    self.cut_line = Some(line);
                }
                self.decoder.decode(&piece, keep)?;
            } else {
                self.is_at_end = true;
                self.decoder.finish(keep)?;
            }
        }
        Ok(self.read.front())
    }

    /// Returns the next event; `None` at the end. Blocks until it is read.
    pub(super) fn next(&mut self) -> Result<Option<ComparedEvent>, Failure> {
        self.peek()?;
        Ok(self.read.pop_front())
    }

    /// Returns the hash of the next event's kind and fields; `None` at the end. Blocks until it is read.
    pub(super) fn next_hash(&mut self) -> Result<Option<u64>, Failure> {
        let comparison = self.comparison;
        let hash = |it: ComparedEvent| comparison.hasher.hash_one((it.event.kind(), comparison.fields(&it.event)));
        Ok(self.next()?.map(hash))
    }

    /// Appends the hashes of all further events.
    ///
    /// # Errors
    ///
    /// [`Failure`] also if there are then more than `limit` hashes.
    pub(super) fn read_hashes(&mut self, hashes: &mut Vec<u64>, limit: usize) -> Result<(), Failure> {
        while let Some(hash) = self.next_hash()? {
            hashes.push(hash);
            if hashes.len() > limit {
                let name = &self.name;
                let message = format!("{name} has more than {limit} events after the first difference; try --kinds");
                return Err(Failure::local(message));
            }
        }
        Ok(())
    }

    /// Checks, once all events are read, that the input is a recording. Reports on standard error if it ends inside a line.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the input is empty or has no line of a chess server; with `--strict`, if it ends inside a line.
    pub(super) fn check_end(&self) -> Result<(), Failure> {
        let name = &self.name;
        match self.cut_line {
            Some(line) if self.comparison.reader.strict => return Err(self.input.cut_failure(line)),
            Some(line) => report(&format!("{name}: {}", cut_recording_text(line))),
            None if self.is_empty => return Err(Failure::local(format!("cannot compare {name}: it is empty"))),
            None if !self.is_recording => {
                return Err(Failure::local(format!("cannot compare {name}: it has no line of a chess server")));
            }
            None => {}
        }
        Ok(())
    }
}

/// Returns whether only a chess server's output has events of this kind. Any bytes have lines, and may have telnet commands and
/// datagrams.
fn is_of_chess_server(kind: EventKind) -> bool {
    let is_any = matches!(kind.category(), EventCategory::Text | EventCategory::Trouble);
    let is_mark = matches!(kind, EventKind::Telnet | EventKind::Ping | EventKind::UnitStart | EventKind::UnitEnd);
    !is_any && !is_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_is_removed_from_the_line_of_a_sent_event() {
        let sent = Event::sent(Some("12 finger".into()), kibitzer_core::event::Attribution::default());
        let comparison = Comparison::new(ReaderArgs::default(), &[], &[]);
        assert_eq!(comparison.fields(&sent), [("line".to_owned(), "finger".to_owned())]);
    }

    #[test]
    fn numbers_and_tags_of_requests_are_no_part_of_a_line() {
        let cases =
            [("12 finger", 3), ("`12`finger", 4), ("finger 12", 0), ("12", 0), ("``x", 0), (" 1 x", 0), ("", 0)];
        for (line, want) in cases {
            assert_eq!(request_prefix_len(line), want, "{line}");
        }
    }
}
