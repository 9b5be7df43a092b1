//! Failures to attach to a session.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use kibitzer_core::event::RequestError;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a session cannot be exposed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExposeError {
    /// The socket cannot be created; see [`Listener::bind`](crate::Listener::bind).
    #[error("cannot create the socket")]
    Socket(#[from] io::Error),
    /// The session is over, or too many observers wait to be added to it.
    #[error("cannot observe the session")]
    Session(#[from] RequestError),
}

/// Why a process cannot attach to a session, or is no longer attached.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AttachError {
    /// This system has no Unix sockets.
    #[error("sessions are exposed on Unix sockets, which this system does not have")]
    Unsupported,
    /// No file has this path.
    #[error("there is no socket {path}: no session is exposed there", path = .0.display())]
    NoSocket(PathBuf),
    /// The process that created the socket is gone.
    #[error("no process listens on {path}: the process that exposed the session is gone", path = .0.display())]
    Abandoned(PathBuf),
    /// Connecting failed.
    #[error("cannot attach to {path}", path = .path.display())]
    #[non_exhaustive]
    Connect {
        /// Path of the socket.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// The process that listens belongs to another user.
    #[error("the process of the session belongs to another user")]
    OtherUser,
    /// The process did not accept the connection, or sent nothing, within the contained time.
    #[error("no answer within {0:?}")]
    Silent(Duration),
    /// A received line is not part of the protocol; the socket may belong to another program.
    #[error("the socket is not that of an exposed session")]
    InvalidLine,
    /// The protocol has another version.
    #[error("the session is exposed in version {theirs} of the protocol; this program supports {ours}")]
    #[non_exhaustive]
    Version {
        /// Version of the process of the session.
        theirs: u32,
        /// Version of this program.
        ours: u32,
    },
    /// The process of the session disconnected this watcher; contains its reason.
    #[error("detached: {0}")]
    Dismissed(String),
    /// The connection ended without a reason: the process has probably ended.
    #[error("the process of the session is gone")]
    Gone,
    /// Reading from the socket failed, or a received line is longer than 4 MiB.
    #[error("connection to the session failed")]
    Io(#[source] io::Error),
}

/// Why a line of a watcher received no reply.
#[derive(Debug, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttachedRequestError {
    /// Watchers of the session may not send; see [`AttachAccess::Write`](crate::AttachAccess::Write).
    #[error("watchers of this session may only look")]
    ReadOnly,
    /// The request failed.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The maximum number of lines, 64, already waits to be sent.
    #[error("too many lines wait to be sent")]
    Busy,
    /// The connection to the session has ended.
    #[error("not attached any more")]
    Detached,
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;

    #[test]
    fn an_error_with_a_source_does_not_repeat_it() {
        let source = || io::Error::from(io::ErrorKind::NotFound);
        for error in [AttachError::Connect { path: PathBuf::new(), source: source() }, AttachError::Io(source())] {
            assert!(!error.to_string().contains(&error.source().unwrap().to_string()), "{error:?}");
        }
    }
}
