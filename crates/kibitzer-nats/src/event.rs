//! Events with their position in a session: waiting to be stored, or stored.

use std::borrow::Cow;
use std::fmt;

use async_nats::HeaderMap;
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

/// Header of a stored event with its position.
pub(crate) const POSITION_HEADER: &str = "Kibitzer-Position";

/// Header of a stored event with the unique name of its publisher.
pub(crate) const PUBLISHER_HEADER: &str = "Kibitzer-Publisher";

/// Maximum length of an event's name.
const MAX_NAME_BYTES: usize = 64;

/// Why a line or a message is not an event.
#[derive(Debug, Error)]
pub(crate) enum EventError {
    #[error("it has a line end")]
    LineEnd,
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("its event is not a name in snake_case")]
    Name,
    #[error("message {sequence} on {subject} has no {POSITION_HEADER}")]
    NoPosition { sequence: u64, subject: String },
}

/// The members of an event's JSON line that its position and its subject depend on.
#[derive(Debug, Deserialize)]
pub(crate) struct EventHead<'a> {
    #[serde(rename = "event", borrow)]
    pub(crate) name: Cow<'a, str>,
    offset: Option<u64>,
    /// In most events a number; in some, another description of a game.
    #[serde(borrow, default)]
    game: Option<&'a RawValue>,
}

impl<'a> EventHead<'a> {
    /// Parses the JSON line of an event, without a line end. The name may have up to 64 bytes: lower-case letters, digits and
    /// `_`.
    ///
    /// # Errors
    ///
    /// The first error in the line.
    pub(crate) fn parse(line: &'a [u8]) -> Result<Self, EventError> {
        if line.contains(&b'\n') {
            return Err(EventError::LineEnd);
        }
        let head: Self = serde_json::from_slice(line)?;
        let is_name = |name: &str| name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if head.name.is_empty() || head.name.len() > MAX_NAME_BYTES || !is_name(&head.name) {
            return Err(EventError::Name);
        }
        Ok(head)
    }

    /// Returns the number of the game; `None` without one.
    pub(crate) fn game(&self) -> Option<u32> {
        self.game?.get().parse().ok()
    }
}

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

/// An event that is not stored yet: its position, and the line as it is published.
#[derive(Clone, Debug)]
pub(crate) struct QueuedEvent {
    pub(crate) position: Position,
    pub(crate) line: Bytes,
}

impl QueuedEvent {
    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.line.len()
    }
}

/// Dropped events, from the first to the last of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DroppedRange {
    pub(crate) first: Position,
    pub(crate) last: Position,
    pub(crate) count: u64,
}

impl DroppedRange {
    /// Returns the event that reports them. It has the position of the last one.
    pub(crate) fn to_report(self) -> QueuedEvent {
        let Self { first, last, count } = self;
        let line = format!(
            r#"{{"event":"dropped","offset":null,"t":null,"utc":null,"first":"{first}","last":"{last}","count":{count}}}"#
        );
        QueuedEvent { position: last, line: line.into() }
    }
}

/// An event in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredEvent {
    /// Number of the event in the stream, over all sessions.
    pub sequence: u64,
    /// Its subject.
    pub subject: String,
    /// Its position in the session.
    pub position: Position,
    /// Unique name of the publisher that stored it; empty for an event of a program that does not name itself.
    pub publisher: String,
    /// The JSON line as it was published, without a line end. Not validated: any program may publish.
    pub line: Bytes,
}

impl StoredEvent {
    /// Converts a message.
    ///
    /// # Errors
    ///
    /// [`EventError::NoPosition`] if it is not an event.
    pub(crate) fn from_message(
        subject: &str,
        sequence: u64,
        headers: Option<&HeaderMap>,
        line: Bytes,
    ) -> Result<Self, EventError> {
        let header = |name: &str| headers.and_then(|headers| headers.get(name)).map(ToString::to_string);
        let position = header(POSITION_HEADER).and_then(|position| Position::parse(&position));
        let no_position = || EventError::NoPosition { sequence, subject: subject.to_owned() };
        let position = position.ok_or_else(no_position)?;
        let publisher = header(PUBLISHER_HEADER).unwrap_or_default();
        Ok(Self { sequence, subject: subject.to_owned(), position, publisher, line })
    }

    /// Returns the session's word in the subject, as [`SessionName::token`](crate::SessionName::token) writes it; of a message of
    /// another program, any text.
    pub fn session_token(&self) -> &str {
        self.subject.split('.').nth(2).unwrap_or_default()
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

    #[test]
    fn a_line_that_is_not_an_event_is_refused() {
        let cases = [
            "",
            "[]",
            "{}",
            "7",
            "{\"event\":7}",
            r#"{"event":"a b"}"#,
            r#"{"event":"a.b"}"#,
            r#"{"event":""}"#,
            r#"{"event":"x","offset":-1}"#,
            r#"{"event":"x"} {"event":"y"}"#,
            "{\"event\":\"x\",\n\"offset\":1}",
        ];
        for line in cases {
            assert!(EventHead::parse(line.as_bytes()).is_err(), "{line}");
        }
    }
}
