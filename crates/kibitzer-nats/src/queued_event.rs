//! Events that are not stored yet, and the event that reports dropped ones.

use bytes::Bytes;

use crate::Position;
use crate::event_head::EventHead;
use crate::subject::SessionName;

/// An event that is not stored yet.
#[derive(Clone, Debug)]
pub(crate) struct QueuedEvent {
    pub(crate) position: Position,
    pub(crate) subject: String,
    /// The line as it is published.
    pub(crate) line: Bytes,
}

impl QueuedEvent {
    /// Creates the event that reports dropped events. It has the position of the last one.
    pub(crate) fn dropped_report(session: &SessionName, range: DroppedRange) -> Self {
        let DroppedRange { first, last, count } = range;
        let line = format!(
            r#"{{"event":"dropped","offset":null,"t":null,"utc":null,"first":"{first}","last":"{last}","count":{count}}}"#
        );
        let subject = EventHead::parse(line.as_bytes()).map(|head| session.subject_of(&head)).unwrap_or_default();
        Self { position: last, subject, line: line.into() }
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.subject.len() + self.line.len()
    }
}

/// Dropped events, from the first to the last of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DroppedRange {
    pub(crate) first: Position,
    pub(crate) last: Position,
    pub(crate) count: u64,
}
