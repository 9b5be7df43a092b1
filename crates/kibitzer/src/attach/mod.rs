//! Sessions that others may look at, over a Unix socket: `docs/console.md` has the format.
//!
//! The session's task hands each thing that happens to an [`Exposure`], which writes it down once, as a line, for all
//! watchers. A [`crowd`] keeps what each of them has not read, up to a limit; a host, which is a task of its own, owns the
//! socket and writes. At the other end of it, [`Attached`] reads the lines, and makes of the bytes what the session's own
//! reader made of them.

mod attached;
mod crowd;
mod decoding;
mod error;
mod exposure;
mod host;
mod lines;
mod sight;
#[cfg_attr(not(unix), path = "no_socket.rs")]
mod socket;
mod wire;

use serde::{Deserialize, Serialize};

pub use attached::{Attached, AttachedRequests};
pub use error::{AttachError, AttachedRequestError, ExposeError};
pub(crate) use exposure::Exposure;
pub(crate) use host::{Showing, expose};
pub use sight::{Sight, Snapshot};
pub(crate) use socket::Listener;

/// What those who attach to a session may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum AttachAccess {
    /// Look.
    #[default]
    Read,
    /// Look, and send lines to the server.
    Write,
}

impl AttachAccess {
    /// Whether lines may be sent.
    pub const fn may_send(self) -> bool {
        matches!(self, Self::Write)
    }
}

/// What somebody who looked at a session has missed, because more came than was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Missed {
    /// Bytes that the server sent.
    pub received_bytes: u64,
    /// Lines that were sent to it.
    pub sent_lines: u64,
    /// Things that the session told of itself.
    pub notes: u64,
}

impl Missed {
    const fn received(n_bytes: u64) -> Self {
        Self { received_bytes: n_bytes, sent_lines: 0, notes: 0 }
    }

    const fn sent() -> Self {
        Self { received_bytes: 0, sent_lines: 1, notes: 0 }
    }

    const fn note() -> Self {
        Self { received_bytes: 0, sent_lines: 0, notes: 1 }
    }

    const fn add(&mut self, more: Self) {
        self.received_bytes = self.received_bytes.saturating_add(more.received_bytes);
        self.sent_lines = self.sent_lines.saturating_add(more.sent_lines);
        self.notes = self.notes.saturating_add(more.notes);
    }

    /// Whether nothing was missed.
    pub fn is_nothing(self) -> bool {
        self == Self::default()
    }
}
