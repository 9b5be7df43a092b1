//! The known moves of a game.

use std::sync::Arc;

use super::play;
use crate::chess::{Board, LastMove};
use crate::message::{ClockReading, ReportedMove, Style12};

/// A move of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayedMove {
    /// The ply it was: 1 is White's first move.
    pub ply: u32,
    /// The move as the server reported it, with its time.
    pub reported: ReportedMove,
    /// The move, with the squares of a castling where the board before tells them.
    pub played: LastMove,
    /// The mover's clock behind it.
    pub clock: ClockReading,
    /// Pieces around it exploded; which ones is not known from the move.
    pub(super) exploded: bool,
}

impl PlayedMove {
    /// Whether the board behind it does not follow from the one before.
    fn hides_squares(&self) -> bool {
        self.exploded || self.played == LastMove::Hidden
    }
}

/// The moves from a board on, without a gap, as many as fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moves {
    /// The board in front of the first one.
    base: Arc<Style12>,
    played: Vec<PlayedMove>,
    /// The ply of the start board, if it was seen: 0, or more where Black moved first or a position was loaded.
    start_ply: u32,
}

impl Moves {
    /// None yet.
    pub(super) fn from_base(base: Arc<Style12>) -> Self {
        Self { start_ply: start_ply(&base).unwrap_or(0), base, played: Vec::new() }
    }

    pub(super) fn base(&self) -> &Style12 {
        &self.base
    }

    pub(super) fn as_slice(&self) -> &[PlayedMove] {
        &self.played
    }

    /// The ply that delta boards count from.
    pub(super) const fn start_ply(&self) -> u32 {
        self.start_ply
    }

    /// The last move.
    pub(super) fn last(&self) -> Option<&PlayedMove> {
        self.played.last()
    }

    /// The move that was this ply.
    pub(super) fn at(&self, ply: u32) -> Option<&PlayedMove> {
        self.played.iter().rfind(|step| step.ply == ply)
    }

    /// Adds a move that was played on `before`. If there are too many, they start anew from there.
    pub(super) fn push(
        &mut self,
        before: &Arc<Style12>,
        reported: ReportedMove,
        played: LastMove,
        clock: ClockReading,
        exploded: bool,
        max_moves: usize,
    ) {
        if self.played.len() >= max_moves {
            self.base = Arc::clone(before);
            self.played.clear();
        }
        self.played.push(PlayedMove { ply: before.ply() + 1, reported, played, clock, exploded });
    }

    /// Forgets the moves behind `ply`.
    pub(super) fn truncate(&mut self, ply: u32) {
        let keep = ply.saturating_sub(self.base.ply());
        self.played.truncate(usize::try_from(keep).unwrap_or(usize::MAX));
    }

    /// Forgets all moves: they start anew from `base`.
    pub(super) fn rebase(&mut self, base: &Arc<Style12>) {
        self.base = Arc::clone(base);
        self.played.clear();
        self.start_ply = start_ply(base).unwrap_or(self.start_ply);
    }

    /// The moves up to `ply`, if that ply is among the known ones and the moves alone lead there.
    fn up_to(&self, ply: u32) -> Option<&[PlayedMove]> {
        let count = usize::try_from(ply.checked_sub(self.base.ply())?).ok()?;
        self.played.get(..count).filter(|steps| !steps.iter().any(PlayedMove::hides_squares))
    }

    /// The squares after `ply`, played from the base.
    pub(super) fn board_at(&self, ply: u32) -> Option<Board> {
        let (mut board, mut mover) = (self.base.board(), self.base.side_to_move());
        for step in self.up_to(ply)? {
            board.apply(step.played, mover).ok()?;
            mover = !mover;
        }
        Some(board)
    }

    /// The position after `ply`, played from the base.
    pub(super) fn position_at(&self, ply: u32) -> Option<Style12> {
        let mut position = Style12::clone(&self.base);
        for step in self.up_to(ply)? {
            position = play::after(&position, step.played, &step.reported, step.clock).ok()?;
        }
        Some(position)
    }
}

/// The ply at which a game starts, told by a board without a last move.
fn start_ply(board: &Style12) -> Option<u32> {
    (!board.has_last_move()).then(|| board.ply())
}
