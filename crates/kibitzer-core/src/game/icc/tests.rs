//! Games that are told in datagrams.

use crate::MessageReader;
use crate::chess::Color;
use crate::event::{Event, EventKind};
use crate::game::{ChangeKind, DesyncReason, Game, GameLimits, Games};
use crate::message::{Family, GameEndReason, GameId, Relation};
use crate::reader::EventReader;
use crate::wire::Framer;

const ME: &str = "^(0 Foo {}^)";
/// Start list of a game that this login, Foo, plays as White against Bar: three minutes and two seconds a move.
const MINE: &str = "^(15 7 Foo Bar 0 Blitz 1 3 2 3 2 1 {} 1500 1600 9 {} {} 0 0 0 {} 0^)";
const OBSERVED: &str = "^(18 7 Ann Bob 0 Blitz 1 3 2 3 2 1 {} 1500 1600 9 {} {} 0 0 0 {} 0^)";
const EXAMINED: &str = "^(15 7 Ann Bob 0 Blitz 1 3 2 3 2 0 {} 1500 1600 9 {} {} 0 0 0 {} 0^)";
const START: &str = "^(101 7 {} 0^)";
const E4: &str = "^(24 7 e4 e2e4 1 181 1^)";
const E5: &str = "^(24 7 e5 e7e5 2 180 1^)";
const NF3: &str = "^(24 7 Nf3 g1f3 3 178 1^)";

/// Returns a board line of the same game with 31 words, as in ICC's help files.
fn board(rows: &str, side: char, relation: i32, number: u32, last: &str) -> String {
    format!("<12> {rows} {side} -1 1 1 1 1 0 7 Ann Bob {relation} 3 2 39 39 178 180 {number} {last} 0\r\n")
}

const AFTER_E4: &str = "rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR";
const AFTER_E5: &str = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR";
const AFTER_NF3: &str = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -----N-- PPPP-PPP RNBQKB-R";

struct Session {
    games: Games,
    kinds: Vec<ChangeKind>,
    /// Squares of the boards that the changes contain.
    boards: Vec<String>,
    desyncs: Vec<DesyncReason>,
    /// First and last ply of each report of missed plies.
    missed: Vec<(u32, u32)>,
    events: Vec<EventKind>,
}

impl Session {
    fn game(&self) -> &Game {
        self.games.get(GameId(7)).unwrap()
    }

    fn fen(&self) -> String {
        self.game().fen().to_string()
    }

    fn sans(&self) -> Vec<&str> {
        self.game().moves().iter().map(|played| played.pretty().unwrap_or_default()).collect()
    }
}

fn play(units: &[&str]) -> Session {
    let stream = units.concat().replace('^', "\x19");
    let mut reader = EventReader::new(MessageReader::new(Framer::new(), Family::Icc));
    let mut rest = stream.as_bytes();
    let (mut kinds, mut boards, mut desyncs, mut events) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut missed = Vec::new();
    while let Some(event) = reader.next(&mut rest).or_else(|| reader.finish()) {
        events.push(event.kind());
        let led_to = event.change().and_then(|change| change.board.as_ref());
        assert!(led_to.is_none() || event.board() == led_to, "{event:?}");
        match event {
            Event::Received { change: Some(change), .. } => {
                kinds.push(change.kind);
                boards.extend(change.board.map(|board| board.board().to_string()));
            }
            Event::Desync(desync) => desyncs.push(desync.reason),
            Event::Missed { from_ply, to_ply, .. } => missed.push((from_ply, to_ply)),
            _ => {}
        }
    }
    Session { games: reader.games().clone(), kinds, boards, desyncs, missed, events }
}

// Rules: icc P1, icc P2
#[test]
fn an_own_game_is_assembled_from_its_moves() {
    use ChangeKind::{Moved, Opened};
    use EventKind::{GameCreated, GameInfo, LoggedIn, Position};
    let session = play(&[ME, MINE, START, E4, E5, NF3]);
    assert_eq!(session.fen(), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    assert_eq!(session.sans(), ["e4", "e5", "Nf3"]);
    assert_eq!((&session.kinds[..], session.desyncs.len()), (&[Opened, Moved, Moved, Moved][..], 0));
    let position = session.game().position();
    assert_eq!((position.white_clock().as_ms(), position.black_clock().as_ms()), (178_000, 180_000));
    assert_eq!(
        (position.relation(), position.my_color(), position.flip()),
        (Relation::OpponentsTurn, Some(Color::White), Some(false))
    );
    assert_eq!((position.initial_min(), position.increment_s(), position.white().as_str()), (3, 2, "Foo"));
    assert_eq!(position.last_move().unwrap().elapsed_ms, Some(3000));
    assert_eq!(session.games.mine().map(Game::id), Some(GameId(7)));
    assert_eq!((session.game().kind(), session.game().is_rated()), (Some("Blitz"), Some(true)));
    assert_eq!(session.events, [LoggedIn, GameCreated, GameInfo, Position, Position, Position, Position]);
}

// Rules: icc P1
#[test]
fn every_form_of_the_moves_leads_to_the_same_game() {
    let want = play(&[OBSERVED, START, E4, E5, NF3]);
    let moves = "{e4 e2e4 1 181}{e5 e7e5 2 180} {Nf3 g1f3 3 178}";
    let list = format!("^(25 7 *{moves}^)");
    let squares = format!("^(25 7 rnbqkbnrpppppppp{}PPPPPPPPRNBQKBNR {moves}^)", "-".repeat(32));
    let past = ["e4 e2e4 1 181 0", "e5 e7e5 2 180 0", "Nf3 g1f3 3 178 0"].map(|part| format!("^(111 7 {part}^)"));
    let mixed = format!("^(101 7 {{rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1}} 1^){E5}{NF3}");
    // Other units come between the moves that are promised.
    let between = ["^(110 7 {} 3^)", &past[0], "^(24 8 d4 d2d4 0 60^)", &past[1], "aics% ", &past[2]].concat();
    for (stream, n_moves) in [(&list, 3), (&squares, 3), (&mixed, 2), (&between, 3)] {
        let session = play(&[OBSERVED, stream]);
        assert_eq!(session.fen(), want.fen(), "{stream}");
        assert_eq!(session.sans().len(), n_moves, "{stream}");
        assert_eq!(session.game().position().white_clock(), want.game().position().white_clock(), "{stream}");
        assert_eq!(session.kinds.first(), Some(&ChangeKind::Opened), "{stream}");
    }
    // The position is news once it is the current one, and only then.
    assert_eq!(play(&[OBSERVED, &list]).boards.len(), 1);
    assert_eq!(play(&[OBSERVED, "^(101 7 {} 3^)", E4, E5]).boards.len(), 0);
    assert_eq!(play(&[OBSERVED, "^(101 7 {} 3^)", E4, E5, NF3]).boards.len(), 1);
}

// Rules: icc P1, icc M1
#[test]
fn moves_in_algebraic_notation_alone_lead_to_the_same_game() {
    let want = play(&[OBSERVED, START, E4, E5, NF3]);
    let sans = ["^(24 7 e4^)", "^(24 7 e5 2 180^)", "^(24 7 Nf3 3 178^)"];
    let session = play(&[&[OBSERVED, START][..], &sans].concat());
    assert_eq!((session.fen(), session.sans(), &session.kinds), (want.fen(), want.sans(), &want.kinds));
    let list = play(&[OBSERVED, "^(25 7 *{e4}{e5}{Nf3}^)"]);
    assert_eq!((list.fen(), list.desyncs.len()), (want.fen(), 0));
    // Where boards come too, a move that has been made is made once; that the other side castles as well is another move.
    let line = board(AFTER_E5, 'W', 0, 2, "P/e7-e5 (0:02) e5");
    let both = play(&[OBSERVED, START, sans[0], &line, sans[1], sans[2]]);
    assert_eq!((both.fen(), both.desyncs.len()), (want.fen(), 0));
    let castled = play(&[
        OBSERVED,
        "^(101 7 {r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 9} 0^)",
        "^(24 7 O-O^)",
        "^(24 7 O-O^)",
        "^(24 7 Kh1^)",
    ]);
    assert_eq!((castled.fen().split(' ').next(), castled.desyncs.len()), (Some("r4rk1/8/8/8/8/8/8/R4R1K"), 0));
    // Nobody can make it, or two can, or it is none.
    for wrong in ["^(24 7 Nc6^)", "^(24 7 Nd2^)", "^(24 7 Zz9^)"] {
        let session = play(&[OBSERVED, "^(101 7 {k7/8/8/8/8/5N2/8/KN6 w - - 0 9} 0^)", wrong]);
        assert_eq!((session.sans().len(), &session.desyncs[..]), (0, &[DesyncReason::WrongMove][..]), "{wrong}");
    }
    let atomic = OBSERVED.replace(" 0 Blitz", " 27 Atomic");
    let session = play(&[&atomic, START, "^(24 7 e4^)", "^(24 7 d5^)", "^(24 7 exd5^)"]);
    assert_eq!((session.boards.len(), session.desyncs.len()), (3, 0), "what explodes is not told");
}

// Rules: icc P1
#[test]
fn the_first_move_may_come_before_any_board() {
    let session = play(&[OBSERVED, E4, E5]);
    assert_eq!(
        (session.fen().split(' ').next(), session.desyncs.len()),
        (Some("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR"), 0)
    );
    assert_eq!(session.kinds, [ChangeKind::Opened, ChangeKind::Moved]);
    // One that does not fit the usual start, or of a variant with another one, is a move without a board.
    for game in [[OBSERVED, E5], [&OBSERVED.replace(" 0 Blitz", " 22 Blitz"), E4], ["", E4], [EXAMINED, E4]] {
        let session = play(&game);
        assert_eq!((session.desyncs, session.games.iter().count()), (vec![DesyncReason::NoBoard], 0), "{game:?}");
    }
}

// Rules: icc P3
#[test]
fn a_board_line_wins_over_what_moves_led_to() {
    // In front of the move, behind it, and instead of it.
    let before = play(&[OBSERVED, START, E4, &board(AFTER_E5, 'W', 0, 2, "P/e7-e5 (0:02) e5"), E5, NF3]);
    let behind = play(&[OBSERVED, START, E4, E5, &board(AFTER_E5, 'W', 0, 2, "P/e7-e5 (0:02) e5"), NF3]);
    let instead = play(&[OBSERVED, START, E4, &board(AFTER_E5, 'W', 0, 2, "P/e7-e5 (0:02) e5"), NF3]);
    for session in [before, behind, instead] {
        assert_eq!((session.sans(), session.desyncs.len()), (vec!["e4", "e5", "Nf3"], 0));
        assert!(session.fen().starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b"));
    }
    // A board that contradicts is taken, and so is a position.
    let other = board(AFTER_NF3, 'B', 0, 2, "N/g1-f3 (0:03) Nf3").replace("-----N--", "N-------");
    let session = play(&[OBSERVED, START, E4, E5, &other]);
    assert_eq!(
        (session.desyncs.clone(), session.game().position().board().piece("a3".parse().unwrap()).is_some()),
        (vec![DesyncReason::WrongBoard], true)
    );
    for position in ["^(101 7 {8/8/8/8/8/8/8/K1k5 w - - 3 9} 0^)", "^(70 7 {8/8/8/8/8/8/8/K1k5 w - - 3 9}^)"] {
        let session = play(&[OBSERVED, START, E4, position]);
        assert_eq!(
            (session.fen(), session.desyncs),
            ("8/8/8/8/8/8/8/K1k5 w - - 3 9".into(), vec![DesyncReason::WrongBoard])
        );
    }
}

// Rules: icc P3
#[test]
fn a_move_reported_in_both_forms_is_one_move() {
    let castled = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -----N-- PPPPBPPP RNBQ-RK-";
    let position = "^(101 7 {rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPPBPPP/RNBQK2R w KQkq - 0 4} 0^)";
    let session = play(&[
        OBSERVED,
        position,
        &board(castled, 'B', 0, 4, "o-o (0:02) O-O"),
        "^(24 7 O-O e1g1c 2 178 1^)",
        "^(24 7 a6 a7a6 2 178 1^)",
    ]);
    assert_eq!((session.sans(), session.desyncs.len()), (vec!["O-O", "a6"], 0));
    let dropped = play(&[
        &OBSERVED.replace(" 0 Blitz", " 23 Crazyhouse"),
        "^(101 7 {8/8/8/8/8/8/8/K1k5[N] w - - 0 1} 0^)",
        "^(24 7 N@e4 N@e4 2 178 1^)",
        "^(24 7 N@e4 N@e4 2 178 1^)",
        "^(37 7 {} {}^)",
    ]);
    assert_eq!((dropped.fen(), dropped.sans()), ("8/8/8/8/4N3/8/8/K1k5[] b - - 0 1".into(), vec!["N@e4"]));
}

// Rules: icc P4
#[test]
fn plies_are_taken_back() {
    let session = play(&[ME, MINE, START, E4, E5, NF3, "^(22 7 2^)"]);
    assert_eq!(
        (session.fen().as_str(), session.sans()),
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", vec!["e4"])
    );
    assert_eq!(session.kinds.last(), Some(&ChangeKind::TookBack { plies: 2 }));
    let position = session.game().position();
    // Time is not given back.
    assert_eq!((position.white_clock().as_ms(), position.black_clock().as_ms()), (178_000, 180_000));
    assert_eq!(position.relation(), Relation::OpponentsTurn);
    let beyond = play(&[OBSERVED, START, E4, "^(22 7 2^)"]);
    assert_eq!((beyond.desyncs.clone(), beyond.sans().len()), (vec![DesyncReason::WrongPly { known: 1, found: 0 }], 1));
}

// Rules: icc P5
#[test]
fn an_examiner_goes_back_and_into_variations() {
    use ChangeKind::{Moved, Opened, TookBack};
    let session = play(&[
        EXAMINED,
        "^(25 7 *{e4 e2e4 1 181}{e5 e7e5 2 180}{Nf3 g1f3 3 178}^)",
        "^(23 7 2^)",
        "^(24 7 c5 c7c5 0 180 3^)",
    ]);
    assert_eq!((session.sans(), session.desyncs.len()), (vec!["e4", "c5"], 0));
    assert_eq!(session.game().position().relation(), Relation::Examining);
    assert_eq!(session.kinds, [Opened, TookBack { plies: 2 }, Moved]);
    // Back to the main line, and forward again.
    let reverted = play(&[EXAMINED, START, E4, "^(24 7 c5 c7c5 0 180 3^)", "^(23 7 1^)", "^(24 7 e5 e7e5 0 180 2^)"]);
    assert_eq!(reverted.sans(), ["e4", "e5"]);
    let back = play(&[EXAMINED, START, E4, E5, "^(23 7 2^)"]);
    // Clocks of an examined game are those of its moves.
    assert_eq!(back.game().position().white_clock().as_ms(), 180_000);
}

// Rules: icc P6
#[test]
fn clocks_are_set_and_run() {
    let session = play(&[OBSERVED, START, E4, "^(56 7 W 179500 0^)^(56 7 B 180250 1^)"]);
    let position = session.game().position();
    assert_eq!((position.white_clock().as_ms(), position.black_clock().as_ms()), (179_500, 180_250));
    assert_eq!((position.clock_running(), session.game().running_clock()), (Some(true), Some(Color::Black)));
    let stopped = play(&[OBSERVED, START, E4, "^(56 7 B 180250 1^)^(56 7 B -5 0^)"]);
    assert_eq!((stopped.game().position().clock_running(), stopped.game().running_clock()), (Some(false), None));
    let set = play(&[OBSERVED, START, "^(38 7 240 60^)"]);
    assert_eq!(
        (set.game().position().white_clock().as_ms(), set.game().position().black_clock().as_ms()),
        (240_000, 60_000)
    );
    assert_eq!(set.kinds.last(), Some(&ChangeKind::Repeated));
    // A clock alone makes no game, and is no contradiction.
    let alone = play(&["^(56 9 W 1 1^)^(38 9 1 1^)^(39 9 1^)"]);
    assert_eq!((alone.games.iter().count(), alone.desyncs.len()), (0, 0));
    let fancy = OBSERVED.replace("0 0 0 {} 0", "0 0 0 {40/5400+30:900+30} 0");
    assert_eq!(play(&[&fancy, START]).game().position().white_clock().as_ms(), 5_400_000);
    assert_eq!(play(&[OBSERVED, START, "^(39 7 1^)"]).game().position().flip(), Some(true));
}

// Rules: icc P7
#[test]
fn the_relation_is_reported_or_follows_from_the_name() {
    let relation = |units: &[&str]| play(units).game().position().relation();
    assert_eq!(relation(&[OBSERVED, START]), Relation::Observing);
    assert_eq!(relation(&[EXAMINED, START]), Relation::Examining);
    assert_eq!(relation(&[MINE, "^(43 7 PB^)", START]), Relation::OpponentsTurn);
    assert_eq!(relation(&[MINE, START, "^(43 7 PB^)", E4]), Relation::MyTurn);
    assert_eq!(relation(&[MINE, START, "^(43 7 SW^)"]), Relation::MyTurn);
    assert_eq!(relation(&["^(0 Bar {}^)", MINE, START]), Relation::OpponentsTurn);
    assert_eq!(relation(&[EXAMINED, START, "^(43 7 O^)"]), Relation::ObservingExamined);
    let gone = play(&[OBSERVED, START, "^(43 7 X^)", E4]);
    assert_eq!((gone.game().is_followed_and_ongoing(), gone.kinds.last()), (false, Some(&ChangeKind::Left)));
    assert_eq!(gone.desyncs, [DesyncReason::NoBoard]);
}

// Rules: icc P8, bugs 89
#[test]
fn an_isolated_board_is_no_game() {
    let isolated = OBSERVED.replacen("18", "40", 1);
    let session = play(&[&isolated, START, E4, "^(25 7 *^)"]);
    assert_eq!((session.games.iter().count(), session.kinds.len(), session.desyncs.len()), (0, 0, 0));
    // The number -1 is no other than any.
    let minus = play(&[&isolated.replace("40 7", "40 -1"), "^(101 -1 {} 1^)", "^(24 -1 e4 e2e4 0 0^)"]);
    assert_eq!((minus.games.iter().count(), minus.desyncs.len()), (0, 0));
    // A game that is followed goes on, and a game that is observed later is one.
    assert_eq!(play(&[OBSERVED, START, &isolated, E4]).sans(), ["e4"]);
    assert_eq!(play(&[&isolated, START, OBSERVED, START, E4]).sans(), ["e4"]);
}

// Rules: icc S3
#[test]
fn moves_that_do_not_determine_the_board_wait_for_it() {
    let irregular = OBSERVED.replace("0 0 0 {} 0", "1 1 0 {} 0");
    let squares = format!("^(84 7 {} B^)", AFTER_E4.replace(' ', "").replace('P', "-"));
    let session = play(&[&irregular, START, E4, &squares]);
    assert_eq!((session.boards.len(), session.desyncs.len()), (2, 0));
    assert!(session.fen().starts_with("rnbqkbnr/pppppppp/8/8/8/8/8/RNBQKBNR b"), "{}", session.fen());
    // What a capture takes in atomic chess the move does not say.
    let atomic = OBSERVED.replace(" 0 Blitz", " 27 Atomic");
    let session = play(&[&atomic, START, E4, "^(24 7 d5 d7d5 0 180 1^)", "^(24 7 exd5 e4d5p 0 180 1^)"]);
    assert_eq!((session.boards.len(), session.desyncs.len()), (3, 0));
    // A hidden move leaves the squares as they were.
    let kriegspiel = OBSERVED.replace(" 0 Blitz", " 16 Kriegspiel");
    let session = play(&[&kriegspiel, START, E4, "^(24 7 ? ? 0 180 1^)", NF3]);
    assert_eq!((session.sans(), session.desyncs.len()), (vec!["e4", "?", "Nf3"], 0));
}

// Rules: icc M3
#[test]
fn moves_of_every_shape_are_played() {
    let after = |fen: &str, smith: &str| {
        let position = format!("^(101 7 {{{fen}}} 0^)");
        let session = play(&[OBSERVED, &position, &format!("^(24 7 x {smith} 0 60 1^)")]);
        assert_eq!(session.desyncs, [], "{smith}");
        session.game().position().board().to_string()
    };
    assert_eq!(after("6n1/5P2/8/8/8/8/8/K1k5 w - - 0 1", "f7g8nQ"), "6Q1/8/8/8/8/8/8/K1k5");
    assert_eq!(after("8/8/8/3pP3/8/8/8/K1k5 w - d6 0 1", "e5d6E"), "8/8/3P4/8/8/8/8/K1k5");
    assert_eq!(after("k7/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1C"), "k7/8/8/8/8/8/8/2KR3R");
    assert_eq!(after("k7/8/8/8/8/8/8/K7[Q] w - - 0 1", "Q@f7+"), "k7/5Q2/8/8/8/8/8/K7");
    assert_eq!(after("8/8/8/8/8/8/r7/K1k5 b - - 0 1", "a2a1"), "8/8/8/8/8/8/8/r1k5");
}

#[test]
fn after_a_move_that_does_not_fit_nothing_changes_until_a_board_comes() {
    use DesyncReason::{OutOfStep, WrongMove};
    let style12_line = board(AFTER_NF3, 'B', 0, 2, "N/g1-f3 (0:03) Nf3");
    let position = "^(101 7 {rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2} 0^)";
    let moves = "^(25 7 *{e4 e2e4 1 181}{e5 e7e5 2 180}{Nf3 g1f3 3 178}^)";
    // Of the other side, from an empty square, no square, no squares.
    for wrong in [NF3, "^(24 7 Nc6 d5c6 0 180 1^)", "^(24 7 e5 i9e5 0 180 1^)", "^(24 7 Ke5 0 180 1^)"] {
        let lost = play(&[OBSERVED, START, E4, wrong, E5, "^(22 7 1^)", "^(56 7 W 179500 0^)"]);
        assert_eq!(lost.desyncs, [WrongMove, OutOfStep, OutOfStep], "{wrong}");
        assert_eq!((lost.sans(), lost.boards.len()), (vec!["e4"], 2), "{wrong}");
        for current in [&style12_line, position, moves] {
            let session = play(&[OBSERVED, START, E4, wrong, E5, current, "^(24 7 Nc6 b8c6 0 180 1^)"]);
            assert_eq!(session.sans().last(), Some(&"Nc6"), "{wrong}, {current}");
            assert_eq!(session.desyncs, [WrongMove, OutOfStep], "{wrong}, {current}");
        }
    }
    assert_eq!(play(&[OBSERVED, START, E4, NF3, position]).missed, [(2, 3)]);
}

// Rules: bugs K7
#[test]
fn a_drop_of_a_piece_that_is_not_held_is_a_desync() {
    let crazyhouse = OBSERVED.replace(" 0 Blitz", " 23 Crazyhouse");
    let bughouse = OBSERVED.replace(" 0 Blitz", " 24 Bughouse");
    let position = |hands: &str| format!("^(101 7 {{4k3/8/8/3p4/4P3/8/8/4K3{hands} w - - 0 4}} 0^)");
    let drop = "^(24 7 N@c3 N@c3 1 178 1^)";
    let captured = "^(24 7 exd5 e4d5p 1 178 1^)^(24 7 Kd7 e8d7 1 178 1^)";
    let holds = |white: &str| format!("^(37 7 {{{white}}} {{}}^)");
    let cases: &[(&str, &str, String, bool)] = &[
        ("nothing held", &crazyhouse, position("[]") + drop, false),
        ("another piece held", &crazyhouse, position("[Q]") + drop, false),
        ("held by the other side", &crazyhouse, position("[n]") + drop, false),
        ("nothing taken since the start", &crazyhouse, [START, drop].concat(), false),
        ("reserves reported", &crazyhouse, position("[N]") + &holds("") + captured + &holds("P") + drop, false),
        ("held", &crazyhouse, position("[N]") + drop, true),
        ("held as reported", &bughouse, position("[]") + &holds("N") + drop, true),
        ("reported before the drop", &crazyhouse, position("[N]") + captured + &holds("") + drop, true),
        ("taken since the report", &crazyhouse, position("[]") + captured + drop, true),
        ("reserves not known", &crazyhouse, position("") + drop, true),
        ("passed from the other board", &bughouse, [START, drop].concat(), true),
    ];
    for (name, game, units, is_held) in cases {
        let session = play(&[game, units]);
        let want: &[DesyncReason] = if *is_held { &[] } else { &[DesyncReason::WrongMove] };
        assert_eq!(session.desyncs, want, "{name}");
        assert_eq!(session.sans().last() == Some(&"N@c3"), *is_held, "{name}");
    }
}

#[test]
fn a_move_that_does_not_show_its_piece_is_of_the_player_whose_unit_it_is_in() {
    let unit = |player: &str, datagram: &str| format!("^[1 {player}\n{datagram}^]\n");
    let castles = "^(101 7 {r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 9} 0^)";
    for (actor, datagram, is_played) in [
        ("Ann", "^(24 7 O-O^)", true),
        ("Bob", "^(24 7 O-O^)", false),
        ("Cid", "^(24 7 O-O^)", true),
        ("Bob", "^(24 7 O-O e1g1c 1 178 1^)", true),
    ] {
        let session = play(&[OBSERVED, castles, &unit(actor, datagram)]);
        assert_eq!(session.desyncs.is_empty(), is_played, "{actor} {datagram}");
        assert_eq!(session.sans().len(), usize::from(is_played), "{actor} {datagram}");
    }
    let mine = [ME, &MINE.replace(" 0 Blitz", " 24 Bughouse"), START];
    let dropped = |actor: &str| play(&[&mine[..], &[&unit(actor, "^(24 7 N@e4 N@e4 1 178 1^)")]].concat()).desyncs;
    assert_eq!((dropped("*").len(), dropped("Foo").len(), dropped("Bar").len()), (0, 0, 1));
}

// Rules: icc R1
#[test]
fn a_result_ends_the_game_which_may_live_on() {
    let session = play(&[OBSERVED, START, E4, "^(16 7 0 Res 1-0 {Black resigns} {B00}^)"]);
    let ending = session.game().ending().unwrap();
    assert_eq!(
        (ending.result.as_str(), ending.reason, session.kinds.last()),
        ("1-0", GameEndReason::Resign, Some(&ChangeKind::Ended))
    );
    // A result of a game that this login has not seen begin names nobody, and ends the game of its number.
    let unnamed = play(&[&board(AFTER_E4, 'B', 0, 1, "P/e2-e4 (0:01) e4"), "^(16 7 0 Mat 1-0 {} {}^)"]);
    assert!(unnamed.game().ending().is_some());
    let examined = play(&[ME, MINE, START, E4, "^(16 7 1 Res 1-0 {Black resigns} {B00}^)", "^(23 7 1^)"]);
    assert_eq!((examined.game().ending(), examined.game().position().relation()), (None, Relation::Examining));
    assert_eq!(examined.kinds.last(), Some(&ChangeKind::TookBack { plies: 1 }));
    let ended = play(&[EXAMINED, START, "^(17 7^)"]);
    assert!(!ended.game().is_followed_and_ongoing());
    let left = play(&[OBSERVED, START, "^(19 7^)"]);
    assert!(!left.game().is_followed_and_ongoing());
}

// Rules: icc P9
#[test]
fn a_number_is_used_again() {
    let other = OBSERVED.replace("Ann", "Cid");
    let session = play(&[OBSERVED, START, E4, &other, START, E4, E5]);
    assert_eq!((session.sans(), session.game().position().white().as_str()), (vec!["e4", "e5"], "Cid"));
    assert!(session.kinds.contains(&ChangeKind::Replaced) && session.desyncs.is_empty(), "{:?}", session.kinds);
    // The same game observed again goes on.
    let again = play(&[OBSERVED, START, E4, "^(19 7^)", OBSERVED, "^(25 7 *{e4 e2e4 1 181}^)", E5]);
    assert_eq!((again.sans(), again.desyncs.len()), (vec!["e4", "e5"], 0));
    let renamed = play(&[OBSERVED, START, &OBSERVED.replacen("18", "100", 1).replace("Ann", "Ann2"), E4]);
    assert_eq!((renamed.sans(), renamed.game().position().white().as_str()), (vec!["e4"], "Ann2"));
    // Before its first board, too.
    let early = play(&[OBSERVED, &OBSERVED.replacen("18", "100", 1).replace("Ann", "Ann2"), START]);
    assert_eq!((early.game().position().white().as_str(), early.desyncs.len()), ("Ann2", 0));
    let told_twice = play(&[MINE, &MINE.replacen("15", "12", 1), START, E4]);
    assert_eq!((told_twice.sans(), told_twice.desyncs.len()), (vec!["e4"], 0));
}

#[test]
fn limits_apply_to_games_reported_in_datagrams() {
    let limits = GameLimits::default().games(2).moves(2);
    let mut reader = EventReader::default().with_game_limits(limits);
    for id in 1..20 {
        let units = [OBSERVED, "^(25 7 *{e4 e2e4}{e5 e7e5}{Nf3 g1f3}{Nc6 b8c6}^)", "^(24 7 a3 a2a3^)"].concat();
        let stream = units
            .replace("18 7", &format!("18 {id}"))
            .replace("5 7", &format!("5 {id}"))
            .replace("4 7", &format!("4 {id}"));
        let stream = stream.replace('^', "\x19");
        let mut rest = stream.as_bytes();
        while reader.next(&mut rest).is_some() {}
    }
    assert!(reader.games().iter().count() <= 2);
    for game in reader.games() {
        assert!(game.moves().len() <= 2 && game.position().last_move().unwrap().text() == "a3");
    }
}
