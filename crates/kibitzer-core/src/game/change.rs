//! What a message changes in the state of a game, and where the two contradict each other.

use std::sync::Arc;

use thiserror::Error;

use crate::chess::LastMove;
use crate::message::{GameId, Relation, Style12};

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
        /// Number of plies; at most 65,535.
        plies: u16,
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

impl ChangeKind {
    pub(super) fn took_back(plies: u32) -> Self {
        Self::TookBack { plies: u16::try_from(plies).unwrap_or(u16::MAX) }
    }
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

/// A report about a game that precedes the message it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Notice {
    Desync(DesyncReason),
    /// Plies that no board reported.
    Missed {
        from_ply: u32,
        to_ply: u32,
    },
}

impl DesyncReason {
    /// Whether the current board is not known from here on, until the server sends it.
    pub const fn needs_board(self) -> bool {
        !matches!(self, Self::WrongBoard)
    }
}
