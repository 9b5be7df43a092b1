//! Castling rights, and the squares of king and rook for castling.

use std::fmt::{self, Write as _};

use super::{Board, Color, Piece, Role, Square};

/// The side to which a king castles. In chess960 it gives only the direction of the rook from the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a rank has two ends")]
pub enum CastlingSide {
    /// `O-O`: with the rook on the h-side.
    Short,
    /// `O-O-O`: with the rook on the a-side.
    Long,
}

impl CastlingSide {
    /// Short, then long: the order in which style 12 and FEN write them.
    pub const BOTH: [Self; 2] = [Self::Short, Self::Long];

    /// Returns the other side.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Short => Self::Long,
            Self::Long => Self::Short,
        }
    }

    /// Returns the side of the king on which a rook on `rook_file` (0 is the a-file) stands; `None` if it is on the king's file.
    pub(crate) const fn of_rook(king: Square, rook_file: u8) -> Option<Self> {
        if rook_file > king.file() {
            Some(Self::Short)
        } else if rook_file < king.file() {
            Some(Self::Long)
        } else {
            None
        }
    }
}

/// Castling rights of both players, each for the short and the long side. `Display` writes the field of FEN: `KQkq` or `-`.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// No right.
    pub const NONE: Self = Self(0);

    /// All rights: White and Black, short and long.
    pub(crate) const ALL: Self = Self(0b1111);

    /// Creates rights from fields 11 to 14 of style 12: White short, White long, Black short, Black long. A right exists if its
    /// number is not 0.
    pub(crate) const fn from_flags([white_short, white_long, black_short, black_long]: [u8; 4]) -> Self {
        let bits = (white_short != 0) as u8
            | ((white_long != 0) as u8) << 1
            | ((black_short != 0) as u8) << 2
            | ((black_long != 0) as u8) << 3;
        Self(bits)
    }

    /// Returns whether there are no rights.
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether `color` has the right to castle to `side`.
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 & right_bit(color, side) != 0
    }

    /// Returns these rights with one added.
    #[must_use]
    pub const fn with(self, color: Color, side: CastlingSide) -> Self {
        Self(self.0 | right_bit(color, side))
    }

    /// Returns these rights with one removed.
    #[must_use]
    pub const fn without(self, color: Color, side: CastlingSide) -> Self {
        Self(self.0 & !right_bit(color, side))
    }

    /// Iterates over the rights that are set: White's first, short before long.
    pub fn iter(self) -> impl Iterator<Item = (Color, CastlingSide)> {
        let all = Color::BOTH.into_iter().flat_map(|color| CastlingSide::BOTH.map(|side| (color, side)));
        all.filter(move |&(color, side)| self.has(color, side))
    }

    /// Returns the rights without those that are impossible on `board`. A right is possible if the king is on its home rank, and
    /// a rook is on the same rank, on the side of the king to which it castles.
    ///
    /// In positions that were set up by hand, servers keep the flags wherever king and rook are. As in chess960, the rook need
    /// not be in the corner, nor the king on the e-file.
    #[must_use]
    pub fn plausible_on(self, board: &Board) -> Self {
        self.iter()
            .filter(|&(color, side)| board.castling_king_and_rook(color, side).is_none())
            .fold(self, |rights, (color, side)| rights.without(color, side))
    }
}

/// Returns the bit of a [`CastlingRights`] that stands for one right.
const fn right_bit(color: Color, side: CastlingSide) -> u8 {
    1 << (2 * color as u8 + side as u8)
}

impl fmt::Display for CastlingRights {
    /// Writes the field of FEN: `KQkq`, some of these letters, or `-`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_char('-');
        }
        self.iter().try_for_each(|(color, side)| {
            let role = if side == CastlingSide::Short { Role::King } else { Role::Queen };
            f.write_char(Piece { color, role }.letter())
        })
    }
}

impl fmt::Debug for CastlingRights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Board {
    /// Returns the squares, before castling, of the king and the rook with which `color` castles to `side`. `None` if the king is
    /// not on its home rank, or no rook is on that side of it.
    ///
    /// If two rooks are on that side, as in chess960, returns the outer one, as X-FEN does: the board does not show which of them
    /// may castle. Does not check the rights or the squares between king and rook.
    pub fn castling_king_and_rook(&self, color: Color, side: CastlingSide) -> Option<(Square, Square)> {
        let king = self.king_on_home_rank(color)?;
        Some((king, self.outermost_rook(color, king, side)?))
    }

    /// Returns the square of this side's king if it is on the rank where it starts. If there are several, returns the one nearest
    /// to the a-file.
    pub(crate) fn king_on_home_rank(&self, color: Color) -> Option<Square> {
        let king = Piece { color, role: Role::King };
        home_rank_squares(color).find(|&square| self.has_piece(square, king))
    }

    /// Returns the square of this player's rook on the home rank, on `side` of the king; `None` without a rook there. If there
    /// are several, returns the one nearest to the edge. Of `king`, only the file matters.
    pub(crate) fn outermost_rook(&self, color: Color, king: Square, side: CastlingSide) -> Option<Square> {
        let rook = Piece { color, role: Role::Rook };
        let mut rooks = home_rank_squares(color)
            .filter(|&square| self.has_piece(square, rook) && CastlingSide::of_rook(king, square.file()) == Some(side));
        match side {
            CastlingSide::Short => rooks.next_back(),
            CastlingSide::Long => rooks.next(),
        }
    }
}

/// Iterates over the squares of this side's home rank, from the a-file.
fn home_rank_squares(color: Color) -> impl DoubleEndedIterator<Item = Square> {
    (0..8).map(move |file| Square::at(file, color.home_rank()))
}

#[cfg(test)]
mod tests;
