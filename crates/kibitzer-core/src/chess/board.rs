//! The board: 64 squares and their pieces.

use std::fmt;

use super::{Color, Piece, Role, Square};

/// The letter of an empty square, as style 12 sends it.
const EMPTY: u8 = b'-';

/// The pieces on the 64 squares, without side to move, castling rights or counters.
///
/// `Display` writes the placement field of FEN, `Debug` draws the board.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// The letters of style 12; first rank first, a-file first.
    ranks: [[u8; 8]; 8],
}

impl Board {
    /// A board without pieces.
    pub const EMPTY: Self = Self { ranks: [[EMPTY; 8]; 8] };

    /// The start position of chess.
    pub(crate) const START: Self = Self {
        ranks: [
            *b"RNBQKBNR",
            *b"PPPPPPPP",
            *b"--------",
            *b"--------",
            *b"--------",
            *b"--------",
            *b"pppppppp",
            *b"rnbqkbnr",
        ],
    };

    /// Creates a board from the rows of style 12: the eighth rank first, the a-file first, `-` for an empty square. `None` if a
    /// byte is neither `-` nor one of `PNBRQKpnbrqk`.
    ///
    /// Any number of pieces is accepted: variants and set-up positions have boards without kings or with nine queens.
    pub fn from_rows(rows: &[[u8; 8]; 8]) -> Option<Self> {
        let [eighth, seventh, sixth, fifth, fourth, third, second, first] = *rows;
        let ranks = [first, second, third, fourth, fifth, sixth, seventh, eighth];
        // `all` would stop at the first illegal letter; without that exit the compiler can vectorize the loop.
        let all_legal = ranks.as_flattened().iter().fold(true, |legal, &letter| legal & is_square_letter(letter));
        all_legal.then_some(Self { ranks })
    }

    /// Returns the rows as style 12 sends them; see [`from_rows`](Self::from_rows).
    #[doc(hidden)]
    pub fn to_rows(&self) -> [[u8; 8]; 8] {
        let mut rows = self.ranks;
        rows.reverse();
        rows
    }

    /// Creates a board from the rows of style 12 with a blank after each; see [`from_rows`](Self::from_rows). Does not check the
    /// letters: the caller has to.
    pub(crate) fn from_spaced_rows(rows: &[u8; 72]) -> Self {
        let mut ranks = [[EMPTY; 8]; 8];
        for (rank, [squares @ .., _]) in ranks.iter_mut().rev().zip(rows.as_chunks::<9>().0) {
            *rank = *squares;
        }
        Self { ranks }
    }

    /// Returns the rows of style 12 with a blank after each.
    pub(crate) fn to_spaced_rows(self) -> [u8; 72] {
        let mut rows = [b' '; 72];
        for (rank, [squares @ .., _]) in self.ranks.iter().rev().zip(rows.as_chunks_mut::<9>().0) {
            *squares = *rank;
        }
        rows
    }

    /// Returns the piece on a square; `None` if the square is empty.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.ranks.as_flattened().get(square.index()).copied().and_then(Piece::from_letter)
    }

    /// Sets the piece on a square, and replaces any other piece there; `None` empties the square.
    pub fn set(&mut self, square: Square, piece: Option<Piece>) {
        if let Some(letter) = self.ranks.as_flattened_mut().get_mut(square.index()) {
            *letter = piece.map_or(EMPTY, Piece::letter_byte);
        }
    }

    /// Iterates over all pieces with their squares, from a1 along the ranks to h8.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> {
        let letters = self.ranks.as_flattened().iter();
        Square::all().zip(letters).filter_map(|(square, &letter)| Some((square, Piece::from_letter(letter)?)))
    }

    /// Returns the square of this side's king; `None` without a king. If there are several, as in suicide chess, returns the
    /// first from a1 along the ranks.
    #[doc(hidden)]
    pub fn find_king(&self, color: Color) -> Option<Square> {
        let king = Piece { color, role: Role::King }.letter_byte();
        Square::all().nth(memchr::memchr(king, self.ranks.as_flattened())?)
    }

    /// Returns the total [value](Role::material_value) of this side's pieces on the board. Style 12 also counts those in the
    /// reserve.
    #[doc(hidden)]
    pub fn material(&self, color: Color) -> u16 {
        self.pieces()
            .filter(|(_, piece)| piece.color == color)
            .map(|(_, piece)| u16::from(piece.role.material_value()))
            .sum()
    }

    /// Returns whether exactly this piece is on the square.
    pub(crate) fn has_piece(&self, square: Square, piece: Piece) -> bool {
        self.ranks.as_flattened().get(square.index()) == Some(&piece.letter_byte())
    }

    /// Returns the square that a pawn of `side_to_move`'s opponent skipped in its double push on the file (0 is the a-file),
    /// whether or not a pawn can capture it en passant.
    ///
    /// `None` if there is no such pawn, or the skipped square is not empty: the line is garbled, or an examiner has edited the
    /// position.
    ///
    /// Source: FICS help file `style12`, field 10. The rank follows from the side to move.
    pub(crate) fn en_passant_square(&self, side_to_move: Color, double_push_file: u8) -> Option<Square> {
        let (rank, rank_in_front) = match side_to_move {
            Color::White => (5, 4),
            Color::Black => (2, 3),
        };
        let square = Square::new(double_push_file, rank)?;
        let pawn = Piece { color: side_to_move.opponent(), role: Role::Pawn };
        (self.has_piece(Square::at(double_push_file, rank_in_front), pawn) && self.piece(square).is_none())
            .then_some(square)
    }
}

/// Returns whether `letter` is a piece letter or `-`.
const fn is_square_letter(letter: u8) -> bool {
    matches!(letter, EMPTY | b'P' | b'N' | b'B' | b'R' | b'Q' | b'K' | b'p' | b'n' | b'b' | b'r' | b'q' | b'k')
}

impl Default for Board {
    /// Returns the start position of chess.
    fn default() -> Self {
        Self::START
    }
}

impl fmt::Display for Board {
    /// Writes the placement field of FEN: for each row letters, and a digit for each run of empty squares.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Collected first, as writing each letter to a formatter takes longer than all the rest.
        let mut field = [0; 72];
        let mut free = field.iter_mut();
        let mut push = |letter| free.next().into_iter().for_each(|place| *place = letter);
        let mut n_empty = 0;
        for &letter in &self.to_spaced_rows() {
            if letter == EMPTY {
                n_empty += 1;
                continue;
            }
            if n_empty > 0 {
                push(b'0' + n_empty);
                n_empty = 0;
            }
            push(if letter == b' ' { b'/' } else { letter });
        }
        // Without the last `/`.
        let n_unused = free.len() + 1;
        let field = field.get(..field.len() - n_unused).unwrap_or_default();
        f.write_str(std::str::from_utf8(field).unwrap_or_default())
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_rows().iter().try_for_each(|row| write!(f, "\n{}", row.escape_ascii()))
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The board a style 12 line draws: eight words.
    pub(crate) fn board(rows: &str) -> Board {
        let rows: Vec<[u8; 8]> = rows.split(' ').map(|row| row.as_bytes().try_into().unwrap()).collect();
        Board::from_rows(&rows.try_into().unwrap()).unwrap()
    }

    pub(crate) fn square(name: &str) -> Square {
        name.parse().unwrap()
    }

    prop_compose! {
        /// Any board that can be sent.
        pub(crate) fn any_board()(letters in prop::array::uniform(prop::array::uniform(
            prop::sample::select(&b"------PNBRQKpnbrqk"[..])
        ))) -> Board {
            Board::from_rows(&letters).unwrap()
        }
    }

    const START: &str = "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR";

    #[test]
    fn the_start_position_as_sent() {
        let start = board(START);
        assert_eq!(start, Board::START);
        assert_eq!(start, Board::default());
        assert_eq!(start.to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR");
        assert_eq!(format!("{start:?}"), format!("\n{}", START.replace(' ', "\n")));
        assert_eq!(Color::BOTH.map(|color| start.material(color)), [39, 39]);
        assert_eq!(Color::BOTH.map(|color| start.find_king(color)), [Some(square("e1")), Some(square("e8"))]);
        assert_eq!(start.pieces().count(), 32);
    }

    #[test]
    fn pieces_are_on_the_squares_of_their_rows() {
        // fatics-chess960-observer
        let drawn = board("r-b-k--- -p-n---r p-P--p-- -------- --P----- -P---P-- P---N--b --KR-N--");
        let cases = [("a8", 'r'), ("e8", 'k'), ("h7", 'r'), ("c6", 'P'), ("h2", 'b'), ("c1", 'K'), ("f1", 'N')];
        for (name, letter) in cases {
            assert_eq!(drawn.piece(square(name)).map(Piece::letter), Some(letter), "{name}");
        }
        assert_eq!(drawn.piece(square("d4")), None);
        assert_eq!(Color::BOTH.map(|color| drawn.material(color)), [16, 22]);
        assert_eq!(drawn.to_string(), "r1b1k3/1p1n3r/p1P2p2/8/2P5/1P3P2/P3N2b/2KR1N2");
        assert_eq!(Board::EMPTY.to_string(), "8/8/8/8/8/8/8/8");
        assert_eq!(Board::EMPTY.find_king(Color::White), None);
    }

    #[test]
    fn a_set_piece_is_on_its_square() {
        let mut edited = Board::EMPTY;
        for (name, letter) in [("a1", b'K'), ("h8", b'k'), ("d5", b'p')] {
            edited.set(square(name), Piece::from_letter(letter));
        }
        assert_eq!(edited.to_string(), "7k/8/8/3p4/8/8/8/K7");
        edited.set(square("d5"), None);
        assert_eq!(edited.to_string(), "7k/8/8/8/8/8/8/K7");
    }

    // Rules: bugs 41
    #[test]
    fn a_row_with_another_letter_in_any_place_is_refused() {
        for place in Square::all() {
            for letter in 0..=u8::MAX {
                let mut rows = Board::START.to_rows();
                rows.as_flattened_mut()[place.index()] = letter;
                assert_eq!(Board::from_rows(&rows).is_some(), b"-PNBRQKpnbrqk".contains(&letter), "{place} {letter}");
            }
        }
    }

    // Rules: style12 FEN, bugs 33
    #[test]
    fn the_en_passant_square_is_the_one_the_pawn_skipped() {
        let after_d5 = board("rnbqkbnr ppp-pppp -------- ---p---- -------- -------- PPPPPPPP RNBQKBNR");
        let after_e4 = board("rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR");
        let blocked = board("-------- -------- ---n---- ---p---- ----P--- ----N--- -------- --------");
        let cases = [
            ("W to move, file 3", after_d5, Color::White, 3, Some("d6")),
            ("B to move, file 4", after_e4, Color::Black, 4, Some("e3")),
            ("no pawn on the file", after_d5, Color::White, 4, None),
            ("the pawn is the mover's own", after_e4, Color::White, 4, None),
            ("the other side moved", after_d5, Color::Black, 3, None),
            ("a piece on d6", blocked, Color::White, 3, None),
            ("a piece on e3", blocked, Color::Black, 4, None),
            ("no such file", after_d5, Color::White, 8, None),
            ("a file past any", after_d5, Color::White, 255, None),
        ];
        for (name, drawn, side_to_move, file, want) in cases {
            assert_eq!(drawn.en_passant_square(side_to_move, file), want.map(square), "{name}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_board_or_refused(rows: [[u8; 8]; 8]) {
            prop_assert!(Board::from_rows(&rows).is_none_or(|drawn| drawn.to_rows() == rows));
        }

        #[test]
        fn a_board_is_the_sum_of_its_pieces(drawn in any_board()) {
            let mut copy = Board::EMPTY;
            drawn.pieces().for_each(|(at, piece)| copy.set(at, Some(piece)));
            prop_assert_eq!(copy, drawn);
            prop_assert_eq!(Board::from_rows(&drawn.to_rows()), Some(drawn));
        }
    }
}
