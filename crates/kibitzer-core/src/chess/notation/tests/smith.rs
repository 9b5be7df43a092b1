use proptest::prelude::*;

use super::*;
use crate::chess::board::tests::{board, square};
use crate::chess::last_move::tests::{castle, normal};

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
        "", "e2", "e2e", "e2e9", "i2e4", "e2-e4", "e2e4x", "e2e4P", "e7e8Qn", "e7e8QQ", "e7d8nq", "e1g1cc", "e1g1cQ",
        "e2e4e", "K@f7", "Q@f9", "Q@", "@f7", "O-O", "+",
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
