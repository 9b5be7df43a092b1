//! Events in the stream.

use async_nats::HeaderMap;
use bytes::Bytes;

use crate::Position;

/// Header of a stored event with its position.
pub(crate) const POSITION_HEADER: &str = "Kibitzer-Position";

/// Header of a stored event with the unique name of its publisher.
pub(crate) const PUBLISHER_HEADER: &str = "Kibitzer-Publisher";

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
    /// The reason why the message is not an event.
    pub(crate) fn from_message(
        subject: &str,
        sequence: u64,
        headers: Option<&HeaderMap>,
        line: Bytes,
    ) -> Result<Self, String> {
        let header = |name: &str| headers.and_then(|headers| headers.get(name)).map(ToString::to_string);
        let position = header(POSITION_HEADER).and_then(|position| Position::parse(&position));
        let position = position.ok_or_else(|| format!("message {sequence} on {subject} has no {POSITION_HEADER}"))?;
        let publisher = header(PUBLISHER_HEADER).unwrap_or_default();
        Ok(Self { sequence, subject: subject.to_owned(), position, publisher, line })
    }

    /// Returns the session's word in the subject, as [`SessionName::token`](crate::SessionName::token) writes it; of a message of
    /// another program, any text.
    pub fn session_token(&self) -> &str {
        self.subject.split('.').nth(2).unwrap_or_default()
    }
}
