//! Changes that messages make to the state of a game, and contradictions between the two.

use std::sync::Arc;

use thiserror::Error;

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
    /// Last move of the new board; castling includes the squares of king and rook if the previous board shows them. `None`
    /// without a known move.
    pub played: Option<LastMove>,
}

/// Kind of a change to the state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The first board of a game.
    Opened,
    /// One more move was played.
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
    /// Another game now has this number, or the position was set up anew; the known moves were dropped.
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
    pub(super) fn took_back(plies: u32) -> Self {
        Self::TookBack { plies: u16::try_from(plies).unwrap_or(u16::MAX) }
    }
}

/// Contradiction between a message of the server and the known state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Desync {
    /// Position of the contradicting frame in the stream, in bytes.
    pub offset: u64,
    /// Number of the game.
    pub game: GameId,
    /// Kind of the contradiction.
    pub reason: DesyncReason,
}

/// Moves of a played game that no board reported. The command `moves` of most servers lists them.
///
/// Plies count from 1, White's first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct MissedPlies {
    /// Position in the stream, in bytes, of the board that followed the missing moves.
    pub offset: u64,
    /// Number of the game.
    pub game: GameId,
    /// The first missing ply.
    pub from_ply: u32,
    /// The last missing ply.
    pub to_ply: u32,
}

/// Kind of contradiction between a message and the known state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum DesyncReason {
    /// A delta board arrived for a game without a known board.
    #[error("delta board of a game without a board")]
    NoBoard,
    /// A delta board neither follows the last known ply nor returns to a known one.
    #[error("delta board for ply {found} after ply {known}")]
    WrongPly {
        /// The last ply known.
        known: u32,
        /// The ply of the delta board.
        found: u32,
    },
    /// The move of a delta board cannot be played on the last known board.
    #[error("delta board's move does not fit the board")]
    WrongMove,
    /// A move, takeback or step back follows an earlier desync. The current board is unknown until the server sends it.
    #[error("board is not known since an earlier desync")]
    OutOfStep,
    /// The reported move does not lead from the last known board to the received one, which replaces it.
    #[error("board is not what the reported move leads to")]
    WrongBoard,
}

/// A report about a game that precedes the message it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum PrecedingReport {
    Desync(DesyncReason),
    /// Plies that no board reported.
    Missed {
        from_ply: u32,
        to_ply: u32,
    },
}

impl DesyncReason {
    /// Returns whether the current board is unknown until the server sends it: for every reason but
    /// [`WrongBoard`](Self::WrongBoard).
    pub const fn needs_board(self) -> bool {
        !matches!(self, Self::WrongBoard)
    }
}
