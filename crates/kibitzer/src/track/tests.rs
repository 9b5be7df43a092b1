use super::*;
use TrackedChangeKind::{Adjourned, Ended, Interrupted, Left, Moved, Refreshed, Replaced, Resumed, Started, TakenBack};
use kibitzer_core::chess::{Color, Fen};
use kibitzer_core::event::{Capabilities, CloseCause, ConnectionLoss, Restored};
use kibitzer_core::message::listing::{Listing as _, MoveList};
use kibitzer_core::message::{Family, Handle, Rating};
use kibitzer_core::wire::Framer;
use kibitzer_core::{EventReader, MessageReader};

const START: &str = "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0";
const AFTER_E4: &str = "rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0";
const AFTER_E5: &str = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR W 4 1 1 1 1 0";
const AFTER_NF3: &str = "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -----N-- PPPP-PPP RNBQKB-R B -1 1 1 1 1 1";
const CREATED: &str = "{Game 7 (Me vs. Bob) Creating unrated blitz match.}";
const RESUMED: &str = "{Game 9 (Me vs. Bob) Continuing unrated blitz match.}";

/// A board of a game of three minutes and two seconds.
fn board(squares: &str, game: u32, relation: i32, number: u32, last: &str) -> String {
    format!("<12> {squares} {game} Me Bob {relation} 3 2 39 39 180000 170000 {number} {last} 0 1 0")
}

const NONE: &str = "none (0:00.000) none";
const E4: &str = "P/e2-e4 (0:01.500) e4";
const E5: &str = "P/e7-e5 (0:02.000) e5";
const NF3: &str = "N/g1-f3 (0:03.000) Nf3";

fn start() -> String {
    board(START, 7, 1, 1, NONE)
}

fn after_e4() -> String {
    board(AFTER_E4, 7, -1, 1, E4)
}

fn after_e5() -> String {
    board(AFTER_E5, 7, 1, 2, E5)
}

#[derive(Default)]
struct Session {
    reader: EventReader,
    tracker: GameTracker,
}

impl Session {
    fn lines(&mut self, lines: &[&str]) -> Vec<TrackedChangeKind> {
        let text = lines.join("\n\r") + "\n\rfics% ";
        let mut input = text.as_bytes();
        let events: Vec<Event> = std::iter::from_fn(|| self.reader.next(&mut input)).collect();
        self.events(&events)
    }

    fn events(&mut self, events: &[Event]) -> Vec<TrackedChangeKind> {
        events.iter().flat_map(|event| self.tracker.apply(event)).map(|step| step.kind).collect()
    }

    /// Loses the connection and opens another one.
    fn lose(&mut self) -> Vec<TrackedChangeKind> {
        self.reader = EventReader::default();
        self.events(&[
            Event::Lost(ConnectionLoss::new(CloseCause::Closed.into(), None, Duration::ZERO).into()),
            Event::Connected,
        ])
    }

    fn game(&self) -> &TrackedGame {
        self.tracker.iter().last().unwrap()
    }

    fn ucis(&self) -> Vec<String> {
        self.game().line().moves.iter().filter_map(TrackedMove::uci).collect()
    }
}

#[test]
fn a_game_is_followed_from_its_first_board_to_its_end() {
    let mut session = Session::default();
    let info = "<g1> 7 p=0 t=blitz r=0 u=0,0 it=180,2 i=180,2 pt=0 rt=1500,1600P ts=1,1 m=2 n=0";
    assert_eq!(session.lines(&[CREATED, info, &start()]), [Started]);
    let game = session.game();
    assert_eq!((game.number(), game.my_color(), game.is_my_turn()), (GameId(7), Some(Color::White), true));
    assert_eq!((game.speed(), game.variant().as_str(), game.is_rated()), (Some("blitz"), "chess", Some(false)));
    assert_eq!(game.rating(Color::Black).and_then(Rating::value), Some(1600));
    assert_eq!(game.time_control_s(), (180, 2));
    assert_eq!(session.lines(&[&after_e4(), &after_e5()]), [Moved, Moved]);
    assert_eq!(session.ucis(), ["e2e4", "e7e5"]);
    assert_eq!(session.game().line().moves[0].elapsed_ms, Some(1500));
    assert_eq!(session.game().line().moves[1].clock.unwrap().as_ms(), 170_000);
    assert!(session.game().line().starts_from_standard_position());
    assert_eq!(session.lines(&["{Game 7 (Me vs. Bob) Bob resigns} 1-0"]), [Ended]);
    let game = session.game();
    assert_eq!((game.state(), game.is_my_turn()), (TrackedState::Over, false));
    assert_eq!(game.ending().unwrap().text.as_str(), "Bob resigns");
}

#[test]
fn a_decision_holds_only_in_its_position() {
    let mut session = Session::default();
    session.lines(&[CREATED, &start()]);
    let at_start = session.game().position_key();
    assert!(session.tracker.is_current(at_start));
    session.lines(&[&start()]);
    assert!(session.tracker.is_current(at_start), "a repeated board is the same position");
    session.lines(&[&after_e4()]);
    assert!(!session.tracker.is_current(at_start), "the move was made");
    session.lines(&[&after_e5()]);
    let at_e5 = session.game().position_key();
    assert_eq!(session.lines(&[&start()]), [TakenBack { plies: 2 }]);
    assert!(!session.tracker.is_current(at_e5) && session.tracker.is_current(at_start));
    assert_eq!(session.ucis(), Vec::<String>::new());
    session.lose();
    assert!(!session.tracker.is_current(at_start), "no connection");
    session.lines(&["{Game 7 (Me vs. Bob) Creating unrated blitz match.}", &start()]);
    assert!(!session.tracker.is_current(at_start), "another game with the same number, players and position");
    assert!(session.tracker.is_current(session.game().position_key()));
}

#[test]
fn a_resumed_game_keeps_its_key_and_its_moves() {
    for how in ["adjourned", "adjourned, uhlin-fics", "lost", "lost and stored"] {
        let mut session = Session::default();
        session.lines(&[CREATED, &start(), &after_e4(), &after_e5()]);
        let key = session.game().key();
        let step = match how {
            "adjourned" => session.lines(&["{Game 7 (Me vs. Bob) Game adjourned by mutual agreement} *"]),
            "adjourned, uhlin-fics" => session.lines(&["{Game 7 (Me vs. Bob) adjourned} *"]),
            _ => session.lose(),
        };
        assert_eq!(step, [if how.starts_with("adjourned") { Adjourned } else { Interrupted }]);
        if how == "lost and stored" {
            let [white, black] = ["me", "bob"].map(|name| name.parse::<Handle>().unwrap());
            let stored = AdjournedGame::new(white, black, ResumptionState::Stored);
            assert_eq!(session.events(&[Event::AdjournedGame(stored.into())]), [Adjourned]);
        }
        let boards = [board(AFTER_E5, 9, 1, 2, E5), board(AFTER_NF3, 9, -1, 2, NF3)];
        assert_eq!(session.lines(&[RESUMED, &boards[0], &boards[1]]), [Resumed, Moved], "{how}");
        let game = session.game();
        assert_eq!((game.key(), game.number(), game.has_missing_moves()), (key, GameId(9), false));
        assert_eq!(session.ucis(), ["e2e4", "e7e5", "g1f3"], "{how}");
        // A takeback of a move before the resumption.
        assert_eq!(session.lines(&[&board(AFTER_E4, 9, -1, 1, E4)]), [TakenBack { plies: 2 }]);
        assert_eq!(session.ucis(), ["e2e4"], "{how}");
    }
}

#[test]
fn a_game_that_icc_resumes_as_a_new_one_continues() {
    const LOGIN: &str = "^(0 Foo {}^)";
    let list =
        |number: u32| format!("^(15 {number} Foo Bar 0 Blitz 1 3 2 3 2 1 {{}} 1500 1600 9 {{}} {{}} 0 0 0 {{}} 0^)");
    let icc = || EventReader::new(MessageReader::new(Framer::new(), Family::Icc));
    let mut session = Session { reader: icc(), ..Session::default() };
    let unit = |text: &str| text.replace('^', "\x19");
    let moves = [LOGIN, &list(7), "^(101 7 {} 0^)", "^(24 7 e4 e2e4 1 181 1^)"].map(unit);
    assert_eq!(session.lines(&moves.each_ref().map(String::as_str)), [Started, Moved]);
    let key = session.game().key();
    session.lose();
    session.reader = icc();
    let moves = [LOGIN, &list(9), "^(25 9 *{e4 e2e4 1 181}{e5 e7e5 2 180}^)", "^(24 9 Nf3 g1f3 3 178 1^)"].map(unit);
    assert_eq!(session.lines(&moves.each_ref().map(String::as_str)), [Resumed, Moved]);
    assert_eq!((session.game().key(), session.ucis()), (key, ["e2e4", "e7e5", "g1f3"].map(str::to_owned).to_vec()));
    // A new game of the same players.
    session.lose();
    session.reader = icc();
    let start = [LOGIN, &list(7), "^(101 7 {} 0^)"].map(unit);
    assert_eq!(session.lines(&start.each_ref().map(String::as_str)), [Started]);
}

fn move_list(rows: &str) -> MoveList {
    let text = format!(
        "Movelist for game 9:\n\nMe (1500) vs. Bob (1600) --- Mon Nov  4, 08:38 CET 2002\n\
         Unrated blitz match, initial time: 3 minutes, increment: 2 seconds.\n\n\
         Move  Me    Bob\n----  ---------------------   ---------------------\n{rows}\n      {{Still in progress}} *"
    );
    MoveList::parse(text.lines().map(str::as_bytes)).unwrap()
}

/// Adds a list of moves to a game, and returns whether all of its moves are known then.
fn add_moves(session: &mut Session, key: GameKey, list: &MoveList) -> bool {
    let game = session.tracker.tracked.iter_mut().find(|game| game.key() == key).unwrap();
    game.add_missing_moves(list);
    !game.has_missing_moves()
}

#[test]
fn a_list_of_moves_fills_the_gap_before_a_resumed_position() {
    let mut session = Session::default();
    assert_eq!(session.lines(&[RESUMED, &board(AFTER_E5, 9, 1, 2, E5)]), [Resumed]);
    assert!(session.game().has_missing_moves());
    let known = session.game().line().start.to_string();
    assert_eq!(known, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq e6 0 2");
    let key = session.game().key();
    let mut add = |rows: &str| add_moves(&mut session, key, &move_list(rows));
    assert!(!add("  1.  d4      (0:00.000)      d5      (0:00.123)"), "another game");
    assert!(!add("  1.  Ke4     (0:00.000)"), "impossible");
    assert!(
        add("  1.  e4      (0:00.000)      e5      (0:00.123)\n  2.  Nf3     (0:02.000)"),
        "one move more than known"
    );
    assert_eq!(session.ucis(), ["e2e4", "e7e5"]);
    assert!(session.game().line().starts_from_standard_position());
    assert_eq!(session.lines(&[&board(AFTER_NF3, 9, -1, 2, NF3)]), [Moved]);
    assert_eq!(session.ucis(), ["e2e4", "e7e5", "g1f3"]);
}

#[test]
fn a_list_replaces_no_known_moves_and_completes_a_resumed_game() {
    let list = move_list("  1.  e4      (0:00.000)      e5      (0:00.123)\n  2.  Nf3     (0:02.000)");
    let mut session = Session::default();
    session.lines(&[CREATED, &start(), &after_e4()]);
    let key = session.game().key();
    let known = session.game().line();
    assert!(add_moves(&mut session, key, &list));
    assert_eq!(session.game().line(), known, "with its clocks");
    // The first moves were missed, and then the connection was lost.
    let mut session = Session::default();
    session.lines(&[RESUMED, &board(AFTER_E5, 9, 1, 2, E5)]);
    session.lose();
    session.lines(&[RESUMED, &board(AFTER_E5, 9, 1, 2, E5), &board(AFTER_NF3, 9, -1, 2, NF3)]);
    assert!(session.game().has_missing_moves());
    let key = session.game().key();
    assert!(add_moves(&mut session, key, &list));
    assert_eq!(session.ucis(), ["e2e4", "e7e5", "g1f3"]);
}

#[test]
fn the_report_after_a_reconnect_has_missing_moves_and_ends() {
    let [white, black] = ["Me", "Bob"].map(|name| name.parse::<Handle>().unwrap());
    let report = |now, outcome, moves| {
        let mut game = RestoredGame::unchanged(GameId(7), white.clone(), black.clone(), Relation::MyTurn);
        (game.now, game.outcome, game.moves) = (now, outcome, moves);
        let mut restored = Restored::default();
        restored.games.push(game);
        Event::Restored(restored.into())
    };
    let mut session = Session::default();
    session.lines(&[CREATED, &start()]);
    session.lose();
    session.lines(&[RESUMED, &board(AFTER_E5, 9, 1, 2, E5)]);
    assert!(session.game().has_missing_moves());
    let list = move_list("  1.  e4      (0:00.000)      e5      (0:00.123)");
    session.events(&[report(Some(GameId(9)), RestoreOutcome::advanced(2), Some(list))]);
    assert_eq!(session.ucis(), ["e2e4", "e7e5"]);
    for (outcome, step, state) in [
        (RestoreOutcome::Ended, vec![Ended], TrackedState::Over),
        (RestoreOutcome::Gone, vec![Left], TrackedState::Left),
        (RestoreOutcome::replaced(None), vec![Left], TrackedState::Left),
        (RestoreOutcome::Adjourned, vec![Adjourned], TrackedState::Adjourned),
        (RestoreOutcome::Interrupted, vec![Left], TrackedState::Left),
    ] {
        let mut session = Session::default();
        session.lines(&[CREATED, &start()]);
        session.lose();
        assert_eq!(session.events(&[report(None, outcome, None)]), step);
        assert_eq!(session.game().state(), state);
    }
}

#[test]
fn a_number_is_used_again() {
    let mut session = Session::default();
    session.lines(&[CREATED, &start(), &after_e4()]);
    assert_eq!(session.lines(&[CREATED, &start()]), [Left, Started]);
    let states: Vec<_> = session.tracker.iter().map(TrackedGame::state).collect();
    assert_eq!(states, [TrackedState::Left, TrackedState::Playing]);
    assert_eq!(session.game().number(), GameId(7));
    // A board that contradicts the known one is of the same game.
    assert_eq!(session.lines(&[&board(AFTER_NF3, 7, -1, 2, NF3)]), [Replaced]);
    assert!(session.game().has_missing_moves());
}

#[test]
fn the_last_board_may_follow_the_end() {
    let mut session = Session::default();
    session.lines(&[CREATED, &start(), "{Game 7 (Me vs. Bob) Bob resigns} 1-0"]);
    assert_eq!(session.lines(&[&after_e4()]), [Moved]);
    assert_eq!((session.game().state(), session.ucis()), (TrackedState::Over, vec!["e2e4".to_owned()]));
    // The same number later is another game.
    assert_eq!(session.lines(&[CREATED, &start()]), [Started]);
    assert_eq!(session.tracker.iter().count(), 2);
}

#[test]
fn the_line_before_an_observed_board_has_kind_and_ratings() {
    let mut session = Session { tracker: GameTracker::new().with_observed(), ..Session::default() };
    let observed = board(START, 7, 0, 1, NONE);
    let terms = "Game 7: Me (1882) Bob (++++) rated wild/fr 3 2";
    assert_eq!(session.lines(&["You are now observing game 7.", terms, &observed]), [Started]);
    let game = session.game();
    assert_eq!(
        (game.variant().as_str(), game.is_rated(), game.rating(Color::Black)),
        ("chess960", Some(true), Some(Rating::Guest))
    );
    assert_eq!(game.rating(Color::White).and_then(Rating::value), Some(1882));
    // Terms of other players are not this game's.
    assert_eq!(session.lines(&["Game 8: Ann (1) Bob (2) rated blitz 3 2", &board(START, 8, 0, 1, NONE)]), [Started]);
    assert_eq!((session.game().is_rated(), session.game().rating(Color::Black)), (None, None));
}

#[test]
fn only_own_games_are_tracked_by_default() {
    let observed = board(START, 7, 0, 1, NONE);
    let mut session = Session::default();
    assert_eq!(session.lines(&[&observed]), []);
    let mut session = Session { tracker: GameTracker::new().with_observed(), ..Session::default() };
    assert_eq!(session.lines(&[&observed, "Removing game 7 from observation list."]), [Started, Left]);
    assert_eq!(session.lines(&[&board(START, 8, 2, 1, NONE)]), [], "examined");
    assert_eq!(session.events(&[Event::SessionReady(Capabilities::default())]), []);
}

#[test]
fn reserves_before_the_known_moves_are_part_of_the_line() {
    let resumed = "{Game 9 (Me vs. Bob) Continuing unrated crazyhouse match.}";
    let mut session = Session::default();
    session.lines(&[resumed, &board(AFTER_E5, 9, 1, 2, E5), "<b1> game 9 white [NP] black [Q]"]);
    assert_eq!(session.game().variant(), "crazyhouse");
    let start = session.game().line().start.to_string();
    assert_eq!(start, "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR[PNq] w KQkq e6 0 2");
    assert_eq!(session.lines(&["<b1> game 9 white [N] black [Q]"]), [Refreshed]);
}

#[test]
fn pieces_that_explode_leave_the_board_of_a_list() {
    let list = move_list("  1.  Nf3     (0:00)      e5      (0:00)\n  2.  Nxe5    (0:00)      d5      (0:00)");
    let [chess, atomic] = ["chess", "atomic"].map(|variant| MoveLine::from_list(&list, variant).unwrap());
    let placed = |line: MoveLine| Fen::from_board(line.final_board().unwrap(), Color::White).board.to_string();
    assert_eq!(placed(chess), "rnbqkbnr/ppp2ppp/8/3pN3/8/8/PPPPPPPP/RNBQKB1R");
    assert_eq!(placed(atomic), "rnbqkbnr/ppp2ppp/8/3p4/8/8/PPPPPPPP/RNBQKB1R");
}

#[test]
fn what_is_kept_is_limited() {
    let mut session = Session::default();
    for id in 1..200 {
        session.lines(&[
            &format!("{{Game {} (A vs. B) Creating unrated blitz match.}}", id + 10_000),
            &board(START, id, 1, 1, NONE),
            &format!("{{Game {id} (Me vs. Bob) Bob resigns}} 1-0"),
        ]);
    }
    assert_eq!(session.tracker.iter().count(), MAX_IDLE_GAMES + 1, "the last one was in progress when it came");
    assert!(session.tracker.announced.len() <= MAX_ANNOUNCED);
}
