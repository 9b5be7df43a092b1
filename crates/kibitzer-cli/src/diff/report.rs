//! Prints differences: the events with a sign, and the fields of changed ones.

use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use kibitzer_core::Event;
use similar::{DiffOp, DiffTag};
use unicode_truncate::UnicodeTruncateStr as _;

use super::events::{ComparedEvent, ComparedEvents, Comparison};
use crate::failure::Failure;
use crate::output::{TerminalSafe, format_session_time, one_line};

const SAME: Style = Style::new();
const REMOVED: Style = AnsiColor::Red.on_default();
const ADDED: Style = AnsiColor::Green.on_default();
const PLACE: Style = AnsiColor::Cyan.on_default();
const FIELD: Style = AnsiColor::Yellow.on_default();

/// Maximum number of events on each side of a difference in which changed events are looked for.
const MAX_COMPARED: usize = 256;
/// Maximum width of the value of a field.
const VALUE_CELLS: usize = 60;
/// Number of equal characters before the difference of two values that are cut at their start.
const EQUAL_CHARACTERS: usize = 10;

/// Writer of the differences of two recordings, which are read again meanwhile.
pub(super) struct DifferenceReport<'a, W> {
    out: W,
    sides: [Side<'a>; 2],
    comparison: &'a Comparison<'a>,
}

/// A recording, and the number of its events that were read.
struct Side<'a> {
    events: ComparedEvents<'a>,
    n_read: usize,
    /// Number of events before the first that operations refer to.
    n_start: usize,
}

impl Side<'_> {
    /// Skips events up to the one with this index.
    fn skip_to(&mut self, index: usize) -> Result<(), Failure> {
        while self.n_read < self.n_start + index && self.next()?.is_some() {}
        Ok(())
    }

    fn next(&mut self) -> Result<Option<ComparedEvent>, Failure> {
        self.n_read += 1;
        self.events.next()
    }
}

impl<'a, W: Write> DifferenceReport<'a, W> {
    /// Creates a report about two recordings, from their start. Operations refer to the events after the first `n_start`.
    pub(super) fn new(out: W, events: [ComparedEvents<'a>; 2], n_start: usize, comparison: &'a Comparison<'a>) -> Self {
        Self { out, sides: events.map(|events| Side { events, n_read: 0, n_start }), comparison }
    }

    /// Prints the names of the recordings.
    pub(super) fn print_head(&mut self, paths: [&Path; 2]) -> Result<(), Failure> {
        for (sign, path) in ["---", "+++"].into_iter().zip(paths) {
            self.print(PLACE, format_args!("{sign} {}", TerminalSafe(&path.display().to_string())))?;
        }
        Ok(())
    }

    /// Prints a difference with its context, after a line with its place.
    pub(super) fn print_group(&mut self, group: &[DiffOp]) -> Result<(), Failure> {
        let ranges = [DiffOp::old_range, DiffOp::new_range].map(|range| joined(group.iter().map(range)));
        let mut places = Vec::new();
        for ((side, range), sign) in self.sides.iter_mut().zip(&ranges).zip(["-", "+"]) {
            side.skip_to(range.start)?;
            let at = side.events.peek()?.map_or_else(String::new, place_of);
            places.push(format!("{sign}{},{}{at}", side.n_start + range.start + 1, range.len()));
        }
        self.print(PLACE, format_args!("@@ {} @@", places.join(" ")))?;
        for operation in group {
            let (n_old, n_new) = (operation.old_range().len(), operation.new_range().len());
            if operation.tag() == DiffTag::Equal {
                self.print_next(0, n_old, " ", SAME)?;
                let [_, new] = &mut self.sides;
                new.skip_to(operation.new_range().end)?;
            } else if n_old.max(n_new) > MAX_COMPARED {
                self.print_next(0, n_old, "-", REMOVED)?;
                self.print_next(1, n_new, "+", ADDED)?;
            } else {
                self.print_changed(n_old, n_new)?;
            }
        }
        Ok(())
    }

    /// Prints the next events of a recording, the first or the second.
    fn print_next(&mut self, side: usize, n: usize, sign: &str, style: Style) -> Result<(), Failure> {
        for _ in 0..n {
            let Some(side) = self.sides.get_mut(side) else { break };
            let Some(next) = side.next()? else { break };
            self.print_event(&next.event, sign, style)?;
        }
        Ok(())
    }

    /// Prints the next events of both recordings, which differ: each added event after the removed one of the same kind, if there is
    /// one, followed by the fields that differ.
    fn print_changed(&mut self, n_removed: usize, n_added: usize) -> Result<(), Failure> {
        let [old, new] = &mut self.sides;
        let removed = (0..n_removed).filter_map(|_| old.next().transpose()).collect::<Result<Vec<_>, _>>()?;
        let added = (0..n_added).filter_map(|_| new.next().transpose()).collect::<Result<Vec<_>, _>>()?;
        let mut added = &added[..];
        for removed in &removed {
            let kind = removed.event.kind();
            let Some(place) = added.iter().position(|added| added.event.kind() == kind) else {
                self.print_event(&removed.event, "-", REMOVED)?;
                continue;
            };
            let (before, rest) = added.split_at(place);
            added = rest;
            before.iter().try_for_each(|added| self.print_event(&added.event, "+", ADDED))?;
            self.print_event(&removed.event, "-", REMOVED)?;
            if let Some((changed, rest)) = added.split_first() {
                added = rest;
                self.print_event(&changed.event, "+", ADDED)?;
                self.print_changed_fields(&removed.event, &changed.event)?;
            }
        }
        added.iter().try_for_each(|added| self.print_event(&added.event, "+", ADDED))
    }

    /// Prints the fields in which two events of the same kind differ.
    fn print_changed_fields(&mut self, old: &Event, new: &Event) -> Result<(), Failure> {
        let (old, new) = (self.comparison.fields(old), self.comparison.fields(new));
        let mut names = Vec::new();
        for (name, _) in old.iter().chain(&new) {
            if names.contains(&name) {
                continue;
            }
            names.push(name);
            let values = [&old, &new].map(|fields| {
                let mut fields = fields.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
                fields.next().map(|first| fields.fold(first.to_owned(), |all, value| all + ", " + value))
            });
            if values[0] != values[1] {
                let [old, new] = cut_values(values.map(|value| value.unwrap_or_else(|| "none".to_owned())));
                self.print(FIELD, format_args!("?{:12} {}: {old} -> {new}", "", TerminalSafe(name)))?;
            }
        }
        Ok(())
    }

    fn print_event(&mut self, event: &Event, sign: &str, style: Style) -> Result<(), Failure> {
        self.print(style, format_args!("{sign}{:12} {}", event.kind().as_str(), one_line(event)))
    }

    fn print(&mut self, style: Style, text: impl fmt::Display) -> Result<(), Failure> {
        writeln!(self.out, "{style}{text}{style:#}").map_err(Failure::stdout)
    }

    /// Flushes the output.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(Failure::stdout)
    }
}

/// Returns a range from the start of the first to the end of the last.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Range<usize> {
    ranges.reduce(|first, last| first.start..last.end).unwrap_or_default()
}

/// Returns the place of an event: its time, or in a raw log its position in bytes.
fn place_of(event: &ComparedEvent) -> String {
    match (event.at, event.event.offset()) {
        (Some(at), _) => format!(" at {}", format_session_time(at)),
        (None, Some(offset)) => format!(" at byte {offset}"),
        (None, None) => String::new(),
    }
}

/// Returns the values of a field, escaped and cut; if both would look the same, cut also at the start, to show the difference.
fn cut_values(values: [String; 2]) -> [String; 2] {
    let values = values.map(|value| TerminalSafe(&value).in_cells().into_owned());
    let [old, new] = values.each_ref().map(|value| cut_end(value));
    if old != new {
        return [old, new];
    }
    let [old, new] = &values;
    let n_equal = old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    let n_skipped = n_equal.saturating_sub(EQUAL_CHARACTERS);
    values.map(|value| format!("...{}", cut_end(&value.chars().skip(n_skipped).collect::<String>())))
}

fn cut_end(value: &str) -> String {
    let cut = value.unicode_truncate(VALUE_CELLS).0;
    if cut.len() < value.len() { format!("{cut}...") } else { cut.to_owned() }
}
