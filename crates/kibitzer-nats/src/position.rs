//! Positions of events in a session.

use std::fmt;

use crate::event_head::EventHead;

/// Position of an event in the output of a session; grows from event to event.
///
/// Its text form, `3.1200.0`, is in the header `Kibitzer-Position` of every stored event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Position {
    /// Number of the connection attempt, over all processes that published the session, from 1.
    pub epoch: u64,
    /// Offset in the received bytes of the connection; for an event without one, that of the event before it.
    pub offset: u64,
    /// Number of events before it in the same epoch with the same offset.
    pub n: u64,
}

impl Position {
    /// Returns offset 0, number 0 of an epoch: the position of its first event `connecting`.
    pub(crate) const fn start_of_epoch(epoch: u64) -> Self {
        Self { epoch, offset: 0, n: 0 }
    }

    /// Returns the position of an event with the same offset that follows the one at this position.
    pub(crate) const fn next_at_offset(self) -> Self {
        Self { n: self.n.saturating_add(1), ..self }
    }

    /// Returns the position of an event that follows the one at this position: `connecting` begins the next epoch.
    pub(crate) fn position_of_next(self, next_event: &EventHead<'_>) -> Self {
        match next_event.offset {
            // Offsets restart with each connection of a live session.
            _ if next_event.name == "connecting" => Self::start_of_epoch(self.epoch.saturating_add(1)),
            // A listing has the offset of its first line, which is before that of the last event.
            Some(offset) if offset > self.offset => Self { offset, n: 0, ..self },
            _ => self.next_at_offset(),
        }
    }

    /// Parses the text form; `None` unless it has three numbers.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split('.').map(|number| number.parse().ok());
        let position = Self { epoch: numbers.next()??, offset: numbers.next()??, n: numbers.next()?? };
        numbers.next().is_none().then_some(position)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.epoch, self.offset, self.n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(from: Position, lines: &[&str]) -> Vec<String> {
        let mut last = from;
        let next = |line: &&str| {
            last = last.position_of_next(&EventHead::parse(line.as_bytes()).unwrap());
            last.to_string()
        };
        lines.iter().map(next).collect()
    }

    #[test]
    fn positions_grow_with_every_event() {
        let got = positions(
            Position::start_of_epoch(4),
            &[
                r#"{"event":"connecting","offset":null}"#,
                r#"{"event":"connected","offset":null}"#,
                r#"{"event":"text","offset":0}"#,
                r#"{"event":"text","offset":20}"#,
                r#"{"event":"sent","offset":null}"#,
                r#"{"event":"game_list","offset":10}"#,
                r#"{"event":"prompt","offset":30}"#,
                r#"{"event":"connecting","offset":null}"#,
                r#"{"event":"text","offset":5}"#,
            ],
        );
        assert_eq!(got, ["5.0.0", "5.0.1", "5.0.2", "5.20.0", "5.20.1", "5.20.2", "5.30.0", "6.0.0", "6.5.0"]);
        assert!(got.is_sorted_by_key(|text| Position::parse(text)));
    }

    #[test]
    fn positions_are_parsed_as_they_are_written() {
        let position = Position { epoch: 3, offset: 1200, n: u64::MAX };
        assert_eq!(Position::parse(&position.to_string()), Some(position));
        for text in ["", "1", "1.2", "1.2.3.4", "1.2.x", "1.2.-3", "1.2.18446744073709551616", " 1.2.3"] {
            assert_eq!(Position::parse(text), None, "{text}");
        }
    }
}
