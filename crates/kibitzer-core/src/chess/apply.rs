//! Applies a reported move to a board, and takes it back.

use thiserror::Error;

use super::last_move::castling_target_files;
use super::{Board, CastlingSide, Color, LastMove, Piece, Role, Square};

/// Reason why [`Board::apply`] rejected a reported move. Except for [`Hidden`](Self::Hidden), either the board is out of date or
/// the move is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The moving piece is not on this square of departure.
    #[error("the piece that moved does not stand on {0}")]
    NoSuchPiece(Square),
    /// A piece of the mover's own color is on this destination square.
    #[error("a piece of the mover stands on {0}")]
    OwnPiece(Square),
    /// A pawn moves to an empty square on another file, and on this square there is no pawn to capture en passant.
    #[error("no pawn to take en passant stands on {0}")]
    NothingToCapture(Square),
    /// This square is not empty, but a piece is dropped on it, or the king or the rook castles to it.
    #[error("something stands on {0}")]
    Occupied(Square),
    /// The king or the rook is not on its square of departure, or that square is unknown.
    #[error("king and rook do not stand where castling needs them")]
    CannotCastle,
    /// The server hides the move.
    #[error("the move is hidden")]
    Hidden,
}

impl Board {
    /// Plays a reported move on this board. Returns the role of the captured piece; `None` without a capture.
    ///
    /// Checks only that the move fits the board, not the rules of chess: the piece has to be on its square of departure, and
    /// cannot capture a piece of the same color. A pawn that moves to an empty square on another file captures en passant.
    /// Castling without squares uses the king on its home rank and the outermost rook on that side; see
    /// [`LastMove::with_castling_squares`].
    ///
    /// # Errors
    ///
    /// [`ApplyError`] if the move does not fit the board, which is then unchanged.
    pub fn apply(&mut self, last_move: LastMove, mover: Color) -> Result<Option<Role>, ApplyError> {
        let mut next = *self;
        let captured = match last_move {
            LastMove::Normal { role, from, to, promotion } => {
                let captured = next.find_capture(role, from, to, mover)?;
                if let Some((at, _)) = captured {
                    next.set(at, None);
                }
                next.set(from, None);
                next.set(to, Some(Piece { color: mover, role: promotion.unwrap_or(role) }));
                captured.map(|(_, role)| role)
            }
            LastMove::Castle { .. } => {
                next.castle(last_move.with_castling_squares(self, None, mover), mover).map(|()| None)?
            }
            LastMove::Drop { role, to } => next.place_on_empty(to, Piece { color: mover, role }).map(|()| None)?,
            LastMove::Hidden => return Err(ApplyError::Hidden),
        };
        *self = next;
        Ok(captured)
    }

    /// Returns the board before the move `played`, where `self` is the board after it. `None` if the two do not fit, if a
    /// castling has no squares (see [`LastMove::with_castling_squares`]), or if the move is hidden.
    ///
    /// `captured` includes the square, because an en passant capture removes a pawn from another square than the destination.
    pub(crate) fn undo(mut self, played: LastMove, mover: Color, captured: Option<(Square, Role)>) -> Option<Self> {
        match played {
            LastMove::Normal { role, from, to, promotion } => {
                self.remove_piece(to, Piece { color: mover, role: promotion.unwrap_or(role) })?;
                self.place_on_empty(from, Piece { color: mover, role }).ok()?;
                if let Some((at, role)) = captured {
                    self.place_on_empty(at, Piece { color: mover.opponent(), role }).ok()?;
                }
            }
            LastMove::Castle { side, king_from: Some(king_from), rook_from: Some(rook_from) } => {
                let (king, rook) = (Piece { color: mover, role: Role::King }, Piece { color: mover, role: Role::Rook });
                let (king_file, rook_file) =
                    castling_target_files(side, CastlingSide::of_rook(king_from, rook_from.file())?);
                // In chess960 one of the two may have come from the square of the other.
                self.remove_piece(Square::at(king_file, mover.home_rank()), king)?;
                self.remove_piece(Square::at(rook_file, mover.home_rank()), rook)?;
                self.place_on_empty(king_from, king).ok()?;
                self.place_on_empty(rook_from, rook).ok()?;
            }
            LastMove::Drop { role, to } => self.remove_piece(to, Piece { color: mover, role })?,
            LastMove::Castle { .. } | LastMove::Hidden => return None,
        }
        Some(self)
    }

    /// Returns the square and the role of the piece that a move captures, also en passant; `None` without a capture. Fails if the
    /// move does not fit the board.
    fn find_capture(
        &self,
        role: Role,
        from: Square,
        to: Square,
        mover: Color,
    ) -> Result<Option<(Square, Role)>, ApplyError> {
        if !self.has_piece(from, Piece { color: mover, role }) {
            return Err(ApplyError::NoSuchPiece(from));
        }
        match self.piece(to) {
            Some(target) if target.color == mover => Err(ApplyError::OwnPiece(to)),
            Some(target) => Ok(Some((to, target.role))),
            None if role == Role::Pawn && from.file() != to.file() => {
                let victim = Square::at(to.file(), from.rank());
                if !self.has_piece(victim, Piece { color: mover.opponent(), role }) {
                    return Err(ApplyError::NothingToCapture(victim));
                }
                Ok(Some((victim, role)))
            }
            None => Ok(None),
        }
    }

    /// Moves king and rook to their squares after castling. Fails if one of them is not on its square of departure, or another
    /// piece is on a target square; the board is unspecified then.
    fn castle(&mut self, castling: LastMove, mover: Color) -> Result<(), ApplyError> {
        let LastMove::Castle { side, king_from: Some(king_from), rook_from: Some(rook_from) } = castling else {
            return Err(ApplyError::CannotCastle);
        };
        let king = Piece { color: mover, role: Role::King };
        let rook = Piece { color: mover, role: Role::Rook };
        self.remove_piece(king_from, king).ok_or(ApplyError::CannotCastle)?;
        self.remove_piece(rook_from, rook).ok_or(ApplyError::CannotCastle)?;
        let rook_side = CastlingSide::of_rook(king_from, rook_from.file()).ok_or(ApplyError::CannotCastle)?;
        let (king_file, rook_file) = castling_target_files(side, rook_side);
        self.place_on_empty(Square::at(king_file, mover.home_rank()), king)?;
        self.place_on_empty(Square::at(rook_file, mover.home_rank()), rook)
    }

    /// Removes `piece` from its square. Returns `None`, and changes nothing, if it is not there.
    fn remove_piece(&mut self, from: Square, piece: Piece) -> Option<()> {
        self.has_piece(from, piece).then(|| self.set(from, None))
    }

    /// Places a piece on a square; fails if the square is not empty.
    fn place_on_empty(&mut self, to: Square, piece: Piece) -> Result<(), ApplyError> {
        if self.piece(to).is_some() {
            return Err(ApplyError::Occupied(to));
        }
        self.set(to, Some(piece));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
