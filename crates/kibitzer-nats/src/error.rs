//! Failures of publishing and reading.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use crate::event::Position;

/// Why events cannot be published or read.
///
/// No variant contains a URL or a credential; a server is named by host and port.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NatsError {
    /// The address is not a URL of a NATS server.
    #[error("the address of the NATS server is not valid: it looks like nats://HOST:PORT")]
    Address,
    /// The server did not answer, or refused the login.
    #[error("cannot connect to the NATS server at {host}: {reason}")]
    #[non_exhaustive]
    Connect {
        /// Host and port.
        host: String,
        /// Description of the failure.
        reason: String,
    },
    /// The server is too old.
    #[error(
        "the NATS server at {host} has version {version}, but kibitzer needs 2.11 or later: older ones ignore the header that keeps the events of a session in order"
    )]
    #[non_exhaustive]
    TooOld {
        /// Host and port.
        host: String,
        /// Version of the server.
        version: String,
    },
    /// The stream does not exist, cannot be created or read, or has settings that do not fit; or the server does not answer.
    #[error("stream {stream}: {reason}")]
    #[non_exhaustive]
    Stream {
        /// Name of the stream.
        stream: String,
        /// Description of the failure.
        reason: String,
    },
    /// A message in the stream is not an event of kibitzer.
    #[error("stream {stream}: {reason}")]
    #[non_exhaustive]
    Message {
        /// Name of the stream.
        stream: String,
        /// Description of the message.
        reason: String,
    },
    /// A name of a session is empty or too long.
    #[error("the name of a session has 1 to 64 bytes")]
    SessionName,
    /// A line to publish is not an event.
    #[error("event {number} is not a JSON line of kibitzer: {reason}")]
    #[non_exhaustive]
    Line {
        /// Number of the line, from 1.
        number: u64,
        /// Description of the first error.
        reason: String,
    },
    /// Another publisher of the same session has stored an event since.
    #[error("another process publishes session {session}: it stored event {position}; this one ends")]
    #[non_exhaustive]
    Fenced {
        /// The session.
        session: String,
        /// Position of the other publisher's event.
        position: Position,
    },
    /// The server does not have events that it acknowledged.
    #[error(
        "the NATS server lost events of session {session} that it had acknowledged, up to {stored}; publish again to continue"
    )]
    #[non_exhaustive]
    Lost {
        /// The session.
        session: String,
        /// Position of the last acknowledged event.
        stored: Position,
    },
    /// The stream contains other events of the session than the source.
    #[error(
        "session {session} in the stream is not this recording: they differ at event {position}; give it another name with --session"
    )]
    #[non_exhaustive]
    OtherSource {
        /// The session.
        session: String,
        /// Position of the first difference that was found.
        position: Position,
    },
    /// The publisher ended before all events were stored.
    #[error("{count} events of session {session} are not stored: {reason}")]
    #[non_exhaustive]
    Unsent {
        /// The session.
        session: String,
        /// Number of events that are not stored, including dropped ones that are not reported yet.
        count: u64,
        /// Description of the last failure.
        reason: String,
    },
    /// The spill file cannot be read or written.
    #[error("cannot use the spill file {path}", path = .path.display())]
    #[non_exhaustive]
    Spill {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[test]
    fn an_error_with_a_source_does_not_repeat_it() {
        let error = NatsError::Spill { path: PathBuf::new(), source: io::ErrorKind::StorageFull.into() };
        assert!(!error.to_string().contains(&error.source().unwrap().to_string()), "{error:?}");
    }
}
