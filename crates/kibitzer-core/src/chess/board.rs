//! The board: 64 squares and their pieces, and reported moves on it.

use std::fmt;

use smallvec::SmallVec;
use thiserror::Error;

use crate::chess::last_move::castling_target_files;
use crate::chess::{CastlingSide, Color, LastMove, Piece, Role, Square};

/// The letter of an empty square, as style 12 sends it.
const EMPTY: u8 = b'-';

/// The pieces on the 64 squares, without side to move, castling rights or counters.
///
/// `Display` writes the placement field of FEN, `Debug` draws the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// The letters of style 12; first rank first, a-file first.
    ranks: [[u8; 8]; 8],
}

impl Board {
    /// A board without pieces.
    pub const EMPTY: Self = Self { ranks: [[EMPTY; 8]; 8] };

    /// The start position of chess.
    pub const START: Self = Self {
        ranks: [
            *b"RNBQKBNR",
            *b"PPPPPPPP",
            *b"--------",
            *b"--------",
            *b"--------",
            *b"--------",
            *b"pppppppp",
            *b"rnbqkbnr",
        ],
    };

    /// Creates a board from the rows of style 12: the eighth rank first, the a-file first, `-` for an empty square. `None` if a
    /// byte is neither `-` nor one of `PNBRQKpnbrqk`.
    ///
    /// Any number of pieces is accepted: variants and set-up positions have boards without kings or with nine queens.
    pub fn from_rows(rows: &[[u8; 8]; 8]) -> Option<Self> {
        let [eighth, seventh, sixth, fifth, fourth, third, second, first] = *rows;
        let ranks = [first, second, third, fourth, fifth, sixth, seventh, eighth];
        // `all` would stop at the first illegal letter; without that exit the compiler can vectorize the loop.
        let all_legal = ranks.as_flattened().iter().fold(true, |legal, &letter| legal & is_square_letter(letter));
        all_legal.then_some(Self { ranks })
    }

    /// Returns the rows as style 12 sends them; see [`from_rows`](Self::from_rows).
    pub fn to_rows(&self) -> [[u8; 8]; 8] {
        let mut rows = self.ranks;
        rows.reverse();
        rows
    }

    /// Creates a board from the rows of style 12 with a blank after each; see [`from_rows`](Self::from_rows). Does not check the
    /// letters: the caller has to.
    pub(crate) fn from_spaced_rows(rows: &[u8; 72]) -> Self {
        let mut ranks = [[EMPTY; 8]; 8];
        for (rank, [squares @ .., _]) in ranks.iter_mut().rev().zip(rows.as_chunks::<9>().0) {
            *rank = *squares;
        }
        Self { ranks }
    }

    /// Returns the rows of style 12 with a blank after each.
    pub(crate) fn to_spaced_rows(self) -> [u8; 72] {
        let mut rows = [b' '; 72];
        for (rank, [squares @ .., _]) in self.ranks.iter().rev().zip(rows.as_chunks_mut::<9>().0) {
            *squares = *rank;
        }
        rows
    }

    /// Returns the piece on a square; `None` if the square is empty.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.ranks.as_flattened().get(square.index()).copied().and_then(Piece::from_letter)
    }

    /// Sets the piece on a square, and replaces any other piece there; `None` empties the square.
    pub fn set(&mut self, square: Square, piece: Option<Piece>) {
        if let Some(letter) = self.ranks.as_flattened_mut().get_mut(square.index()) {
            *letter = piece.map_or(EMPTY, Piece::letter_byte);
        }
    }

    /// Iterates over all pieces with their squares, from a1 along the ranks to h8.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        let letters = self.ranks.as_flattened().iter();
        Square::all().zip(letters).filter_map(|(square, &letter)| Some((square, Piece::from_letter(letter)?)))
    }

    /// Returns the square of this side's king; `None` without a king. If there are several, as in suicide chess, returns the
    /// first from a1 along the ranks.
    pub fn find_king(&self, color: Color) -> Option<Square> {
        let king = Piece { color, role: Role::King };
        Square::all().find(|&square| self.has_piece(square, king))
    }

    /// Returns the total [value](Role::material_value) of this side's pieces on the board. Style 12 also counts those in the
    /// reserve.
    pub fn material(&self, color: Color) -> u16 {
        self.pieces()
            .filter(|(_, piece)| piece.color == color)
            .map(|(_, piece)| u16::from(piece.role.material_value()))
            .sum()
    }

    /// Returns whether exactly this piece is on the square.
    pub(crate) fn has_piece(&self, square: Square, piece: Piece) -> bool {
        self.ranks.as_flattened().get(square.index()) == Some(&piece.letter_byte())
    }

    /// Returns the square that a pawn of `side_to_move`'s opponent skipped in its double push on the file (0 is the a-file),
    /// whether or not a pawn can capture it en passant.
    ///
    /// `None` if there is no such pawn, or the skipped square is not empty: the line is garbled, or an examiner has edited the
    /// position.
    ///
    /// Source: FICS help file `style12`, field 10. The rank follows from the side to move.
    pub fn en_passant_square(&self, side_to_move: Color, double_push_file: u8) -> Option<Square> {
        let (rank, rank_in_front) = match side_to_move {
            Color::White => (5, 4),
            Color::Black => (2, 3),
        };
        let square = Square::new(double_push_file, rank)?;
        let pawn = Piece { color: side_to_move.opponent(), role: Role::Pawn };
        (self.has_piece(Square::at(double_push_file, rank_in_front), pawn) && self.piece(square).is_none())
            .then_some(square)
    }
}

/// Returns whether `letter` is a piece letter or `-`.
const fn is_square_letter(letter: u8) -> bool {
    matches!(letter, EMPTY | b'P' | b'N' | b'B' | b'R' | b'Q' | b'K' | b'p' | b'n' | b'b' | b'r' | b'q' | b'k')
}

impl Default for Board {
    /// [`Board::START`].
    fn default() -> Self {
        Self::START
    }
}

impl fmt::Display for Board {
    /// Writes the placement field of FEN: for each row letters, and a digit for each run of empty squares.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Collected first, as writing each letter to a formatter takes longer than all the rest.
        let mut field = SmallVec::<[u8; 72]>::new();
        for row in self.to_rows() {
            for run in row.chunk_by(|&left, &right| left == EMPTY && right == EMPTY) {
                match run {
                    [letter] if *letter != EMPTY => field.push(*letter),
                    _ => field.push(b'0' + u8::try_from(run.len()).unwrap_or_default()),
                }
            }
            field.push(b'/');
        }
        field.pop();
        f.write_str(std::str::from_utf8(&field).unwrap_or_default())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_rows().iter().try_for_each(|row| write!(f, "\n{}", row.escape_ascii()))
    }
}

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
pub(crate) mod tests;
