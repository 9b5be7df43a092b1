//! Moves as servers report them.

use smallvec::SmallVec;

use super::{Board, CastlingSide, Color, Role, Square};

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

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::super::board::tests::{board, square};
    use super::*;

    pub(crate) fn normal(role: Role, from: &str, to: &str, promotion: Option<Role>) -> LastMove {
        LastMove::Normal { role, from: square(from), to: square(to), promotion }
    }

    pub(crate) fn castle(side: CastlingSide, king_from: &str, rook_from: &str) -> LastMove {
        LastMove::Castle {
            side,
            king_from: Square::parse(king_from.as_bytes()),
            rook_from: Square::parse(rook_from.as_bytes()),
        }
    }

    fn read(word: &str, san: &str, mover: Color) -> Option<LastMove> {
        LastMove::parse_verbose(word.as_bytes(), san.as_bytes(), mover)
    }

    #[test]
    fn a_piece_from_one_square_to_another() {
        let cases = [
            ("P/e2-e4", "e4", Color::White, Role::Pawn, "e2", "e4"),
            ("K/e1-e2", "Ke2", Color::White, Role::King, "e1", "e2"),
            ("Q/d8-h4", "Qh4#", Color::Black, Role::Queen, "d8", "h4"),
            ("N/g8-e7", "Nxe7", Color::Black, Role::Knight, "g8", "e7"),
            ("R/h8-h7", "Rxh7", Color::Black, Role::Rook, "h8", "h7"),
            ("B/b8-h2", "Bh2", Color::Black, Role::Bishop, "b8", "h2"),
            ("P/d5-c6", "dxc6", Color::White, Role::Pawn, "d5", "c6"),
        ];
        for (word, san, mover, role, from, to) in cases {
            assert_eq!(read(word, san, mover), Some(normal(role, from, to, None)), "{word}");
        }
    }

    // Rules: style12 V1, bugs 30
    #[test]
    fn promotions_in_both_colors_from_the_verbose_form_or_else_from_san() {
        let cases = [
            ("P/f7-g8=Q", "fxg8=Q", Color::White, "f7", "g8", Some(Role::Queen)),
            ("P/g7-f8=B", "gxf8=B", Color::White, "g7", "f8", Some(Role::Bishop)),
            ("P/b2-a1=R", "bxa1=R", Color::Black, "b2", "a1", Some(Role::Rook)),
            ("P/g2-h1=N", "gxh1=N", Color::Black, "g2", "h1", Some(Role::Knight)),
            ("P/a2-a1=q", "a1=Q", Color::Black, "a2", "a1", Some(Role::Queen)),
            ("P/e7-e8=K", "e8=K", Color::White, "e7", "e8", Some(Role::King)),
            ("P/e7-e8=Q", "e8=N", Color::White, "e7", "e8", Some(Role::Queen)),
            ("P/g7-g8", "g8=R+", Color::White, "g7", "g8", Some(Role::Rook)),
            ("P/c2-c1", "c1=R+", Color::Black, "c2", "c1", Some(Role::Rook)),
            ("P/e2-e1", "e1=Q+", Color::Black, "e2", "e1", Some(Role::Queen)),
            ("P/e7-e8", "e8=N", Color::White, "e7", "e8", Some(Role::Knight)),
            ("P/e7-e8", "e8N+", Color::White, "e7", "e8", Some(Role::Knight)),
            ("P/e7-d8", "exd8B#", Color::White, "e7", "d8", Some(Role::Bishop)),
            ("P/b2-a1", "bxa1Q", Color::Black, "b2", "a1", Some(Role::Queen)),
            ("P/e7-e8", "e8", Color::White, "e7", "e8", None),
            ("P/e7-e8", "bxe8+", Color::White, "e7", "e8", None),
            ("P/e7-e8", "", Color::White, "e7", "e8", None),
            ("P/e7-e8", "e8=", Color::White, "e7", "e8", None),
            ("P/b2-b3", "b3=Q", Color::White, "b2", "b3", None),
            ("P/a2-a1", "a1=Q", Color::White, "a2", "a1", None),
        ];
        for (word, san, mover, from, to, promotion) in cases {
            assert_eq!(read(word, san, mover), Some(normal(Role::Pawn, from, to, promotion)), "{word} {san}");
        }
        assert_eq!(read("R/a7-a8", "Ra8=Q", Color::White), Some(normal(Role::Rook, "a7", "a8", None)));
    }

    // Rules: bugs 39
    #[test]
    fn a_san_of_any_length_is_harmless() {
        let long = format!("{}=N{}", "f".repeat(5000), "+".repeat(5000));
        assert_eq!(read("P/f7-f8", &long, Color::White), Some(normal(Role::Pawn, "f7", "f8", Some(Role::Knight))));
        let endless = "Nb1xd2xf3xg5xe6xc7xa8+".repeat(1000);
        assert_eq!(read("N/c7-a8", &endless, Color::White), Some(normal(Role::Knight, "c7", "a8", None)));
    }

    // Rules: style12 V2, bugs 31
    #[test]
    fn castling_in_every_spelling() {
        let cases = [
            (CastlingSide::Short, &["o-o", "O-O", "0-0", "oo", "OO"][..]),
            (CastlingSide::Long, &["o-o-o", "O-O-O", "0-0-0", "ooo", "OOO"][..]),
        ];
        for (side, words) in cases {
            for word in words {
                assert_eq!(read(word, "O-O", Color::White), Some(castle(side, "", "")), "{word}");
            }
        }
    }

    // Rules: bugs 32
    #[test]
    fn drops_in_every_spelling() {
        for word in ["N/@@-f3", "N@@-f3", "N@f3", "n/@@-f3", "n@@-f3", "n@f3"] {
            let want = LastMove::Drop { role: Role::Knight, to: square("f3") };
            assert_eq!(read(word, "N@f3+", Color::Black), Some(want), "{word}");
        }
        for word in ["K/@@-f3", "N/@@-f9", "N/@@-@@", "N/f3-@@", "N@", "@@-f3"] {
            assert_eq!(read(word, "N@f3", Color::Black), None, "{word}");
        }
    }

    #[test]
    fn hidden_moves_of_kriegspiel() {
        for word in ["?", "?xb1", "?/@@-e4"] {
            assert_eq!(read(word, "?", Color::White), Some(LastMove::Hidden), "{word}");
        }
    }

    #[test]
    fn other_words_are_refused() {
        let words = [
            "",
            "none",
            "None",
            "P/e2",
            "P/e2-",
            "P/e2e4",
            "X/e2-e4",
            "P/e2-e9",
            "P/i2-e4",
            "P/e7-e8=",
            "P/e7-e8=P",
            "P/e7-e8=QQ",
            "P/e2-e4 ",
            "e2e4",
            "o",
            "o-",
            "o-o-",
            "o--o",
            "oooo",
            "0-0-0-0",
        ];
        for word in words {
            assert_eq!(read(word, "e8=Q", Color::White), None, "{word}");
        }
    }

    // Rules: style12 V2
    #[test]
    fn the_squares_of_a_castling_are_found_on_the_board_before() {
        const REST: &str = "-------- -------- -------- -------- -------- --------";
        let cases = [
            ("orthodox", "R---K--R", CastlingSide::Short, "g1", "e1", "h1"),
            ("orthodox, no board after", "R---K--R", CastlingSide::Long, "", "e1", "a1"),
            ("chess960", "-R-K--R-", CastlingSide::Long, "c1", "d1", "b1"),
            ("chess960, king on d, short", "-R-K--R-", CastlingSide::Short, "g1", "d1", "g1"),
            ("chess960, king on b goes to g", "RK----R-", CastlingSide::Short, "g1", "b1", "g1"),
            ("wild 0, short towards a", "R--K---R", CastlingSide::Short, "b1", "d1", "a1"),
            ("wild 0, long towards h", "R--K---R", CastlingSide::Long, "f1", "d1", "h1"),
            ("king on e never mirrors", "R---K--R", CastlingSide::Short, "b1", "e1", "h1"),
            ("no rook", "----K---", CastlingSide::Short, "g1", "e1", ""),
            ("no king", "R------R", CastlingSide::Short, "g1", "", ""),
        ];
        for (name, first, side, king_after, king_from, rook_from) in cases {
            let before = board(&format!("-------- {REST} {first}"));
            let found = castle(side, "", "").with_castling_squares(&before, king_after.parse().ok(), Color::White);
            assert_eq!(found, castle(side, king_from, rook_from), "{name}");
            assert_eq!(found.with_castling_squares(&Board::EMPTY, None, Color::White), found, "{name}");
        }
        let push = normal(Role::Pawn, "e2", "e4", None);
        assert_eq!(push.with_castling_squares(&Board::START, None, Color::White), push);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_move_or_refused(word: Vec<u8>, san: Vec<u8>) {
            let _ = LastMove::parse_verbose(&word, &san, Color::White);
        }

        #[test]
        fn the_plain_form_is_parsed_like_any_form(word in "[PNBRQKpnx]/[`-i][0-9]-[`-i][0-9]|[ -~]{7}") {
            for mover in Color::BOTH {
                let usual = LastMove::parse_plain(word.as_bytes().try_into().unwrap(), mover);
                prop_assert!(usual.is_none() || usual == LastMove::parse_verbose(word.as_bytes(), b"", mover));
            }
        }

        #[test]
        fn near_misses_are_harmless(word in "[PNBRQKpnk?]?[/@]{0,2}[a-i@]{0,2}[0-9@]?-?[a-i][0-9](=[A-Z])?", san in "[a-hNx=+#O-]{0,9}") {
            for mover in Color::BOTH {
                let _ = LastMove::parse_verbose(word.as_bytes(), san.as_bytes(), mover);
            }
        }
    }
}
