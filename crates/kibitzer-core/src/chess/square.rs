//! The squares of a board.

use std::fmt;
use std::str::FromStr;

use crate::ParseError;

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

    /// Returns the name as two ASCII bytes: the letter of the file, the digit of the rank.
    pub(crate) const fn letters(self) -> [u8; 2] {
        [b'a' + self.file(), b'1' + self.rank()]
    }

    /// Parses the letter of a file in lower case and the digit of a rank; `None` for other bytes.
    pub(crate) const fn from_letters(file: u8, rank: u8) -> Option<Self> {
        Self::new(file.wrapping_sub(b'a'), rank.wrapping_sub(b'1'))
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
        let [file, rank] = self.letters();
        write!(f, "{}{}", char::from(file), char::from(rank))
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_is_read_as_it_prints() {
        let names: Vec<String> = Square::all().map(|square| square.to_string()).collect();
        assert_eq!(names.len(), 64);
        assert_eq!([&names[0], &names[7], &names[8], &names[63]], ["a1", "h1", "a2", "h8"]);
        for (index, name) in names.iter().enumerate() {
            let square: Square = name.parse().unwrap();
            assert_eq!(square.index(), index);
            assert_eq!(Square::new(square.file(), square.rank()), Some(square));
        }
    }

    // Rules: bugs 32
    #[test]
    fn names_off_the_board_are_refused() {
        for name in ["", "e", "e0", "e9", "i1", "`1", "E4", "@@", "e44", "é"] {
            assert!(name.parse::<Square>().is_err(), "{name}");
        }
        assert_eq!(Square::new(8, 0), None);
        assert_eq!(Square::new(0, 8), None);
    }
}
