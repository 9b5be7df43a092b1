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
mod tests {
    use kibitzer::core::EventReader;

    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// The answers to what the server says after these lines, 5 ms later.
    fn answers(sent: &[&str], said: &str) -> Vec<(u64, ReplyMatch)> {
        let mut replies = ReplyMatcher::default();
        for (row, line) in (1..).zip(sent) {
            replies.record_sent(row, ms(row), line.as_bytes());
        }
        let (mut reader, mut input) = (EventReader::default(), said.as_bytes());
        let events = std::iter::from_fn(|| reader.next(&mut input));
        (10..).zip(events).filter_map(|(row, event)| replies.record_event(row, ms(row), &event)).collect()
    }

    #[test]
    fn a_numbered_reply_is_the_lines_of_that_number() {
        let said = "\x152\x1637\x16x\n\r\x17\n\rfics% \x151\x1637\x16y\n\r\x17\n\rfics% ";
        let got = answers(&["1 finger a\n", "2 finger b\n"], said);
        let rows: Vec<_> = got.iter().map(|(row, reply)| (*row, reply.row, reply.is_guessed)).collect();
        assert_eq!(rows, [(2, 10, false), (1, 14, false)]);
        assert_eq!(got[0].1.after, ms(8));
    }

    #[test]
    fn without_numbers_the_reply_is_the_output_before_the_prompt() {
        let got = answers(&["date\n"], "Local time\n\rServer time\n\rfics% \n\rFoo shouts: x\n\rfics% ");
        assert_eq!(got, [(1, ReplyMatch { after: ms(11), row: 10, is_guessed: true })]);
        assert_eq!(got[0].1.to_string(), "reply #10 after ~11ms");
    }

    #[test]
    fn on_icc_the_reply_is_the_unit_with_the_tag() {
        let got = answers(&["`1`finger\n", "`2`date\n"], "\x19[28 Bar\nhi\n\r\x19]\x19[37 * 2\ny\n\r\x19]");
        let rows: Vec<_> = got.iter().map(|(row, reply)| (*row, reply.row, reply.is_guessed)).collect();
        assert_eq!(rows, [(2, 13, false)]);
    }

    #[test]
    fn lines_without_a_reply_are_dropped_at_the_limit() {
        let mut replies = ReplyMatcher::default();
        for row in 0..1000 {
            replies.record_sent(row, ms(0), b"x\n");
        }
        assert_eq!(replies.waiting.len(), MAX_PENDING_LINES);
    }

    #[test]
    fn times_are_short() {
        let cases = [(7, "7\u{b5}s"), (1_234, "1.2ms"), (12_345, "12ms"), (1_234_567, "1.2s"), (123_456_789, "2:03")];
        assert_eq!(ShortDuration(Duration::from_nanos(70)).to_string(), "70ns");
        for (us, want) in cases {
            assert_eq!(ShortDuration(Duration::from_micros(us)).to_string(), want);
        }
    }

    #[test]
    fn a_number_and_its_end_make_a_numbered_line() {
        let cases: [(&str, Option<(u64, &str)>); 10] = [
            ("12 date", Some((12, "date"))),
            ("`7`finger foo", Some((7, "finger foo"))),
            ("12", None),
            ("0 date", None),
            ("`7 date", None),
            ("`x`date", None),
            ("7`date", None),
            ("x1 date", None),
            ("", None),
            ("99999999999999999999 x", None),
        ];
        for (line, want) in cases {
            assert_eq!(
                split_request_number(line.as_bytes()),
                want.map(|(number, command)| (number, command.as_bytes())),
                "{line}"
            );
        }
    }
}
