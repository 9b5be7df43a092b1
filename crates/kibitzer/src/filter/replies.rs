//! Delay of replies: matches the first event of each reply to the sent line of the same request.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use kibitzer_core::Event;
use kibitzer_core::event::{Attribution, RequestId};
use kibitzer_core::message::ClockReading;

/// Maximum number of lines without a reply; the oldest is dropped.
const MAX_PENDING_LINES: usize = 256;

/// A reply that was matched to a sent line. `Display` writes `reply #345 after 12ms`, with `~` before a time that is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplyMatch {
    /// Time from the line to the start of its reply.
    pub after: Duration,
    /// Number of the console row in which the reply begins.
    pub row: u64,
    /// Whether unrelated output may precede the reply, because no mark shows its start.
    pub is_guessed: bool,
}

impl fmt::Display for ReplyMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reply #{} after {}", self.row, self.time_text())
    }
}

impl ReplyMatch {
    /// Returns the time until the reply, with `~` before it if the reply is guessed.
    pub fn time_text(&self) -> String {
        let about = if self.is_guessed { "~" } else { "" };
        format!("{about}{}", ShortDuration(self.after))
    }
}

/// Displays a duration with one to three digits and a unit from `ns` to `s`, from 100 seconds on as `m:ss` or `h:mm:ss`. Digits
/// beyond that are cut off, not rounded.
#[derive(Clone, Copy, Debug)]
pub struct ShortDuration(pub Duration);

impl fmt::Display for ShortDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = self.0.as_micros();
        let text = match us {
            0 => format!("{}ns", self.0.as_nanos()),
            1..1_000 => format!("{us}\u{b5}s"),
            1_000..10_000 => format!("{}.{}ms", us / 1_000, us / 100 % 10),
            10_000..1_000_000 => format!("{}ms", us / 1_000),
            1_000_000..100_000_000 => format!("{}.{}s", us / 1_000_000, us / 100_000 % 10),
            _ => ClockReading::from_ms(i64::try_from(self.0.as_secs()).unwrap_or(i64::MAX / 1_000) * 1_000).to_string(),
        };
        f.pad(&text)
    }
}

/// The sent lines of a connection that wait for their reply.
#[derive(Debug, Default)]
pub struct ReplyTimes {
    waiting: VecDeque<(RequestId, SentRow)>,
}

/// The row in which a sent line is shown, and its time since the start of the session.
#[derive(Clone, Copy, Debug)]
struct SentRow {
    row: u64,
    at: Duration,
}

impl ReplyTimes {
    /// Records a line, sent at `at` and shown in row `row`, as waiting for its reply, unless it belongs to no request. Forgets the
    /// oldest waiting line if there are `MAX_PENDING_LINES`.
    pub fn record_sent(&mut self, row: u64, at: Duration, attribution: Attribution) {
        let Some(request) = attribution.request() else { return };
        if self.waiting.iter().any(|(waiting, _)| *waiting == request) {
            return;
        }
        if self.waiting.len() >= MAX_PENDING_LINES {
            self.waiting.pop_front();
        }
        self.waiting.push_back((request, SentRow { row, at }));
    }

    /// Iterates over the waiting lines, the oldest first: the row in which a line is shown, and its time.
    pub fn waiting(&self) -> impl Iterator<Item = (u64, Duration)> {
        self.waiting.iter().map(|(_, sent)| (sent.row, sent.at))
    }

    /// Records an event at time `at` in row `row`. Returns the row of a waiting line with its reply, if the event starts it.
    pub fn record_event(&mut self, row: u64, at: Duration, event: &Event) -> Option<(u64, ReplyMatch)> {
        if matches!(event, Event::Connected) {
            self.waiting.clear();
        }
        let attribution = event.attribution();
        if let Event::Sent { .. } = event {
            self.record_sent(row, at, attribution);
            return None;
        }
        let request = attribution.request()?;
        let place = self.waiting.iter().position(|(waiting, _)| *waiting == request)?;
        let (_, sent) = self.waiting.remove(place)?;
        let after = at.saturating_sub(sent.at);
        Some((sent.row, ReplyMatch { after, row, is_guessed: attribution.is_inferred() }))
    }
}

#[cfg(test)]
mod tests;
