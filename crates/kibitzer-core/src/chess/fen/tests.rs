use proptest::prelude::*;

use super::super::board::tests::{any_board, board, square};
use super::super::hand::tests::any_hands;
use super::*;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn the_start_position() {
    assert_eq!(Fen::START.to_string(), START);
    assert_eq!(START.parse(), Ok(Fen::START));
    assert_eq!(Fen::default(), Fen::START);
}

// Rules: style12 FEN
#[test]
fn positions_as_servers_send_them() {
    let cases = [
        (
            "help file style12: Black's flags only",
            "rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR",
            (Color::Black, [0, 0, 1, 1], None, 0, 2),
            "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 2",
        ),
        (
            "flags of a king that is not at home",
            "rnbqkb-r pppppppp -----n-- -------- ----P--- -------- PPPPKPPP RNBQ-BNR",
            (Color::Black, [1, 1, 1, 1], None, 0, 2),
            "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPPKPPP/RNBQ1BNR b kq - 0 2",
        ),
        (
            "a double push, also without a pawn beside it",
            "rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR",
            (Color::Black, [1, 1, 1, 1], Some(4), 0, 1),
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
        ),
        (
            "a double push without its pawn",
            "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR",
            (Color::White, [1, 1, 1, 1], Some(3), 0, 1),
            START,
        ),
        (
            "fatics-chess960-observer: White's h-rook taken",
            "rbb-kn-r pp-pnp-p --p----- ------Q- ---P---- -P------ P-P-PPP- RB--KNNq",
            (Color::White, [0, 1, 1, 1], None, 0, 7),
            "rbb1kn1r/pp1pnp1p/2p5/6Q1/3P4/1P6/P1P1PPP1/RB2KNNq w Qkq - 0 7",
        ),
        (
            "all flags 0",
            "-------- -------- -------- -------- -------- -------- -------- K------k",
            (Color::White, [0, 0, 0, 0], None, 57, 90),
            "8/8/8/8/8/8/8/K6k w - - 57 90",
        ),
    ];
    for (name, rows, (side, flags, file, halfmove, number), want) in cases {
        let rows = board(rows);
        let fen = Fen::from_wire(rows, side, CastlingRights::from_flags(flags), file).with_counters(halfmove, number);
        assert_eq!(fen.to_string(), want, "{name}");
        assert_eq!(want.parse(), Ok(fen), "{name}");
    }
}

// Rules: bugs 33
#[test]
fn a_pawn_on_d5_with_white_to_move_gives_d6() {
    let drawn = board("rnbqkbnr ppp-pppp -------- ---p---- -------- -------- PPPPPPPP RNBQKBNR");
    let en_passant = |file| Fen::from_wire(drawn, Color::White, CastlingRights::NONE, file).en_passant;
    assert_eq!(en_passant(Some(3)), Some(square("d6")));
    assert_eq!(en_passant(Some(4)), None);
    assert_eq!(en_passant(None), None);
}

#[test]
fn fields_left_off_at_the_end_have_their_usual_values() {
    for keep in 1..=6 {
        let text = START.split(' ').take(keep).collect::<Vec<_>>().join(" ");
        let castling = if keep < 3 { CastlingRights::NONE } else { CastlingRights::ALL };
        assert_eq!(text.parse(), Ok(Fen { castling, ..Fen::START }), "{text}");
    }
    let text = "  8/8/8/8/8/8/8/8   B  -  a3 ";
    let fen = Fen { en_passant: Some(square("a3")), ..Fen::from_board(Board::EMPTY, Color::Black) };
    assert_eq!(text.parse(), Ok(fen));
    assert_eq!("8/8/8/8/8/8/8/8 w - - 0 0".parse::<Fen>().map(|fen| fen.move_number), Ok(1));
}

#[test]
fn reserves_in_both_forms() {
    let hands = Hands::parse_fen(b"QNpp");
    let cases = [
        ("8/8/8/8/8/8/8/8[QNpp] w", hands),
        ("8/8/8/8/8/8/8/8/QNpp w", hands),
        ("8/8/8/8/8/8/8/8[pNQp] w", hands),
        ("8/8/8/8/8/8/8/8[] w", Some(Hands::default())),
        ("8/8/8/8/8/8/8/8[-] w", Some(Hands::default())),
        ("8/8/8/8/8/8/8/8/ w", Some(Hands::default())),
        ("8/8/8/8/8/8/8/8 w", None),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<Fen>().map(|fen| fen.hands), Ok(want), "{text}");
    }
    let printed = Fen::from_board(Board::EMPTY, Color::White).with_hands(hands).to_string();
    assert_eq!(printed, "8/8/8/8/8/8/8/8[NQpp] w - - 0 1");
    assert_eq!("7Q~/8/8/8/8/8/8/8".parse::<Fen>().map(|fen| fen.board.to_string()), Ok("7Q/8/8/8/8/8/8/8".into()));
}

#[test]
fn castling_letters_of_shredder_fen() {
    let cases = [
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha", "KQkq"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Ha", "Kq"),
        ("1r1k2r1/8/8/8/8/8/8/1R1K2R1 w GBgb", "KQkq"),
        ("1r1k2r1/8/8/8/8/8/8/1R1K2R1 w KQkq", "KQkq"),
        ("rk5r/8/8/8/8/8/8/8 w ah", "kq"),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<Fen>().map(|fen| fen.castling.to_string()), Ok(want.into()), "{text}");
    }
}

// Rules: bugs 41
#[test]
fn errors_name_the_first_invalid_field() {
    let cases = [
        ("", PLACEMENT),
        ("8/8/8/8/8/8/8", PLACEMENT),
        ("10/8/8/8/8/8/8/8", PLACEMENT),
        ("9/8/8/8/8/8/8/8", PLACEMENT),
        ("ppppppppp/8/8/8/8/8/8/8", PLACEMENT),
        ("rnbqkbnrxx/8/8/8/8/8/8/8", PLACEMENT),
        ("88/8/8/8/8/8/8/8", PLACEMENT),
        ("7/8/8/8/8/8/8/8", PLACEMENT),
        ("7-/8/8/8/8/8/8/8", PLACEMENT),
        ("~8/8/8/8/8/8/8/8", PLACEMENT),
        ("8/8/8/8/8/8/8/8[", PLACEMENT),
        ("8/8/8/8/8/8/8/8/8", HANDS),
        ("8/8/8/8/8/8/8/8/Q/", HANDS),
        ("8/8/8/8/8/8/8/8[K]", HANDS),
        ("8/8/8/8/8/8/8/8[[]", HANDS),
        ("8/8/8/8/8/8/8/8 x", SIDE),
        ("8/8/8/8/8/8/8/8 white", SIDE),
        ("8/8/8/8/8/8/8/8 w KX", CASTLING),
        ("8/8/8/8/8/8/8/8 w K-", CASTLING),
        ("8/8/8/8/8/8/8/8 w H", CASTLING),
        ("8/8/8/8/8/8/8/4K3 w E", CASTLING),
        ("8/8/8/8/8/8/8/8 w - e4", EN_PASSANT),
        ("8/8/8/8/8/8/8/8 w - e", EN_PASSANT),
        ("8/8/8/8/8/8/8/8 w - - -1", HALFMOVE_CLOCK),
        ("8/8/8/8/8/8/8/8 w - - 0 x", MOVE_NUMBER),
        ("8/8/8/8/8/8/8/8 w - - 0 99999999999", MOVE_NUMBER),
        ("8/8/8/8/8/8/8/8 w - - 0 1 +0+0", TRAILING),
    ];
    for (text, want) in cases {
        assert_eq!(text.parse::<Fen>(), Err(want), "{text}");
    }
}

prop_compose! {
    fn any_fen()(
        board in any_board(),
        side_to_move in prop::sample::select(&Color::BOTH[..]),
        flags in prop::array::uniform4(0_u8..2),
        en_passant in prop::option::of((0_u8..8, prop::sample::select(&[2_u8, 5][..]))),
        halfmove_clock: u32,
        move_number in 1..=u32::MAX,
        hands in prop::option::of(any_hands()),
    ) -> Fen {
        Fen {
            castling: CastlingRights::from_flags(flags),
            en_passant: en_passant.and_then(|(file, rank)| Square::new(file, rank)),
            ..Fen::from_board(board, side_to_move).with_counters(halfmove_clock, move_number).with_hands(hands)
        }
    }
}

proptest! {
    #[test]
    fn printing_and_parsing_returns_the_same_value(fen in any_fen()) {
        prop_assert_eq!(fen.to_string().parse(), Ok(fen));
    }

    #[test]
    fn any_text_is_a_position_or_refused(text: String, rows in "[pnkPQR1-9/\\[\\]~-]{0,80} ?[wb]? ?[KQkqa-h-]{0,5}") {
        for text in [text, rows] {
            if let Ok(fen) = text.parse::<Fen>() {
                prop_assert_eq!(fen.to_string().parse(), Ok(fen));
            }
        }
    }
}
