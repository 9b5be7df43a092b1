//! What goes wrong when sessions are exposed and looked at.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::core::event::RequestError;

/// Why a session cannot be exposed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExposeError {
    /// There are no Unix sockets here.
    #[error("sessions are exposed on Unix sockets, which this system does not have")]
    Unsupported,
    /// Another process is behind the socket.
    #[error("another session is exposed at {path}", path = .path.display())]
    InUse {
        /// Where.
        path: PathBuf,
    },
    /// There is something else under that name; it is left alone.
    #[error("{path} exists, and is no socket", path = .path.display())]
    NoSocket {
        /// Where.
        path: PathBuf,
    },
    /// The socket cannot be made.
    #[error("cannot make the socket {path}", path = .path.display())]
    Create {
        /// Where it was to be.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Why a session cannot be looked at, or not any more.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AttachError {
    /// There are no Unix sockets here.
    #[error("sessions are exposed on Unix sockets, which this system does not have")]
    Unsupported,
    /// Nothing has this name.
    #[error("there is no socket {path}: nothing is exposed there", path = .path.display())]
    NoSocket {
        /// Which.
        path: PathBuf,
    },
    /// The process that made the socket is gone.
    #[error("nobody is behind {path}: the process that exposed it is gone", path = .path.display())]
    Abandoned {
        /// Which.
        path: PathBuf,
    },
    /// It cannot be connected to.
    #[error("cannot attach to {path}", path = .path.display())]
    Connect {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The process behind the socket is another user's.
    #[error("the process behind the socket is another user's")]
    OtherUser,
    /// Nothing was said in time.
    #[error("nothing was said within {0:?}")]
    Silent(Duration),
    /// What was said is not what an exposed session says.
    #[error("what is behind the socket is no exposed session")]
    NotUnderstood,
    /// The session is exposed in another version of the protocol.
    #[error("the session is exposed in version {theirs} of the protocol; this program knows {ours}")]
    Version {
        /// What the other program speaks.
        theirs: u32,
        /// What this one does.
        ours: u32,
    },
    /// The other side says that it tells nothing more, and why.
    #[error("detached: {0}")]
    Dismissed(String),
    /// The session's process has hung up without a word.
    #[error("the process of the session is gone")]
    Gone,
    /// Reading or writing failed.
    #[error("connection to the session failed")]
    Io(#[source] io::Error),
}

/// Why a line of a watcher got no reply.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AttachedRequestError {
    /// The session is exposed for looking only; see [`AttachAccess::Write`](super::AttachAccess::Write).
    #[error("watchers of this session may only look")]
    ReadOnly,
    /// As the session has it.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// Too many lines wait.
    #[error("too many lines wait for their reply")]
    Busy,
    /// Nobody is there any more.
    #[error("not attached any more")]
    Detached,
}
