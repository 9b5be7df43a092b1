use proptest::prelude::*;

use super::super::board::tests::{board, square};
use super::*;

#[test]
fn flags_come_in_the_order_of_style_12() {
    let cases = [
        ([1, 1, 1, 1], "KQkq"),
        ([1, 0, 0, 0], "K"),
        ([0, 1, 0, 0], "Q"),
        ([0, 0, 1, 0], "k"),
        ([0, 0, 0, 1], "q"),
        ([0, 0, 0, 0], "-"),
        ([9, 0, 255, 0], "Kk"),
    ];
    for (flags, want) in cases {
        assert_eq!(CastlingRights::from_flags(flags).to_string(), want);
    }
    assert_eq!(CastlingRights::from_flags([1; 4]), CastlingRights::ALL);
    assert_eq!(CastlingRights::from_flags([0; 4]), CastlingRights::NONE);
}

#[test]
fn rights_come_and_go_one_by_one() {
    for (color, side) in CastlingRights::ALL.iter() {
        let one = CastlingRights::NONE.with(color, side);
        assert!(one.has(color, side));
        assert!(!one.has(!color, side) && !one.has(color, side.opposite()));
        assert_eq!(one.without(color, side), CastlingRights::NONE);
        assert!(!CastlingRights::ALL.without(color, side).has(color, side));
    }
}

// Rules: style12 FEN
#[test]
fn only_rights_with_king_and_rook_in_place_are_plausible() {
    const REST: &str = "-------- -------- -------- -------- -------- --------";
    let cases = [
        ("orthodox", "r---k--r", "R---K--R", "KQkq"),
        ("a king has gone", "r---k--r", "R------R", "kq"),
        ("kings castled", "r----rk-", "--KR---R", "Kq"),
        ("corners empty", "----k--r", "R---K---", "Qk"),
        ("foreign rooks", "R---k--R", "r---K--r", "-"),
        ("chess960", "-r-k--r-", "-R-K--R-", "KQkq"),
        ("chess960, rook on one side only", "-r-k----", "---K--R-", "Kq"),
        ("king on e, rook on g", "----k-r-", "-R--K---", "Qk"),
        ("wild 0: king on d", "r--k---r", "R--K---R", "KQkq"),
        ("king in the corner", "k------r", "R------K", "Qk"),
        ("empty", "--------", "--------", "-"),
    ];
    for (name, eighth, first, want) in cases {
        let drawn = board(&format!("{eighth} {REST} {first}"));
        assert_eq!(CastlingRights::ALL.plausible_on(&drawn).to_string(), want, "{name}");
        assert_eq!(CastlingRights::NONE.plausible_on(&drawn), CastlingRights::NONE, "{name}");
    }
    let kings_up = board("-------- r---k--r -------- -------- -------- -------- R---K--R --------");
    assert_eq!(CastlingRights::ALL.plausible_on(&kings_up), CastlingRights::NONE);
}

#[test]
fn the_outer_of_two_rooks_castles() {
    let drawn = board("rr-k-rr- -------- -------- -------- -------- -------- -------- R-RKR--R");
    let cases = [
        (Color::White, CastlingSide::Short, "d1", "h1"),
        (Color::White, CastlingSide::Long, "d1", "a1"),
        (Color::Black, CastlingSide::Short, "d8", "g8"),
        (Color::Black, CastlingSide::Long, "d8", "a8"),
    ];
    for (color, side, king, rook) in cases {
        assert_eq!(drawn.castling_king_and_rook(color, side), Some((square(king), square(rook))), "{color} {side:?}");
    }
}

proptest! {
    #[test]
    fn iterating_gives_the_rights_back(flags in prop::array::uniform4(0_u8..2)) {
        let rights = CastlingRights::from_flags(flags);
        let again = rights.iter().fold(CastlingRights::NONE, |sum, (color, side)| sum.with(color, side));
        prop_assert_eq!(again, rights);
    }
}
