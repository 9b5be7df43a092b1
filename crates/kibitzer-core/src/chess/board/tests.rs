mod apply;

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
