//! Changes that messages make to the state of a game, and messages that contradict it.

use std::sync::Arc;

use thiserror::Error;

use crate::chess::{Fen, LastMove, Square};
use crate::game::{Game, Games, play};
use crate::message::{Attribution, DerivedMove, GameId, Relation, Style12};

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
    #[non_exhaustive]
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
    /// Clocks were stopped or changed without a board.
    Clock,
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

/// Contradiction between a message of the server and the known state of a game.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Desync {
    /// Position of the contradicting frame in the stream, in bytes.
    pub offset: u64,
    /// Number of the game.
    pub game: GameId,
    /// Kind of the contradiction.
    pub reason: DesyncReason,
    /// The expected position, without reserves: the one after the reported move if that can be played; after a takeback, the
    /// known one of that ply; otherwise the last known one. `None` if the position before the message is not known.
    pub expected: Option<Arc<Fen>>,
    /// The received position, without reserves; `None` if the message was a move without a board, and without an expected
    /// position.
    pub actual: Option<Arc<Fen>>,
    /// The request that the contradicting message is part of, and whether this login plays the game.
    pub attribution: Attribution,
}

impl Desync {
    /// Returns the squares on which the expected and the received position differ; `None` without a received position.
    pub fn differing_squares(&self) -> Option<Vec<Square>> {
        let (expected, actual) = (self.expected.as_ref()?.board, self.actual.as_ref()?.board);
        Some(Square::all().filter(|square| expected.piece(*square) != actual.piece(*square)).collect())
    }
}

impl Games {
    /// Creates the report of a contradiction that was just found at the stream position `offset`; `replaced` is the position that
    /// the message replaced.
    pub(crate) fn desync(
        &self,
        offset: u64,
        game: GameId,
        reason: DesyncReason,
        replaced: Option<&Arc<Style12>>,
    ) -> Desync {
        let (expected, actual) = match (reason, replaced, self.get(game).map(Game::position)) {
            (DesyncReason::WrongBoard, Some(before), Some(position)) => {
                let expected = position_after_reported_move(before, position);
                (Some(expected.as_ref().unwrap_or(before).fen()), Some(position.fen()))
            }
            (DesyncReason::WrongPly { .. } | DesyncReason::WrongMove, _, Some(position)) => {
                (Some(position.fen()), None)
            }
            _ => (None, None),
        };
        let (expected, actual) = (expected.map(Arc::new), actual.map(Arc::new));
        Desync { offset, game, reason, expected, actual, attribution: Attribution::default() }
    }
}

/// Returns the position after playing the last move of `received` on `before`; `None` if `received` is not one ply later, or its
/// last move does not fit `before`.
fn position_after_reported_move(before: &Arc<Style12>, received: &Style12) -> Option<Arc<Style12>> {
    let mover = before.side_to_move();
    if Some(received.ply()) != before.ply().checked_add(1) {
        return None;
    }
    let played = received.played()?.with_castling_squares(&before.board(), received.board().find_king(mover), mover);
    let mut position = Arc::clone(before);
    let reported = DerivedMove { played, san: b"", elapsed_ms: None };
    play::play_on_position(&mut position, reported, before.clock(mover)).ok()?;
    Some(position)
}

/// Kind of contradiction between a message and the known state of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum DesyncReason {
    /// A delta board, or an ICC datagram with a move or position, arrived for a game without a known board.
    #[error("delta board of a game without a board")]
    NoBoard,
    /// A delta board neither follows the last known ply nor returns to a known one, or a takeback or step back reported by ICC
    /// goes further back than the known moves.
    #[error("delta board for ply {found} after ply {known}")]
    #[non_exhaustive]
    WrongPly {
        /// The last ply known.
        known: u32,
        /// The ply of the delta board, or that after the takeback or step back.
        found: u32,
    },
    /// The move of a delta board or ICC datagram cannot be read, does not fit the last known board, or may be that of the other
    /// side.
    #[error("delta board's move does not fit the board")]
    WrongMove,
    /// A move, takeback or step back follows an earlier desync. The current board is unknown until the server sends it.
    #[error("board is not known since an earlier desync")]
    OutOfStep,
    /// The received board, which replaces the known one, is not the one that the reported move leads to; after a takeback, not
    /// the known board of its ply.
    #[error("board is not what the reported move leads to")]
    WrongBoard,
}

impl DesyncReason {
    /// Returns whether the current board is unknown until the server sends it: for every reason but
    /// [`WrongBoard`](Self::WrongBoard).
    pub const fn needs_board(self) -> bool {
        !matches!(self, Self::WrongBoard)
    }
}

#[cfg(test)]
mod tests;
