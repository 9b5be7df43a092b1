//! Matches replies to sent lines: by number in block mode and on ICC, otherwise by the next prompt.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use kibitzer::core::Event;
use kibitzer::core::message::{ClockReading, Control, Message};

/// Maximum number of lines without a reply; the oldest is dropped.
const MAX_PENDING_LINES: usize = 256;

/// A reply that was matched to a sent line. `Display` writes `reply #345 after 12ms`, with `~` before a time that is guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReplyMatch {
    /// Time from the line to the start of a numbered reply, or to the prompt that ends a guessed one.
    pub(crate) after: Duration,
    /// Number of the console row in which the reply begins.
    pub(crate) row: u64,
    /// Whether the reply is the output before the next prompt, which may include unrelated output. Otherwise it carries the
    /// number of the line.
    pub(crate) is_guessed: bool,
}

impl fmt::Display for ReplyMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "reply #{} after {}", self.row, self.time_text())
    }
}

impl ReplyMatch {
    /// Returns the time until the reply, with `~` before it if the reply is guessed.
    pub(crate) fn time_text(&self) -> String {
        let about = if self.is_guessed { "~" } else { "" };
        format!("{about}{}", ShortDuration(self.after))
    }
}

/// Displays a duration with one to three digits and a unit from `ns` to `s`, from 100 seconds on as `m:ss` or `h:mm:ss`. Digits
/// beyond that are cut off, not rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShortDuration(pub(crate) Duration);

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

/// Matches replies to the sent lines that wait for one.
#[derive(Debug, Default)]
pub(crate) struct ReplyMatcher {
    waiting: VecDeque<PendingLine>,
    /// Row of the first event since the last prompt or sent line; `None` if there was no event since then.
    since_prompt: Option<u64>,
}

/// A sent line without a reply.
#[derive(Debug)]
struct PendingLine {
    row: u64,
    at: Duration,
    /// Number that marks its reply; `None` for a line without one.
    number: Option<u64>,
}

impl ReplyMatcher {
    /// Records a line, sent at `at` and shown in row `row`, as waiting for its reply. Forgets the oldest waiting line if there
    /// are [`MAX_PENDING_LINES`].
    pub(crate) fn record_sent(&mut self, row: u64, at: Duration, line: &[u8]) {
        if self.waiting.len() >= MAX_PENDING_LINES {
            self.waiting.pop_front();
        }
        self.waiting.push_back(PendingLine { row, at, number: split_request_number(line).map(|(number, _)| number) });
        self.since_prompt = None;
    }

    /// Records an event at time `at` in row `row`. Returns the row of a waiting line with its reply, if the event starts a reply
    /// with the number of that line, or is a prompt and thus ends the reply to the oldest line without a number. Returns `None`
    /// for all other events.
    pub(crate) fn record_event(&mut self, row: u64, at: Duration, event: &Event) -> Option<(u64, ReplyMatch)> {
        let begin = *self.since_prompt.get_or_insert(row);
        let message = event.message()?;
        if let Some(number) = reply_number(message) {
            let place = self.waiting.iter().position(|waiting| waiting.number == Some(number))?;
            return self.take_match(place, at, row, false);
        }
        match message {
            Message::Control(
                Control::Prompt | Control::LoginPrompt | Control::PasswordPrompt | Control::GuestPrompt(_),
            ) => {
                self.since_prompt = None;
                let place = self.waiting.iter().position(|waiting| waiting.number.is_none())?;
                self.take_match(place, at, begin, true)
            }
            _ => None,
        }
    }

    /// Removes the waiting line at an index; returns its row with the reply, which starts in row `row` and was seen at `at`.
    fn take_match(&mut self, index: usize, at: Duration, row: u64, is_guessed: bool) -> Option<(u64, ReplyMatch)> {
        let waiting = self.waiting.remove(index)?;
        Some((waiting.row, ReplyMatch { after: at.saturating_sub(waiting.at), row, is_guessed }))
    }
}

/// Splits a sent line with a request number into number and command: `12 finger foo` as in block mode, `` `12`finger foo `` as on
/// ICC. `None` for a line without a number, or with number 0.
pub(crate) fn split_request_number(line: &[u8]) -> Option<(u64, &[u8])> {
    let (rest, end) = line.strip_prefix(b"`").map_or((line, b' '), |rest| (rest, b'`'));
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = rest.split_at_checked(digits)?;
    let command = rest.strip_prefix(&[end])?;
    let number = std::str::from_utf8(digits).ok()?.parse().ok().filter(|&number| number > 0)?;
    Some((number, command))
}

/// Returns the number of the request whose reply begins with this message; `None` if no numbered reply begins with it.
pub(crate) fn reply_number(message: &Message) -> Option<u64> {
    match message {
        Message::Control(Control::BlockStart { id, .. }) => Some(*id),
        Message::Control(Control::UnitStart(header)) => header.tag.as_ref()?.as_str().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
