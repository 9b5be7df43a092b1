//! Adjourned games of the account: listed after the login, resumed if configured.

use super::login::{fics, on_fics};
use super::peer::Manner;
use super::*;
use crate::message::GameId;

/// Reply of FatICS to `stored`.
const STORED: &str = "Stored games for Newton:\n\r    C Opponent       On Type          Str  M    ECO Date\n\r \
    1: W Bogoljubov      Y [snr 10  10] 39-39 B6   C77 2026-11-21 00:35 UTC\n\r \
    2: B Duras           N [ br  2  12] 9-12 W116 --- 2026-11-20 19:41 UTC\n\r";

const ISSUED: &str = "Issuing: Newton (----) Bogoljubov (----) rated standard 10 10 (adjourned).\n\r";
const ARRIVED: &str = "\n\rNotification: Duras, who has an adjourned game with you, has arrived.\n\rfics% ";

fn resuming() -> SessionOptions {
    account().adjourned(AdjournedGames::Resume)
}

fn own_board(game: i32, white: &str, black: &str, relation: i32) -> String {
    format!(
        "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B -1 1 1 1 1 0 {game} {white} {black} \
         {relation} 10 10 39 39 600 600 1 P/e2-e4 (0:01) e4 0\n\r"
    )
}

fn continuing(game: i32, white: &str, black: &str, relation: i32) -> String {
    let board = own_board(game, white, black, relation);
    format!("\n\r{{Game {game} ({white} vs. {black}) Continuing rated standard match.}}\n\r\n\r{board}\n\rfics% ")
}

/// Logs in to an account on FICS.
fn log_in(driver: &mut Driver) {
    driver.feed("Welcome\n\r\n\rlogin: ");
    driver.feed("\n\r#Ivars set.\n\r\n\rlogin: ");
    driver.feed("\n\r\"Newton\" is a registered name.  If it is yours, type the password.\n\r\n\rpassword: ");
    driver.feed("\n\r**** Starting FICS session as Newton ****\n\r\n\rfics% ");
    driver.drop_sent_except_last();
}

/// Returns a session whose account has the games of this reply, and its server with these answers.
fn logged_in(options: SessionOptions, mut peer: Peer) -> (Driver, Peer) {
    let mut driver = Driver::connected(options);
    log_in(&mut driver);
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    (driver, peer)
}

/// Returns the reports of adjourned games since the last call: players and state.
fn reported(driver: &mut Driver) -> Vec<(String, ResumptionState)> {
    let game = |event: Event| match event {
        Event::AdjournedGame(game) => Some((format!("{} {}", game.white, game.black), game.state.clone())),
        _ => None,
    };
    driver.take_session_events().into_iter().filter_map(game).collect()
}

fn states(reported: &[(String, ResumptionState)]) -> Vec<(&str, &ResumptionState)> {
    reported.iter().map(|(players, state)| (players.as_str(), state)).collect()
}

/// Returns the challenges that a server received.
fn challenges(peer: &Peer) -> Vec<&str> {
    let is_challenge =
        |line: &&str| ["match", "resume", "rematch", "withdraw"].iter().any(|verb| line.starts_with(verb));
    peer.heard.iter().map(String::as_str).filter(is_challenge).collect()
}

const BOGO: &str = "Newton Bogoljubov";
const DURAS: &str = "Duras Newton";

#[test]
fn adjourned_games_are_listed_after_the_login_of_an_account() {
    let (mut driver, peer) = logged_in(account(), fics().on("stored", STORED));
    let stored = ResumptionState::Stored;
    assert_eq!(states(&reported(&mut driver)), [(BOGO, &stored), (DURAS, &stored)]);
    driver.feed(ARRIVED);
    assert!(challenges(&peer).is_empty() && driver.take_sent().is_empty(), "they are only reported");

    for none in ["Newton has no adjourned games.\n\r", "Stored games for Newton:\n\r\n\r", "Something else.\n\r"] {
        let (mut driver, _) = logged_in(resuming(), fics().on("stored", none));
        assert!(reported(&mut driver).is_empty(), "{none}");
    }
    let (_, peer) = on_fics(guest());
    assert!(!peer.heard.iter().any(|line| line == "stored"), "a guest has none");
}

#[test]
fn an_adjourned_game_is_resumed_if_the_opponent_is_online() {
    let (mut driver, mut peer) = logged_in(resuming(), fics().on("stored", STORED).on("match", ISSUED));
    assert_eq!(challenges(&peer), ["match Bogoljubov"]);
    let (stored, challenged) = (ResumptionState::Stored, ResumptionState::Challenged);
    assert_eq!(states(&reported(&mut driver)), [(BOGO, &stored), (DURAS, &stored), (BOGO, &challenged)]);
    driver.feed(continuing(3, "Newton", "Bogoljubov", -1));
    let resumed = ResumptionState::Resumed { game: GameId(3) };
    assert_eq!(states(&reported(&mut driver)), [(BOGO, &resumed)]);

    // The other opponent is asked when he has come and we are free.
    driver.feed(ARRIVED);
    assert!(driver.take_sent().is_empty(), "we play");
    driver.feed("\n\r{Game 3 (Newton vs. Bogoljubov) Bogoljubov resigns} 1-0\n\rfics% ");
    let mut peer = {
        peer.heard.clear();
        peer.on("match Duras", &ISSUED.replace("Bogoljubov", "Duras"))
    };
    driver.serve(&mut peer);
    assert_eq!(challenges(&peer), ["match Duras"]);
    assert_eq!(states(&reported(&mut driver)), [(DURAS, &challenged)]);
}

// The notification may come twice, as in uhlinfics-cut-mid-line-Boris.
#[test]
fn no_player_is_challenged_twice_for_one_game() {
    let to_duras = ISSUED.replace("Bogoljubov", "Duras");
    let peer = || fics().on("stored", STORED).on("match Duras", &to_duras).on("match Bogoljubov", ISSUED);
    let want = ["match Bogoljubov", "match Duras"];
    let (mut driver, mut server) = logged_in(resuming(), peer());
    driver.feed(format!("{ARRIVED}{ARRIVED}"));
    driver.serve(&mut server);
    driver.feed(ARRIVED);
    driver.serve(&mut server);
    assert_eq!(challenges(&server), want);

    // Nor where a request of the user challenges him.
    for line in ["match Duras", "$resume Duras", "resume"] {
        let mut server = peer().on(line.trim_start_matches('$'), &to_duras);
        let (mut driver, _) = logged_in(resuming(), peer());
        driver.request(line).unwrap();
        driver.feed(ARRIVED);
        driver.serve(&mut server);
        assert_eq!(challenges(&server), [line.trim_start_matches('$')]);
    }

    // Two games with one opponent are resumed one after the other.
    let both = "Stored games for Newton:\n\r   newton vs. bogoljubov\n\r   bogoljubov vs. newton\n\r\n\r";
    let (mut driver, mut server) = logged_in(resuming(), peer().on("stored", both).on("match bogoljubov", ISSUED));
    assert_eq!(challenges(&server), ["match bogoljubov"]);
    driver.feed(continuing(3, "Bogoljubov", "Newton", 1));
    let resumed = ResumptionState::Resumed { game: GameId(3) };
    let news = reported(&mut driver);
    assert!(news.contains(&("bogoljubov newton".to_owned(), resumed)), "{news:?}");
    driver.serve(&mut server);
    assert_eq!(challenges(&server).len(), 1, "while it goes on");
    driver.feed("\n\r{Game 3 (Bogoljubov vs. Newton) Newton resigns} 1-0\n\rfics% ");
    driver.serve(&mut server);
    assert_eq!(challenges(&server).len(), 2);
}

#[test]
fn a_player_who_declined_is_not_challenged_again() {
    let (mut driver, mut peer) = logged_in(resuming(), fics().on("stored", STORED).on("match", ISSUED));
    driver.feed("\n\rBogoljubov declines the match offer.\n\rfics% ");
    assert_eq!(reported(&mut driver).last(), Some(&(BOGO.to_owned(), ResumptionState::Declined)));
    driver.feed(ARRIVED.replace("Duras", "Bogoljubov"));
    driver.serve(&mut peer);
    assert_eq!(challenges(&peer), ["match Bogoljubov"]);

    // Nor on the next connection; but when he asks himself.
    driver.close(CloseCause::Closed);
    driver.wait(seconds(1));
    driver.dial(Ok(()));
    log_in(&mut driver);
    let mut peer =
        fics().on("stored", STORED).on("match Bogo", "Your challenge intercepts Bogoljubov's challenge.\n\r");
    driver.serve(&mut peer);
    assert!(challenges(&peer).is_empty());
    driver.feed("\n\rChallenge: Bogoljubov (----) Newton (----) rated standard 10 10 (adjourned).\n\rfics% ");
    let lines = driver.take_sent();
    driver.answer(&mut peer, &lines);
    assert_eq!(challenges(&peer), ["match Bogoljubov"]);
}

#[test]
fn every_change_of_a_challenge_is_reported() {
    let after = |answer: &str, then: &str| {
        let (mut driver, mut peer) = logged_in(resuming(), fics().on("stored", STORED).on("match", answer));
        driver.feed(then);
        driver.serve(&mut peer);
        let mut news = reported(&mut driver);
        news.retain(|(players, _)| players == BOGO);
        (news.pop().unwrap().1, challenges(&peer).len())
    };
    let cases = [
        (ISSUED, "\n\rBogoljubov, whom you were challenging, has departed.\n\rfics% ", ResumptionState::Stored),
        (ISSUED, "\n\rNotification: Bogoljubov has departed.\n\rfics% ", ResumptionState::Stored),
        (
            ISSUED,
            "\n\rBogoljubov, whom you were challenging, has joined a match with Euwe.\n\rfics% ",
            ResumptionState::Stored,
        ),
        ("You are already offering an identical match to Bogoljubov.\n\r", "", ResumptionState::Challenged),
        ("Bogoljubov is not logged in.\n\r", "", ResumptionState::Stored),
        ("Bogoljubov is playing a game.\n\r", "", ResumptionState::Stored),
    ];
    for (answer, then, state) in cases {
        assert_eq!(after(answer, then), (state, 1), "{answer} {then}");
    }
    let (state, n) = after("You are on Bogoljubov's noplay list.\n\r", "");
    assert!(matches!(&state, ResumptionState::Refused(error) if error.refusal_reason().is_some()), "{state:?}");
    assert_eq!(n, 1);
    let (state, _) = after("Gamefile is corrupt; please notify an admin.\n\r", "");
    let ResumptionState::Refused(error) = state else { panic!("{state:?}") };
    assert_eq!(error.text(), Some("Gamefile is corrupt; please notify an admin."));
}

#[test]
fn a_challenge_refused_because_of_a_game_waits_for_its_end() {
    let busy = "You can't challenge while you are playing a game.\n\r";
    let (mut driver, mut peer) = logged_in(resuming(), fics().on("stored", STORED).on("match", busy));
    assert_eq!(challenges(&peer), ["match Bogoljubov"]);
    driver.feed(ARRIVED);
    driver.serve(&mut peer);
    assert_eq!(challenges(&peer), ["match Bogoljubov"; 2]);
}

#[test]
fn a_challenge_to_another_game_is_withdrawn() {
    let other = "Issuing: Newton (----) Bogoljubov (----) rated blitz 5 0.\n\r";
    let (mut driver, peer) = logged_in(resuming(), fics().on("stored", STORED).on("match", other));
    assert_eq!(challenges(&peer), ["match Bogoljubov", "withdraw Bogoljubov"]);
    let news = reported(&mut driver);
    assert!(matches!(&news.last().unwrap().1, ResumptionState::Refused(_)), "{news:?}");
}

#[test]
fn a_game_adjourned_in_the_session_is_resumed_when_the_opponent_returns() {
    // The words of FatICS and of uhlin-fics.
    for words in ["Euwe lost connection; game adjourned", "adjourned"] {
        let (mut driver, mut peer) = logged_in(resuming(), fics().on("stored", "Newton has no adjourned games.\n\r"));
        driver.feed(own_board(3, "Newton", "Euwe", -1));
        driver.feed(format!("\n\r{{Game 3 (Newton vs. Euwe) {words}}} *\n\rfics% "));
        assert_eq!(states(&reported(&mut driver)), [("Newton Euwe", &ResumptionState::Stored)], "{words}");
        assert!(driver.take_sent().is_empty());
        driver.feed("\n\rNotification: Euwe, who has an adjourned game with you, has arrived.\n\rfics% ");
        driver.serve(&mut peer);
        assert_eq!(challenges(&peer), ["match Euwe"]);
    }
}

#[test]
fn the_restoration_reports_an_own_game_as_adjourned() {
    let cases =
        [(STORED, RestoreOutcome::Adjourned), ("Newton has no adjourned games.\n\r", RestoreOutcome::Interrupted)];
    for (stored, outcome) in cases {
        let (mut driver, mut peer) = logged_in(account(), fics().on("stored", stored));
        driver.feed(own_board(3, "Newton", "Bogoljubov", -1));
        driver.close(CloseCause::Closed);
        driver.wait(seconds(1));
        driver.dial(Ok(()));
        log_in(&mut driver);
        peer.block = false;
        driver.serve(&mut peer);
        let news = driver.take_session_events();
        let Some(Event::Restored(restored)) = news.last() else { panic!("{news:?}") };
        assert_eq!(restored.games[0].outcome, outcome);
    }
}

#[test]
fn games_are_resumed_without_block_mode() {
    let stored = "Stored games for Newton:\n\r   newton vs. bogoljubov\n\r\n\r";
    let mut driver = Driver::connected(resuming());
    for said in ["login: ", "login: ", "password: ", "\n\r"] {
        driver.feed(said);
    }
    driver.feed("fics% ");
    driver.drop_sent_except_last();
    let mut peer = Peer::new(Manner::Uhlin).on("stored", stored).on("match", ISSUED);
    driver.serve(&mut peer);
    assert_eq!(challenges(&peer), ["match bogoljubov"]);
    assert_eq!(reported(&mut driver).last().map(|(_, state)| state.clone()), Some(ResumptionState::Challenged));
}

/// One event concerns the requests, the adjourned games and the seeks. None of them sees the state of another one, so their
/// order in `Session::process_event` has no effect; the reply is processed after all of them.
#[test]
fn the_start_of_an_own_game_reaches_every_part_before_its_reply_is_processed() {
    let accepted = continuing(3, "Newton", "Bogoljubov", -1).replace("\n\rfics% ", "");
    let peer = fics().on("stored", STORED).on("seek", "Your seek has been posted with index 4.\n\r");
    let (mut driver, mut peer) = logged_in(account(), peer.on("accept", &accepted));
    driver.request("seek 5 0").unwrap();
    driver.serve(&mut peer);
    driver.reply().unwrap();
    reported(&mut driver);

    driver.request("accept 1").unwrap();
    driver.serve(&mut peer);
    let is_board = |message: &crate::message::Message| matches!(message, crate::message::Message::Style12(_));
    assert!(driver.reply().unwrap().messages().any(is_board), "requests");
    let resumed = ResumptionState::Resumed { game: GameId(3) };
    assert_eq!(states(&reported(&mut driver)), [(BOGO, &resumed)], "adjourned games");
    driver.close(CloseCause::Closed);
    driver.wait(seconds(1));
    driver.dial(Ok(()));
    log_in(&mut driver);
    driver.serve(&mut peer);
    let events = driver.take_session_events();
    let restored =
        events.iter().find_map(|event| if let Event::Restored(restored) = event { Some(restored) } else { None });
    assert!(restored.unwrap().seeks.is_empty(), "memory");
}
