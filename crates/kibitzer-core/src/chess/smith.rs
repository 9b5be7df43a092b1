//! Moves in Smith notation, as delta boards and ICC's datagrams write them.

use super::last_move::parse_drop;
use super::{Board, CastlingSide, LastMove, Role, Square};

/// A move in Smith notation (FICS calls it long algebraic): two squares, and the captured piece, so that the move can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SmithMove {
    /// `e2e4`, `c1h6n`, `e5d6E`, `a7b8nQ`: a piece moved from one square to another. Only the board shows the role of the piece.
    Normal {
        /// Where it came from.
        from: Square,
        /// Where it went.
        to: Square,
        /// Role of the captured piece.
        capture: Option<Role>,
        /// The role that a pawn was promoted to.
        promotion: Option<Role>,
    },
    /// `e1g1c` short, `e8c8C` long: castling.
    Castle {
        /// Short or long.
        side: CastlingSide,
        /// Where the king came from.
        from: Square,
        /// Where the king went.
        to: Square,
    },
    /// `Q@f7`: a drop from the reserve.
    Drop {
        /// The role of the piece.
        role: Role,
        /// Where it went.
        to: Square,
    },
    /// `?`: the server hides the move (kriegspiel on ICC).
    Hidden,
}

impl SmithMove {
    /// Parses one move; `None` if it is not in Smith notation. Ignores `+` and `#` at the end.
    ///
    /// Forms: two squares; then one of `pnbrqk` in lower case for a captured piece of either color, `E` for an en passant
    /// capture, or `c` for short and `C` for long castling; then one of `NBRQK` in upper case for a promotion. Or a drop, `Q@f7`;
    /// or `?` with any text after it.
    ///
    /// Source: FICS help file `deltaboard`, ICC's description of its formats.
    pub(crate) fn parse(word: &[u8]) -> Option<Self> {
        match *trim_check_signs(word) {
            [b'?', ..] => Some(Self::Hidden),
            [role, b'@', file, rank] => parse_drop(role, [file, rank]).map(|(role, to)| Self::Drop { role, to }),
            [from_file, from_rank, to_file, to_rank, ref suffix @ ..] => {
                let from = Square::from_letters(from_file, from_rank)?;
                let to = Square::from_letters(to_file, to_rank)?;
                Self::parse_suffix(from, to, suffix)
            }
            _ => None,
        }
    }

    /// Returns the role of the captured piece; `None` without a capture, and for a hidden move, where it is unknown.
    pub(crate) const fn captured(self) -> Option<Role> {
        match self {
            Self::Normal { capture, .. } => capture,
            _ => None,
        }
    }

    /// Parses the letters after the two squares: capture and promotion, or castling; `None` if they are anything else.
    fn parse_suffix(from: Square, to: Square, suffix: &[u8]) -> Option<Self> {
        let (capture, rest) = match suffix {
            [b'E', rest @ ..] => (Some(Role::Pawn), rest),
            [letter @ (b'p' | b'n' | b'b' | b'r' | b'q' | b'k'), rest @ ..] => (Role::from_letter(*letter), rest),
            _ => (None, suffix),
        };
        let promotion = match *rest {
            [] => None,
            [b'c'] if capture.is_none() => return Some(Self::Castle { side: CastlingSide::Short, from, to }),
            [b'C'] if capture.is_none() => return Some(Self::Castle { side: CastlingSide::Long, from, to }),
            [letter] if letter.is_ascii_uppercase() => Some(Role::from_promotion_letter(letter)?),
            _ => return None,
        };
        Some(Self::Normal { from, to, capture, promotion })
    }

    /// Converts to a reported move, with the role of the moved piece from `before`, the board before the move. `None` if the
    /// square of departure is empty on it.
    pub(crate) fn to_last_move(self, before: &Board) -> Option<LastMove> {
        match self {
            Self::Normal { from, to, promotion, .. } => {
                let role = before.piece(from)?.role;
                Some(LastMove::Normal { role, from, to, promotion })
            }
            Self::Castle { side, from, to } => {
                let mover = before.piece(from)?.color;
                let castle = LastMove::Castle { side, king_from: Some(from), rook_from: None };
                Some(castle.with_castling_squares(before, Some(to), mover))
            }
            Self::Drop { role, to } => Some(LastMove::Drop { role, to }),
            Self::Hidden => Some(LastMove::Hidden),
        }
    }
}

impl LastMove {
    /// Parses a move in Smith notation, as delta boards and ICC's datagrams write it: `e2e4`, `a7b8nQ`, `e1g1c`. Finds the role of the
    /// moved piece on `before`, the board before the move. `None` if the word is in another notation, or if the square of departure
    /// is empty.
    ///
    /// Source: FICS help file `deltaboard`, ICC's description of its formats.
    pub fn parse_smith(word: &[u8], before: &Board) -> Option<Self> {
        SmithMove::parse(word)?.to_last_move(before)
    }
}

/// Returns the word without all `+` and `#` at its end.
pub(super) fn trim_check_signs(mut word: &[u8]) -> &[u8] {
    while let [head @ .., b'+' | b'#'] = word {
        word = head;
    }
    word
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Color;
    use super::super::board::tests::{board, square};
    use super::super::last_move::tests::{castle, normal};
    use super::*;

    fn walk(from: &str, to: &str, capture: Option<Role>, promotion: Option<Role>) -> SmithMove {
        SmithMove::Normal { from: square(from), to: square(to), capture, promotion }
    }

    // Rules: datagrams D3, datagrams D6
    #[test]
    fn case_distinguishes_captures_promotions_and_castling() {
        let cases = [
            ("e2e4", walk("e2", "e4", None, None)),
            ("e2c2p", walk("e2", "c2", Some(Role::Pawn), None)),
            ("c1h6n", walk("c1", "h6", Some(Role::Knight), None)),
            ("e5d6E", walk("e5", "d6", Some(Role::Pawn), None)),
            ("a7a8Q", walk("a7", "a8", None, Some(Role::Queen))),
            ("a2a1N", walk("a2", "a1", None, Some(Role::Knight))),
            ("a7b8nQ", walk("a7", "b8", Some(Role::Knight), Some(Role::Queen))),
            ("f7g8bB", walk("f7", "g8", Some(Role::Bishop), Some(Role::Bishop))),
            ("b2a1rR", walk("b2", "a1", Some(Role::Rook), Some(Role::Rook))),
            ("e7e8K", walk("e7", "e8", None, Some(Role::King))),
            ("e7d8kK", walk("e7", "d8", Some(Role::King), Some(Role::King))),
            ("e7e8q+", walk("e7", "e8", Some(Role::Queen), None)),
        ];
        for (word, want) in cases {
            assert_eq!(SmithMove::parse(word.as_bytes()), Some(want), "{word}");
        }
        let castlings = [
            ("e1g1c", CastlingSide::Short, "e1", "g1"),
            ("e8g8c", CastlingSide::Short, "e8", "g8"),
            ("e1c1C", CastlingSide::Long, "e1", "c1"),
            ("e8c8C", CastlingSide::Long, "e8", "c8"),
        ];
        for (word, side, from, to) in castlings {
            let want = SmithMove::Castle { side, from: square(from), to: square(to) };
            assert_eq!(SmithMove::parse(word.as_bytes()), Some(want), "{word}");
        }
    }

    #[test]
    fn drops_and_hidden_moves() {
        for word in ["Q@f7", "Q@f7+", "Q@f7#", "q@f7"] {
            let want = SmithMove::Drop { role: Role::Queen, to: square("f7") };
            assert_eq!(SmithMove::parse(word.as_bytes()), Some(want), "{word}");
        }
        for word in ["?", "?xb1"] {
            assert_eq!(SmithMove::parse(word.as_bytes()), Some(SmithMove::Hidden), "{word}");
        }
    }

    #[test]
    fn other_words_are_refused() {
        let words = [
            "", "e2", "e2e", "e2e9", "i2e4", "e2-e4", "e2e4x", "e2e4P", "e7e8Qn", "e7e8QQ", "e7d8nq", "e1g1cc",
            "e1g1cQ", "e2e4e", "K@f7", "Q@f9", "Q@", "@f7", "O-O", "+",
        ];
        for word in words {
            assert_eq!(SmithMove::parse(word.as_bytes()), None, "{word}");
        }
    }

    #[test]
    fn the_board_before_the_move_has_the_moved_piece() {
        let before = board("r---k--r P------- -------- -------- -------- -------- -------- -R-K---R");
        let wild = board("-------- -------- -------- -------- -------- -------- -------- R--K---R");
        let cases = [
            ("a7a8rQ", &before, normal(Role::Pawn, "a7", "a8", Some(Role::Queen))),
            ("h1h8r", &before, normal(Role::Rook, "h1", "h8", None)),
            ("e8g8c", &before, castle(CastlingSide::Short, "e8", "h8")),
            ("e8c8C", &before, castle(CastlingSide::Long, "e8", "a8")),
            ("d1c1C", &before, castle(CastlingSide::Long, "d1", "b1")),
            ("d1b1c", &wild, castle(CastlingSide::Short, "d1", "a1")),
            ("N@f3", &before, LastMove::Drop { role: Role::Knight, to: square("f3") }),
            ("?", &before, LastMove::Hidden),
        ];
        for (word, before, want) in cases {
            assert_eq!(SmithMove::parse(word.as_bytes()).unwrap().to_last_move(before), Some(want), "{word}");
        }
        for word in ["e2e4", "e1g1c"] {
            assert_eq!(SmithMove::parse(word.as_bytes()).unwrap().to_last_move(&before), None, "{word}");
        }
    }

    // Rules: datagrams D6
    #[test]
    fn moves_one_after_the_other_lead_to_the_right_board() {
        let moves = "e2e3 g7g5 f1d3 g5g4 g1f3 g4f3n e1g1c f3g2p d1h5 g2f1rQ g1f1q a7a5 b2b4 a5b4p a2a4 b4a3E";
        let mut played = Board::START;
        for (word, mover) in moves.split(' ').zip(Color::BOTH.into_iter().cycle()) {
            let smith = SmithMove::parse(word.as_bytes()).unwrap();
            let captured = played.apply(smith.to_last_move(&played).unwrap(), mover).unwrap();
            assert_eq!(captured, smith.captured(), "{word}");
        }
        assert_eq!(played, board("rnbqkbnr -ppppp-p -------- -------Q -------- p--BP--- --PP-P-P RNB--K--"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_move_or_refused(word: Vec<u8>) {
            let _ = SmithMove::parse(&word).map(|smith| smith.to_last_move(&Board::START));
        }

        #[test]
        fn near_misses_are_harmless(word in "[a-i][0-9][a-i][0-9][pnbrqkcCE]?[NBRQKP]?[+#]?") {
            let _ = SmithMove::parse(word.as_bytes()).map(|smith| smith.to_last_move(&Board::START));
        }
    }
}
