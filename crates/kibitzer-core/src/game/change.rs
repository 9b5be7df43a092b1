//! Changes that messages make to the state of a game.

use std::sync::Arc;

use super::Game;
use super::desync::DesyncReason;
use crate::chess::LastMove;
use crate::message::{GameId, Relation, Style12};

/// Change that a message made to the state of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Number of the changed game.
    pub game: GameId,
    /// Relation of this login to the game, by the game's last board; stays the same after the end of the game.
    pub relation: Relation,
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Board that a delta board or a datagram led to, as a style 12 line would show it; `None` if the message is a board itself,
    /// or leads to none.
    pub board: Option<Arc<Style12>>,
    /// Last move of the board that the message contains or leads to; castling includes the squares of king and rook if the
    /// previous board shows them. `None` without such a board, or if its last move is not known.
    pub played: Option<LastMove>,
    /// State of the game at its end; `None` unless the kind is [`Ended`](ChangeKind::Ended). Its number may already belong to
    /// another game.
    pub ended_game: Option<Arc<Game>>,
    pub(crate) flags: ChangeFlags,
}

/// Two facts about a change in one byte, because an event must not grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeFlags {
    Neither,
    /// A move in a game whose rules forbid leaving one's own king attacked.
    ForbidsCheck,
    /// See [`Change::is_by_restoration`].
    ByRestoration,
    Both,
}

impl Change {
    /// Returns whether this is a change of an observed game while the session
    /// [restores](crate::session::SessionState::Restoring) those of a lost connection. [`Event::Restored`](crate::Event::Restored)
    /// reports the outcome; until then a number may belong to another game.
    pub const fn is_by_restoration(&self) -> bool {
        matches!(self.flags, ChangeFlags::ByRestoration | ChangeFlags::Both)
    }

    /// Returns whether this is a move in a game whose rules forbid leaving one's own king attacked.
    pub(crate) const fn forbids_check(&self) -> bool {
        matches!(self.flags, ChangeFlags::ForbidsCheck | ChangeFlags::Both)
    }

    pub(crate) const fn mark_by_restoration(&mut self) {
        self.flags = if self.forbids_check() { ChangeFlags::Both } else { ChangeFlags::ByRestoration };
    }
}

/// Kind of a change to the state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The game is new; the board is the first one known of it.
    Opened,
    /// A single move was played since the last known position.
    Moved,
    /// The same board was sent again, perhaps with other clocks.
    Repeated,
    /// The game went back by a number of plies.
    TookBack {
        /// Number of plies; larger numbers are reported as 65,535.
        plies: u16,
    },
    /// The game advanced by more than one ply, or an examiner moved elsewhere in it. The moves in between are not known.
    Jumped,
    /// A different game has taken this number, or the position was set up anew. All moves known before were dropped.
    Replaced,
    /// The server reported the pieces in reserve.
    Holding,
    /// The server reported terms of the game: type, ratings, the partner's game in bughouse.
    Info,
    /// The game is over.
    Ended,
    /// The session stopped following the game.
    Left,
    /// The session started or resumed following the game.
    Followed,
}

impl ChangeKind {
    /// Creates [`TookBack`](Self::TookBack) with at most 65,535 plies.
    pub(super) fn took_back(plies: u32) -> Self {
        Self::TookBack { plies: u16::try_from(plies).unwrap_or(u16::MAX) }
    }
}

/// Report about a game that is emitted as an event of its own, before the event of the message that revealed it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PrecedingReport {
    Desync(DesyncReason),
    /// Plies that no board reported.
    Missed {
        from_ply: u32,
        to_ply: u32,
    },
}
