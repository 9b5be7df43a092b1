//! Restoration after a lost connection.

use super::login::{fics, log_in_guest, on_fics, on_uhlin};
use super::*;
use crate::game::{ChangeKind, Game};
use crate::message::{GameId, Ivar, Refusal, Relation};

/// Returns a board of an observed game: number, White, ply, and placement of White's king pawn.
fn board(game: i32, white: &str, plies: u32, relation: i32) -> String {
    let (rank4, rank2) = if plies == 0 { ("--------", "PPPPPPPP") } else { ("----P---", "PPPP-PPP") };
    let side = if plies.is_multiple_of(2) { "W" } else { "B" };
    let last = if plies == 0 { "none (0:00) none" } else { "P/e2-e4 (0:01) e4" };
    format!(
        "<12> rnbqkbnr pppppppp -------- -------- {rank4} -------- {rank2} RNBQKBNR {side} -1 1 1 1 1 0 {game} {white} Flohr \
         {relation} 2 12 39 39 120 120 {} {last} 0\n\r",
        plies / 2 + 1
    )
}

fn observing(game: i32, white: &str, plies: u32) -> String {
    format!("You are now observing game {game}.\n\r\n\r{}", board(game, white, plies, 0))
}

/// Waits for the next attempt, which connects.
fn dial_again(driver: &mut Driver) {
    while driver.session.next_action() == DriverAction::Wait {
        driver.wait(Duration::from_millis(100));
    }
    driver.dial(Ok(()));
}

/// Closes the connection, and logs in again on the same kind of server, which answers all commands.
fn reconnect(driver: &mut Driver, peer: &mut Peer) -> Restored {
    driver.close(CloseCause::Failed(std::io::ErrorKind::ConnectionReset));
    driver.take_session_events();
    dial_again(driver);
    log_in_guest(driver);
    driver.serve(peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    let news = driver.take_session_events();
    let [Event::Connecting(_), Event::Connected, Event::LoggedIn(_), Event::SessionReady(_), Event::Restored(restored)] =
        &news[..]
    else {
        panic!("{news:?}")
    };
    (**restored).clone()
}

/// Returns the commands of the restoration that a server received.
fn heard(peer: &Peer) -> Vec<&str> {
    let is_restoration =
        |line: &&str| ["observe", "unobserve", "moves", "seek"].iter().any(|verb| line.starts_with(verb));
    peer.heard.iter().map(String::as_str).filter(is_restoration).collect()
}

#[test]
fn an_unchanged_game_is_observed_again() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    driver.take_session_events();
    let mut peer = fics().on("observe 7", &observing(7, "Euwe", 1));
    let restored = reconnect(&mut driver, &mut peer);
    assert!(restored.offline_for >= Duration::from_millis(500) && restored.offline_for <= seconds(1));
    let [game] = &restored.games[..] else { panic!("{restored:?}") };
    assert_eq!((game.was, game.now, game.relation), (GameId(7), Some(GameId(7)), Relation::Observing));
    assert_eq!((game.white.as_str(), game.black.as_str()), ("Euwe", "Flohr"));
    assert_eq!((game.outcome, game.moves_missing), (RestoreOutcome::Unchanged, false));
    assert_eq!(heard(&peer), ["observe 7"], "nothing is missing");
    assert!(driver.session.games().get(GameId(7)).is_some());
}

#[test]
fn missing_moves_are_requested() {
    let list = "\n\rMovelist for game 7:\n\r\n\rEuwe (1882) vs. Flohr (1558) --- Sat Nov 21, 00:22 UTC 2026\n\r\
        Rated blitz match, initial time: 2 minutes, increment: 12 seconds.\n\r\n\r\
        Move  Euwe                    Flohr\n\r----  ---------------------   ---------------------\n\r\
        \x20 1.  e4      (0:00)          e5      (0:00)\n\r      {Still in progress} *\n\r";
    let cases = [
        (0, 1, RestoreOutcome::Advanced { plies: 1 }, false),
        (0, 4, RestoreOutcome::Advanced { plies: 4 }, true),
        (5, 2, RestoreOutcome::Replaced { by: Some(GameId(7)) }, true),
        (0, 0, RestoreOutcome::Unchanged, false),
    ];
    for (before, after, outcome, missing) in cases {
        let (mut driver, _) = on_fics(guest());
        driver.feed(observing(7, "Euwe", before));
        let mut peer = fics().on("observe 7", &observing(7, "Euwe", after)).on("moves 7", list);
        let restored = reconnect(&mut driver, &mut peer);
        let game = &restored.games[0];
        assert_eq!((game.outcome, game.moves_missing), (outcome, missing));
        assert_eq!(game.moves.as_ref().map(|moves| moves.moves.len()), missing.then_some(2));
    }
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 0));
    let restored = reconnect(&mut driver, &mut fics().on("observe 7", &observing(7, "Euwe", 9)));
    assert!(restored.games[0].moves_missing && restored.games[0].moves.is_none(), "the server lists none");
}

#[test]
fn a_game_under_another_number_is_found_by_its_player() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    let mut peer = fics().on("observe 7", &observing(7, "Alekhine", 3)).on("observe Euwe", &observing(9, "euwe", 1));
    let restored = reconnect(&mut driver, &mut peer);
    let game = &restored.games[0];
    assert_eq!((game.was, game.now, game.outcome), (GameId(7), Some(GameId(9)), RestoreOutcome::Unchanged));
    let mut sent = heard(&peer);
    sent.sort_unstable();
    assert_eq!(sent, ["observe 7", "observe Euwe", "unobserve 7"], "the stranger's game is left");
}

#[test]
fn a_game_that_is_not_found_is_never_reported_as_ended() {
    let strangers = observing(7, "Alekhine", 3);
    let duras = observing(8, "Euwe", 0).replace("Flohr", "Duras");
    let replaced = RestoreOutcome::Replaced { by: None };
    for (by_number, by_player, outcome) in [
        ("There is no such game.\n\r", "There is no such game.\n\r", RestoreOutcome::Gone),
        ("There is no such game.\n\r", "Euwe is not playing a game.\n\r", RestoreOutcome::Gone),
        ("There is no such game.\n\r", "No user named \"euwe\" is logged in.\n\r", RestoreOutcome::Gone),
        ("Sorry, game 7 is a private game.\n\r", "Euwe is not playing a game.\n\r", RestoreOutcome::Gone),
        (&strangers, "Euwe is not playing a game.\n\r", replaced),
        // The players of another server are unknown, and its numbers mean nothing.
        (&strangers, "No user named \"euwe\" is logged in.\n\r", RestoreOutcome::Gone),
        ("There is no such game.\n\r", &duras, replaced),
    ] {
        let (mut driver, _) = on_fics(guest());
        driver.feed(observing(7, "Euwe", 1));
        let mut peer = fics().on("observe Euwe", by_player).on("observe 7", by_number);
        let restored = reconnect(&mut driver, &mut peer);
        let game = &restored.games[0];
        assert_eq!((game.now, game.outcome, game.moves_missing), (None, outcome, true), "{by_number} {by_player}");
        assert_eq!(heard(&peer).contains(&"unobserve 8"), by_player == duras);
    }
}

/// Returns the reply to `moves 7`, with the time of each move in seconds.
fn listing(moves: &[(&str, u32)]) -> String {
    let mut rows = String::new();
    for (number, pair) in (1..).zip(moves.chunks(2)) {
        let cells: Vec<_> = pair.iter().map(|(san, seconds)| format!("{san}      (0:{seconds:02})")).collect();
        rows.extend(["  ", &number.to_string(), ".  ", &cells.join("          "), "\n\r"]);
    }
    format!(
        "\n\rMovelist for game 7:\n\r\n\rEuwe (1882) vs. Flohr (1558) --- Sat Nov 21, 00:22 UTC 2026\n\r\
         Rated blitz match, initial time: 2 minutes, increment: 12 seconds.\n\r\n\r\
         Move  Euwe                    Flohr\n\r----  ---------------------   ---------------------\n\r\
         {rows}      {{Still in progress}} *\n\r"
    )
}

const PIECES: [&str; 5] = [
    "rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0",
    "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR W 4 1 1 1 1 0",
    "rnbqkbnr pppp-ppp -------- ----p--- ----P--- -----N-- PPPP-PPP RNBQKB-R B -1 1 1 1 1 1",
    "r-bqkbnr pppp-ppp --n----- ----p--- ----P--- -----N-- PPPP-PPP RNBQKB-R W -1 1 1 1 1 2",
    "r-bqkbnr pppp-ppp --n----- -B--p--- ----P--- -----N-- PPPP-PPP RNBQK--R B -1 1 1 1 1 3",
];

/// Returns the board of game 7 after this many plies of a Spanish opening, the last of which took `seconds`.
fn spanish(plies: usize, clocks: [u32; 2], seconds: u32) -> String {
    let last = ["P/e2-e4 ? e4", "P/e7-e5 ? e5", "N/g1-f3 ? Nf3", "N/b8-c6 ? Nc6", "B/f1-b5 ? Bb5"][plies - 1];
    let last = last.replace('?', &format!("(0:{seconds:02})"));
    let [white, black] = clocks;
    format!("<12> {} 7 Euwe Flohr 0 2 12 39 39 {white} {black} {} {last} 0\n\r", PIECES[plies - 1], plies / 2 + 1)
}

#[test]
fn only_a_list_that_begins_with_the_known_moves_belongs_to_the_game() {
    type Row<'a> = (&'a str, &'a [String], String, Option<&'a [(&'a str, u32)]>, RestoreOutcome);
    let replaced = RestoreOutcome::Replaced { by: Some(GameId(7)) };
    let slow = [("e4", 0), ("e5", 0), ("Nf3", 9), ("Nc6", 1), ("Bb5", 3)];
    let quick = [("e4", 0), ("e5", 0), ("Nf3", 1), ("Nc6", 1), ("Bb5", 3)];
    let known = [spanish(1, [120, 120], 0), spanish(2, [120, 120], 0), spanish(3, [123, 120], 9)];
    let rows: &[Row<'_>] = &[
        ("moves were played", &known, spanish(5, [132, 131], 3), Some(&slow), RestoreOutcome::Advanced { plies: 2 }),
        (
            "it was joined late",
            &known[2..],
            spanish(5, [132, 131], 3),
            Some(&slow),
            RestoreOutcome::Advanced { plies: 2 },
        ),
        ("no list", &known, spanish(5, [132, 131], 3), None, RestoreOutcome::Advanced { plies: 2 }),
        ("another time", &known, spanish(5, [132, 131], 3), Some(&quick), replaced),
        (
            "another move",
            &known,
            spanish(5, [132, 131], 3),
            Some(&[("d4", 0), ("e5", 0), ("Nf3", 9), ("Nc6", 1), ("e4", 0)]),
            replaced,
        ),
        (
            "another order of moves before the first known one",
            &known[2..],
            spanish(5, [132, 131], 3),
            Some(&[("Nc3", 0), ("e5", 0), ("Nf3", 9), ("Nc6", 1), ("Bb5", 0)]),
            // The list does not lead to the board, so only its known move counts.
            RestoreOutcome::Advanced { plies: 2 },
        ),
        ("a takeback", &known, spanish(2, [120, 119], 0), Some(&slow[..2]), replaced),
        ("the same position", &known, spanish(3, [123, 119], 9), None, RestoreOutcome::Unchanged),
        ("a clock that has risen, no list", &known, spanish(5, [180, 180], 3), None, replaced),
        ("a clock that has risen", &known[..2], spanish(4, [180, 120], 1), Some(&slow[..4]), replaced),
        ("time was given", &known, spanish(5, [180, 180], 3), Some(&slow), RestoreOutcome::Advanced { plies: 2 }),
        ("the same position at other times", &known, spanish(3, [130, 120], 2), Some(&quick[..3]), replaced),
    ];
    for (name, known, found, list, outcome) in rows {
        let (mut driver, _) = on_fics(guest());
        driver.feed(format!("You are now observing game 7.\n\r\n\r{}", known.concat()));
        let mut peer = fics().on("observe 7", &format!("You are now observing game 7.\n\r\n\r{found}"));
        if let Some(list) = list {
            peer = peer.on("moves 7", &listing(list));
        }
        let restored = reconnect(&mut driver, &mut peer);
        let game = &restored.games[0];
        assert_eq!(game.outcome, *outcome, "{name}");
        assert_eq!(game.now.is_some(), !matches!(outcome, RestoreOutcome::Replaced { .. }), "{name}");
        let followed = driver.session.games().get(GameId(7)).unwrap();
        assert!(followed.is_followed_and_ongoing(), "the other game is followed: {name}");
    }
    // Two moves were taken back, one of which took its time.
    let known = [&known[..], &[spanish(4, [123, 131], 1), spanish(5, [132, 131], 3)]].concat();
    let (mut driver, _) = on_fics(guest());
    driver.feed(format!("You are now observing game 7.\n\r\n\r{}", known.concat()));
    let found = spanish(3, [132, 130], 9);
    let mut peer = fics()
        .on("observe 7", &format!("You are now observing game 7.\n\r\n\r{found}"))
        .on("moves 7", &listing(&slow[..3]));
    assert_eq!(reconnect(&mut driver, &mut peer).games[0].outcome, RestoreOutcome::Changed);
}

#[test]
fn the_identity_of_a_game_outlives_its_number() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    driver.feed(observing(9, "Duras", 1));
    let identity = |driver: &Driver, id| driver.session.games().get(GameId(id)).map(Game::identity);
    let [euwe, duras] = [7, 9].map(|id| identity(&driver, id));
    assert_ne!(euwe, duras);
    let mut peer = fics().on("observe 7", &observing(7, "Duras", 1)).on("observe 9", &observing(9, "Euwe", 1));
    reconnect(&mut driver, &mut peer);
    assert_eq!([9, 7].map(|id| identity(&driver, id)), [euwe.clone(), duras]);
    // Another game is not the one that had its number.
    let mut peer = fics().on("observe 9", &observing(9, "Alekhine", 1)).on("observe 7", &observing(7, "Duras", 1));
    reconnect(&mut driver, &mut peer);
    assert_ne!(identity(&driver, 9), euwe);
}

#[test]
fn changes_of_the_search_are_marked_and_those_of_others_are_not() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    driver.request("observe 8").unwrap();
    driver.close(CloseCause::Closed);
    dial_again(&mut driver);
    log_in_guest(&mut driver);
    driver.events.clear();
    let mut peer = fics()
        .on("observe 7", &format!("{}{}", observing(7, "Alekhine", 1), board(3, "GuestPUPE", 1, -1)))
        .on("unobserve 7", REMOVING)
        .on("observe Euwe", &observing(9, "Euwe", 1))
        .on("observe 8", &format!("{}{}", observing(8, "Duras", 1), board(9, "Euwe", 1, 0)));
    driver.serve(&mut peer);
    let changes = driver.events().iter().filter_map(Event::change);
    let changes: Vec<_> = changes.map(|change| (change.game.0, change.kind, change.is_by_restoration())).collect();
    let want = [
        (7, ChangeKind::Opened, true),
        (3, ChangeKind::Opened, false),
        (7, ChangeKind::Left, true),
        (9, ChangeKind::Opened, true),
        (8, ChangeKind::Opened, true),
        (9, ChangeKind::Repeated, true),
    ];
    assert_eq!(changes, want);
    let restored = restored(&mut driver);
    assert_eq!((restored.games[0].now, restored.requests[0].game), (Some(GameId(9)), Some(GameId(8))));
    driver.feed(board(9, "Euwe", 1, 0));
    assert!(driver.events().iter().filter_map(Event::change).all(|change| !change.is_by_restoration()));
}

#[test]
fn a_found_game_that_ends_before_the_report_has_ended() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    let mut peer = fics()
        .on("observe 7", &format!("{}{{Game 7 (Euwe vs. Flohr) Flohr resigns}} 1-0\n\r", observing(7, "Euwe", 1)));
    let game = &reconnect(&mut driver, &mut peer).games[0];
    assert_eq!((game.now, game.outcome, game.moves_missing), (None, RestoreOutcome::Ended, false));
    assert_eq!(game.ending.as_ref().unwrap().result.as_str(), "1-0");
}

#[test]
fn the_time_offline_counts_from_the_last_byte() {
    let (mut driver, mut peer) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    driver.take_session_events();
    driver.wait(seconds(15));
    driver.take_sent();
    driver.wait(seconds(10));
    driver.close_on_request();
    let lost = driver.take_session_events();
    assert!(matches!(lost[..], [Event::Lost(ref loss)] if loss.silent_for == seconds(25)), "{lost:?}");
    // The next connection fails during the login, which neither the games nor the time outlive.
    dial_again(&mut driver);
    driver.feed("login: ");
    driver.wait(Duration::from_millis(100));
    driver.close(CloseCause::Closed);
    let lost = driver.take_session_events();
    assert!(matches!(lost.last(), Some(Event::Lost(loss)) if loss.silent_for.as_millis() == 100), "{lost:?}");
    let before = driver.now;
    dial_again(&mut driver);
    log_in_guest(&mut driver);
    peer = peer.on("observe 7", &observing(7, "Euwe", 1));
    driver.serve(&mut peer);
    let restored = restored(&mut driver);
    assert_eq!(restored.silent_for, seconds(25));
    assert!(restored.offline_for > seconds(25) + driver.now.saturating_duration_since(before), "{restored:?}");
}

#[test]
fn a_game_that_may_not_be_observed_is_reported_as_gone() {
    for said in ["Sorry, game 7 is a private game.\n\r", "Something else.\n\r"] {
        let (mut driver, _) = on_fics(guest());
        driver.feed(observing(7, "Euwe", 1));
        let restored = reconnect(&mut driver, &mut fics().on("observe", said));
        assert_eq!((restored.games[0].now, restored.games[0].outcome), (None, RestoreOutcome::Gone), "{said}");
    }
}

#[test]
fn own_games_are_interrupted_unless_the_server_resumes_them() {
    for relation in [Relation::MyTurn, Relation::Examining] {
        let (mut driver, _) = on_fics(guest());
        driver.feed(board(7, "GuestPUPE", 0, relation.code()));
        let mut peer = fics();
        let restored = reconnect(&mut driver, &mut peer);
        let game = &restored.games[0];
        assert_eq!((game.relation, game.now, game.outcome), (relation, None, RestoreOutcome::Interrupted));
        assert!(game.moves_missing, "the opponent may have moved");
        assert!(heard(&peer).is_empty());
    }
    let (mut driver, _) = on_fics(guest());
    driver.feed(board(7, "GuestPUPE", 0, 1));
    let mut peer = fics().on("set bell 0", &board(3, "GuestPUPE", 1, -1));
    let restored = reconnect(&mut driver, &mut peer);
    assert_eq!(
        (restored.games[0].now, restored.games[0].outcome),
        (Some(GameId(3)), RestoreOutcome::Advanced { plies: 1 })
    );
}

#[test]
fn finished_and_unobserved_games_are_not_restored() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    driver.feed("{Game 7 (Euwe vs. Flohr) Flohr resigns} 1-0\n\rfics% ");
    driver.feed(observing(8, "Duras", 1));
    driver.feed("Removing game 8 from observation list.\n\r\n\rfics% ");
    let restored = reconnect(&mut driver, &mut fics());
    assert_eq!((restored.games, restored.seeks), (Vec::new(), Vec::new()));
}

// Rules: bugs K2
#[test]
fn a_rematch_under_the_same_number_is_restored() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 0));
    driver.feed(board(7, "Euwe", 1, 0));
    driver.feed("{Game 7 (Euwe vs. Flohr) Flohr resigns} 1-0\n\rfics% ");
    driver.feed("\n\rRemoving game 7 from observation list.\n\rfics% ");
    driver.feed(observing(7, "Euwe", 1));
    let restored = reconnect(&mut driver, &mut fics().on("observe 7", &observing(7, "Euwe", 2)));
    assert_eq!(restored.games[0].outcome, RestoreOutcome::Advanced { plies: 1 });
}

#[test]
fn an_own_game_under_a_used_number_ends_the_seeks() {
    let mut driver = after(&[("seek 5 0", POSTED)]);
    driver.feed(observing(2, "Euwe", 1));
    driver.feed(board(2, "GuestPUPE", 0, 1));
    assert!(reconnect(&mut driver, &mut fics()).seeks.is_empty());
}

/// Returns a session after these commands and answers.
fn after(commands: &[(&str, &str)]) -> Driver {
    let (mut driver, mut peer) = on_fics(guest());
    for (command, answer) in commands {
        driver.request(command).unwrap();
        peer = peer.on(command, answer);
        driver.serve(&mut peer);
    }
    driver.take_replies();
    driver
}

const POSTED: &str = "Your seek has been posted with index 4.\n\r";

#[test]
fn open_seeks_are_made_again() {
    let mut driver = after(&[("seek 5 0 rated", POSTED), ("seek 3 0", "Your seek has been posted with index 5.\n\r")]);
    let mut peer = fics()
        .on("seek 5", "Your seek has been posted with index 1.\n\r")
        .on("seek 3", "You can only have 1 active seeks.\n\rUsage: seek\n\r");
    let restored = reconnect(&mut driver, &mut peer);
    let lines: Vec<_> = restored.seeks.iter().map(|seek| (seek.command.as_str(), seek.error.clone())).collect();
    assert_eq!(lines, [("seek 5 0 rated", None), ("seek 3 0", None)]);
    assert_eq!(heard(&peer), ["seek 5 0 rated", "seek 3 0"]);
    let mut peer = fics().on("seek", "seek: Command not found.\n\r");
    let restored = reconnect(&mut driver, &mut peer);
    let is_unknown = |error: &RequestError| error.is_refused_for(Refusal::UnknownCommand);
    assert!(restored.seeks.iter().all(|seek| seek.error.as_ref().is_some_and(is_unknown)), "{restored:?}");
    assert!(reconnect(&mut driver, &mut fics()).seeks.is_empty(), "given up");
}

#[test]
fn closed_seeks_are_not_made_again() {
    type Answers<'a> = &'a [(&'a str, &'a str)];
    let cases: &[(&str, Answers<'_>, &str)] = &[
        ("never posted", &[("seek x", "Usage: seek\n\r")], ""),
        ("taken back", &[("seek 5 0", POSTED), ("unseek 4", "Your seek 4 has been removed.\n\r")], ""),
        ("all taken back", &[("seek 5 0", POSTED), ("unseek", "Your seeks have been removed.\n\r")], ""),
        ("removed", &[("seek 5 0", POSTED)], "<sr> 3 4\n\rfics% "),
        ("removed in words", &[("seek 5 0", POSTED)], "Your seeks have been removed.\n\rfics% "),
        ("a game has begun", &[("seek 5 0", POSTED)], &board(2, "GuestPUPE", 0, 1)),
    ];
    for (name, commands, then) in cases {
        let mut driver = after(commands);
        driver.feed(then);
        assert!(reconnect(&mut driver, &mut fics()).seeks.is_empty(), "{name}");
    }
    let mut driver = after(&[("seek 5 0", POSTED), ("unseek 9", "Your seek 9 has been removed.\n\r")]);
    driver.feed("<sr> 3 5\n\rfics% ");
    assert_eq!(reconnect(&mut driver, &mut fics().on("seek", POSTED)).seeks.len(), 1);
}

#[test]
fn seek_numbers_of_a_lost_connection_are_forgotten() {
    let mut driver = after(&[("seek 5 0", POSTED)]);
    let mut peer = fics().on("set bell 0", "bell set.\n\r<sr> 4\n\r").on("seek", POSTED);
    assert_eq!(reconnect(&mut driver, &mut peer).seeks.len(), 1, "somebody else's was removed");
    driver.feed("<sr> 4\n\rfics% ");
    assert!(reconnect(&mut driver, &mut fics()).seeks.is_empty(), "ours");
}

#[test]
fn an_interrupted_restoration_is_repeated() {
    let mut driver = after(&[("seek 5 0", POSTED)]);
    driver.feed(observing(7, "Euwe", 1));
    driver.close(CloseCause::Closed);
    dial_again(&mut driver);
    log_in_guest(&mut driver);
    let mut peer = fics();
    while !driver.session.capabilities().has(Ivar::Block) {
        for line in driver.take_sent() {
            driver.feed(peer.answer(line.trim()));
        }
    }
    assert_eq!(driver.session.state(), SessionState::Restoring, "requests can be made meanwhile");
    assert!(driver.request("date").is_ok());
    let restored = reconnect(&mut driver, &mut fics().on("seek", POSTED).on("observe 7", &observing(7, "Euwe", 1)));
    assert_eq!((restored.games.len(), restored.seeks.len()), (1, 1));
    assert!(restored.offline_for > Duration::from_millis(900), "since the first loss: {:?}", restored.offline_for);
}

#[test]
fn a_refused_quit_does_not_end_the_restoration() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    driver.close(CloseCause::Closed);
    dial_again(&mut driver);
    log_in_guest(&mut driver);
    let mut peer =
        fics().on("observe 7", &observing(7, "Euwe", 1)).on("quit", "You can't quit while you are playing a game.\n\r");
    while !driver.session.state().accepts_requests() {
        let lines = driver.take_sent();
        driver.answer(&mut peer, &lines);
    }
    driver.request("quit").unwrap();
    assert_eq!(driver.session.state(), SessionState::Closing);
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert_eq!(restored(&mut driver).games[0].outcome, RestoreOutcome::Unchanged);
}

/// Closes the connection, and logs in again on uhlin-fics.
fn back_on_uhlin(driver: &mut Driver) {
    driver.close(CloseCause::Closed);
    driver.take_session_events();
    dial_again(driver);
    driver.feed("login: ");
    driver.feed("login: ");
    driver.feed("Press return to enter the FICS as \"guest\":");
    driver.feed("fics% ");
    driver.drop_sent_except_last();
}

/// Returns the last event.
fn restored(driver: &mut Driver) -> Restored {
    let news = driver.take_session_events();
    let Some(Event::Restored(restored)) = news.last() else { panic!("{news:?}") };
    (**restored).clone()
}

const REMOVING: &str = "Removing game 7 from observation list.\n\r";

#[test]
fn games_are_restored_without_block_mode() {
    let (mut driver, peer) = on_uhlin(guest());
    driver.feed(observing(7, "Euwe", 1));
    back_on_uhlin(&mut driver);
    driver.serve(&mut peer.on("observe 7", &observing(7, "Euwe", 1)));
    assert_eq!(restored(&mut driver).games[0].outcome, RestoreOutcome::Unchanged);
}

#[test]
fn games_with_exchanged_numbers_are_both_restored() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    driver.feed(observing(9, "Duras", 1));
    let mut peer = fics()
        .on("observe 7", &observing(7, "Duras", 1))
        .on("observe 9", &observing(9, "Euwe", 2))
        .on("observe Euwe", "You are already observing game 9.\n\r");
    let restored = reconnect(&mut driver, &mut peer);
    let found: Vec<_> = restored.games.iter().map(|game| (game.was.0, game.now, game.outcome)).collect();
    let advanced = RestoreOutcome::Advanced { plies: 1 };
    assert_eq!(found, [(7, Some(GameId(9)), advanced), (9, Some(GameId(7)), RestoreOutcome::Unchanged)]);
    assert!(!heard(&peer).iter().any(|line| line.starts_with("unobserve")), "{:?}", peer.heard);
}

#[test]
fn a_game_that_is_already_observed_is_restored() {
    let watched = |white: &str| fics().on("set bell 0", &observing(9, white, 1));
    for (white, now, outcome) in
        [("Euwe", Some(GameId(9)), RestoreOutcome::Unchanged), ("Duras", None, RestoreOutcome::Replaced { by: None })]
    {
        let (mut driver, _) = on_fics(guest());
        driver.feed(observing(7, "Euwe", 1));
        let mut peer = watched(white)
            .on("observe 7", "There is no such game.\n\r")
            .on("observe Euwe", "You are already observing game 9.\n\r");
        let game = &reconnect(&mut driver, &mut peer).games[0];
        assert_eq!((game.now, game.outcome), (now, outcome));
        assert_eq!(heard(&peer), ["observe 7", "observe Euwe"], "nobody's game is left");
    }
}

#[test]
fn one_of_two_games_between_the_same_players_is_not_mistaken_for_both() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    driver.feed(observing(9, "Euwe", 4));
    let mut peer = fics()
        .on("observe 7", "There is no such game.\n\r")
        .on("observe 9", &observing(9, "Euwe", 4))
        .on("observe Euwe", "You are already observing game 9.\n\r");
    let restored = reconnect(&mut driver, &mut peer);
    let found: Vec<_> = restored.games.iter().map(|game| (game.now, game.outcome)).collect();
    assert_eq!(found, [(None, RestoreOutcome::Replaced { by: None }), (Some(GameId(9)), RestoreOutcome::Unchanged)]);
}

#[test]
fn an_observation_that_the_restoration_ended_is_requested_again() {
    let (mut driver, peer) = on_uhlin(guest());
    driver.feed(observing(7, "Euwe", 1));
    back_on_uhlin(&mut driver);
    let mut once = peer.clone().first_on("observe 7", REMOVING).on("observe 7", &observing(7, "Euwe", 1));
    driver.serve(&mut once);
    assert_eq!(heard(&once), ["observe 7", "observe 7"]);
    assert_eq!(restored(&mut driver).games[0].now, Some(GameId(7)));

    back_on_uhlin(&mut driver);
    let mut always = peer.on("observe", REMOVING);
    driver.serve(&mut always);
    assert_eq!(heard(&always), ["observe 7", "observe 7", "observe Euwe", "observe Euwe"], "and not again and again");
    assert_eq!(restored(&mut driver).games[0].outcome, RestoreOutcome::Gone);
}

#[test]
fn a_request_to_observe_waits_for_the_restoration_and_ends_no_observation() {
    let (mut driver, mut peer) = on_uhlin(guest());
    driver.feed(observing(7, "Euwe", 1));
    back_on_uhlin(&mut driver);
    while !driver.session.state().accepts_requests() {
        let lines = driver.take_sent();
        driver.answer(&mut peer, &lines);
    }
    driver.request("obs Euwe").unwrap();
    driver.request("date").unwrap();
    let mut peer = peer
        .on("observe 7", "There is no such game.\n\r")
        .on("observe Euwe", &observing(9, "Euwe", 1))
        .first_on("obs Euwe", "Removing game 9 from observation list.\n\r")
        .on("obs Euwe", &observing(9, "Euwe", 2));
    peer.heard.clear();
    driver.serve(&mut peer);
    assert_eq!(peer.heard, ["observe 7", "date", "observe Euwe", "obs Euwe", "obs Euwe"]);
    let replies = driver.take_replies();
    let [(_, Ok(_)), (_, Ok(reply))] = &replies[..] else { panic!("{replies:?}") };
    assert!(!reply.ends_observation(), "{reply:?}");
    assert!(driver.session.games().get(GameId(9)).unwrap().is_followed_and_ongoing());

    // Once all is restored, the server's own ways are the user's.
    driver.request("observe 9").unwrap();
    driver.serve(&mut peer.on("observe 9", "Removing game 9 from observation list.\n\r"));
    assert!(driver.reply().unwrap().ends_observation());
}

#[test]
fn an_abandoned_request_to_observe_ends_no_observation() {
    let (mut driver, mut peer) = on_uhlin(guest());
    driver.feed(observing(7, "Euwe", 1));
    back_on_uhlin(&mut driver);
    while !driver.session.state().accepts_requests() {
        let lines = driver.take_sent();
        driver.answer(&mut peer, &lines);
    }
    let id = driver.request("observe Euwe").unwrap();
    let mut peer = peer.on("observe 7", &observing(7, "Euwe", 1)).first_on("observe Euwe", REMOVING);
    peer.heard.clear();
    let mut lines = driver.take_sent();
    while !lines.contains(&"observe Euwe\n".to_owned()) {
        driver.answer(&mut peer, &lines);
        lines = driver.take_sent();
    }
    driver.session.abandon(id, driver.now);
    driver.answer(&mut peer, &lines);
    driver.serve(&mut peer);
    assert_eq!(heard(&peer), ["observe 7", "observe Euwe", "observe Euwe"]);
    assert!(driver.take_replies().is_empty());
}

#[test]
fn the_effect_of_an_abandoned_command_is_remembered() {
    let abandon = |driver: &mut Driver, id| driver.session.abandon(id, driver.now);
    let time_out = |driver: &mut Driver, _| {
        driver.wait(seconds(20));
        driver.feed("fics% ");
        driver.wait(seconds(11));
    };
    let give_ups: [fn(&mut Driver, RequestId); 2] = [abandon, time_out];
    // The reply comes when it is waited for no more.
    let late = |driver: &mut Driver, line: &str, text: &str, give_up: fn(&mut Driver, RequestId)| {
        driver.take_sent();
        let id = driver.request(line).unwrap();
        let sent = driver.take_sent();
        give_up(driver, id);
        driver.take_replies();
        driver.answer(&mut fics().on(line, text), &sent);
        assert!(driver.take_replies().is_empty());
    };
    for give_up in give_ups {
        let mut driver = after(&[("seek 5 0", POSTED)]);
        late(&mut driver, "unseek 4", "Your seek 4 has been removed.\n\r", give_up);
        assert!(reconnect(&mut driver, &mut fics()).seeks.is_empty());

        let (mut driver, _) = on_fics(guest());
        late(&mut driver, "seek 5 0", POSTED, give_up);
        assert_eq!(reconnect(&mut driver, &mut fics().on("seek", POSTED)).seeks.len(), 1);
    }
}

/// Returns the received commands that change settings, without those of the set-up.
fn settings_heard(peer: &Peer) -> Vec<&str> {
    let of_the_set_up = ["style 12", "bell 0", "ptime 0", "width 240", "height 240", "interface kibitzer"];
    let is_ours = |line: &&str| {
        ["set ", "style", "iset g", "iset atomic", "+", "-"].iter().any(|start| line.starts_with(start))
            && !of_the_set_up.iter().any(|variable| line.starts_with(&format!("set {variable}")))
            && !line.starts_with("iset gameinfo 1")
    };
    peer.heard.iter().map(String::as_str).filter(is_ours).collect()
}

#[test]
fn settings_of_the_session_are_restored_in_order() {
    let refused = "No such variable \"foo\".\n\r";
    let mut driver = after(&[
        ("set gin 1", "gin set.\n\r"),
        ("set foo 1", refused),
        ("iset gameinfo 0", "gameinfo unset.\n\r"),
        ("+channel 53", "[53] added to your channel list.\n\r"),
        ("+channel 4", "[4] added to your channel list.\n\r"),
        ("set shout", "You will not hear shouts.\n\r"),
        ("set silence 1", "silence set.\n\r"),
        ("set silence", "silence unset.\n\r"),
        ("-channel 53", "[53] removed from your channel list.\n\r"),
        ("set gin 0", "gin unset.\n\r"),
        ("style 1", "Style 1 set.\n\r"),
    ]);
    let want = ["iset gameinfo 0", "+channel 4", "-channel 53", "set gin 0", "style 1"];
    for _ in 0..2 {
        let mut peer = fics()
            .on("iset gameinfo 0", "gameinfo unset.\n\r")
            .on("+channel 4", "[4] is already on your channel list.\n\r")
            .on("-channel 53", "[53] is not on your channel list.\n\r")
            .on("set gin", "No such variable \"gin\".\n\r");
        let restored = reconnect(&mut driver, &mut peer);
        assert_eq!(settings_heard(&peer), want);
        let settings = restored.settings.iter().map(|setting| (setting.command.as_str(), setting.error.is_some()));
        let refusals = want.map(|line| (line, line == "set gin 0" || line == "style 1"));
        assert_eq!(settings.collect::<Vec<_>>(), refusals);
        assert!(!driver.session.capabilities().has(Ivar::GameInfo));
    }
}

#[test]
fn settings_of_the_options_are_sent_at_every_login_before_those_of_requests() {
    let settings = ["set gin 1", "+channel 53"].map(|line| Command::new(line).unwrap());
    let mut driver = Driver::connected(guest().settings(settings.to_vec()));
    let mut peer = fics();
    log_in_guest(&mut driver);
    driver.serve(&mut peer);
    assert_eq!(settings_heard(&peer), ["set gin 1", "+channel 53"]);
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert!(!driver.take_session_events().iter().any(|event| matches!(event, Event::Restored(_))), "nothing was lost");
    driver.request("set gin 0").unwrap();
    driver.serve(&mut peer);
    let mut peer = fics();
    let restored = reconnect(&mut driver, &mut peer);
    assert_eq!(settings_heard(&peer), ["set gin 1", "+channel 53", "set gin 0"]);
    assert_eq!(restored.settings.len(), 3);
}

#[test]
fn a_game_lost_during_the_first_settings_is_restored() {
    let mut driver = Driver::connected(guest().settings(vec![Command::new("set gin 1").unwrap()]));
    log_in_guest(&mut driver);
    let mut peer = fics();
    while !driver.session.state().accepts_requests() {
        let lines = driver.take_sent();
        driver.answer(&mut peer, &lines);
    }
    driver.feed(observing(7, "Euwe", 1));
    let restored = reconnect(&mut driver, &mut fics().on("observe 7", &observing(7, "Euwe", 1)));
    assert_eq!(restored.games.len(), 1);
}

#[test]
fn unanswered_requests_to_observe_are_repeated() {
    let (mut driver, _) = on_fics(guest());
    driver.feed(observing(7, "Euwe", 1));
    for line in ["observe 8", "observe Flohr", "seek 5 0", "set gin 1", "+channel 4", "tell Euwe hi", "e4"] {
        driver.request(line).unwrap();
    }
    // The reply to the first one has begun.
    driver.feed("\x1511\x1680\x16You are now observing game 8.\n\r");
    let mut peer = fics()
        .on("observe 7", &observing(7, "Euwe", 1))
        .on("observe 8", "There is no such game.\n\r")
        .on("seek", POSTED);
    let back = reconnect(&mut driver, &mut peer);
    assert!(driver.take_replies().iter().all(|(_, reply)| *reply == Err(RequestError::Lost)));
    assert_eq!(heard(&peer), ["observe 7", "seek 5 0", "observe 8"], "the game of Flohr is one that was followed");
    assert_eq!(settings_heard(&peer), ["set gin 1", "+channel 4"]);
    let [request] = &back.requests[..] else { panic!("{back:?}") };
    let is_over = |error: &RequestError| matches!(error.refusal_reason(), Some(Refusal::NoSuchGame));
    assert_eq!((request.command.as_str(), request.error.as_ref().is_some_and(is_over)), ("observe 8", true));
    assert_eq!((back.games.len(), back.seeks.len(), back.settings.len()), (1, 1, 2));
    assert!(reconnect(&mut driver, &mut fics().on("seek", POSTED)).requests.is_empty(), "once");

    // Of those that were not sent, the caller knows.
    let (mut driver, _) = on_uhlin(guest());
    driver.request("date").unwrap();
    driver.request("observe 7").unwrap();
    back_on_uhlin(&mut driver);
    let mut peer = Peer::new(peer::Manner::Uhlin);
    driver.serve(&mut peer);
    assert!(restored(&mut driver).requests.is_empty());
    assert_eq!(driver.take_replies().last().map(|(_, reply)| reply.clone()), Some(Err(RequestError::NotConnected)));
}

/// FatICS closes the connection at this value.
const FATAL: &str = "set f1 (124 24 1)";

/// As [`Driver::serve`], up to the line at which the server closes. Returns whether it was sent.
fn serve_up_to_fatal(driver: &mut Driver) -> bool {
    let mut peer = fics();
    loop {
        let lines = driver.take_sent();
        let n_survived = lines.iter().take_while(|line| !line.contains(FATAL)).count();
        driver.answer(&mut peer, &lines[..n_survived]);
        if lines.is_empty() || n_survived < lines.len() {
            return !lines.is_empty();
        }
    }
}

#[test]
fn a_command_that_ends_three_connections_is_given_up() {
    let (mut driver, mut peer) = on_fics(guest());
    driver.request("set gin 1").unwrap();
    driver.serve(&mut peer);
    let is_lost =
        |(command, error): &(&str, Option<RequestError>)| *command == FATAL && *error == Some(RequestError::Lost);
    for _ in 0..2 {
        driver.request(FATAL).unwrap();
        assert!(serve_up_to_fatal(&mut driver));
        for is_sent in [true, true, false] {
            driver.close(CloseCause::Closed);
            dial_again(&mut driver);
            log_in_guest(&mut driver);
            driver.take_session_events();
            assert_eq!(serve_up_to_fatal(&mut driver), is_sent);
        }
        assert_eq!(driver.session.state(), SessionState::Ready);
        let settings = restored(&mut driver).settings;
        let settings: Vec<_> =
            settings.iter().map(|setting| (setting.command.as_str(), setting.error.clone())).collect();
        assert_eq!(settings.len(), 2);
        assert_eq!((settings[0].clone(), is_lost(&settings[1])), (("set gin 1", None), true), "{settings:?}");
        // The server was mended.
        driver.request(FATAL).unwrap();
        driver.serve(&mut fics());
        let restored = reconnect(&mut driver, &mut fics());
        assert!(restored.settings.iter().all(|setting| setting.error.is_none()), "{restored:?}");
    }
}

#[test]
fn remembered_settings_are_bounded() {
    let (mut driver, mut peer) = on_fics(guest());
    for channel in 0..200 {
        driver.request(&format!("+channel {channel}")).unwrap();
        driver.serve(&mut peer.clone().on("+channel", "added to your channel list.\n\r"));
        peer.heard.clear();
    }
    let restored = reconnect(&mut driver, &mut fics().on("+channel", "added to your channel list.\n\r"));
    assert_eq!(restored.settings.len(), 64);
    assert_eq!(restored.settings.last().map(|setting| setting.command.as_str()), Some("+channel 199"));
}
