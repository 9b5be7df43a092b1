//! What subscribers get: a message, and what it changed.

mod capabilities;
mod connection;
mod describe;
mod kind;
mod login;
mod recovery;
mod request;

pub use capabilities::Capabilities;
pub use connection::{CloseCause, DialError, EndReason, LostCause, ServerFault};
pub use describe::Position;
pub use kind::{EventCategory, EventKind};
pub use login::{Identity, LoginError, LoginStep};
pub use recovery::{AdjournedGame, AdjournedState, RestoreOutcome, Restored, RestoredCommand, RestoredGame};
pub(crate) use request::MAX_COMMAND_BYTES;
pub use request::{CommandError, RefusalReason, RequestError, RequestId};

use std::sync::Arc;
use std::time::Duration;

use crate::game::{Change, Desync, MissedPlies};
use crate::message::listing::AnyListing;
use crate::message::{GameId, Message, Received};
use crate::text::ServerText;

/// Something that happened in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The server said something.
    Received {
        /// What, where in the stream, and in which line.
        received: Received,
        /// What it changed in the state of a game.
        change: Option<Change>,
    },
    /// What the server says contradicts what was known. The event behind this one is the server's word: its board was
    /// taken, a delta board that does not fit was not.
    Desync(Desync),
    /// The boards of a played game left out moves. The event after this one is the board that followed them.
    Missed(MissedPlies),
    /// The listing in a reply, after its lines. A reply is read as a listing if it names its command: in block mode, or in an
    /// ICC unit.
    Listing {
        /// Position of the end of the reply in the stream.
        offset: u64,
        /// The listing.
        listing: Arc<AnyListing>,
    },
    /// A connection is being made.
    Connecting {
        /// Connection attempt, starting at 1; resets to 1 after the loss of a session that was
        /// stable. One that is made at once, because the server wants less asked of it,
        /// counts with the one before.
        attempt: u32,
    },
    /// The connection stands; the login begins.
    Connected,
    /// The server has let us in: it said so, or it was found out. Where it said so, a [`Message::LoggedIn`] of the same
    /// [kind](EventKind::LoggedIn) told that, too.
    LoggedIn(Arc<Identity>),
    /// The session is set up: requests can be made.
    Ready(Capabilities),
    /// A line was handed out to be written.
    Sent {
        /// The line without its line end, before it was sealed; `None` if there is a password in it.
        line: Option<Arc<str>>,
        /// The request it belongs to.
        request: Option<RequestId>,
    },
    /// The server did something that it should not.
    Fault(ServerFault),
    /// There is no session at the moment.
    Lost {
        /// Why.
        cause: LostCause,
        /// When the connection is made again; `None` if it is not.
        retry_in: Option<Duration>,
    },
    /// The session is set up again, and this is what became of what it had.
    Restored(Arc<Restored>),
    /// An adjourned game of the account: that it is known, and each change of what has become of it.
    Adjourned(Arc<AdjournedGame>),
    /// The session is over. Nothing follows.
    Ended(EndReason),
}

/// Formats the server's words as `: "..."` with control characters escaped, for the end of an error message; `otherwise` if
/// there are none.
fn quoted(text: &ServerText, otherwise: &str) -> String {
    if text.as_str().is_empty() { otherwise.to_owned() } else { format!(": {:?}", text.as_str()) }
}

// The hub stores and copies events.
const _: () = assert!(size_of::<Event>() <= 64, "an event has grown");

impl Event {
    /// The message, if the server said something.
    pub const fn message(&self) -> Option<&Message> {
        match self {
            Self::Received { received, .. } => Some(&received.message),
            _ => None,
        }
    }

    /// The line the message was read from; see [`Received::raw`]. Empty if the event is none of the server's.
    pub fn raw(&self) -> &[u8] {
        match self {
            Self::Received { received, .. } => received.raw(),
            _ => &[],
        }
    }

    /// What the server said, as nothing but this text in the same place: for those who may not see the line as it was.
    /// `None` if the server said nothing.
    #[must_use]
    pub fn with_text(&self, line: &[u8]) -> Option<Self> {
        match self {
            Self::Received { received, .. } => {
                Some(Self::Received { received: received.with_text(line), change: None })
            }
            _ => None,
        }
    }

    /// Position in the stream of the frame it came from; 0 for what the session tells of itself.
    pub const fn offset(&self) -> u64 {
        match self {
            Self::Received { received, .. } => received.offset,
            Self::Desync(desync) => desync.offset,
            Self::Missed(missed) => missed.offset,
            Self::Listing { offset, .. } => *offset,
            _ => 0,
        }
    }

    /// The game whose state it changed.
    pub fn game(&self) -> Option<GameId> {
        match self {
            Self::Desync(desync) => Some(desync.game),
            Self::Missed(missed) => Some(missed.game),
            _ => self.change().map(|change| change.game),
        }
    }

    /// What it changed in the state of a game.
    pub const fn change(&self) -> Option<&Change> {
        match self {
            Self::Received { change, .. } => change.as_ref(),
            _ => None,
        }
    }
}
