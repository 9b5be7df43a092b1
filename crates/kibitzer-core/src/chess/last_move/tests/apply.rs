use proptest::prelude::*;

use super::*;
use crate::chess::board::tests::{any_board, board, square};
use crate::chess::last_move::tests::castle;

/// Reads the verbose move, plays it, and compares with the board the server sent next.
fn play(name: &str, before: &str, (word, san): (&str, &str), mover: Color, after: &str, captured: Option<Role>) {
    let mut played = board(before);
    let last_move = LastMove::parse_verbose(word.as_bytes(), san.as_bytes(), mover).unwrap();
    assert_eq!(played.apply(last_move, mover), Ok(captured), "{name}");
    assert_eq!(played, board(after), "{name}");
    let located = last_move.with_castling_squares(&board(before), played.find_king(mover), mover);
    if captured.is_none() {
        assert_eq!(played.undo(located, mover, None), Some(board(before)), "{name}");
    }
}

#[test]
fn walks_and_captures_of_a_real_game() {
    // fatics-chess960-observer
    let game: &[(&str, &str, Option<Role>, &str)] = &[
        ("P/b2-b3", "b3", None, "rbbqknnr pppppppp -------- -------- -------- -P------ P-PPPPPP RBBQKNNR"),
        ("P/g7-g5", "g5", None, "rbbqknnr pppppp-p -------- ------p- -------- -P------ P-PPPPPP RBBQKNNR"),
        ("B/c1-a3", "Ba3", None, "rbbqknnr pppppp-p -------- ------p- -------- BP------ P-PPPPPP RB-QKNNR"),
        ("P/c7-c6", "c6", None, "rbbqknnr pp-ppp-p --p----- ------p- -------- BP------ P-PPPPPP RB-QKNNR"),
        (
            "B/a3-e7",
            "Bxe7",
            Some(Role::Pawn),
            "rbbqknnr pp-pBp-p --p----- ------p- -------- -P------ P-PPPPPP RB-QKNNR",
        ),
    ];
    let mut before = "rbbqknnr pppppppp -------- -------- -------- -------- PPPPPPPP RBBQKNNR";
    for (&(word, san, captured, after), mover) in game.iter().zip(Color::BOTH.into_iter().cycle()) {
        play(word, before, (word, san), mover, after, captured);
        before = after;
    }
}

// Rules: style12 V4
#[test]
fn a_pawn_that_leaves_its_file_for_an_empty_square_captures_en_passant() {
    play(
        "White",
        "----k--- -------- -------- ---pP--- -------- -------- -------- ----K---",
        ("P/e5-d6", "exd6"),
        Color::White,
        "----k--- -------- ---P---- -------- -------- -------- -------- ----K---",
        Some(Role::Pawn),
    );
    play(
        "Black",
        "----k--- -------- -------- -------- Pp------ -------- -------- ----K---",
        ("P/b4-a3", "bxa3"),
        Color::Black,
        "----k--- -------- -------- -------- -------- p------- -------- ----K---",
        Some(Role::Pawn),
    );
    play(
        "a plain capture beside another pawn",
        "----k--- -------- ---n---- ---pP--- -------- -------- -------- ----K---",
        ("P/e5-d6", "exd6"),
        Color::White,
        "----k--- -------- ---P---- ---p---- -------- -------- -------- ----K---",
        Some(Role::Knight),
    );
}

// Rules: style12 V1, bugs 30
#[test]
fn promotions_in_both_colors() {
    let letters = [('Q', 'q'), ('R', 'r'), ('B', 'b'), ('N', 'n'), ('K', 'k')];
    for (white, black) in letters {
        play(
            "White, straight",
            "-------- ------P- -------- -------- -------- -------- -------- --------",
            ("P/g7-g8", &format!("g8={white}+")),
            Color::White,
            &format!("------{white}- -------- -------- -------- -------- -------- -------- --------"),
            None,
        );
        play(
            "Black, capturing",
            "-------- -------- -------- -------- -------- -------- -p------ R-------",
            (&format!("P/b2-a1={white}"), "bxa1"),
            Color::Black,
            &format!("-------- -------- -------- -------- -------- -------- -------- {black}-------"),
            Some(Role::Rook),
        );
    }
}

// Rules: style12 V2, bugs 31
#[test]
fn castling_ends_on_the_same_files_in_chess_and_chess960() {
    const REST: &str = "-------- -------- -------- -------- -------- --------";
    let cases = [
        (Color::White, "R---K--R", "o-o", "R----RK-"),
        (Color::White, "R---K--R", "O-O-O", "--KR---R"),
        (Color::Black, "r---k--r", "0-0", "r----rk-"),
        (Color::Black, "r---k--r", "ooo", "--kr---r"),
        (Color::White, "-----KR-", "o-o", "-----RK-"),
        (Color::White, "------KR", "o-o", "-----RK-"),
        (Color::White, "RK------", "o-o-o", "--KR----"),
        (Color::White, "-RK-----", "o-o-o", "--KR----"),
        (Color::White, "--RK----", "o-o-o", "--KR----"),
        (Color::Black, "rk----r-", "o-o", "r----rk-"),
        (Color::Black, "-r---k-r", "o-o-o", "--kr---r"),
    ];
    for (mover, before, word, after) in cases {
        let full = |home: &str| match mover {
            Color::White => format!("-------- {REST} {home}"),
            Color::Black => format!("{home} {REST} --------"),
        };
        play(before, &full(before), (word, word), mover, &full(after), None);
    }
}

// Rules: style12 V2
#[test]
fn castling_of_wild_0_goes_to_the_rook_that_is_given() {
    let cases = [(CastlingSide::Short, "a1", "-KR----R"), (CastlingSide::Long, "h1", "R---RK--")];
    for (side, rook, after) in cases {
        let mut played = board("-------- -------- -------- -------- -------- -------- -------- R--K---R");
        assert_eq!(played.apply(castle(side, "d1", rook), Color::White), Ok(None));
        assert_eq!(played.to_rows()[7], after.as_bytes(), "{side:?}");
    }
}

// Rules: bugs 32
#[test]
fn drops_in_both_colors() {
    play(
        "White, fatics-bughouse-observer",
        "rnbqkbnr ppp-pppp --p----- ----P--- ---p---- ---B---- PPPP-PPP RNBQK-NR",
        ("P/@@-f5", "P@f5"),
        Color::White,
        "rnbqkbnr ppp-pppp --p----- ----PP-- ---p---- ---B---- PPPP-PPP RNBQK-NR",
        None,
    );
    play(
        "Black, fatics-bughouse-observer",
        "rnbqkbnr pp--pppp --p----- ----P--- ---p---- ---B---- PPPP-PPP RNBQK-NR",
        ("P/@@-c7", "P@c7"),
        Color::Black,
        "rnbqkbnr ppp-pppp --p----- ----P--- ---p---- ---B---- PPPP-PPP RNBQK-NR",
        None,
    );
}

#[test]
fn a_move_that_does_not_fit_leaves_the_board_alone() {
    const CASTLING: &str = "r---kb-r -------- -------- -------- -------- -------- -------- R--QK---";
    let start = "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR";
    let cases = [
        ("nothing there", start, "P/e4-e5", Color::White, ApplyError::NoSuchPiece(square("e4"))),
        ("another role", start, "Q/e2-e4", Color::White, ApplyError::NoSuchPiece(square("e2"))),
        ("another color", start, "P/e2-e4", Color::Black, ApplyError::NoSuchPiece(square("e2"))),
        ("own piece", start, "R/a1-a2", Color::White, ApplyError::OwnPiece(square("a2"))),
        ("no way at all", start, "K/e1-e1", Color::White, ApplyError::OwnPiece(square("e1"))),
        ("no pawn to take", start, "P/e2-d3", Color::White, ApplyError::NothingToCapture(square("d2"))),
        ("drop on a piece", start, "N/@@-e7", Color::White, ApplyError::Occupied(square("e7"))),
        ("no rook", CASTLING, "o-o", Color::White, ApplyError::CannotCastle),
        ("queen between", CASTLING, "o-o-o", Color::White, ApplyError::Occupied(square("d1"))),
        ("bishop between", CASTLING, "o-o", Color::Black, ApplyError::Occupied(square("f8"))),
        ("hidden", start, "?", Color::White, ApplyError::Hidden),
    ];
    for (name, before, word, mover, want) in cases {
        let mut played = board(before);
        let last_move = LastMove::parse_verbose(word.as_bytes(), b"", mover).unwrap();
        assert_eq!(played.apply(last_move, mover), Err(want), "{name}");
        assert_eq!(played, board(before), "{name}");
    }
    for (king, rook) in [("e1", "h1"), ("d1", "a1"), ("a1", "a1")] {
        let given = castle(CastlingSide::Long, king, rook);
        assert_eq!(board(CASTLING).apply(given, Color::White), Err(ApplyError::CannotCastle), "{king} {rook}");
    }
}

proptest! {
    #[test]
    fn a_walk_keeps_every_piece_but_the_captured_one(before in any_board(), from in 0_usize..64, to in 0_usize..64) {
        let [from, to] = [from, to].map(|index| Square::all().nth(index).unwrap());
        if let Some(Piece { color, role }) = before.piece(from) {
            let mut after = before;
            let played = LastMove::Normal { role, from, to, promotion: None };
            let result = after.apply(played, color);
            if let Ok(captured) = result {
                let at = if before.piece(to).is_some() { to } else { Square::at(to.file(), from.rank()) };
                prop_assert_eq!(after.undo(played, color, captured.map(|role| (at, role))), Some(before));
            }
            let lost = usize::from(matches!(result, Ok(Some(_))));
            prop_assert_eq!(after.pieces().count() + lost, before.pieces().count());
            prop_assert_eq!(result.is_err(), after == before);
        }
    }
}
