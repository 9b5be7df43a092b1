//! Events of a session: messages of the server with the changes they made, and reports of the session itself.

mod close;
mod connection;
mod describe;
mod kind;
mod login;
mod recovery;
mod request;

pub use close::{CloseCause, WebSocketViolation};
pub use connection::{ConnectionAttempt, ConnectionLoss, DialError, LostCause, SessionEndReason};
pub use kind::{EventCategory, EventKind};
pub use login::{Capabilities, Identity, LoginError, LoginStep};
pub use recovery::{AdjournedGame, RestoreOutcome, Restored, RestoredCommand, RestoredGame, ResumptionState};
pub(crate) use request::MAX_COMMAND_BYTES;
pub use request::{CommandError, ReadingBlocker, RequestError};

use std::sync::Arc;

pub use crate::message::{Attribution, RequestId, RequestOrigin};

use crate::game::{Change, Desync};
use crate::message::listing::AnyListing;
use crate::message::{GameEnded, GameId, Message, Received, Style12, Talk};
use crate::text::ServerText;

/// A message of the server, or a report of the session about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// The server sent a message.
    #[non_exhaustive]
    Received {
        /// The message, its line, and its position in the stream.
        received: Received,
        /// Change that the message made to the state of a game; `None` if it made none.
        change: Option<Change>,
    },
    /// The message of the next event contradicts the known state of a game. If it is a board, it has replaced the known one; a
    /// move or takeback that does not fit was not applied.
    Desync(Desync),
    /// The boards of a game that is played, not examined, left out moves. The event after this one is the board that followed
    /// them. The command `moves` of most servers lists them.
    ///
    /// Plies count from 1, White's first move.
    #[non_exhaustive]
    Missed {
        /// Position in the stream, in bytes, of the board that followed the missing moves.
        offset: u64,
        /// Number of the game.
        game: GameId,
        /// The first missing ply.
        from_ply: u32,
        /// The last missing ply.
        to_ply: u32,
        /// Whether this login plays the game.
        attribution: Attribution,
    },
    /// A complete reply that is a table, such as a list of games; it follows the events of its lines. Lines that could not be parsed
    /// are in [`AnyListing::unread`].
    ///
    /// Only replies whose command is known are parsed: in block mode, in an ICC unit, and between a sent command and the answer to
    /// its fence.
    #[non_exhaustive]
    Listing {
        /// Position of the end of the reply in the stream.
        offset: u64,
        /// The listing.
        listing: Arc<AnyListing>,
        /// The request that the reply answers.
        attribution: Attribution,
    },
    /// A connection is being opened.
    Connecting(ConnectionAttempt),
    /// A connection is established; the login begins.
    Connected,
    /// The server has accepted the login: it reported that, or answered a command that the session sent as a test. A report of
    /// the server is also emitted as a [`Message::LoggedIn`] of the same [kind](EventKind::LoggedIn).
    LoggedIn(Arc<Identity>),
    /// The session is set up and accepts requests.
    SessionReady(Capabilities),
    /// A line was passed to the driver to be written; it may not have reached the server.
    #[non_exhaustive]
    Sent {
        /// The line without its line end, before it was sealed; `None` if it contains a password.
        line: Option<Arc<str>>,
        /// The request that the line belongs to, and who made it.
        attribution: Attribution,
    },
    /// The server violated the protocol: in block mode it reported a line without a number, although every line was sent with
    /// one. The session continues, but a request may remain without its reply.
    Fault,
    /// The connection was lost, or an attempt to reconnect failed.
    Lost(Box<ConnectionLoss>),
    /// The session has restored its settings, games and seeks after a reconnect, with these outcomes.
    Restored(Arc<Restored>),
    /// An adjourned game of the account became known, or its state changed.
    AdjournedGame(Arc<AdjournedGame>),
    /// The session is over. No event follows.
    Ended(SessionEndReason),
}

/// Formats the server's words as `: "..."` with control characters escaped, for the end of an error message; `if_empty` if
/// there are none.
fn quoted_suffix(text: &ServerText, if_empty: &str) -> String {
    if text.as_str().is_empty() { if_empty.to_owned() } else { format!(": {:?}", text.as_str()) }
}

// The hub stores and copies events.
const _: () = assert!(size_of::<Event>() <= 64, "an event has grown");

impl Event {
    /// Creates the event of a [sent](Self::Sent) line.
    pub const fn sent(line: Option<Arc<str>>, attribution: Attribution) -> Self {
        Self::Sent { line, attribution }
    }

    /// Returns the message of the server; `None` for all events but [`Received`](Self::Received).
    pub fn message(&self) -> Option<&Message> {
        self.received().map(|received| &received.message)
    }

    /// Returns the board that the event brings: a style 12 line, a style 10 block, or the board that a delta board or a datagram led
    /// to. `None` without one. Game numbers in style 10 differ from those of all other messages.
    pub fn board(&self) -> Option<&Arc<Style12>> {
        match self.message()? {
            Message::Style12(board) | Message::Style10(board) => Some(board),
            _ => self.change()?.board.as_ref(),
        }
    }

    /// Returns the words of a player; `None` for other events.
    pub fn talk(&self) -> Option<&Talk> {
        if let Some(Message::Talk(talk)) = self.message() { Some(talk) } else { None }
    }

    /// Returns the end of a game; `None` for other events.
    ///
    /// With the server's variable `gin` on, the end of an observed game may arrive twice. Only the first of these events has a
    /// [`change`](Self::change): count those to count each followed game once.
    pub fn game_ended(&self) -> Option<&GameEnded> {
        if let Some(Message::GameEnded(ended)) = self.message() { Some(ended) } else { None }
    }

    /// Returns the line that contains the message; see [`Received::raw`]. Empty for all events but [`Received`](Self::Received).
    pub fn raw(&self) -> &[u8] {
        self.received().map_or(&[], Received::raw)
    }

    /// Returns a copy of a received event whose message is a [`Message::Text`] with the line `redacted_line`. The copy has the
    /// same offset and no [`change`](Self::change). `None` for all events but [`Received`](Self::Received).
    ///
    /// Serves to remove a password from an event before it is shown or stored.
    #[must_use]
    #[doc(hidden)]
    pub fn to_redacted_text(&self, redacted_line: &[u8]) -> Option<Self> {
        let received = self.received()?.text_at_same_position(redacted_line);
        Some(Self::Received { received, change: None })
    }

    const fn received(&self) -> Option<&Received> {
        match self {
            Self::Received { received, .. } => Some(received),
            _ => None,
        }
    }

    /// Returns the offset in the stream, in bytes, of the frame that caused the event; `None` for events of the session itself.
    pub const fn offset(&self) -> Option<u64> {
        match self {
            Self::Received { received, .. } => Some(received.offset),
            Self::Desync(desync) => Some(desync.offset),
            Self::Missed { offset, .. } | Self::Listing { offset, .. } => Some(*offset),
            _ => None,
        }
    }

    /// Returns the request that the event is part of, and whether it is about a game of this login.
    pub fn attribution(&self) -> Attribution {
        match self {
            Self::Received { received, .. } => received.attribution,
            Self::Desync(desync) => desync.attribution,
            Self::Missed { attribution, .. } | Self::Listing { attribution, .. } | Self::Sent { attribution, .. } => {
                *attribution
            }
            _ => Attribution::default(),
        }
    }

    /// Returns the number of the game whose state the event changed, or whose desync or missed plies it reports; `None` for all
    /// other events. A message may name a game without changing it, such as a comment on it: see [`Message::game`].
    pub fn affected_game(&self) -> Option<GameId> {
        match self {
            Self::Desync(desync) => Some(desync.game),
            Self::Missed { game, .. } => Some(*game),
            _ => self.change().map(|change| change.game),
        }
    }

    /// Returns the change that a received message made to the state of a game; `None` if it made none.
    pub const fn change(&self) -> Option<&Change> {
        match self {
            Self::Received { change, .. } => change.as_ref(),
            _ => None,
        }
    }
}
