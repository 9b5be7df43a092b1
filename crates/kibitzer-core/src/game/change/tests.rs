use crate::{Event, EventReader};

const START: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 A B 0 5 0 39 39 \
        300 300 1 none (0:00) none 0";
const E4: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 7 A B 0 5 0 39 39 \
        299 300 1 P/e2-e4 (0:01) e4 0";
const E5: &str = "<12> rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR W 4 1 1 1 1 0 7 A B 0 5 0 39 39 \
        299 299 2 P/e7-e5 (0:01) e5 0";
const BEFORE_CASTLING: &str = "<12> r---k--r -------- -------- -------- -------- -------- -------- R---K--R W -1 1 1 1 1 3 7 A B 0 \
        5 0 9 9 99 99 9 K/e7-e8 (0:01) Ke8 0";

/// Expected position, received position and differing squares of the desync that the lines end in.
fn desync(lines: &[&str]) -> (Option<String>, Option<String>, Option<String>) {
    let (mut reader, stream) = (EventReader::default(), lines.join("\n\r").replace('^', "\x19") + "\n\r");
    let mut input = stream.as_bytes();
    let events = std::iter::from_fn(|| reader.next(&mut input).or_else(|| reader.finish()));
    let last = events.filter_map(|event| if let Event::Desync(desync) = event { Some(desync) } else { None }).last();
    let desync = last.unwrap_or_else(|| panic!("no desync: {stream}"));
    let squares =
        desync.differing_squares().map(|squares| squares.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    let [expected, actual] = [desync.expected, desync.actual].map(|fen| fen.map(|fen| fen.to_string()));
    (expected, actual, squares)
}

#[test]
fn the_received_position_is_compared_with_the_one_after_the_reported_move() {
    let other_pawn = E4.replace("----P---", "---P----").replace("PPPP-PPP", "PPP-PPPP");
    let unplayable = E4.replace("P/e2-e4 (0:01) e4", "P/e3-e4 (0:01) e4");
    let again = E4.replace("RNBQKBNR", "-NBQKBNR");
    let castled = BEFORE_CASTLING
        .replace("R---K--R W -1 1 1 1 1 3", "R----KR- B -1 0 0 1 1 4")
        .replace("K/e7-e8 (0:01) Ke8", "o-o (0:01) O-O");
    let taken_back = other_pawn.replace("P/e2-e4 (0:01) e4", "P/d2-d4 (0:01) d4");
    let after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1";
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let cases = [
        (vec![START, &other_pawn], after_e4, "d2 e2 d4 e4"),
        (vec![START, &unplayable], start, "e2 e4"),
        (vec![START, E4, &again], after_e4, "a1"),
        (vec![START, E4, E5, &taken_back], after_e4, "d2 e2 d4 e4"),
        (vec![BEFORE_CASTLING, &castled], "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 9", "f1 g1"),
    ];
    for (lines, expected, squares) in cases {
        let (found, actual, differing) = desync(&lines);
        assert_eq!((found.as_deref(), differing.as_deref()), (Some(expected), Some(squares)), "{lines:?}");
        assert!(actual.is_some_and(|actual| actual != expected), "{lines:?}");
    }
}

#[test]
fn a_position_of_icc_is_compared_with_the_known_one() {
    let observed = "^(18 7 A B 0 Blitz 1 5 0 5 0 1 {} 1500 1500 1 {} {} 0 0 0 {} 0^)";
    let position = "^(101 7 {8/8/8/8/8/8/8/K1k5 w - - 3 9} 0^)";
    let (expected, actual, squares) = desync(&[observed, START, E4, position]);
    assert_eq!(expected.as_deref(), Some("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"));
    assert_eq!(actual.as_deref(), Some("8/8/8/8/8/8/8/K1k5 w - - 3 9"));
    assert_eq!(squares.map(|squares| squares.split(' ').count()), Some(32));
}

#[test]
fn a_move_without_a_board_has_the_last_known_position_only() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned();
    for delta in ["<d1> 7 1 e4 e3e4 1 1", "<d1> 7 9 e4 e2e4 1 1"] {
        assert_eq!(desync(&[START, delta]), (Some(start.clone()), None, None), "{delta}");
    }
    assert_eq!(desync(&["<d1> 7 1 e4 e2e4 1 1"]), (None, None, None), "no position is known");
}
