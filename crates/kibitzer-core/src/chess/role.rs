//! Pieces: their roles and colors.

use super::Color;

/// The kind of a piece, regardless of its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the servers' variants add rules, not pieces")]
pub enum Role {
    /// `P`
    Pawn,
    /// `N`
    Knight,
    /// `B`
    Bishop,
    /// `R`
    Rook,
    /// `Q`
    Queen,
    /// `K`
    King,
}

impl Role {
    /// Every role: pawn, knight, bishop, rook, queen, king.
    pub const ALL: [Self; 6] = [Self::Pawn, Self::Knight, Self::Bishop, Self::Rook, Self::Queen, Self::King];

    /// Parses one of `PNBRQK`, in either case; `None` for any other letter.
    pub const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'P' | b'p' => Some(Self::Pawn),
            b'N' | b'n' => Some(Self::Knight),
            b'B' | b'b' => Some(Self::Bishop),
            b'R' | b'r' => Some(Self::Rook),
            b'Q' | b'q' => Some(Self::Queen),
            b'K' | b'k' => Some(Self::King),
            _ => None,
        }
    }

    /// Returns the upper-case letter of the role: one of `PNBRQK`.
    pub const fn letter(self) -> char {
        self.letter_byte() as char
    }

    /// Returns the value in style 12's material count: 1, 3, 3, 5, 9 from pawn to queen, and 0 for a king.
    ///
    /// Source: FICS help file `style12`, material strength.
    pub const fn material_value(self) -> u8 {
        match self {
            Self::Pawn => 1,
            Self::Knight | Self::Bishop => 3,
            Self::Rook => 5,
            Self::Queen => 9,
            Self::King => 0,
        }
    }

    /// Parses a role to which a pawn may be promoted: one of `NBRQK`, in either case; `None` for any other letter. Suicide chess
    /// allows kings.
    pub(crate) fn from_promotion_letter(letter: u8) -> Option<Self> {
        Self::from_letter(letter).filter(|&role| role != Self::Pawn)
    }

    /// Parses a role that may be in a reserve: one of `PNBRQ`, in either case; `None` for any other letter.
    pub(crate) fn from_reserve_letter(letter: u8) -> Option<Self> {
        Self::from_letter(letter).filter(|&role| role != Self::King)
    }

    /// Returns [`letter`](Self::letter) as a byte.
    pub(crate) const fn letter_byte(self) -> u8 {
        match self {
            Self::Pawn => b'P',
            Self::Knight => b'N',
            Self::Bishop => b'B',
            Self::Rook => b'R',
            Self::Queen => b'Q',
            Self::King => b'K',
        }
    }
}

/// A piece with its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a pair with a name")]
pub struct Piece {
    /// The side that owns the piece.
    pub color: Color,
    /// The kind of the piece.
    pub role: Role,
}

impl Piece {
    /// Parses one of `PNBRQK`, in upper case for White, in lower case for Black; `None` for any other letter.
    pub fn from_letter(letter: u8) -> Option<Self> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        Role::from_letter(letter).map(|role| Self { color, role })
    }

    /// Returns the letter of the role, in upper case for White, in lower case for Black.
    pub const fn letter(self) -> char {
        self.letter_byte() as char
    }

    /// Returns [`letter`](Self::letter) as a byte.
    pub(crate) const fn letter_byte(self) -> u8 {
        match self.color {
            Color::White => self.role.letter_byte(),
            Color::Black => self.role.letter_byte().to_ascii_lowercase(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_values_of_all_roles() {
        let cases = [("Pp", 1), ("Nn", 3), ("Bb", 3), ("Rr", 5), ("Qq", 9), ("Kk", 0)];
        for ((letters, value), role) in cases.into_iter().zip(Role::ALL) {
            for (letter, color) in letters.bytes().zip(Color::BOTH) {
                assert_eq!(Role::from_letter(letter), Some(role), "{letters}");
                assert_eq!(Piece::from_letter(letter), Some(Piece { color, role }), "{letters}");
                assert_eq!(Piece { color, role }.letter(), char::from(letter), "{letters}");
            }
            assert_eq!(role.letter(), char::from(letters.as_bytes()[0]));
            assert_eq!(role.material_value(), value, "{letters}");
        }
        assert_eq!((0..=u8::MAX).filter_map(Role::from_letter).count(), 12);
    }

    #[test]
    fn no_pawn_comes_of_a_promotion_and_no_king_into_a_reserve() {
        assert_eq!(Role::from_promotion_letter(b'P'), None);
        assert_eq!(Role::from_promotion_letter(b'K'), Some(Role::King));
        assert_eq!(Role::from_reserve_letter(b'k'), None);
        assert_eq!(Role::from_reserve_letter(b'p'), Some(Role::Pawn));
    }
}
