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

/// The sent lines of a connection that wait for their reply, each with a value of the caller, such as the number of its row.
#[derive(Debug)]
pub struct ReplyTimes<T = u64> {
    waiting: VecDeque<(RequestId, Duration, T)>,
}

impl<T> Default for ReplyTimes<T> {
    fn default() -> Self {
        Self { waiting: VecDeque::new() }
    }
}

impl<T> ReplyTimes<T> {
    /// Returns whether a sent line waits for a reply once it is [recorded](Self::record_sent): it belongs to a request, and is its
    /// first line. The fence after a command belongs to the request of the command.
    pub fn is_awaiting_line(&self, attribution: Attribution) -> bool {
        attribution.request().is_some_and(|request| self.waiting.iter().all(|(waiting, ..)| *waiting != request))
    }

    /// Records a line, sent at `at`, as waiting for its reply, if it [does](Self::is_awaiting_line). At `MAX_PENDING_LINES`, forgets
    /// the line that has waited longest, and returns its value.
    pub fn record_sent(&mut self, line: T, at: Duration, attribution: Attribution) -> Option<T> {
        let request = attribution.request().filter(|_| self.is_awaiting_line(attribution))?;
        self.waiting.push_back((request, at, line));
        if self.waiting.len() > MAX_PENDING_LINES { self.take_oldest() } else { None }
    }

    /// Iterates over the waiting lines, the oldest first: the value of a line, and its time.
    pub fn waiting(&self) -> impl Iterator<Item = (&T, Duration)> {
        self.waiting.iter().map(|(_, at, line)| (line, *at))
    }

    /// Records an event at time `at` in row `row`. Returns the value of a waiting line with its reply, if the event starts it.
    pub fn record_event(&mut self, row: u64, at: Duration, event: &Event) -> Option<(T, ReplyMatch)> {
        if let Event::Connected = event {
            self.waiting.clear();
        }
        let attribution = event.attribution();
        let request = attribution.request().filter(|_| !matches!(event, Event::Sent { .. }))?;
        let place = self.waiting.iter().position(|(waiting, ..)| *waiting == request)?;
        let (_, sent_at, line) = self.waiting.remove(place)?;
        let after = at.saturating_sub(sent_at);
        Some((line, ReplyMatch { after, row, is_guessed: attribution.is_inferred() }))
    }

    /// Forgets the line that has waited longest, and returns its value; `None` if no line waits.
    pub fn take_oldest(&mut self) -> Option<T> {
        self.waiting.pop_front().map(|(.., line)| line)
    }
}

#[cfg(test)]
mod tests;
