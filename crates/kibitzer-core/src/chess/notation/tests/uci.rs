use crate::chess::CastlingSide::{Long, Short};

use super::*;
use crate::chess::board::tests::square;
use crate::chess::last_move::tests::{castle, normal};

fn uci(last_move: LastMove, mover: Color) -> Option<String> {
    last_move.to_uci(mover).map(|uci| uci.to_string())
}

#[test]
fn walks_promotions_and_drops() {
    let cases = [
        (normal(Role::Pawn, "e2", "e4", None), "e2e4"),
        (normal(Role::King, "e1", "g1", None), "e1g1"),
        (normal(Role::Pawn, "e7", "e8", Some(Role::Queen)), "e7e8q"),
        (normal(Role::Pawn, "a2", "b1", Some(Role::Knight)), "a2b1n"),
        (normal(Role::Pawn, "a2", "b1", Some(Role::King)), "a2b1k"),
        (LastMove::Drop { role: Role::Knight, to: square("f3") }, "N@f3"),
        (LastMove::Drop { role: Role::Pawn, to: square("h7") }, "P@h7"),
    ];
    for (last_move, want) in cases {
        assert_eq!(uci(last_move, Color::White).as_deref(), Some(want));
    }
    assert_eq!(uci(LastMove::Hidden, Color::White), None);
}

// Rules: style12 V2, bugs 31
#[test]
fn castling_is_the_kings_way_or_the_chess960_form() {
    let cases = [
        (castle(Short, "", ""), Color::White, Some("e1g1")),
        (castle(Long, "", ""), Color::White, Some("e1c1")),
        (castle(Short, "", ""), Color::Black, Some("e8g8")),
        (castle(Long, "", ""), Color::Black, Some("e8c8")),
        (castle(Short, "e1", "h1"), Color::White, Some("e1g1")),
        (castle(Long, "e8", "b8"), Color::Black, Some("e8c8")),
        (castle(Short, "d1", "h1"), Color::White, Some("d1h1")),
        (castle(Long, "b8", "a8"), Color::Black, Some("b8a8")),
        (castle(Short, "f1", ""), Color::White, None),
    ];
    for (last_move, mover, want) in cases {
        assert_eq!(uci(last_move, mover).as_deref(), want, "{last_move:?}");
    }
}
