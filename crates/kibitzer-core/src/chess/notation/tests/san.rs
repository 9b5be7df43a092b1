use proptest::prelude::*;

use super::*;
use crate::chess::board::tests::{any_board, board, square};
use crate::chess::last_move::tests::{castle, normal};

fn find(rows: &str, san: &str, mover: Color) -> Option<LastMove> {
    SanMove::parse(san.as_bytes())?.to_last_move(&board(rows), mover)
}

#[test]
fn a_word_is_a_piece_where_it_goes_and_where_it_may_come_from() {
    let walk = |role, (from_file, from_rank), to, is_capture, promotion| {
        Some(SanMove::Normal { role, from_file, from_rank, to: square(to), is_capture, promotion })
    };
    let cases = [
        ("e4", walk(Role::Pawn, (None, None), "e4", false, None)),
        ("exd5", walk(Role::Pawn, (Some(4), None), "d5", true, None)),
        ("Nf3+", walk(Role::Knight, (None, None), "f3", false, None)),
        ("Nbd2", walk(Role::Knight, (Some(1), None), "d2", false, None)),
        ("R1xe2#", walk(Role::Rook, (None, Some(0)), "e2", true, None)),
        ("Qa1b2", walk(Role::Queen, (Some(0), Some(0)), "b2", false, None)),
        ("e8=Q+", walk(Role::Pawn, (None, None), "e8", false, Some(Role::Queen))),
        ("bxa1N", walk(Role::Pawn, (Some(1), None), "a1", true, Some(Role::Knight))),
        ("O-O", Some(SanMove::Castle(CastlingSide::Short))),
        ("O-O-O+", Some(SanMove::Castle(CastlingSide::Long))),
        ("N@e4", Some(SanMove::Drop { role: Role::Knight, to: square("e4") })),
        ("@e4", Some(SanMove::Drop { role: Role::Pawn, to: square("e4") })),
        ("?", Some(SanMove::Hidden)),
    ];
    for (word, want) in cases {
        assert_eq!(SanMove::parse(word.as_bytes()), want, "{word}");
    }
    for word in ["", "e", "e9", "Ze4", "Nxx4", "e8=", "e8=P", "K@e4", "Nabc3", "none", "+", "x"] {
        assert_eq!(SanMove::parse(word.as_bytes()), None, "{word}");
    }
}

#[test]
fn the_piece_that_can_is_found() {
    let middle = "r---k--r p-p--ppp -p------ ---pP--- --B----- --N--N-- PPP--PPP R---K--R";
    let cases = [
        ("Ne4", Color::White, Some(normal(Role::Knight, "c3", "e4", None))),
        ("Nd4", Color::White, Some(normal(Role::Knight, "f3", "d4", None))),
        ("Nb5", Color::White, Some(normal(Role::Knight, "c3", "b5", None))),
        ("exd6", Color::White, Some(normal(Role::Pawn, "e5", "d6", None))),
        ("Bxd5", Color::White, Some(normal(Role::Bishop, "c4", "d5", None))),
        ("dxc4", Color::Black, Some(normal(Role::Pawn, "d5", "c4", None))),
        ("g4", Color::White, Some(normal(Role::Pawn, "g2", "g4", None))),
        ("f3", Color::White, None),
        ("f6", Color::Black, Some(normal(Role::Pawn, "f7", "f6", None))),
        ("a5", Color::Black, Some(normal(Role::Pawn, "a7", "a5", None))),
        ("Rd1", Color::White, Some(normal(Role::Rook, "a1", "d1", None))),
        ("Rg1", Color::White, Some(normal(Role::Rook, "h1", "g1", None))),
        ("O-O", Color::White, Some(castle(CastlingSide::Short, "e1", "h1"))),
        ("O-O-O", Color::Black, Some(castle(CastlingSide::Long, "e8", "a8"))),
        ("Q@d4", Color::White, Some(LastMove::Drop { role: Role::Queen, to: square("d4") })),
        ("Q@c4", Color::White, None),
    ];
    for (san, mover, want) in cases {
        assert_eq!(find(middle, san, mover), want, "{san}");
    }
    assert_eq!(
        find(
            "-------- P------- -------- -------- -------- -------- -------- -------- ".trim_end(),
            "a8=R",
            Color::White
        ),
        Some(normal(Role::Pawn, "a7", "a8", Some(Role::Rook)))
    );
}

#[test]
fn of_two_that_reach_it_the_one_that_does_not_expose_its_king() {
    // The knight on c3 is pinned by the bishop on b4.
    let pinned = "-------- -------- -------- -------- -b------ --N----- -------- ----K-N-";
    assert_eq!(find(pinned, "Ne2", Color::White), Some(normal(Role::Knight, "g1", "e2", None)));
    // Neither is, or there is no king that could be attacked.
    let free = pinned.replace('b', "-");
    assert_eq!((find(&free, "Ne2", Color::White), find(&pinned.replace('K', "-"), "Ne2", Color::White)), (None, None));
    assert_eq!(find(&free, "Nce2", Color::White), Some(normal(Role::Knight, "c3", "e2", None)));
    // Taking en passant, too, may open the line.
    let line = "-------- -------- -------- K-PpP--r -------- -------- -------- --------";
    assert_eq!(find(line, "cxd6", Color::White), Some(normal(Role::Pawn, "c5", "d6", None)));
    // The only one that reaches it went there, whatever the rules of the variant make of it.
    let only = "-------- -------- -------- -------- -b------ --N----- -------- ----K---";
    assert_eq!(find(only, "Ne2", Color::White), Some(normal(Role::Knight, "c3", "e2", None)));
}

proptest! {
    #[test]
    fn found_castling_squares_can_be_used(before in any_board(), word in "[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](=?[QRBN])?[+#]?", is_white: bool) {
        let mover = if is_white { Color::White } else { Color::Black };
        let found = SanMove::parse(word.as_bytes()).and_then(|san| san.to_last_move(&before, mover));
        if let Some(LastMove::Normal { role, from, .. }) = found {
            let piece = Piece { color: mover, role };
            prop_assert!(before.has_piece(from, piece));
        }
    }

    #[test]
    fn a_king_is_in_check_if_any_enemy_can_move_to_it(board in any_board(), is_white: bool) {
        let color = if is_white { Color::White } else { Color::Black };
        let attacks = |king| {
            board.pieces().any(|(from, piece)| piece.color != color && board.can_move_between(piece, from, king))
        };
        prop_assert_eq!(board.is_in_check(color), board.find_king(color).is_some_and(attacks));
    }

    #[test]
    fn any_word_is_read_or_not(word in prop::collection::vec(any::<u8>(), 0..12), before in any_board()) {
        let _ = SanMove::parse(&word).and_then(|san| san.to_last_move(&before, Color::White));
    }
}
