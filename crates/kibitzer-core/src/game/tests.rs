//! Rules of the game state, on lines as servers send them.

use super::*;
use crate::chess::Color;
use crate::event::Event;
use crate::message::{GameEndReason, GameResult, Rating};
use crate::reader::EventReader;

const START: &str = "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR";
const E4: &str = "rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR";
const E4_E5: &str = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR";
const E4_E5_NF3: &str = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -----N-- PPPP-PPP RNBQKB-R";

/// Returns a board line of game 7 between A and B, who have 5 minutes each.
fn board(squares: &str, side: char, number: u32, last: &str, relation: i32) -> String {
    format!("<12> {squares} {side} -1 1 1 1 1 0 7 A B {relation} 5 0 39 39 300 300 {number} {last} 0 1 0\n")
}

fn start(relation: i32) -> String {
    board(START, 'W', 1, "none (0:00) none", relation)
}

fn e4(relation: i32) -> String {
    board(E4, 'B', 1, "P/e2-e4 (0:01) e4", relation)
}

fn e5(relation: i32) -> String {
    board(E4_E5, 'W', 2, "P/e7-e5 (0:02) e5", relation)
}

fn nf3(relation: i32) -> String {
    board(E4_E5_NF3, 'B', 2, "N/g1-f3 (0:03) Nf3", relation)
}

/// State and reports after a stream of lines.
struct Session {
    games: Games,
    kinds: Vec<ChangeKind>,
    desyncs: Vec<DesyncReason>,
    /// First and last ply of each report of missed plies.
    missed: Vec<(u32, u32)>,
    boards: Vec<String>,
}

fn play(lines: &[String]) -> Session {
    let mut reader = EventReader::default();
    let stream = lines.concat();
    let mut rest = stream.as_bytes();
    let (mut kinds, mut desyncs, mut missed, mut boards) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    while let Some(event) = reader.next(&mut rest).or_else(|| reader.finish()) {
        match event {
            Event::Received { change: Some(change), .. } => {
                kinds.push(change.kind);
                boards.extend(change.board.map(|board| board.fen().to_string()));
            }
            Event::Received { .. } => {}
            Event::Desync(desync) => desyncs.push(desync.reason),
            Event::Missed { from_ply, to_ply, .. } => missed.push((from_ply, to_ply)),
            other => panic!("no session here: {other:?}"),
        }
    }
    Session { games: reader.games().clone(), kinds, desyncs, missed, boards }
}

fn line(text: &str) -> String {
    format!("{text}\n")
}

impl Session {
    fn game(&self) -> &Game {
        self.games.get(GameId(7)).expect("game 7")
    }

    fn sans(&self) -> Vec<&str> {
        self.game().moves().iter().map(|step| step.pretty().unwrap_or_default()).collect()
    }
}

#[test]
fn a_move_number_at_the_end_of_its_range_is_survived() {
    let last = board(E4, 'B', u32::MAX, "P/e2-e4 (0:01) e4", 0);
    let session = play(&[last.clone(), last, e5(0), line("<d1> 7 65535 Nf3 g1f3 1 2 3")]);
    assert_eq!(session.game().position().move_number(), 2);
}

#[test]
fn a_game_collects_its_moves_with_their_times() {
    let session = play(&[start(0), e4(0), e5(0), nf3(0)]);
    assert_eq!(session.kinds, [ChangeKind::Opened, ChangeKind::Moved, ChangeKind::Moved, ChangeKind::Moved]);
    assert_eq!(session.sans(), ["e4", "e5", "Nf3"]);
    let last = session.game().moves().last().unwrap();
    assert_eq!((last.elapsed_ms(), last.clock().as_ms()), (Some(3000), 300_000));
    assert!(session.desyncs.is_empty());
}

// Rules: style12 R1
#[test]
fn a_board_with_an_unknown_relation_changes_no_game() {
    let session = play(&[start(1), e4(9)]);
    assert_eq!(session.kinds, [ChangeKind::Opened]);
    assert_eq!(session.game().position().ply(), 0);
}

// Rules: style12 R2, bugs 28, bugs 29
#[test]
fn my_color_comes_from_the_relation_and_the_side_to_move() {
    for (relation, side, want) in
        [(1, 'B', Color::Black), (-1, 'B', Color::White), (1, 'W', Color::White), (-1, 'W', Color::Black)]
    {
        let line = board(E4, side, 1, "P/e2-e4 (0:01) e4", relation).replace(" A B ", " Foo Foo ");
        assert_eq!(play(&[line]).game().position().my_color(), Some(want));
    }
    assert_eq!(play(&[start(0)]).game().position().my_color(), None);
}

// Rules: style12 R3, bugs 26, text M7
#[test]
fn a_board_printed_on_request_or_in_a_list_changes_nothing() {
    let session = play(&[start(0), e4(-3), e4(-4)]);
    assert_eq!(session.kinds, [ChangeKind::Opened]);
    assert_eq!(session.game().position().ply(), 0);
    assert_eq!(play(&[start(-4)]).games.iter().count(), 0);
}

// Rules: style12 R3, bugs 74
#[test]
fn the_board_resent_after_a_refused_move_is_the_board() {
    let session = play(&[start(1), line("Illegal move (e2e5)."), start(1), e4(-1)]);
    assert_eq!(session.kinds, [ChangeKind::Opened, ChangeKind::Repeated, ChangeKind::Moved]);
}

// Rules: style12 R4, bugs 27
#[test]
fn an_observed_game_does_not_disturb_my_own() {
    let other = start(0).replace(" 0 7 A B ", " 0 13 C D ");
    let session = play(&[start(1), other, e4(-1)]);
    assert_eq!(session.games.iter().count(), 2);
    assert_eq!(session.games.mine().map(Game::id), Some(GameId(7)));
    assert_eq!(session.sans(), ["e4"]);
}

// Rules: style12 R5
#[test]
fn the_same_board_twice_adds_no_move() {
    let session = play(&[start(0), e4(0), e4(0)]);
    assert_eq!(session.kinds[2], ChangeKind::Repeated);
    assert_eq!(session.sans(), ["e4"]);
}

// Rules: style12 R6, bugs 37
#[test]
fn a_takeback_takes_the_moves_back() {
    let session = play(&[start(0), e4(0), e5(0), nf3(0), e4(0), e5(0)]);
    assert_eq!(session.kinds[4..], [ChangeKind::TookBack { plies: 2 }, ChangeKind::Moved]);
    assert_eq!(session.sans(), ["e4", "e5"]);
    assert!(session.desyncs.is_empty());
}

#[test]
fn a_takeback_to_another_board_is_a_desync_unless_moves_are_unknown() {
    let wrong = board(D4, 'B', 1, "P/d2-d4 (0:01) d4", 0);
    let session = play(&[start(0), e4(0), e5(0), wrong.clone()]);
    assert_eq!((session.kinds.last(), session.desyncs.len()), (Some(&ChangeKind::TookBack { plies: 1 }), 1));
    assert_eq!((session.game().position().ply(), session.sans()), (1, vec![]), "the board is taken");
    let unknown = play(&[e5(0), nf3(0), wrong]);
    assert_eq!((unknown.kinds.last(), &unknown.desyncs[..]), (Some(&ChangeKind::TookBack { plies: 2 }), &[][..]));
}

// Rules: style12 R7, bugs 63, text E3
#[test]
fn a_number_may_pass_to_another_game_without_an_announcement() {
    let session = play(&[start(0), e4(0), start(0).replace(" A B ", " C D ")]);
    assert_eq!(session.kinds[2], ChangeKind::Replaced);
    assert_eq!(session.game().position().white().as_str(), "C");
    let same_names = play(&[
        start(0),
        e4(0),
        line("{Game 7 (A vs. B) A resigns} 0-1"),
        line("{Game 7 (A vs. B) Creating rated blitz match.}"),
        start(0),
    ]);
    assert_eq!(same_names.kinds[2..], [ChangeKind::Ended, ChangeKind::Replaced]);
    assert_eq!((same_names.game().kind(), same_names.game().is_rated()), (Some("blitz"), Some(true)));
    assert!(same_names.game().ending().is_none());
}

/// A rematch of A and B, joined after its first move.
const D4: &str = "rnbqkbnr pppppppp -------- -------- ---P---- -------- PPP-PPPP RNBQKBNR";
/// Start position of wild 5: White's pieces are on the seventh and eighth rank, Black's on the first and second.
const WILD: &str = "RNBKQBNR PPPPPPPP -------- -------- -------- -------- pppppppp rnbkqbnr";

// Rules: style12 R7, bugs K2
#[test]
fn an_observed_rematch_under_the_same_number_is_another_game() {
    let observed = line("You are now observing game 7.");
    let removed = line("Removing game 7 from observation list.");
    let resigned = line("{Game 7 (A vs. B) A resigns} 0-1");
    let aborted = line("{Game 7 (A vs. B) Game aborted by mutual agreement} *");
    let d4 = board(D4, 'B', 1, "P/d2-d4 (0:01) d4", 0);
    let wild = board(WILD, 'W', 1, "none (0:00) none", 0);
    let (played, begun) = ([start(0), e4(0), e5(0)].concat(), start(0));
    // Name, game before, lines between, first board of the next game.
    let cases: &[(&str, &str, &[&String], &str)] = &[
        ("joined after its first move (FatICS)", &played, &[&resigned, &removed, &observed], &d4),
        ("joined after its first move (uhlin-fics)", &played, &[&resigned, &observed], &d4),
        ("joined one ply after the old game's last", &played, &[&resigned, &observed], &nf3(0)),
        ("the opening repeated", &played, &[&resigned, &observed], &e4(0)),
        ("joined at the start", &played, &[&resigned, &observed], &begun),
        ("both at the start", &begun, &[&aborted, &observed], &begun),
        ("without a word, at the start", &played, &[&resigned], &begun),
        ("without a word, after its first move", &played, &[&resigned], &d4),
        ("without a word, another board at the same ply", &e4(0), &[&resigned], &d4),
        ("another start position", &begun, &[&aborted], &wild),
        ("another start position, no end seen", &begun, &[], &wild),
        ("another start position, no end seen, after moves", &played, &[], &wild),
        ("left before its end", &played, &[&removed, &observed], &wild),
        ("left before its end, the old start not known", &e5(0), &[&removed, &observed], &begun),
    ];
    for (name, before, between, first) in cases {
        let between: String = between.iter().map(|line| line.as_str()).collect();
        let session = play(&[before.to_string(), between, first.to_string(), resigned.clone()]);
        assert_eq!(session.desyncs, [], "{name}");
        let last = &session.kinds[session.kinds.len() - 2..];
        assert_eq!(last, [ChangeKind::Replaced, ChangeKind::Ended], "{name}: {:?}", session.kinds);
        assert_eq!(session.game().moves().len(), 0, "{name}");
    }
}

#[test]
fn a_game_that_is_observed_again_goes_on() {
    let observed = line("You are now observing game 7.");
    let removed = line("Removing game 7 from observation list.");
    let adjourned = line("{Game 7 (A vs. B) Game adjourned by mutual agreement} *");
    // uhlin-fics, for a lost connection.
    let lost = line("{Game 7 (A vs. B) adjourned} *");
    let other_moves = board(WILD, 'B', 2, "N/b1-c3 (0:01) Nc3", 0);
    for (between, again, kind) in [
        ([removed.clone(), observed.clone()].concat(), e5(0), ChangeKind::Repeated),
        ([removed.clone(), observed.clone()].concat(), nf3(0), ChangeKind::Moved),
        ([removed.clone(), observed.clone()].concat(), e4(0), ChangeKind::TookBack { plies: 1 }),
        ([removed.clone(), observed.clone()].concat(), start(0), ChangeKind::TookBack { plies: 2 }),
        // Moves were taken back and others played meanwhile: the server contradicts nothing.
        ([removed, observed.clone()].concat(), other_moves, ChangeKind::Replaced),
        ([adjourned, observed.clone()].concat(), e5(0), ChangeKind::Repeated),
        ([lost, observed].concat(), e5(0), ChangeKind::Repeated),
    ] {
        let session = play(&[start(0), e4(0), e5(0), between.clone(), again]);
        assert_eq!((session.kinds.last(), &session.desyncs[..]), (Some(&kind), &[][..]), "{between}");
        assert!(session.game().is_followed_and_ongoing(), "{between}");
    }
}

#[test]
fn a_played_board_that_the_move_does_not_lead_to_is_accepted_with_a_desync() {
    let wrong = E4_E5.replacen('P', "-", 1);
    let session = play(&[start(0), e4(0), board(&wrong, 'W', 2, "P/e7-e5 (0:02) e5", 0)]);
    assert_eq!(session.desyncs, [DesyncReason::WrongBoard]);
    assert_eq!(session.kinds[2], ChangeKind::Replaced);
    assert_eq!(session.game().position().ply(), 2);
    assert_eq!(session.sans(), [""; 0]);
    let other_squares_same_ply = play(&[start(0), e4(0), board(E4_E5, 'B', 1, "P/e2-e4 (0:01) e4", 0)]);
    assert_eq!(other_squares_same_ply.desyncs, [DesyncReason::WrongBoard]);
}

#[test]
fn moves_that_boards_left_out_are_reported() {
    let after_the_gap = |board: String| {
        let session = play(&[start(0), e4(0), board]);
        assert_eq!((session.kinds.last(), session.desyncs.len()), (Some(&ChangeKind::Jumped), 0));
        session.missed
    };
    assert_eq!(after_the_gap(nf3(0)), [(2, 2)], "the board has its own last move");
    assert_eq!(after_the_gap(board(E4_E5_NF3, 'B', 9, "N/g1-f3 (0:03) Nf3", 0)), [(2, 16)]);
    let again = [line("Removing game 7 from observation list."), line("You are now observing game 7.")].concat();
    for complete in [
        [start(0), e4(0), e5(0)],
        [start(0), e4(0), e4(0)],
        [e4(0), e5(0), start(0)],
        [start(0), line("{Game 7 (A vs. B) A resigns} 0-1"), nf3(0)],
        [start(0), again, nf3(0)],
        [start(2), nf3(2), start(2)],
        [start(-2), nf3(-2), start(-2)],
    ] {
        assert_eq!(play(&complete).missed, [], "{complete:?}");
    }
}

#[test]
fn an_examiner_may_set_up_and_reach_any_position() {
    let session = play(&[start(2), nf3(2), e4(2), board(E4_E5, 'B', 1, "P/e2-e4 (0:01) e4", 2)]);
    assert_eq!(
        session.kinds,
        [ChangeKind::Opened, ChangeKind::Jumped, ChangeKind::TookBack { plies: 2 }, ChangeKind::Replaced,]
    );
    assert!(session.desyncs.is_empty());
}

// Rules: style12 K4, style12 K5, style12 K6, style12 K7
#[test]
fn which_clock_runs() {
    let without_flag = |line: String| line.replace(" 0 1 0\n", " 0\n");
    assert_eq!(play(&[without_flag(start(0))]).game().running_clock(), None);
    assert_eq!(play(&[without_flag(e4(0))]).game().running_clock(), None);
    assert_eq!(play(&[without_flag(e5(0))]).game().running_clock(), Some(Color::White));
    assert_eq!(play(&[nf3(0)]).game().running_clock(), Some(Color::Black));
    assert_eq!(play(&[nf3(0).replace(" 0 1 0\n", " 0 0 0\n")]).game().running_clock(), None, "paused");
    assert_eq!(play(&[nf3(-2)]).game().running_clock(), None, "examined");
    assert_eq!(play(&[without_flag(e5(0)).replace(" 0 5 0 39", " 0 0 0 39")]).game().running_clock(), None, "untimed");
    let with_more_time = nf3(0).replace(" 300 300 ", " 360 300 ");
    assert_eq!(play(&[nf3(0), with_more_time]).game().position().white_clock().as_ms(), 360_000);
    assert_eq!(play(&[nf3(0), line("{Game 7 (A vs. B) A resigns} 0-1")]).game().running_clock(), None, "over");
}

// Rules: text Z7, bugs 36
#[test]
fn the_board_after_the_end_does_not_reopen_a_game() {
    let end = line("{Game 7 (A vs. B) B forfeits on time} 1-0");
    let session = play(&[start(0), e4(0), end, e4(0).replace(" 300 300 ", " 300 -17 ")]);
    let ending = session.game().ending().unwrap();
    assert_eq!((ending.result, ending.reason), (GameResult::WhiteWins, GameEndReason::Time));
    assert_eq!(session.game().position().black_clock().as_ms(), -17_000);
    assert!(session.games.mine().is_none());
}

// Rules: text Z6
#[test]
fn a_change_contains_the_relation_of_this_login_to_the_game() {
    let end = line("{Game 7 (A vs. B) B resigns} 1-0");
    let delta = line("<d1> 7 2 e5 e7e5 2000 298000 0");
    for (relation, last) in [(-1, Relation::MyTurn), (0, Relation::Observing)] {
        let stream = [e4(relation), delta.clone(), end.clone()].concat();
        let (mut reader, mut rest) = (EventReader::default(), stream.as_bytes());
        let events = std::iter::from_fn(|| reader.next(&mut rest));
        let told: Vec<_> =
            events.filter_map(|event| event.change().map(|change| (change.kind, change.relation))).collect();
        let first = Relation::from_code(i8::try_from(relation).unwrap());
        assert_eq!(told, [(ChangeKind::Opened, first), (ChangeKind::Moved, last), (ChangeKind::Ended, last)]);
    }
}

#[test]
fn the_end_of_a_game_contains_its_final_state() {
    let stream = [e4(0), line("{Game 7 (A vs. B) B resigns} 1-0"), e4(0).replace(" A ", " C ")].concat();
    let (mut reader, mut rest) = (EventReader::default(), stream.as_bytes());
    let changes: Vec<_> =
        std::iter::from_fn(|| reader.next(&mut rest)).filter_map(|event| event.change().cloned()).collect();
    let kinds: Vec<_> = changes.iter().map(|change| (change.kind, change.ended_game.is_some())).collect();
    assert_eq!(
        kinds,
        [(ChangeKind::Opened, false), (ChangeKind::Ended, true), (ChangeKind::Replaced, false)],
        "the number is used again at once"
    );
    let ended = changes[1].ended_game.as_deref().unwrap();
    assert_eq!((ended.position().ply(), ended.ending().map(|ending| ending.text.as_str())), (1, Some("B resigns")));
    assert!(reader.games().get(GameId(7)).unwrap().ending().is_none());
}

#[test]
fn the_end_of_a_game_that_is_not_followed_changes_nothing() {
    let session = play(&[start(0), line("{Game 8 (C vs. D) C resigns} 0-1"), line("{Game 7 (C vs. D) C resigns} 0-1")]);
    assert_eq!(session.kinds, [ChangeKind::Opened]);
    assert!(session.game().ending().is_none());
}

// Rules: text E1, bugs 53
#[test]
fn an_announced_game_is_not_mine_until_a_board_says_so() {
    let created = line("{Game 7 (A vs. B) Creating unrated wild/5 match.}");
    assert_eq!(play(std::slice::from_ref(&created)).games.iter().count(), 0);
    let observed = play(&[created.clone(), start(0)]);
    assert!(observed.games.mine().is_none());
    assert_eq!(observed.game().kind(), Some("wild/5"));
    assert!(play(&[created, start(-1)]).games.mine().is_some());
}

// Rules: text E2, bugs 38, bugs 61
#[test]
fn a_resumed_game_is_announced_twice_and_is_one_game() {
    let again = line("{Game 7 (A vs. B) Continuing rated standard match.}");
    let adjourned = line("{Game 7 (A vs. B) Game adjourned by mutual agreement} *");
    let session = play(&[start(0), e4(0), adjourned, again.clone(), again.clone(), e4(0), again, e4(0), e5(0)]);
    assert_eq!(session.sans(), ["e4", "e5"]);
    assert!(session.game().ending().is_none());
    assert_eq!(session.kinds.last(), Some(&ChangeKind::Moved));
}

// Rules: bugs 62
#[test]
fn leaving_an_observation_to_examine_keeps_the_game() {
    let left = line("Removing game 7 from observation list.");
    let session = play(&[start(-2), e4(-2), left.clone(), e4(2)]);
    assert!(session.game().is_followed_and_ongoing());
    assert_eq!(session.sans(), ["e4"]);
    assert!(!play(&[start(0), left]).game().is_followed_and_ongoing());
}

/// Returns the reserves of game 7 as a FEN contains them; `None` if they were not reported.
fn hands(session: &Session) -> Option<String> {
    session.game().hands().map(|hands| hands.to_string())
}

// Rules: bughouse H1, bughouse H3
#[test]
fn reserves_are_kept_for_a_game_that_is_announced_later() {
    let holding = line("<b1> game 7 white [NP] black [] <- WN");
    let created = line("{Game 7 (A vs. B) Creating rated bughouse match.}");
    let session = play(&[holding.clone(), start(0), holding.clone()]);
    assert_eq!(session.kinds, [ChangeKind::Opened, ChangeKind::Holding]);
    assert_eq!(session.game().fen().to_string(), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[PN] w KQkq - 0 1");
    for ahead in [[holding.clone(), created.clone()], [created, holding]] {
        assert_eq!(hands(&play(&[ahead.concat(), start(0)])).as_deref(), Some("PN"), "{ahead:?}");
    }
    let without = play(&[start(0)]);
    assert_eq!(hands(&without), None);
    assert_eq!(without.game().fen(), without.game().position().fen());
}

#[test]
fn a_number_used_again_brings_the_new_games_reserves_only() {
    let other = start(0).replace(" A B ", " C D ");
    let old = line("<b1> game 7 white [Q] black []");
    let new = line("<b1> game 7 white [] black [P]");
    let end = line("{Game 7 (A vs. B) A resigns} 0-1");
    let created = line("{Game 7 (C vs. D) Creating rated crazyhouse match.}");
    let left = line("Removing game 7 from observation list.");
    let observed = line("You are now observing game 7.");
    let cases: &[(&str, &[&String], Option<&str>)] = &[
        ("without a word", &[&old], None),
        ("after the end", &[&old, &end], None),
        ("told after the end", &[&old, &end, &new], Some("p")),
        ("announced", &[&old, &created], None),
        ("told after the announcement", &[&old, &end, &created, &new], Some("p")),
        ("the old ones again before the announcement", &[&end, &old, &created], None),
        ("announced without an end, then told", &[&old, &created, &new], Some("p")),
        ("left", &[&old, &left], None),
        ("left, told before the board", &[&old, &left, &new], Some("p")),
        ("left, observed, told before the board", &[&old, &left, &observed, &new], Some("p")),
    ];
    for (name, between, want) in cases {
        let lines: Vec<_> = std::iter::once(start(0)).chain(between.iter().copied().cloned()).collect();
        let session = play(&[lines.concat(), other.clone()]);
        assert_eq!(session.kinds.last(), Some(&ChangeKind::Replaced), "{name}");
        assert_eq!(hands(&session).as_deref(), *want, "{name}");
    }
}

#[test]
fn reserves_reported_before_a_board_of_the_same_game_belong_to_it() {
    let holding = line("<b1> game 7 white [Q] black []");
    let end = line("{Game 7 (A vs. B) A resigns} 0-1");
    let adjourned = line("{Game 7 (A vs. B) Game adjourned by mutual agreement} *");
    let again = line("{Game 7 (A vs. B) Continuing rated crazyhouse match.}");
    let left = line("Removing game 7 from observation list.");
    let observed = line("You are now observing game 7.");
    let cases: &[&[&String]] = &[
        &[&end, &holding],
        &[&adjourned, &again, &holding, &again],
        &[&holding, &adjourned, &again],
        &[&left, &observed, &holding],
        &[&holding, &left, &observed],
    ];
    for between in cases {
        let between: Vec<_> = between.iter().copied().cloned().collect();
        assert_eq!(hands(&play(&[start(0), between.concat(), start(0)])).as_deref(), Some("Q"), "{between:?}");
    }
}

// Rules: bughouse §4
#[test]
fn the_two_boards_of_a_bughouse_match_know_each_other() {
    let beside = start(0).replace(" 0 7 A B ", " 0 8 C D ");
    let told = play(&[
        line("Your partner is playing game 8 (C vs. D)."),
        start(1),
        beside.clone(),
        line("Your partner is playing game 8 (C vs. D)."),
    ]);
    assert_eq!(told.game().partner_game(), Some(GameId(8)));
    assert_eq!(told.games.get(GameId(8)).and_then(Game::partner_game), Some(GameId(7)));
    let info = line("<g1> 7 p=0 t=bughouse r=1 u=0,0 it=120,0 i=120,0 pt=8 rt=1500,1500 ts=1,0");
    assert_eq!(play(&[start(0), beside, info]).games.get(GameId(8)).and_then(Game::partner_game), Some(GameId(7)));
}

// Rules: datagrams G1
#[test]
fn game_information_never_sets_a_clock() {
    let info = line("<g1> 7 p=0 t=blitz r=1 u=1,1 it=5,5 i=8,8 pt=0 rt=1586E,2100  ts=1,0");
    let session = play(&[start(0), info]);
    assert_eq!(session.game().position().white_clock().as_ms(), 300_000);
    assert_eq!((session.game().kind(), session.game().position().initial_min()), (Some("blitz"), 5));
}

#[test]
fn game_information_may_precede_the_first_board() {
    let info = line("<g1> 7 p=0 t=bughouse r=1 u=0,0 it=120,0 i=120,0 pt=8 rt=1500,1500 ts=1,0");
    let beside = start(0).replace(" 0 7 A B ", " 0 8 C D ");
    let session = play(&[info.clone(), start(0), beside]);
    assert_eq!((session.game().kind(), session.game().partner_game()), (Some("bughouse"), Some(GameId(8))));
    let end = line("{Game 7 (A vs. B) A resigns} 0-1");
    let created = line("{Game 7 (A vs. B) Creating rated bughouse match.}");
    let again = play(&[start(0), e4(0), end.clone(), end, created, info, start(0)]);
    assert_eq!(again.kinds[2..], [ChangeKind::Ended, ChangeKind::Replaced]);
    assert!(again.game().info().is_some());
}

#[test]
fn the_move_of_a_board_is_the_one_the_server_reports() {
    let by_e7e5 = board(E4_E5, 'W', 2, "P/e7-e5 (0:02) e5", 2);
    let other_way = board(E4_E5, 'W', 2, "P/e2-e4 (0:02) e4", 2);
    let session = play(&[start(2), e4(2), by_e7e5, other_way]);
    assert_eq!(session.kinds[3], ChangeKind::Repeated);
    assert_eq!(session.sans(), [""; 0], "the moves known were those of another way");
}

#[test]
fn a_capture_may_explode_only_adjacent_pieces() {
    let before = "rnbqkbnr pppp-ppp -------- ----p--- ---P---- -------- PPP-PPPP RNBQKBNR";
    let captured = "P/d4-e5 (0:01) dxe5";
    let opening = board(before, 'W', 2, "P/e7-e5 (0:02) e5", 0);
    let exploded = "rnbqkbnr pppp-ppp -------- -------- -------- -------- PPP-PPPP RNBQKBNR";
    let elsewhere = "rnbqkbnr pppp-ppp -------- -------- -------- -------- PPP-PPPP RNBQKBN-";
    assert!(play(&[opening.clone(), board(exploded, 'B', 2, captured, 0)]).desyncs.is_empty());
    assert_eq!(play(&[opening.clone(), board(elsewhere, 'B', 2, captured, 0)]).desyncs, [DesyncReason::WrongBoard]);
    let blitz = line("{Game 7 (A vs. B) Creating rated blitz match.}");
    assert_eq!(
        play(&[blitz, opening.clone(), board(exploded, 'B', 2, captured, 0)]).desyncs,
        [DesyncReason::WrongBoard]
    );
    // The move alone does not tell what exploded, so a repeated delta board must not play it again.
    let again = play(&[opening, board(exploded, 'B', 2, captured, 0), line("<d1> 7 3 dxe5 d4e5p 100 290000")]);
    assert_eq!(again.kinds.last(), Some(&ChangeKind::Repeated));
    assert_eq!(again.game().position().board().to_string(), "rnbqkbnr/pppp1ppp/8/8/8/8/PPP1PPPP/RNBQKBNR");
}

#[test]
fn a_delta_board_belongs_to_no_game_that_is_over() {
    let end = line("{Game 7 (A vs. B) A resigns} 0-1");
    let session = play(&[start(0), e4(0), end, line("<d1> 7 2 e5 e7e5 1 1")]);
    assert_eq!(session.desyncs, [DesyncReason::NoBoard]);
}

#[test]
fn a_partner_is_one_for_one_match() {
    let beside = start(0).replace(" 0 7 A B ", " 0 8 C D ");
    let playing = line("Your partner is playing game 8 (C vs. D).");
    let (end, created) =
        (line("{Game 7 (A vs. B) A resigns} 0-1"), line("{Game 7 (A vs. B) Creating rated blitz match.}"));
    let session = play(&[start(1), beside, playing, end, created, start(1)]);
    assert_eq!(session.game().partner_game(), None);
}

// Rules: datagrams D1, datagrams D4, datagrams D6
#[test]
fn delta_boards_are_played_on_the_last_board() {
    let session = play(&[
        start(1),
        line("<d1> 7 1 e4 e2e4 1500 298500 3"),
        line("<d1> 7 2 e5 e7e5 2500 297500 4"),
        line("<d1> 7 3 Nf3 g1f3 500 298000"),
    ]);
    assert_eq!(session.boards[0], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
    assert_eq!(session.boards[2], "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
    let position = session.game().position();
    assert_eq!((position.white_clock().as_ms(), position.black_clock().as_ms()), (298_000, 297_500));
    assert_eq!((position.relation(), position.lag_ms()), (Relation::OpponentsTurn, None));
    assert_eq!(session.sans(), ["e4", "e5", "Nf3"]);
}

// Rules: datagrams D2
#[test]
fn a_delta_board_out_of_step_is_a_desync_and_changes_nothing() {
    let session = play(&[
        start(0),
        line("<d1> 7 3 Nf3 g1f3 500 298000"),
        line("<d1> 9 1 e4 e2e4 1 2"),
        line("<d1> 7 1 e5 e5e6 1 2"),
    ]);
    assert_eq!(
        session.desyncs,
        [DesyncReason::WrongPly { known: 0, found: 3 }, DesyncReason::NoBoard, DesyncReason::WrongMove,]
    );
    assert_eq!(session.game().position().ply(), 0);
    let again = play(&[start(0), line("<d1> 7 1 e4 e2e4 1500 298500"), line("<d1> 7 1 e4 e2e4 1500 360000")]);
    assert_eq!(again.kinds[2], ChangeKind::Repeated);
    assert_eq!((again.sans(), again.game().position().white_clock().as_ms()), (vec!["e4"], 360_000));
}

#[test]
fn a_delta_board_of_an_earlier_ply_is_a_takeback() {
    let session = play(&[
        start(0),
        line("<d1> 7 1 e4 e2e4 1500 298500"),
        line("<d1> 7 2 e5 e7e5 2500 297500"),
        line("<d1> 7 3 Nf3 g1f3 500 298000"),
        line("<d1> 7 1 e4 e2e4 1500 298500"),
    ]);
    assert_eq!(session.kinds[4], ChangeKind::TookBack { plies: 2 });
    assert_eq!(session.boards[3], "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1");
    assert_eq!(session.sans(), ["e4"]);
}

// Rules: datagrams D5
#[test]
fn a_full_board_wins_over_what_delta_boards_led_to() {
    let session = play(&[start(0), line("<d1> 7 1 e4 e2e4 1500 298500"), start(0)]);
    assert_eq!(session.kinds[2], ChangeKind::TookBack { plies: 1 });
    assert_eq!(session.game().position().ply(), 0);
}

#[test]
fn delta_boards_keep_rights_counters_and_material() {
    let squares = "r---k--r P------- -------- -------- -------- -------- -------- R---K--R";
    let mut session = play(&[board(squares, 'W', 20, "none (0:00) none", 0), line("<d1> 7 39 O-O e1g1c 1 1")]);
    assert_eq!(session.desyncs, [DesyncReason::WrongPly { known: 38, found: 77 }], "plies count from this start board");
    session = play(&[
        board(squares, 'W', 20, "none (0:00) none", 0),
        line("<d1> 7 1 O-O e1g1c 1 1"),
        line("<d1> 7 2 Rxa7 a8a7p 1 1"),
        line("<d1> 7 3 Rxa7 a1a7r 1 1"),
        line("<d1> 7 4 O-O e8g8c 1 1"),
    ]);
    assert_eq!(
        session.boards,
        [
            "r3k2r/P7/8/8/8/8/8/R4RK1 b kq - 1 20",
            "4k2r/r7/8/8/8/8/8/R4RK1 w k - 0 21",
            "4k2r/R7/8/8/8/8/8/5RK1 b k - 0 21",
            "5rk1/R7/8/8/8/8/8/5RK1 w - - 1 22",
        ]
    );
    assert_eq!((session.game().position().white_material(), session.game().position().black_material()), (38, 34));
}

#[test]
fn kept_games_and_moves_are_limited() {
    let mut games = Games::default();
    games.limits = GameLimits::default().games(3).moves(2);
    let mut reader = crate::MessageReader::default();
    let mut feed = |lines: &str| {
        let mut rest = lines.as_bytes();
        while let Some(received) = reader.next(&mut rest) {
            games.apply(&received.message);
        }
    };
    for game in 1..=10 {
        feed(&start(0).replace(" 0 7 A B ", &format!(" 0 {game} A B ")));
        feed(&format!("<b1> game {game} white [] black []\n"));
    }
    feed(&(start(0) + &e4(0) + &e5(0) + &nf3(0)));
    for game in 100..300 {
        feed(&format!("{{Game {game} (A vs. B) Creating rated blitz match.}}\n"));
        feed(&format!("<b1> game {} white [] black []\n", 2 * game));
    }
    assert_eq!((games.by_id.len(), games.announced.len()), (3, announced::MAX_ANNOUNCED_GAMES));
    let game = games.get(GameId(7)).unwrap();
    assert_eq!((game.moves().len(), game.base().ply(), game.position().ply()), (1, 2, 3));
}

/// Limits the memory of a session that follows 155 games with 8,600 moves: a thousand such sessions have to fit in 0.65 GB.
#[test]
fn followed_games_stay_within_their_memory_budget() {
    let stream: String = (1..=56).flat_map(|ply| (1..=155).map(move |game| knight_move(game, ply))).collect();
    let mut reader = EventReader::default();
    let used = allocation_counter::measure(|| {
        let mut rest = stream.as_bytes();
        while reader.next(&mut rest).is_some() {}
        reader.shrink_to_fit();
    });
    let n_moves: usize = reader.games().iter().map(|game| game.moves().len()).sum();
    assert_eq!((reader.games().iter().count(), n_moves), (155, 155 * 55));
    println!("{} bytes", used.bytes_current);
    assert!(used.bytes_current < 500_000, "{} bytes", used.bytes_current);
}

/// Returns the board line after `ply` of a game in which two knights move out and back again.
fn knight_move(game: u32, ply: u32) -> String {
    let (last, squares) = match ply % 4 {
        1 => ("N/g1-f3 (0:01.250) Nf3", "rnbqkbnr pppppppp -------- -------- -------- -----N-- PPPPPPPP RNBQKB-R B"),
        2 => ("N/g8-f6 (0:01.250) Nf6", "rnbqkb-r pppppppp -----n-- -------- -------- -----N-- PPPPPPPP RNBQKB-R W"),
        3 => ("N/f3-g1 (0:01.250) Ng1", "rnbqkb-r pppppppp -----n-- -------- -------- -------- PPPPPPPP RNBQKBNR B"),
        _ => ("N/f6-g8 (0:01.250) Ng8", "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W"),
    };
    let number = ply / 2 + 1;
    format!(
        "<12> {squares} -1 1 1 1 1 {ply} {game} Philidor TwoKnights 0 3 0 39 39 178750 177500 {number} {last} 0 1 120\n\rfics% \n\r"
    )
}

const E4_D5: &str = "rnbqkbnr ppp-pppp -------- ---p---- ----P--- -------- PPPP-PPP RNBQKBNR";
const EXD5: &str = "rnbqkbnr ppp-pppp -------- ---P---- -------- -------- PPPP-PPP RNBQKBNR";

#[test]
fn a_piece_reported_after_its_capture_links_no_games() {
    let a3 = E4_D5.replace("-------- PPPP-PPP", "P------- -PPP-PPP");
    let dxe4 = a3.replace("---p---- ----P---", "-------- ----p---");
    let session = play(&[
        board(E4_D5, 'W', 2, "P/d7-d5 (0:01) d5", 0),
        board(&a3, 'B', 2, "P/a2-a3 (0:01) a3", 0).replace(" 7 A B ", " 8 C D "),
        board(EXD5, 'B', 2, "P/e4-d5 (0:01) exd5", 0),
        line("<b1> game 7 white [P] black [] <- WP"),
        board(&dxe4, 'W', 3, "P/d5-e4 (0:01) dxe4", 0).replace(" 7 A B ", " 8 C D "),
    ]);
    assert_eq!((session.game().partner_game(), session.game().variant()), (None, Some("crazyhouse")));
}

#[test]
fn a_promoted_piece_reported_as_a_pawn_after_its_capture_is_no_evidence_of_bughouse() {
    let promoted = E4_D5.replace("---p----", "---n----");
    let reply = EXD5.replace("ppp-pppp --------", "ppp-ppp- -------p");
    let session = play(&[
        board(&promoted, 'W', 2, "N/f6-d5 (0:01) Nd5", 0),
        board(EXD5, 'B', 2, "P/e4-d5 (0:01) exd5", 0),
        line("<b1> game 7 white [P] black [] <- WP"),
        board(&reply, 'W', 3, "P/h7-h6 (0:01) h6", 0),
    ]);
    assert_eq!(session.game().variant(), None);
}

#[test]
fn only_a_new_wild_game_starts_from_the_position_of_the_last_challenge() {
    for (before, announced, want) in [
        ("", "Creating unrated wild", Some("wild/fr")),
        ("", "Creating unrated blitz", None),
        ("", "Continuing unrated wild", None),
        ("You decline the match offer from C.\n", "Creating unrated wild", Some("wild/fr")),
        ("You decline the match offer from A.\n", "Creating unrated wild", None),
        ("A withdraws the match offer.\n", "Creating unrated wild", None),
        ("{Game 5 (B vs. A) Creating unrated wild match.}\n", "Creating unrated wild", None),
    ] {
        let challenge = "Challenge: A (----) B (----) unrated wild 5 0 Loaded from wild/fr.\n";
        let stream = format!("{challenge}{before}{{Game 7 (A vs. B) {announced} match.}}\n");
        let (mut reader, mut rest, mut loaded) = (EventReader::default(), stream.as_bytes(), None);
        while let Some(event) = reader.next(&mut rest).or_else(|| reader.finish()) {
            if let Some(Message::GameCreated(created)) = event.message() {
                loaded.clone_from(&created.loaded_from);
            }
        }
        assert_eq!(loaded.as_ref().map(ServerText::as_str), want, "{before}{announced}");
    }
}

/// Returns the line without the fields that only some servers append: whether clocks run, and the lag.
fn without_clock_state(line: &str) -> String {
    line.replace(" 0 1 0\n", " 0\n")
}

// Transcript uhlinfics-game-mate-1-Boris: the board precedes the sentence and does not say whether clocks run.
#[test]
fn paused_clocks_stand_still() {
    let lines = [e5(1), board(E4_E5, 'W', 2, "P/e7-e5 (0:02) e5", 1)].map(|line| without_clock_state(&line));
    let running = |lines: &[String]| play(lines).games.mine().and_then(Game::running_clock);
    assert_eq!(running(&lines), Some(Color::White));
    for paused in ["Game clock paused.\n", "Game 7: Game clock paused.\n", "B accepted pause. Game clock paused.\n"] {
        let paused = [&lines[..], &[paused.to_owned()]].concat();
        assert_eq!(running(&paused), None, "{paused:?}");
        assert_eq!(running(&[&paused[..], &lines[1..]].concat()), None, "{paused:?}, and the board again");
        let moved = without_clock_state(&nf3(-1));
        assert_eq!(running(&[&paused[..], &[moved]].concat()), Some(Color::Black), "{paused:?}, and a move");
        assert_eq!(running(&[&paused[..], &["Game clock resumed.\n".to_owned()]].concat()), Some(Color::White));
    }
    let other = [&lines[..], &["Game 8: Game clock paused.\n".to_owned()]].concat();
    assert_eq!(running(&other), Some(Color::White), "another game");
}

// The source code of uhlin-fics sends no board after `moretime`; transcripts fatics-block-*.
#[test]
fn added_time_is_on_the_clock() {
    let clocks = |relation, line: &str| {
        let played = play(&[e5(relation), line.to_owned()]);
        let position = played.games.get(GameId(7)).unwrap().position();
        (played.kinds.last().copied(), position.white_clock().as_ms(), position.black_clock().as_ms())
    };
    let changed = Some(ChangeKind::Clock);
    // White is to move, so that 1 is White's board and -1 is Black's.
    assert_eq!(clocks(1, "Your opponent has added 60 seconds to your clock.\n"), (changed, 360_000, 300_000));
    assert_eq!(clocks(-1, "B has added 5 seconds to your clock.\n"), (changed, 300_000, 305_000));
    assert_eq!(clocks(1, "60 seconds were added to your opponents clock\n"), (changed, 300_000, 360_000));
    assert_eq!(clocks(1, "You have added 4294967295 seconds to B's clock.\n"), (changed, 300_000, 4_294_967_595_000));
    assert_eq!(clocks(0, "B has added 5 seconds to A's clock.\n"), (changed, 305_000, 300_000));
    let unchanged = (Some(ChangeKind::Opened), 300_000, 300_000);
    assert_eq!(clocks(0, "B has added 5 seconds to C's clock.\n"), unchanged);
    assert_eq!(clocks(0, "Your opponent has added 60 seconds to your clock.\n"), unchanged);
    assert_eq!(clocks(1, "Game 7: B has lagged for 30 seconds.\n"), unchanged);
}

// Transcripts fatics-game-endings-observer, fatics-info-native.
#[test]
fn terms_in_words_complete_those_of_a_tagged_line() {
    let words = "Game 7: A (1882) B (----) rated blitz 5 0\n".to_owned();
    let tagged = "<g1> 7 p=0 t=blitz r=1 u=0,1 it=300,0 i=300,0 pt=0 rt=1882,0 ts=1,0 m=2 n=0\n".to_owned();
    for lines in
        [[words.clone(), tagged.clone(), e4(0)], [tagged.clone(), words.clone(), e4(0)], [e4(0), tagged, words.clone()]]
    {
        let played = play(&lines);
        let info = played.games.get(GameId(7)).unwrap().info().unwrap();
        assert_eq!(
            (info.white_timeseal, info.black_registered, info.min_move_time),
            (Some(true), Some(false), Some(2))
        );
        assert_eq!((info.rated, info.white_rating.and_then(Rating::value)), (Some(true), Some(1882)));
    }
    let played = play(&[words, e4(0)]);
    assert_eq!(played.games.get(GameId(7)).unwrap().kind(), Some("blitz"));
}
