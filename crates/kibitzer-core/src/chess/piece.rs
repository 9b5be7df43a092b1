//! Squares, sides and pieces.

use std::fmt;
use std::ops::Not;
use std::str::FromStr;

use strum::{Display, IntoStaticStr};

use crate::ParseError;

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
    pub(crate) fn from_letter(letter: u8) -> Option<Self> {
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

/// One of the two sides of a game. It displays and converts to `white` or `black`, and parses these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "chess has two sides")]
pub enum Color {
    /// The side that starts on ranks 1 and 2.
    White,
    /// The side that starts on ranks 7 and 8.
    Black,
}

impl Color {
    /// White, then Black: the order in which servers send pairs.
    pub const BOTH: [Self; 2] = [Self::White, Self::Black];

    /// Parses `W` or `B` in either case, as style 12, `<b1>` and FEN write a side; `None` for any other letter.
    pub(crate) const fn from_letter(letter: u8) -> Option<Self> {
        match letter {
            b'W' | b'w' => Some(Self::White),
            b'B' | b'b' => Some(Self::Black),
            _ => None,
        }
    }

    /// Returns the other side; `!color` does the same.
    #[must_use]
    pub const fn opponent(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// Returns the rank on which this side's king starts, counted from 0.
    pub const fn home_rank(self) -> u8 {
        match self {
            Self::White => 0,
            Self::Black => 7,
        }
    }

    /// Returns the rank on which this side's pawns promote, counted from 0.
    pub(crate) const fn last_rank(self) -> u8 {
        self.opponent().home_rank()
    }
}

impl Not for Color {
    type Output = Self;

    fn not(self) -> Self {
        self.opponent()
    }
}

/// One of the 64 squares, ordered along the ranks: a1, b1, … h1, a2, … h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// Returns the square on this file (a is 0) and this rank (the first is 0); `None` if either is above 7.
    pub const fn new(file: u8, rank: u8) -> Option<Self> {
        if file < 8 && rank < 8 { Some(Self::at(file, rank)) } else { None }
    }

    /// Parses a name such as `e4`, with the file in lower case; `None` for any other text.
    pub fn parse(name: &[u8]) -> Option<Self> {
        match *name {
            [file, rank] => Self::from_letters(file, rank),
            _ => None,
        }
    }

    /// Iterates over all squares, from a1 along the ranks to h8.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
        (0..64).map(Self)
    }

    /// Returns the file, 0 for a to 7 for h.
    pub const fn file(self) -> u8 {
        self.0 & 7
    }

    /// Returns the rank, 0 for the first to 7 for the eighth.
    pub const fn rank(self) -> u8 {
        self.0 >> 3
    }

    /// Returns the index in the order of squares: 0 for a1, 63 for h8.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the square of a file and a rank, both from 0 to 7. Does not check them: only the lowest three bits of each are
    /// used.
    pub(crate) const fn at(file: u8, rank: u8) -> Self {
        Self((rank & 7) << 3 | file & 7)
    }

    /// Returns the square this many files and ranks away; `None` off the board.
    pub(super) const fn offset(self, (files, ranks): (i8, i8)) -> Option<Self> {
        Self::new(self.file().wrapping_add_signed(files), self.rank().wrapping_add_signed(ranks))
    }

    /// Returns the name as two ASCII bytes: the letter of the file, the digit of the rank.
    pub(crate) const fn letters(self) -> [u8; 2] {
        [b'a' + self.file(), b'1' + self.rank()]
    }

    /// Parses the letter of a file in lower case and the digit of a rank; `None` for other bytes.
    pub(crate) const fn from_letters(file: u8, rank: u8) -> Option<Self> {
        Self::new(file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'))
    }
}

impl FromStr for Color {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        let found = Self::BOTH.into_iter().find(|color| <&str>::from(color) == name);
        found.ok_or(ParseError::new("a color is white or black"))
    }
}

impl FromStr for Square {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        Self::parse(name.as_bytes()).ok_or(ParseError::new("not a square from a1 to h8"))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::str::from_utf8(&self.letters()).unwrap_or_default())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
