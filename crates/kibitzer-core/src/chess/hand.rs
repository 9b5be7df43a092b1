//! Reserves of crazyhouse and bughouse.

use std::fmt::{self, Write as _};

use super::{Color, Piece, Role};

/// Reserve of one side: the number of pieces of each role that it may drop.
///
/// `Display` writes one upper-case letter for each piece, as servers do: `PPNBRQ`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hand {
    /// Number of pawns, knights, bishops, rooks and queens; each at most 255.
    counts: [u8; 5],
}

impl Hand {
    /// Parses the letters between the brackets of a `<b1>` line: one of `PNBRQ` for each piece, in any order and case. `None` if
    /// there is another letter.
    ///
    /// Pieces beyond 255 of one role are ignored.
    #[doc(hidden)]
    pub fn parse(letters: &[u8]) -> Option<Self> {
        letters.iter().try_fold(Self::default(), |mut hand, &letter| {
            hand.add(Role::from_reserve_letter(letter)?);
            Some(hand)
        })
    }

    /// Returns the number of pieces of this role in the reserve; 0 for the king.
    pub fn count(&self, role: Role) -> u8 {
        self.counts.get(role as usize).copied().unwrap_or(0)
    }

    /// Returns whether the reserve has no piece.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Iterates over the pieces, with one item for each: pawns first, then knights, bishops, rooks, queens.
    pub fn pieces(&self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().zip(self.counts).flat_map(|(role, count)| std::iter::repeat_n(role, usize::from(count)))
    }

    /// Adds one piece. Kings, and pieces beyond 255 of one role, are ignored.
    pub fn add(&mut self, role: Role) {
        if let Some(count) = self.counts.get_mut(role as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Removes one piece of this role and returns the role; `None` if the reserve has none.
    pub fn take(&mut self, role: Role) -> Option<Role> {
        let count = self.counts.get_mut(role as usize)?;
        *count = count.checked_sub(1)?;
        Some(role)
    }
}

impl fmt::Display for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|role| f.write_char(role.letter()))
    }
}

/// Reserves of both sides of one game.
///
/// `Display` writes them as FEN does between brackets: White's in upper case, then Black's in lower case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a pair with a name")]
pub struct Hands {
    /// White's reserve.
    pub white: Hand,
    /// Black's reserve.
    pub black: Hand,
}

impl Hands {
    /// Parses the reserves in a FEN: one of `PNBRQ` for each piece, White's in upper case and Black's in lower case, in any
    /// order. `None` if there is another letter.
    pub(crate) fn parse_fen(letters: &[u8]) -> Option<Self> {
        letters.iter().try_fold(Self::default(), |mut hands, &letter| {
            let role = Role::from_reserve_letter(letter)?;
            hands.of_mut(Piece::from_letter(letter)?.color).add(role);
            Some(hands)
        })
    }

    /// Returns the reserve of one side.
    pub const fn of(&self, color: Color) -> &Hand {
        match color {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }

    /// Returns a mutable reference to the reserve of one side.
    pub const fn of_mut(&mut self, color: Color) -> &mut Hand {
        match color {
            Color::White => &mut self.white,
            Color::Black => &mut self.black,
        }
    }
}

impl fmt::Display for Hands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Color::BOTH.into_iter().try_for_each(|color| {
            self.of(color).pieces().try_for_each(|role| f.write_char(Piece { color, role }.letter()))
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    // Rules: bughouse H-hand
    #[test]
    fn order_and_case_of_letters_do_not_matter() {
        let cases = [
            ("PPPPPPPNNBRRQ", "PPPPPPPNNBRRQ", [7, 2, 1, 2, 1]),
            ("QRNPB", "PNBRQ", [1, 1, 1, 1, 1]),
            ("bPp", "PPB", [2, 0, 1, 0, 0]),
            ("", "", [0; 5]),
        ];
        for (sent, printed, counts) in cases {
            let hand = Hand::parse(sent.as_bytes()).unwrap();
            assert_eq!(hand.to_string(), printed, "{sent}");
            assert_eq!(hand.pieces().map(Role::letter).collect::<String>(), printed, "{sent}");
            assert_eq!([0, 1, 2, 3, 4].map(|role| hand.count(Role::ALL[role])), counts, "{sent}");
            assert_eq!(hand.count(Role::King), 0);
            assert_eq!(hand.is_empty(), sent.is_empty(), "{sent}");
        }
        assert_eq!(Hand::parse(b"QNP"), Hand::parse(b"pqn"));
    }

    #[test]
    fn kings_and_other_letters_are_refused() {
        for sent in ["K", "PPk", "P P", "P1", "-", "[P]"] {
            assert_eq!(Hand::parse(sent.as_bytes()), None, "{sent}");
        }
    }

    #[test]
    fn a_hand_of_any_size_stays_small() {
        let hand = Hand::parse(&[b'P'; 10_000]).unwrap();
        assert_eq!(hand.count(Role::Pawn), 255);
        assert_eq!(hand.to_string().len(), 255);
    }

    #[test]
    fn both_hands_are_parsed_from_one_word() {
        let hands = Hands { white: Hand::parse(b"QN").unwrap(), black: Hand::parse(b"PP").unwrap() };
        assert_eq!(hands.to_string(), "NQpp");
        assert_eq!(Hands::parse_fen(b"pQpN"), Some(hands));
        assert_eq!(hands.of(Color::Black), &hands.black);
        assert_eq!(Hands::parse_fen(b"Qk"), None);
    }

    prop_compose! {
        pub(crate) fn any_hands()(
            white in prop::collection::vec(prop::sample::select(&b"PNBRQ"[..]), 0..20),
            black in prop::collection::vec(prop::sample::select(&b"PNBRQ"[..]), 0..20),
        ) -> Hands {
            Hands { white: Hand::parse(&white).unwrap(), black: Hand::parse(&black).unwrap() }
        }
    }

    proptest! {
        #[test]
        fn printing_and_parsing_returns_the_same_value(hands in any_hands()) {
            prop_assert_eq!(Hand::parse(hands.white.to_string().as_bytes()), Some(hands.white));
            prop_assert_eq!(Hands::parse_fen(hands.to_string().as_bytes()), Some(hands));
        }

        #[test]
        fn any_bytes_are_a_hand_or_refused(letters: Vec<u8>) {
            let legal = letters.iter().all(|b| b"PNBRQpnbrq".contains(b));
            prop_assert_eq!(Hand::parse(&letters).is_some(), legal);
        }
    }
}
