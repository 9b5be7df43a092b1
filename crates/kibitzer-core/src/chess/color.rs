//! The two sides.

use std::ops::Not;

use strum::{Display, IntoStaticStr};

/// One of the two sides of a game. It displays and converts to `white` or `black`.
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
    pub const fn from_letter(letter: u8) -> Option<Self> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_in_either_case() {
        for (letters, color) in [("Ww", Color::White), ("Bb", Color::Black)] {
            for letter in letters.bytes() {
                assert_eq!(Color::from_letter(letter), Some(color), "{}", char::from(letter));
            }
        }
        assert_eq!((0..=u8::MAX).filter_map(Color::from_letter).count(), 4);
    }

    #[test]
    fn each_side_is_the_other_ones_opponent() {
        assert_eq!(!Color::White, Color::Black);
        assert_eq!(Color::Black.opponent(), Color::White);
        assert_eq!(Color::BOTH.map(|color| color.to_string()), ["white", "black"]);
    }
}
