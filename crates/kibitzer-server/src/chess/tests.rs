use cozy_chess::Board as Referee;
use cozy_chess::util::display_san_move;
use kibitzer_core::chess::{Color, Fen, LastMove, Role, Square};
use kibitzer_core::message::GameEndReason;
use proptest::prelude::*;

use super::*;

fn position(variant: Variant, fen: &str) -> Position {
    Position::from_fen(variant, &fen.parse::<Fen>().unwrap())
}

fn square(name: &str) -> Square {
    name.parse().unwrap()
}

fn read(position: &Position, typed: &str) -> Result<LastMove, TypedMoveError> {
    position.parse_typed_move(typed, MoveCase::Insensitive)
}

fn play(position: &Position, moves: &str) -> Position {
    moves.split_whitespace().fold(*position, |position, typed| {
        let found = read(&position, typed).unwrap_or_else(|error| panic!("{typed}: {error:?}"));
        position.after(found)
    })
}

fn perft(position: &Position, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.into_iter().map(|legal| perft(&position.after(legal), depth - 1)).sum()
}

#[test]
fn perft_counts_match_the_published_ones() {
    // The starting position, and positions 2 to 6 of the usual collection.
    let cases = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 4, 43_238),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9_467),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 3, 62_379),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 3, 89_890),
    ];
    for (fen, depth, want) in cases {
        assert_eq!(perft(&position(Variant::Standard, fen), depth), want, "{fen}");
    }
}

#[test]
fn perft_counts_of_crazyhouse_match_with_hands() {
    // Published counts for crazyhouse with pieces in both hands.
    let fen = "2k5/8/8/8/8/8/8/4K3[QRBNPqrbnp] w - - 0 1";
    let tree = position(Variant::Crazyhouse, fen);
    assert_eq!((perft(&tree, 1), perft(&tree, 2)), (301, 75_353));
    let empty = Position::start(Variant::Crazyhouse);
    assert_eq!((perft(&empty, 3), perft(&empty, 4)), (8_902, 197_281));
}

/// The library's spelling of our move, where castling takes the own rook.
fn to_referee(played: LastMove, position: &Position) -> cozy_chess::Move {
    let text = match played {
        LastMove::Castle { side, .. } => {
            let squares = position::CastlingSquares::of(position.castling_files, position.side_to_move, side);
            format!("{}{}", squares.king_from, squares.rook_from)
        }
        LastMove::Normal { from, to, promotion, .. } => {
            format!("{from}{to}{}", promotion.map_or(String::new(), |role| role.letter().to_lowercase().to_string()))
        }
        _ => panic!("no drops in standard chess"),
    };
    text.parse().unwrap()
}

#[test]
fn castling_with_an_unmoved_king_ends_both_rights() {
    let mut before = position(Variant::FischerRandom, "4k3/8/8/8/8/8/8/1RK1R3 w - - 0 1");
    before.castling_files = position::CastlingFiles { king: 2, short_rook: 4, long_rook: 1 };
    before.castling = kibitzer_core::chess::CastlingSide::BOTH
        .into_iter()
        .fold(before.castling, |rights, side| rights.with(Color::White, side));
    let after = play(&before, "O-O-O");
    assert_eq!(after.fen().to_string(), "4k3/8/8/8/8/8/8/2KRR3 b - - 1 1");
}

fn choose(moves: &[LastMove], choice: u16) -> LastMove {
    moves[usize::from(choice) % moves.len()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn the_library_agrees_on_every_move_of_a_random_game(
        choices in prop::collection::vec(any::<u16>(), 1..160),
        number in prop::option::of(0_usize..960),
    ) {
        let (mut ours, mut theirs) = match number {
            None => (Position::start(Variant::Standard), Referee::default()),
            Some(number) => (Position::chess960_start(number), Referee::chess960_startpos(u32::try_from(number).unwrap())),
        };
        for choice in choices {
            let moves = ours.legal_moves();
            let mut mine: Vec<String> = moves.iter().map(|&legal| to_referee(legal, &ours).to_string()).collect();
            let mut library = Vec::new();
            theirs.generate_moves(|of_piece| { library.extend(of_piece.into_iter().map(|legal| legal.to_string())); false });
            mine.sort();
            library.sort();
            prop_assert_eq!(mine, library);
            if moves.is_empty() { break }
            let played = choose(&moves, choice);
            let same = to_referee(played, &ours);
            prop_assert_eq!(ours.san(played), display_san_move(&theirs, same).to_string());
            ours = ours.after(played);
            theirs.play(same);
            prop_assert_eq!(ours.is_check(), !theirs.checkers().is_empty());
            let board = theirs.to_string();
            let library: Vec<&str> = board.split(' ').collect();
            let fen = ours.fen().to_string();
            let mine: Vec<&str> = fen.split(' ').collect();
            prop_assert_eq!((mine[0], mine[1]), (library[0], library[1]));
            prop_assert!(number.is_some() || mine[2] == library[2]);
            prop_assert_eq!(ours.halfmove_clock.min(100), u32::from(theirs.halfmove_clock()));
        }
    }

    #[test]
    fn a_move_is_read_as_it_is_spelled(
        choices in prop::collection::vec(any::<u16>(), 1..120),
        variant in prop::sample::select(vec![Variant::Standard, Variant::Crazyhouse]),
    ) {
        let mut now = Position::start(variant);
        for choice in choices {
            let moves = now.legal_moves();
            if moves.is_empty() { break }
            for &legal in &moves {
                let san = now.san(legal);
                prop_assert_eq!(now.parse_typed_move(&san, MoveCase::Sensitive), Ok(legal), "{}", &san);
            }
            let played = choose(&moves, choice);
            prop_assert_eq!(now.parse_typed_move(&now.san(played), MoveCase::Insensitive), Ok(played));
            let mover = now.side_to_move;
            let mut board = now.board();
            let word = now.smith_notation(played);
            let captured = now.capture_of(played).map(|(_, role)| role);
            let letter = word.as_bytes().get(4).copied().filter(|letter| b"pnbrqkE".contains(letter));
            prop_assert_eq!(letter.map(|letter| if letter == b'E' { Role::Pawn } else { Role::from_letter(letter).unwrap() }), captured);
            let smith = LastMove::parse_smith(word.as_bytes(), &board).unwrap();
            prop_assert_eq!(board.apply(smith, mover), Ok(captured));
            now = now.after(played);
            prop_assert_eq!(board, now.board());
        }
    }

    #[test]
    fn any_text_is_a_move_or_refused(typed in "[a-hA-HNBRQKPox0-9@/=()+#!? -]{0,18}") {
        let _ = read(&Position::start(Variant::Crazyhouse), &typed);
    }
}

#[test]
fn moves_as_people_type_them() {
    let start = Position::start(Variant::Standard);
    for typed in ["e2e4", "e2-e4", "e4", "P/e2-e4", "Pe4", "pe4", "e4!"] {
        assert_eq!(start.smith_notation(read(&start, typed).unwrap()), "e2e4", "{typed}");
    }
    for typed in ["Nf3", "nf3", "N/g1-f3", "Ng1f3", "Ngf3", "N1f3", "g1f3", "Nf3+"] {
        assert_eq!(start.smith_notation(read(&start, typed).unwrap()), "g1f3", "{typed}");
    }
    let rich = position(Variant::Standard, "r3k2r/1P6/8/3pP3/8/2p5/1P1B4/R3K2R w KQkq d6 0 1");
    let cases = [
        ("o-o", "e1g1c"),
        ("O-O", "e1g1c"),
        ("0-0", "e1g1c"),
        ("oo", "e1g1c"),
        ("e1g1", "e1g1c"),
        ("o-o-o", "e1c1C"),
        ("ooo", "e1c1C"),
        ("Ke1-c1", "e1c1C"),
        ("exd6", "e5d6E"),
        ("ed6", "e5d6E"),
        ("exd", "e5d6E"),
        ("b8=Q", "b7b8Q"),
        ("b8", "b7b8Q"),
        ("b8N", "b7b8N"),
        ("b8=n", "b7b8N"),
        ("b7b8r", "b7b8R"),
        ("b7-b8=R", "b7b8R"),
        ("bxa8(B)", "b7a8rB"),
        ("b7a8", "b7a8rQ"),
        ("bxc3", "b2c3p"),
        ("bc3", "b2c3p"),
        ("Bc3", "d2c3p"),
    ];
    for (typed, want) in cases {
        assert_eq!(rich.smith_notation(read(&rich, typed).unwrap_or_else(|_| panic!("{typed}"))), want, "{typed}");
    }
}

#[test]
fn a_lower_case_b_is_a_bishop_only_if_no_pawn_can_move() {
    let only_bishop = position(Variant::Standard, "4k3/8/8/8/8/2p5/3B4/4K3 w - - 0 1");
    assert_eq!(only_bishop.smith_notation(read(&only_bishop, "bc3").unwrap()), "d2c3p");
    assert_eq!(only_bishop.parse_typed_move("bc3", MoveCase::Sensitive), Err(TypedMoveError::Illegal));
    assert_eq!(only_bishop.parse_typed_move("nf3", MoveCase::Sensitive), Err(TypedMoveError::NotAMove));
}

#[test]
fn errors_distinguish_invalid_ambiguous_and_illegal_moves() {
    let twins = position(Variant::Standard, "4k3/8/8/8/8/8/8/R3K2R w - - 0 1");
    let knights = position(Variant::Standard, "4k3/8/8/8/8/8/1N3N2/4K3 w - - 0 1");
    let pinned = position(Variant::Standard, "4k3/4r3/8/8/8/4N3/8/N3K3 w - - 0 1");
    assert_eq!(read(&knights, "Nd3"), Err(TypedMoveError::Ambiguous));
    assert_eq!(
        read(&twins, "Rd1"),
        Ok(LastMove::Normal { role: Role::Rook, from: square("a1"), to: square("d1"), promotion: None })
    );
    assert_eq!(
        read(&pinned, "Nc2"),
        Ok(LastMove::Normal { role: Role::Knight, from: square("a1"), to: square("c2"), promotion: None })
    );
    assert_eq!(pinned.san(read(&pinned, "a1c2").unwrap()), "Nc2");
    for typed in ["e2e5", "Qd2", "o-o", "e7e8=Q", "P@e4", "Nd4", "exd6"] {
        assert_eq!(read(&Position::start(Variant::Standard), typed), Err(TypedMoveError::Illegal), "{typed}");
    }
    for typed in
        ["", "who", "Qa9", "qh9", "e", "4", "ab", "a", "o", "resign", "i2i4", "e2e4e6", "K@e4", "observe", "@@"]
    {
        assert_eq!(read(&Position::start(Variant::Standard), typed), Err(TypedMoveError::NotAMove), "{typed}");
    }
}

#[test]
fn promoted_pieces_enter_a_hand_as_pawns() {
    let start = position(Variant::Crazyhouse, "1n2k3/P7/8/8/8/8/8/1R2K3[] w - - 0 1");
    let queen = play(&start, "axb8=Q+ Ke7 Qb7+ Kf6");
    assert_eq!(queen.hands.white.to_string(), "N");
    let rook = position(Variant::Crazyhouse, "1n2k3/P7/8/8/8/8/8/1r2K3[] w - - 0 1");
    let taken = play(&position(Variant::Crazyhouse, "1n2k3/P7/8/8/8/8/8/1r4K1[] w - - 0 1"), "Kg2 Kd7 axb8=Q Rxb8");
    assert_eq!((taken.hands.white.to_string(), taken.hands.black.to_string()), ("N".into(), "P".into()));
    assert!(rook.is_check());
}

#[test]
fn drops_obey_the_rules() {
    let holds = position(Variant::Crazyhouse, "4k3/8/8/8/8/8/4r3/4K3[PNpq] w - - 0 1");
    let moves = holds.legal_moves();
    assert!(
        moves.iter().all(|legal| !matches!(legal, LastMove::Drop { .. })),
        "check from the next square: nothing to block"
    );
    let free = position(Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[PN] w - - 0 1");
    for (typed, want) in [
        ("P@a1", TypedMoveError::Illegal),
        ("P@h8", TypedMoveError::Illegal),
        ("N@e1", TypedMoveError::Illegal),
        ("Q@a4", TypedMoveError::Illegal),
    ] {
        assert_eq!(read(&free, typed), Err(want), "{typed}");
    }
    for typed in ["P@a2", "p@a2", "P@@a2", "P/@@-a2", "P@@-a2"] {
        let dropped = read(&free, typed).unwrap();
        assert_eq!(free.san(dropped), "P@a2", "{typed}");
        assert_eq!(free.after(dropped).hands.white.to_string(), "N");
    }
    assert_eq!(free.san(read(&free, "n@f6").unwrap()), "N@f6+");
}

#[test]
fn positions_that_end_a_game() {
    let cases = [
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", Variant::Standard, Some(GameEndReason::Mate)),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Variant::Standard, Some(GameEndReason::Stalemate)),
        ("7k/8/6K1/8/8/8/8/6N1 b - - 0 1", Variant::Standard, Some(GameEndReason::Material)),
        ("7k/6n1/6K1/8/8/8/8/6N1 b - - 0 1", Variant::Standard, Some(GameEndReason::Material)),
        ("7k/6p1/6K1/8/8/8/8/6N1 b - - 0 1", Variant::Standard, None),
        ("7k/8/6K1/8/8/8/8/6N1[] b - - 0 1", Variant::Crazyhouse, None),
        // A back rank mate that a piece in hand stops, as does one the partner may still pass.
        ("R6k/6pp/8/8/8/8/8/4K3[] b - - 0 1", Variant::Crazyhouse, Some(GameEndReason::Mate)),
        ("R6k/6pp/8/8/8/8/8/4K3[n] b - - 0 1", Variant::Crazyhouse, None),
        ("R6k/6pp/8/8/8/8/8/4K3[] b - - 0 1", Variant::Bughouse, None),
        ("7k/6Qp/6K1/8/8/8/8/8[] b - - 0 1", Variant::Bughouse, Some(GameEndReason::Mate)),
        ("7k/5Q2/6K1/8/8/8/8/8[] b - - 0 1", Variant::Bughouse, None),
    ];
    for (fen, variant, want) in cases {
        assert_eq!(position(variant, fen).termination(), want, "{fen} {variant:?}");
    }
}

#[test]
fn a_fen_keeps_an_en_passant_square_only_behind_a_pawn_that_may_have_passed_it() {
    let cases = [
        ("4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", Some("e6")),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", Some("e3")),
        // No pawn, a piece, one's own pawn, an occupied square, the rank of the other side.
        ("4k3/8/8/3P4/8/8/8/4K3 w - e6 0 1", None),
        ("4k3/8/8/3Pn3/8/8/8/4K3 w - e6 0 1", None),
        ("4k3/8/8/3PP3/8/8/8/4K3 w - e6 0 1", None),
        ("4k3/8/4n3/3Pp3/8/8/8/4K3 w - e6 0 1", None),
        ("4k3/8/8/8/3pP3/8/8/4K3 w - e3 0 1", None),
    ];
    for (fen, want) in cases {
        assert_eq!(position(Variant::Standard, fen).en_passant, want.map(square), "{fen}");
    }
}

#[test]
fn repetition_compares_rights_hands_and_en_passant() {
    let start = Position::start(Variant::Standard);
    assert!(play(&start, "Nf3 Nf6 Ng1 Ng8").is_repetition_of(&start));
    let rooks = position(Variant::Standard, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    assert!(!play(&rooks, "Ra2 Ra7 Ra1 Ra8").is_repetition_of(&rooks));
    let pushed = play(&start, "e4");
    assert_eq!(pushed.en_passant.map(Square::file), Some(4));
    assert!(play(&pushed, "Nf6 Nf3 Ng8 Ng1").is_repetition_of(&pushed), "nobody could take the pawn");
    let takeable = position(Variant::Standard, "4k3/8/8/8/4p3/8/3P4/4K3 w - - 0 1");
    let pushed = play(&takeable, "d4");
    assert!(!play(&pushed, "Kd7 Kd1 Ke8 Ke1").is_repetition_of(&pushed));
}

#[test]
fn material_counts_hands() {
    let start = Position::start(Variant::Standard);
    assert_eq!((start.material(Color::White), start.material(Color::Black)), (39, 39));
    let holds = position(Variant::Crazyhouse, "4k3/8/8/8/8/8/8/4K3[PNq] w - - 0 1");
    assert_eq!((holds.material(Color::White), holds.material(Color::Black)), (4, 9));
}
