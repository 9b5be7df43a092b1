//! Moves as servers report them, and how a board changes by them.

use smallvec::SmallVec;
use thiserror::Error;

use crate::chess::{Board, CastlingSide, Color, Piece, Role, Square};

/// The last move of a position, as the server reports it. Does not include the side that moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LastMove {
    /// A piece moved from one square to another, with or without a capture, which may be en passant.
    Normal {
        /// The role of the piece before the move: a pawn also if it promotes.
        role: Role,
        /// Where it came from.
        from: Square,
        /// Where it went.
        to: Square,
        /// The role that a pawn was promoted to; `None` without a promotion, or if the server does not report the role.
        promotion: Option<Role>,
    },
    /// Castling. Boards report no squares for it, moves in Smith notation only those of the king;
    /// [`with_castling_squares`](Self::with_castling_squares) finds them on the board before the move.
    Castle {
        /// Short or long, as the server calls it.
        side: CastlingSide,
        /// Where the king came from; `None` if not known, which in orthodox chess means the e-file.
        king_from: Option<Square>,
        /// Where the rook came from; `None` if not known, which in orthodox chess means the corner.
        rook_from: Option<Square>,
    },
    /// A piece was dropped from the reserve.
    Drop {
        /// The role of the piece.
        role: Role,
        /// Where it went.
        to: Square,
    },
    /// The server hides the move (kriegspiel on ICC).
    Hidden,
}

impl LastMove {
    /// Parses the verbose move of a board line; `san` is the same move in algebraic notation. `None` for any other form, also for
    /// `none`.
    ///
    /// Forms: `P/e2-e4`, with `=Q` after it for a promotion; `o-o` and `o-o-o`, also with `O` or `0` and without
    /// hyphens; `P/@@-e4`, `P@@-e4` and `P@e4` for a drop; `?` with or without more for a hidden move. Letters of
    /// pieces may be in lower case. Where a pawn reaches its last rank and the verbose form has no promotion, the
    /// promotion is read from `san` (`g8=R+`, `e8N+`); if that has none either, the field `promotion` is `None`. Nothing else is
    /// read from `san`, because servers do not always write it correctly.
    ///
    /// Source: FICS and ICC help files `style12`; promotions without a letter were seen on ICC and in old FICS code.
    #[doc(hidden)]
    pub fn parse_verbose(word: &[u8], san: &[u8], mover: Color) -> Option<Self> {
        match *word {
            [b'?', ..] => Some(Self::Hidden),
            [role, b'/', b'@', b'@', b'-', file, rank]
            | [role, b'@', b'@', b'-', file, rank]
            | [role, b'@', file, rank] => parse_drop(role, [file, rank]).map(|(role, to)| Self::Drop { role, to }),
            [role, b'/', from_file, from_rank, b'-', to_file, to_rank, ref suffix @ ..] => {
                let role = Role::from_letter(role)?;
                let from = Square::from_letters(from_file, from_rank)?;
                let to = Square::from_letters(to_file, to_rank)?;
                let promotion = match *suffix {
                    [] if role == Role::Pawn && to.rank() == mover.last_rank() => promotion_in_san(san),
                    [] => None,
                    [b'=', letter] => Some(Role::from_promotion_letter(letter)?),
                    _ => return None,
                };
                Some(Self::Normal { role, from, to, promotion })
            }
            _ => parse_castling_word(word).map(|side| Self::Castle { side, king_from: None, rook_from: None }),
        }
    }

    /// Parses the most frequent form of a verbose move, `P/e2-e4`, faster than [`parse_verbose`](Self::parse_verbose). `None` for
    /// other forms, and for a pawn that reaches its last rank.
    #[inline]
    pub(crate) fn parse_plain(word: [u8; 7], mover: Color) -> Option<Self> {
        let [role, b'/', from_file, from_rank, b'-', to_file, to_rank] = word else { return None };
        let letters = u32::from_le_bytes([from_file, from_rank, to_file, to_rank]);
        // A letter before the first one makes its byte wrap around.
        let places = letters.wrapping_sub(u32::from_le_bytes(*b"a1a1"));
        let [from_file, from_rank, to_file, to_rank] = places.to_le_bytes();
        let role = Role::from_letter(role)?;
        let may_promote = role == Role::Pawn && to_rank == mover.last_rank();
        (places & 0xf8f8_f8f8 == 0 && !may_promote).then(|| Self::Normal {
            role,
            from: Square::at(from_file, from_rank),
            to: Square::at(to_file, to_rank),
            promotion: None,
        })
    }

    /// Returns the move in the verbose form of style 12's field 27: `P/e2-e4`.
    pub(crate) fn to_verbose(self) -> VerboseText {
        let mut text = VerboseText::default();
        match self {
            Self::Normal { role, from, to, promotion } => {
                let ([from_file, from_rank], [to_file, to_rank]) = (from.letters(), to.letters());
                text.extend([role.letter_byte(), b'/', from_file, from_rank, b'-', to_file, to_rank]);
                text.extend(promotion.into_iter().flat_map(|role| [b'=', role.letter_byte()]));
            }
            Self::Castle { side: CastlingSide::Short, .. } => text.extend(*b"o-o"),
            Self::Castle { side: CastlingSide::Long, .. } => text.extend(*b"o-o-o"),
            Self::Drop { role, to } => {
                let [file, rank] = to.letters();
                text.extend([role.letter_byte(), b'/', b'@', b'@', b'-', file, rank]);
            }
            Self::Hidden => text.extend(*b"?"),
        }
        text
    }

    /// Returns the castling with its unknown squares filled in from `before`, the board before the move: the king on its home
    /// rank, and the outermost rook on the side to which it castles. Squares that cannot be found stay unknown, and other moves
    /// are returned unchanged.
    ///
    /// `king_after` is the king's square after the move, if known. It distinguishes wild 0 and 1, where a king on the d-file
    /// castles short towards the a-file, from chess960.
    #[must_use]
    pub fn with_castling_squares(self, before: &Board, king_after: Option<Square>, mover: Color) -> Self {
        let Self::Castle { side, king_from, rook_from } = self else { return self };
        let king_from = king_from.or_else(|| before.king_on_home_rank(mover));
        // In wild 0 and 1 the king may start on the d-file, and then the short side is that of the a-file.
        let is_mirrored = king_after.is_some_and(|king| king.file() == castling_target_files(side, side.opposite()).0)
            && king_from.is_some_and(|king| king.file() == D_FILE);
        let rook_side = if is_mirrored { side.opposite() } else { side };
        let rook_from = rook_from.or_else(|| before.outermost_rook(mover, king_from?, rook_side));
        Self::Castle { side, king_from, rook_from }
    }
}

/// Buffer for the verbose form of a move, in ASCII.
pub(crate) type VerboseText = SmallVec<[u8; 16]>;

const D_FILE: u8 = 3;

/// Returns the files of the king and the rook after castling. `named_side` is short or long as the server calls it, `rook_side`
/// is the side of the king on which the rook was.
///
/// The two differ in wild 0 and 1 only: for a king that moves from d1 to b1, xboard sends `o-o`; to f1, `o-o-o`.
pub(super) const fn castling_target_files(named_side: CastlingSide, rook_side: CastlingSide) -> (u8, u8) {
    match (named_side, rook_side) {
        (CastlingSide::Short, CastlingSide::Short) => (6, 5),
        (CastlingSide::Long, CastlingSide::Long) => (2, 3),
        (CastlingSide::Short, CastlingSide::Long) => (1, 2),
        (CastlingSide::Long, CastlingSide::Short) => (5, 4),
    }
}

/// Parses the role and the square of a drop; `None` for a king, another letter, or a square off the board.
pub(super) fn parse_drop(role: u8, [file, rank]: [u8; 2]) -> Option<(Role, Square)> {
    Role::from_reserve_letter(role).zip(Square::from_letters(file, rank))
}

/// Returns the role of a promotion in algebraic notation: the letter after `=`, or without `=` the last letter or digit. `None`
/// if that is not one of `NBRQK` in either case.
pub(super) fn promotion_in_san(san: &[u8]) -> Option<Role> {
    let letter = match memchr::memchr(b'=', san) {
        Some(at) => san.get(at + 1),
        None => san.iter().rfind(|b| b.is_ascii_alphanumeric()),
    };
    letter.copied().and_then(Role::from_promotion_letter)
}

/// Parses `o-o` or `o-o-o`, also with `O` or `0` and without hyphens; `None` for any other word.
pub(super) fn parse_castling_word(word: &[u8]) -> Option<CastlingSide> {
    let is_o = |letter: u8| matches!(letter, b'o' | b'O' | b'0');
    match *word {
        [a, b'-', b] | [a, b] if is_o(a) && is_o(b) => Some(CastlingSide::Short),
        [a, b'-', b, b'-', c] | [a, b, c] if is_o(a) && is_o(b) && is_o(c) => Some(CastlingSide::Long),
        _ => None,
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
