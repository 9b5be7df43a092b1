//! ICC: levels before the name, refusals by number, replies in units.

use super::peer::Manner;
use super::*;
use crate::message::{Family, Handle, Ivar, Message, Refusal};
use crate::text::ServerText;

const GREETING: &str = "Welcome to the Internet Chess Club (chessclub.com)\r\n\r\nlogin: ";

/// Returns a session on ICC that has sent its levels.
fn at_the_name(options: SessionOptions) -> Driver {
    let mut driver = Driver::connected(options);
    driver.feed(GREETING);
    driver.feed("login: ");
    driver.feed("login: ");
    driver
}

fn peer() -> Peer {
    let mut peer = Peer::new(Manner::Icc);
    peer.units = true;
    peer
}

/// Returns a session after its set-up. Its next command has the tag 8: the set-up of an account sends seven.
pub(super) fn ready(options: SessionOptions) -> (Driver, Peer) {
    let mut driver = at_the_name(options);
    driver.take_sent();
    driver.feed("\x19(0 Newton {GM}\x19)\r\nMessage of the day\r\n");
    let mut peer = peer();
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    (driver, peer)
}

// Rules: icc §1, icc DG7
#[test]
fn levels_are_sent_before_the_name() {
    let mut driver = Driver::connected(account());
    driver.feed(GREETING);
    let sent = driver.take_sent();
    assert_eq!(sent[0], "level1=5\n");
    assert!(sent[1].starts_with("level2settings=1000000000"), "{}", sent[1]);
    driver.feed("login: ");
    assert!(driver.take_sent().is_empty(), "one prompt for each line");
    driver.feed("login: ");
    let transmits = driver.take_transmits();
    assert_eq!(transmits[0].bytes(), b"newton swordfish\n");
    assert!(transmits.len() == 1 && transmits[0].kind.is_secret() && !format!("{transmits:?}").contains("swordfish"));
    assert!(transmits[0].secrets().eq([b"swordfish"]), "the name is none");
}

#[test]
fn one_login_prompt_for_both_levels_is_enough() {
    let mut driver = Driver::connected(guest());
    driver.feed(GREETING);
    driver.wait(almost(seconds(1)));
    assert_eq!(driver.take_sent().len(), 2);
    driver.wait(seconds(1));
    assert_eq!(driver.take_sent(), ["guest\n"]);
}

#[test]
fn a_login_report_before_the_name_is_ignored() {
    let mut driver = Driver::connected(guest());
    driver.feed(GREETING);
    driver.feed("\x19(0 Newton {}\x19)");
    driver.wait(seconds(1));
    assert_eq!(driver.take_sent()[2..], ["guest\n"]);
    assert!(!driver.take_session_events().iter().any(|event| matches!(event, Event::LoggedIn(_))));
}

#[test]
fn a_password_with_a_blank_and_a_requested_password_are_sent_alone() {
    let password = Password::new("sword fish").unwrap();
    let options = SessionOptions::new(Credentials::Account { handle: "newton".parse().unwrap(), password });
    let mut driver = at_the_name(options);
    driver.feed("password: ");
    assert_eq!(driver.take_sent()[2..], ["newton\n", "sword fish\n"]);

    let mut driver = at_the_name(account());
    driver.feed("password: ");
    assert_eq!(driver.take_sent()[2..], ["newton swordfish\n", "swordfish\n"]);
}

// Rules: icc §1, icc L1
#[test]
fn the_name_is_reported_and_replies_are_matched_by_tag() {
    let (mut driver, peer) = ready(account().with_ivar(Ivar::SeekInfo));
    assert_eq!(driver.session.login_handle().map(Handle::as_str), Some("Newton"));
    let set = ["set style 12", "set prompt 0", "set bell 0", "set wrap 0", "set height 0"];
    assert_eq!(peer.heard[..5], set);
    assert!(peer.heard[5].starts_with("set interface kibitzer "));
    assert_eq!(peer.heard[6..], ["stored"], "nothing of ivars, and the datagrams are on");
    let capabilities = driver.session.capabilities();
    assert!(capabilities.units && capabilities.family == Family::Icc && !capabilities.has(Ivar::Block));
    assert!(capabilities.has(Ivar::Ms) && capabilities.has(Ivar::SeekInfo) && !capabilities.has(Ivar::PendInfo));
    let identities =
        driver.take_session_events().into_iter().filter(|event| matches!(event, Event::LoggedIn(_))).count();
    assert_eq!(identities, 1);
}

// Rules: icc §1, icc L4
#[test]
fn a_login_reported_in_a_unit_counts_and_the_end_of_the_unit_ends_no_reply() {
    for end in ["\x19]", "\r\n\x19]\x19]", "\x1a\x19]"] {
        let mut driver = at_the_name(account());
        driver.take_sent();
        driver.feed("\x19[12 *\r\n\x19(0 Newton {GM}\x19)Message of the day\r\n");
        driver.feed(end);
        let mut peer = peer();
        driver.serve(&mut peer);
        assert_eq!(driver.session.state(), SessionState::Ready, "{end:?}");
        assert!(driver.session.capabilities().units);
        driver.request("date").unwrap();
        driver.serve(&mut peer);
        assert!(driver.reply().is_ok());
    }
}

#[test]
fn late_prompts_for_the_levels_do_not_refuse_the_name() {
    for delay in 0..=10 {
        for n_prompts in 0..=2 {
            let mut driver = Driver::connected(account());
            driver.feed(GREETING);
            driver.wait(seconds(delay));
            for _ in 0..n_prompts {
                driver.feed("login: ");
            }
            driver.wait(seconds(delay.min(9)));
            driver.feed("\x19(0 Newton {GM}\x19)\r\n");
            driver.wait(seconds(2));
            driver.drop_sent_except_last();
            driver.serve(&mut peer());
            assert_eq!(driver.session.state(), SessionState::Ready, "{n_prompts} prompts after {delay} s");
        }
    }
}

#[test]
fn a_refused_name_is_noticed_after_late_prompts() {
    let refused = || Driver::connected(guest());
    let end = |error| DriverAction::End(SessionEndReason::Login(error));
    let mut driver = refused();
    driver.feed(GREETING);
    driver.wait(seconds(1));
    driver.feed("login: ");
    driver.feed("login: ");
    driver.feed("Sorry, names can only consist of letters.\r\nlogin: ");
    driver.close_on_request();
    assert_eq!(driver.session.next_action(), end(LoginError::BadName));
    let mut driver = refused();
    driver.feed(GREETING);
    driver.wait(seconds(1));
    driver.feed("login: login: login: ");
    driver.close_on_request();
    let greeting = ServerText::from_wire(GREETING.split('\r').next().unwrap().as_bytes());
    assert_eq!(driver.session.next_action(), end(LoginError::Silent(greeting)));
}

#[test]
fn the_silence_that_counts_is_longer_than_any_before() {
    let mut driver = Driver::connected(guest());
    driver.wait(seconds(3));
    driver.feed(GREETING);
    driver.take_sent();
    driver.wait(almost(seconds(4)));
    assert!(driver.take_sent().is_empty(), "an answer may take three seconds again");
    driver.wait(Duration::from_millis(1));
    assert_eq!(driver.take_sent(), ["guest\n"]);
}

// Rules: icc L1, icc L3, icc L5
#[test]
fn a_reply_ends_with_the_unit_of_its_tag() {
    let (mut driver, _) = ready(account());
    driver.request("finger Foo").unwrap();
    driver.request("date").unwrap();
    let sent = driver.take_sent();
    assert_eq!(sent, ["`8`finger Foo\n", "`9`date\n"]);
    driver.feed("\x19[101 Foo\r\n\x19(31 Foo {} \x19{hi\x19} 1\x19)\x19]");
    driver.feed("\x19[177 * 9\r\nThursday\r\n\x19[2 Foo\r\nmove\r\n\x19]more\r\n\x19]");
    let replies = driver.take_replies();
    let texts: Vec<_> = replies.iter().map(|(_, reply)| reply.as_ref().unwrap().text()).collect();
    assert_eq!(texts, ["Thursday\nmove\nmore\n"]);
    driver.feed("Text of nobody\r\n\x19[130 * 8\r\nFinger of Foo\r\n");
    assert!(driver.take_replies().is_empty());
    driver.feed("\x19]");
    assert_eq!(driver.reply().unwrap().text(), "Finger of Foo\n");
}

// Rules: icc L4
#[test]
fn a_unit_without_end_does_not_affect_later_replies() {
    let (mut driver, _) = ready(account());
    driver.request("finger Foo").unwrap();
    driver.request("date").unwrap();
    driver.feed("\x19[130 * 8\r\nFinger of Foo\r\n");
    driver.feed("\x19[177 * 9\r\nThursday\r\n\x19]");
    let replies = driver.take_replies();
    let [(_, Err(RequestError::Incomplete)), (_, Ok(reply))] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(reply.text(), "Thursday\n");

    driver.feed("\x19[101 Foo\r\n\x19(31 Foo {} \x19{hi\x19} 1\x19)");
    for number in [10, 11] {
        driver.request("date").unwrap();
        driver.feed(format!("\x19[177 * {number}\r\nThursday\r\n\x19]"));
        assert_eq!(driver.reply().unwrap().text(), "Thursday\n");
    }
}

// Rules: icc DG12
#[test]
fn a_reply_with_an_overflow_is_incomplete() {
    let (mut driver, _) = ready(account());
    driver.request("games").unwrap();
    driver.feed("\x19[155 * 8\r\n1 games\r\n\x1a\x19]");
    assert_eq!(driver.reply(), Err(RequestError::Incomplete));
    driver.request("who").unwrap();
    driver.feed("\x19[106 * 9\r\nFoo");
    driver.close(CloseCause::Closed);
    assert_eq!(driver.reply(), Err(RequestError::Lost));
}

#[test]
fn a_refusal_in_a_unit_is_an_error_and_probes_are_tagged() {
    let (mut driver, mut peer) = ready(account());
    driver.request("nonsense").unwrap();
    driver.serve(&mut peer);
    assert!(driver.reply().unwrap_err().is_refused_for(Refusal::UnknownCommand));
    driver.wait(seconds(15));
    assert_eq!(driver.take_sent(), ["`9`$$date\n"]);
    driver.feed("\x19[0 * 9\r\nNo such command ($$date).\r\n\x19]");
    driver.wait(seconds(14));
    assert_eq!(driver.session.state(), SessionState::Ready);
}

#[test]
fn on_icc_a_keep_alive_resets_the_idle_timer_and_a_probe_does_not() {
    let (mut driver, mut peer) = ready(account());
    let start = driver.now;
    let mut kept_alive = Vec::new();
    while driver.now - start < Duration::from_mins(110) {
        driver.wait(seconds(15));
        for line in driver.take_sent() {
            if line.ends_with("`date\n") {
                kept_alive.push((driver.now - start).as_secs() / 60);
            }
            driver.feed(peer.answer(line.trim()));
        }
    }
    assert_eq!((kept_alive, driver.session.state()), (vec![50, 100], SessionState::Ready));
}

#[test]
fn icc_without_units_is_used_with_fences() {
    let mut driver = at_the_name(guest());
    driver.feed("\r\nPress return to enter as a guest: \r\n");
    driver.feed("Message\r\naics% ");
    driver.drop_sent_except_last();
    let mut peer = Peer::new(Manner::Icc);
    driver.serve(&mut peer);
    assert_eq!(driver.session.state(), SessionState::Ready);
    assert!(!driver.session.capabilities().units);
    assert!(peer.heard.iter().any(|line| line == "set-2 31 1"), "{:?}", peer.heard);
}

#[test]
fn icc_is_detected_by_its_answers_if_not_by_its_greeting() {
    let mut driver = Driver::connected(guest());
    driver.feed("Welcome\r\nlogin: ");
    assert!(driver.take_sent()[0].starts_with("%b"));
    driver.feed("That is no name.\r\nlogin: ");
    driver.feed("\r\naics% ");
    driver.drop_sent_except_last();
    let mut peer = Peer::new(Manner::Icc);
    driver.serve(&mut peer);
    assert_eq!(driver.session.capabilities().family, Family::Icc);
    assert!(peer.heard.iter().all(|line| !line.starts_with("iset")), "{:?}", peer.heard);
}

/// Code of the refusal, credentials, error, and whether the error is final.
type FailureCase = (u8, fn() -> SessionOptions, LoginError, bool);

// Rules: icc §2
#[test]
fn a_login_refusal_by_number_is_a_typed_error() {
    let text = |words: &str| ServerText::from_wire(words.as_bytes());
    let cases: Vec<FailureCase> = vec![
        (1, account, LoginError::AccountRefused(text("why")), true),
        (2, guest, LoginError::BadName, true),
        (3, guest, LoginError::BadName, true),
        (4, account, LoginError::BadName, true),
        (5, guest, LoginError::PasswordRequired, true),
        (6, account, LoginError::UnknownAccount, true),
        (7, guest, LoginError::GuestsRefused, false),
        (8, account, LoginError::UnknownAccount, true),
        (9, account, LoginError::InvalidPassword, true),
        (10, account, LoginError::Other(text("why")), false),
        (11, account, LoginError::InvalidPassword, true),
        (12, account, LoginError::Banned, true),
        (14, guest, LoginError::NameInUse, false),
        (15, account, LoginError::AccountRefused(text("why")), true),
        (17, guest, LoginError::GuestsRefused, false),
        (18, guest, LoginError::ServerFull, false),
        (19, account, LoginError::ServerFull, false),
        (22, account, LoginError::AccountRefused(text("why")), true),
    ];
    for (code, options, want, is_final) in cases {
        let mut driver = at_the_name(options());
        driver.feed(format!("\x19(69 {code} {{why}}\x19)"));
        driver.close_on_request();
        assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Login(want.clone())), "{code}");
        assert_eq!(want.is_final(), is_final, "{code}");
    }
}

// Rules: transport LG2
#[test]
fn the_text_of_a_refusal_that_repeats_the_password_is_removed() {
    let mut driver = at_the_name(account());
    driver.feed("\x19(69 10 {newton SwordFish? Why?}\x19)");
    driver.close_on_request();
    let nothing = ServerText::default();
    assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Login(LoginError::Other(nothing))));
}

// Rules: icc §2, bugs 88
#[test]
fn a_place_in_the_queue_is_a_state_and_not_a_failure() {
    let mut driver = at_the_name(guest());
    driver.feed("\x19(69 20 {You are number 3 in the queue}\x19)");
    driver.take_sent();
    assert_eq!(driver.session.state(), SessionState::LoggingIn(LoginStep::Queued));
    driver.wait(seconds(20 * 60));
    assert!(driver.take_sent().is_empty(), "silence means nothing");
    driver.feed("\x19(69 20 {You are number 2 in the queue}\x19)");
    driver.wait(almost(seconds(10 * 60)));
    assert_eq!(driver.session.state(), SessionState::LoggingIn(LoginStep::Queued));
    driver.feed("\x19(0 guest53 {}\x19)");
    driver.serve(&mut peer());
    assert_eq!(driver.session.state(), SessionState::Ready);

    let mut driver = at_the_name(guest());
    for _ in 0..30 {
        driver.feed("\x19(69 20 {You are number 3 in the queue}\x19)");
        driver.wait(seconds(60));
    }
    driver.close_on_request();
    let late = LoginError::TimedOut(LoginStep::Queued);
    assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Login(late)));
}

#[test]
fn a_kick_inside_a_unit_ends_the_session() {
    let (mut driver, _) = ready(account());
    driver.feed("\x19[20 $server$\r\n**** Newton has arrived; you can't both be logged in. ****\r\n\x19]\x19]");
    driver.close(CloseCause::Closed);
    let kicked = SessionEndReason::Kicked(crate::message::KickedBy::SecondLogin);
    assert_eq!(driver.session.next_action(), DriverAction::End(kicked));
}

#[test]
fn a_quit_may_be_answered_in_its_unit_before_the_connection_closes() {
    let unit = "\x19[162 * 8\r\nLogging you out.\r\n\x19]";
    let (mut driver, _) = ready(account());
    driver.request("quit").unwrap();
    driver.feed(unit);
    assert!(driver.reply().is_ok());
    driver.close(CloseCause::Closed);
    assert_eq!(driver.session.next_action(), DriverAction::End(SessionEndReason::Quit));

    let (mut driver, _) = ready(account());
    driver.request("quit").unwrap();
    driver.feed(unit);
    driver.wait(seconds(5));
    assert_eq!(driver.session.next_action(), DriverAction::Close, "it does not hang up");

    let (mut driver, _) = ready(account());
    driver.request("quit").unwrap();
    driver.feed("\x19[162 * 8\r\nYou can't quit while you are playing a game.\r\n\x19]");
    assert!(driver.reply().is_err());
    assert!(driver.request("date").is_ok(), "it was refused");
}

#[test]
fn boards_are_sent_as_moves_if_requested() {
    let (_, peer) = ready(account().with_ivar(Ivar::CompressMove));
    assert_eq!(peer.heard[0], "set style 13");
}

#[test]
fn a_datagram_in_a_reply_is_an_event_of_the_reply() {
    let (mut driver, _) = ready(account());
    driver.request("observe 7").unwrap();
    driver.feed("\x19[137 * 8\r\nYou are now observing game 7.\r\n\x19(43 7 O\x19)\x19]");
    let reply = driver.reply().unwrap();
    assert!(reply.messages().any(|message| matches!(message, Message::GameUpdate(_))), "{reply:?}");
}

/// Output of ICC for an observed game without board lines: its terms and its moves so far.
fn observed_by_moves(moves: &str) -> String {
    let terms = "\x19(18 7 Ann Bob 0 Blitz 1 3 2 3 2 1 {} 1500 1600 9 {} {} 0 0 0 {} 0\x19)";
    format!("{terms}\x19(25 7 *{moves}\x19)")
}

#[test]
fn a_game_sent_as_moves_is_restored() {
    let (mut driver, peer) = ready(account().with_ivar(Ivar::CompressMove));
    driver.feed(observed_by_moves("{e4 e2e4 1 181}"));
    assert!(driver.session.games().iter().next().is_some());
    driver.close(CloseCause::Closed);
    driver.wait(seconds(1));
    driver.dial(Ok(()));
    driver.feed(GREETING);
    driver.feed("login: ");
    driver.feed("login: ");
    driver.take_sent();
    driver.take_session_events();
    driver.feed("\x19(0 Newton {GM}\x19)\r\n");
    let mut peer = peer.on("observe 7", &observed_by_moves("{e4 e2e4 1 181}{e5 e7e5 2 180}"));
    peer.heard.clear();
    driver.serve(&mut peer);
    let news = driver.take_session_events();
    let Some(Event::Restored(restored)) = news.last() else { panic!("{news:?}") };
    assert_eq!(restored.games[0].outcome, RestoreOutcome::Advanced { plies: 1 });
    assert_eq!(peer.heard.iter().filter(|line| line.starts_with("observe")).count(), 1, "{:?}", peer.heard);
}

#[test]
fn on_icc_without_units_no_line_waits_for_a_prompt() {
    let (mut driver, _) = ready(account());
    driver.feed("Foo tells you: hi\r\n");
    assert!(matches!(driver.events().last().and_then(|event| event.message()), Some(Message::Talk(_))));
}
