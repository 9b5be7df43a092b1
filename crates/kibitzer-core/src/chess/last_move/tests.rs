mod apply;

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
