//! Castling rights, and the squares of king and rook for castling.

use std::fmt::{self, Write as _};

use super::{Board, Color, Piece, Role, Square};

/// The side of a castling. In chess960 the names only give the direction of the rook.
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

    /// Returns the side of the king on which a rook on `rook_file` (0 is the a-file) is; `None` for the king's own
    /// file.
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

/// The castling rights of both sides. A right is lost when the king or its rook moves, or when the rook is captured.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights(u8);

impl CastlingRights {
    /// Rights with which neither side may castle.
    pub const NONE: Self = Self(0);

    /// Rights with which both sides may castle short and long.
    pub const ALL: Self = Self(0b1111);

    /// Creates rights from the flags of style 12's fields 11 to 14: White short, White long, Black short, Black long.
    /// 0 means lost, any other number means not lost.
    pub const fn from_flags([white_short, white_long, black_short, black_long]: [u8; 4]) -> Self {
        let bits = (white_short != 0) as u8
            | ((white_long != 0) as u8) << 1
            | ((black_short != 0) as u8) << 2
            | ((black_long != 0) as u8) << 3;
        Self(bits)
    }

    /// Returns whether neither side may castle.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether `color` may castle to `side`.
    pub const fn has(self, color: Color, side: CastlingSide) -> bool {
        self.0 & bit(color, side) != 0
    }

    /// Returns these rights with one added.
    #[must_use]
    pub const fn with(self, color: Color, side: CastlingSide) -> Self {
        Self(self.0 | bit(color, side))
    }

    /// Returns these rights with one removed.
    #[must_use]
    pub const fn without(self, color: Color, side: CastlingSide) -> Self {
        Self(self.0 & !bit(color, side))
    }

    /// Iterates over the rights: White's first, short before long.
    pub fn iter(self) -> impl Iterator<Item = (Color, CastlingSide)> {
        let all = Color::BOTH.into_iter().flat_map(|color| CastlingSide::BOTH.map(|side| (color, side)));
        all.filter(move |&(color, side)| self.has(color, side))
    }

    /// Removes the rights that are impossible on `board`: a king has to be on its first rank, with a rook between it
    /// and the edge.
    ///
    /// Servers keep the flags of positions that were set up by hand, whatever the positions of king and rook. The rook
    /// need not be in the corner, nor the king on the e-file, as in chess960.
    #[must_use]
    pub fn plausible_on(self, board: &Board) -> Self {
        self.iter()
            .filter(|&(color, side)| board.castling_squares(color, side).is_none())
            .fold(self, |rights, (color, side)| rights.without(color, side))
    }
}

const fn bit(color: Color, side: CastlingSide) -> u8 {
    match (color, side) {
        (Color::White, CastlingSide::Short) => 1,
        (Color::White, CastlingSide::Long) => 2,
        (Color::Black, CastlingSide::Short) => 4,
        (Color::Black, CastlingSide::Long) => 8,
    }
}

impl fmt::Display for CastlingRights {
    /// Writes the field of FEN: `KQkq`, some of these letters, or `-`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_char('-');
        }
        self.iter().try_for_each(|(color, side)| {
            let role = match side {
                CastlingSide::Short => Role::King,
                CastlingSide::Long => Role::Queen,
            };
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
    /// Returns the squares of the king and the rook with which `color` castles to `side`: a king on its first rank,
    /// and the rook nearest to the edge on that side of it. In orthodox chess, these are the king on the e-file and
    /// the rook in the corner.
    ///
    /// In chess960, the board does not show which of two rooks on one side castles. Like X-FEN, this method returns the outer
    /// one. `None` without a king on its first rank or a rook on that side of it.
    pub fn castling_squares(&self, color: Color, side: CastlingSide) -> Option<(Square, Square)> {
        let king = self.home_king(color)?;
        Some((king, self.outermost_rook(color, king, side)?))
    }

    pub(crate) fn home_king(&self, color: Color) -> Option<Square> {
        let king = Piece { color, role: Role::King };
        home_squares(color).find(|&square| self.has_piece(square, king))
    }

    /// Returns the square of the rook nearest to the edge on a side of the king; `None` without a rook there.
    pub(crate) fn outermost_rook(&self, color: Color, king: Square, side: CastlingSide) -> Option<Square> {
        let rook = Piece { color, role: Role::Rook };
        let mut rooks = home_squares(color)
            .filter(|&square| self.has_piece(square, rook) && CastlingSide::of_rook(king, square.file()) == Some(side));
        match side {
            CastlingSide::Short => rooks.next_back(),
            CastlingSide::Long => rooks.next(),
        }
    }
}

fn home_squares(color: Color) -> impl DoubleEndedIterator<Item = Square> {
    (0..8).map(move |file| Square::at(file, color.home_rank()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::board::tests::{board, square};
    use super::*;

    #[test]
    fn flags_come_in_the_order_of_style_12() {
        let cases = [
            ([1, 1, 1, 1], "KQkq"),
            ([1, 0, 0, 0], "K"),
            ([0, 1, 0, 0], "Q"),
            ([0, 0, 1, 0], "k"),
            ([0, 0, 0, 1], "q"),
            ([0, 0, 0, 0], "-"),
            ([9, 0, 255, 0], "Kk"),
        ];
        for (flags, want) in cases {
            assert_eq!(CastlingRights::from_flags(flags).to_string(), want);
        }
        assert_eq!(CastlingRights::from_flags([1; 4]), CastlingRights::ALL);
        assert_eq!(CastlingRights::from_flags([0; 4]), CastlingRights::NONE);
    }

    #[test]
    fn rights_come_and_go_one_by_one() {
        for (color, side) in CastlingRights::ALL.iter() {
            let one = CastlingRights::NONE.with(color, side);
            assert!(one.has(color, side));
            assert!(!one.has(!color, side) && !one.has(color, side.opposite()));
            assert_eq!(one.without(color, side), CastlingRights::NONE);
            assert!(!CastlingRights::ALL.without(color, side).has(color, side));
        }
    }

    // Rules: style12 FEN
    #[test]
    fn only_rights_with_king_and_rook_in_place_are_plausible() {
        const REST: &str = "-------- -------- -------- -------- -------- --------";
        let cases = [
            ("orthodox", "r---k--r", "R---K--R", "KQkq"),
            ("a king has gone", "r---k--r", "R------R", "kq"),
            ("kings castled", "r----rk-", "--KR---R", "Kq"),
            ("corners empty", "----k--r", "R---K---", "Qk"),
            ("foreign rooks", "R---k--R", "r---K--r", "-"),
            ("chess960", "-r-k--r-", "-R-K--R-", "KQkq"),
            ("chess960, rook on one side only", "-r-k----", "---K--R-", "Kq"),
            ("king on e, rook on g", "----k-r-", "-R--K---", "Qk"),
            ("wild 0: king on d", "r--k---r", "R--K---R", "KQkq"),
            ("king in the corner", "k------r", "R------K", "Qk"),
            ("empty", "--------", "--------", "-"),
        ];
        for (name, eighth, first, want) in cases {
            let drawn = board(&format!("{eighth} {REST} {first}"));
            assert_eq!(CastlingRights::ALL.plausible_on(&drawn).to_string(), want, "{name}");
            assert_eq!(CastlingRights::NONE.plausible_on(&drawn), CastlingRights::NONE, "{name}");
        }
        let kings_up = board("-------- r---k--r -------- -------- -------- -------- R---K--R --------");
        assert_eq!(CastlingRights::ALL.plausible_on(&kings_up), CastlingRights::NONE);
    }

    #[test]
    fn the_outer_of_two_rooks_castles() {
        let drawn = board("rr-k-rr- -------- -------- -------- -------- -------- -------- R-RKR--R");
        let cases = [
            (Color::White, CastlingSide::Short, "d1", "h1"),
            (Color::White, CastlingSide::Long, "d1", "a1"),
            (Color::Black, CastlingSide::Short, "d8", "g8"),
            (Color::Black, CastlingSide::Long, "d8", "a8"),
        ];
        for (color, side, king, rook) in cases {
            assert_eq!(drawn.castling_squares(color, side), Some((square(king), square(rook))), "{color} {side:?}");
        }
    }

    proptest! {
        #[test]
        fn iterating_gives_the_rights_back(flags in prop::array::uniform4(0_u8..2)) {
            let rights = CastlingRights::from_flags(flags);
            let again = rights.iter().fold(CastlingRights::NONE, |sum, (color, side)| sum.with(color, side));
            prop_assert_eq!(again, rights);
        }
    }
}
