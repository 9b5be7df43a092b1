//! What subscribers get: a message, and what it changed.

mod capabilities;
mod connection;
mod kind;
mod login;
mod recovery;
mod request;
mod resume;

pub use capabilities::Capabilities;
pub use connection::{CloseCause, DialError, EndReason, LostCause, ServerFault};
pub use kind::EventKind;
pub use login::{Identity, LoginError, LoginStep};
pub use recovery::{AdjournedGame, AdjournedState, Outcome, Restored, RestoredCommand, RestoredGame};
pub(crate) use request::MAX_COMMAND_BYTES;
pub use request::{CommandError, RefusalReason, RequestError, RequestId};

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::chess::LastMove;
use crate::game::{GameLimits, Games};
use crate::message::{Family, GameId, Message, Reader, Received, Relation, Style12};
use crate::text::ServerText;
use crate::wire::Framer;

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
    LoggedIn(Box<Identity>),
    /// The session is set up: requests can be made.
    Ready(Capabilities),
    /// A line was handed out to be written.
    Sent {
        /// The line without its line end, before it was sealed; `None` if there is a password in it.
        line: Option<Box<str>>,
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
    Restored(Box<Restored>),
    /// An adjourned game of the account: that it is known, and each change of what has become of it.
    Adjourned(Box<AdjournedGame>),
    /// The session is over. Nothing follows.
    Ended(EndReason),
}

/// Formats the server's words as the end of an error message, with control characters escaped.
fn quoted(text: &ServerText, otherwise: &str) -> String {
    if text.as_str().is_empty() { otherwise.to_owned() } else { format!(": {:?}", text.as_str()) }
}

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

/// What a message changed in the state of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Which game.
    pub game: GameId,
    /// What it is to this login, by its last board: of a game that has ended, what it was.
    pub relation: Relation,
    /// What about it.
    pub kind: ChangeKind,
    /// The board a delta board led to, as style 12 would have it; `None` for other messages, which bring their own.
    pub board: Option<Arc<Style12>>,
    /// The last move of the new board, with the squares of a castling filled in where the board before tells them.
    pub played: Option<LastMove>,
}

/// What changed about a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The first board of a game.
    Opened,
    /// One more move was played.
    Moved,
    /// The same board again; perhaps with other clocks.
    Repeated,
    /// The game went back by so many plies.
    TookBack {
        /// How many.
        plies: u32,
    },
    /// The game went on by more than one move, or an examiner went elsewhere: the moves in between are not known.
    Jumped,
    /// Another game has taken the number, or the position was set up anew.
    Replaced,
    /// The reserves were told.
    Holding,
    /// Its terms became known: type, ratings, the partner's game in bughouse.
    Info,
    /// The game is over.
    Ended,
    /// It is not followed any more.
    Left,
    /// It is followed (again).
    Followed,
}

/// The server's word contradicts what was known of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Desync {
    /// Position in the stream of the frame that told.
    pub offset: u64,
    /// Which game.
    pub game: GameId,
    /// What does not fit.
    pub reason: DesyncReason,
}

/// Moves of a played game that no board reported. The command `moves` of most servers lists them.
///
/// Plies count from 1, White's first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MissedPlies {
    /// Position in the stream of the board that followed them.
    pub offset: u64,
    /// The game.
    pub game: GameId,
    /// The first missing ply.
    pub from_ply: u32,
    /// The last missing ply.
    pub to_ply: u32,
}

/// How the server's word and what was known differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum DesyncReason {
    /// A delta board of a game of which no board was seen.
    #[error("delta board of a game without a board")]
    NoBoard,
    /// A delta board that does not follow the last known ply.
    #[error("delta board for ply {found} after ply {known}")]
    WrongPly {
        /// The last ply known.
        known: u32,
        /// The ply the server told.
        found: u32,
    },
    /// A delta board whose move cannot be played on the last known board.
    #[error("delta board's move does not fit the board")]
    WrongMove,
    /// A move, a takeback or a step back after an earlier desync: the current board is not known until the server sends it.
    #[error("board is not known since an earlier desync")]
    OutOfStep,
    /// A board that the reported move does not lead to.
    #[error("board is not what the reported move leads to")]
    WrongBoard,
}

/// Bytes to events: a [`Reader`] and the [`Games`] its messages change.
///
/// ```
/// use kibitzer_core::{Event, EventReader};
///
/// let mut events = EventReader::default();
/// let mut read = &b"\n\r<12> rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR B -1 0 0 1 1 0 7 \
///     Newton Einstein 1 2 12 39 39 119 122 2 K/e1-e2 (0:06) Ke2 0\n\rfics% "[..];
/// while let Some(event) = events.next(&mut read) {
///     if let Some(game) = event.game().and_then(|id| events.games().get(id)) {
///         assert_eq!(game.position().fen().to_string(), "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 2");
///     }
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct EventReader {
    reader: Reader,
    games: Games,
    /// The event that follows a desync or missing moves. Boxed, as there is hardly ever one.
    next: Option<Box<Event>>,
}

impl DesyncReason {
    /// Whether the current board is not known from here on, until the server sends it.
    pub const fn needs_board(self) -> bool {
        !matches!(self, Self::WrongBoard)
    }
}

impl EventReader {
    /// Events from a reader that was set up for the stream.
    pub fn new(reader: Reader) -> Self {
        Self { reader, ..Self::default() }
    }

    /// Counts [offsets](Event::offset) from this one on, for a reader that has read nothing yet. A recording of several
    /// connections is one stream of bytes, which several readers decode.
    #[must_use]
    pub fn starting_at(mut self, offset: u64) -> Self {
        self.reader.framer_mut().start_at(offset);
        self
    }

    /// Sets how much is kept of the games; those known so far are forgotten. Default as in [`GameLimits`].
    #[must_use]
    pub fn with_game_limits(self, limits: GameLimits) -> Self {
        Self { games: Games::with_limits(limits), ..self }
    }

    /// The framer, to tell it what was learned about the stream, such as the prompt.
    pub const fn framer_mut(&mut self) -> &mut Framer {
        self.reader.framer_mut()
    }

    /// Tells which family of servers it turned out to be.
    pub(crate) const fn set_family(&mut self, family: Family) {
        self.reader.set_family(family);
    }

    /// Gives back memory that is not used.
    pub(crate) fn shrink(&mut self) {
        self.reader.shrink();
    }

    /// The games as they stand after the last event.
    pub const fn games(&self) -> &Games {
        &self.games
    }

    /// Takes the next event out of `input` and moves `input` behind it; `None` once all of it was taken in.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Event> {
        if let Some(event) = self.next.take() {
            return Some(*event);
        }
        let received = self.reader.next(input)?;
        Some(self.receive(received))
    }

    /// Takes the next event out of what is left when the stream has ended.
    pub fn finish(&mut self) -> Option<Event> {
        if let Some(event) = self.next.take() {
            return Some(*event);
        }
        let received = self.reader.finish()?;
        Some(self.receive(received))
    }

    #[inline]
    fn receive(&mut self, received: Received) -> Event {
        let (change, notice) = self.games.receive(&received);
        let event = Event::Received { received, change };
        match notice {
            None => event,
            Some(notice) => {
                self.next = Some(Box::new(event));
                notice
            }
        }
    }
}
