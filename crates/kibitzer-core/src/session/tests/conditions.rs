//! Deadlines and games of queued requests.

use super::login::{on_fics, on_uhlin};
use super::*;
use crate::message::GameId;

/// Returns a board of game 7 after 1. e4.
fn board(white: &str) -> String {
    format!(
        "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B -1 1 1 1 1 0 7 {white} Einstein 1 2 12 39 39 \
         119 122 1 P/e2-e4 (0:06) e4 0 1 0\n\r"
    )
}

/// The start of a game between the same players.
const NEW_GAME: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 7 Newton Einstein 1 \
    2 12 39 39 120 120 1 none (0:00) none 0 0 0\n\r";

fn game() -> RequestOptions {
    RequestOptions::new().only_during(GameId(7))
}

/// A session that waits for the reply to `date`, so that the next requests are queued. Game 7 is in progress.
fn busy() -> Driver {
    let (mut driver, _) = on_fics(guest().requests(RequestLimits::default().in_flight(1)));
    driver.feed(board("Newton"));
    driver.request("date").unwrap();
    assert_eq!(driver.take_sent().len(), 1);
    driver
}

/// Ends the reply to `date`, and returns the commands sent after it.
fn sent_after_date(driver: &mut Driver) -> Vec<String> {
    let date = driver.events().iter().rev().find_map(|event| match event {
        Event::Sent { line: Some(line), .. } => line.strip_suffix(" date").map(str::to_owned),
        _ => None,
    });
    driver.feed(format!("\x15{}\x1633\x16Local time\n\r\x17\n\rfics% ", date.unwrap()));
    let commands = driver.take_sent();
    commands.iter().map(|line| line.trim_end().split_once(' ').unwrap().1.to_owned()).collect()
}

#[test]
fn a_queued_request_fails_at_its_deadline() {
    let mut driver = busy();
    let expiring = driver.request_with("who", RequestOptions::new().send_within(seconds(2))).unwrap();
    let later = driver.request_with("games", RequestOptions::new().send_within(seconds(3))).unwrap();
    driver.wait(Duration::from_millis(1999));
    assert!(driver.take_replies().is_empty());
    driver.wait(Duration::from_millis(1));
    assert_eq!(driver.take_replies(), [(expiring, Err(RequestError::Expired))]);
    assert_eq!(sent_after_date(&mut driver), ["games"]);
    driver.wait(seconds(2));
    let replies = driver.take_replies();
    assert!(
        replies.iter().all(|(id, result)| *id != later && result.is_ok()),
        "a sent request does not expire: {replies:?}"
    );
}

#[test]
fn a_request_with_a_passed_deadline_is_not_sent_to_an_idle_session() {
    for (mut driver, _) in [on_fics(guest()), on_uhlin(guest())] {
        driver.take_sent();
        let id = driver.request_with("who", RequestOptions::new().send_within(Duration::ZERO)).unwrap();
        assert_eq!(driver.take_replies(), [(id, Err(RequestError::Expired))]);
        assert!(driver.take_sent().is_empty());
    }
}

#[test]
fn the_line_gate_sends_nothing_that_expired() {
    let (mut driver, _) = on_uhlin(guest());
    driver.feed("fics% ");
    driver.request("date").unwrap();
    assert_eq!(driver.take_sent(), ["date\n"]);
    let options = RequestOptions::new().send_within(Duration::from_millis(100));
    let id = driver.request_with("who", options).unwrap();
    // A driver that was busy handles the prompt after the deadline, without a timeout in between.
    driver.now += Duration::from_millis(150);
    driver.feed("Local time\n\rfics% ");
    assert!(driver.take_replies().contains(&(id, Err(RequestError::Expired))));
    assert!(driver.take_sent().iter().all(|line| line != "who\n"));
}

#[test]
fn a_dropped_shout_is_not_sent_again_after_its_deadline() {
    for (mut driver, peer) in [on_fics(guest()), on_uhlin(guest())] {
        let mut full = peer.on("shout", "Shout not sent. Next shout in 7 seconds.\n\r");
        let id = driver.request_with("shout hi", RequestOptions::new().send_within(seconds(3))).unwrap();
        driver.serve(&mut full);
        assert!(driver.take_replies().is_empty(), "it is queued again");
        driver.wait(seconds(3));
        assert_eq!(driver.take_replies(), [(id, Err(RequestError::Expired))]);
        driver.wait(seconds(5));
        assert!(driver.take_sent().iter().all(|line| !line.contains("shout")));
    }
}

#[test]
fn a_queued_request_fails_when_its_game_ends() {
    let ends = [
        ("ended", "\n\r{Game 7 (Newton vs. Einstein) Newton resigns} 0-1\n\r".to_owned()),
        ("left", "\n\rRemoving game 7 from observation list.\n\r".to_owned()),
        ("announced", "\n\r{Game 7 (Newton vs. Einstein) Creating unrated blitz match.}\n\r".to_owned()),
        ("replaced without an end", board("Alekhine")),
        ("ended and begun again", format!("{{Game 7 (Newton vs. Einstein) Newton resigns}} 0-1\n\r{NEW_GAME}")),
    ];
    for (name, end) in ends {
        let mut driver = busy();
        let id = driver.request_with("e5", game()).unwrap();
        driver.feed(end);
        assert_eq!(driver.take_replies(), [(id, Err(RequestError::GameOver))], "{name}");
        assert!(sent_after_date(&mut driver).is_empty(), "{name}");
    }
}

#[test]
fn a_queued_request_is_sent_while_its_game_goes_on() {
    let mut driver = busy();
    driver.request_with("e5", game()).unwrap();
    driver.feed("{Game 8 (Newton vs. Einstein) Newton resigns} 0-1\n\r");
    driver.feed("<12> rnbqkbnr pppp-ppp -------- ----p--- ----P--- -------- PPPP-PPP RNBQKBNR W -1 1 1 1 1 0 7 Newton Einstein -1 2 12 \
        39 39 119 122 2 P/e7-e5 (0:06) e5 0 1 0\n\r");
    assert_eq!(sent_after_date(&mut driver), ["e5"]);
}

#[test]
fn a_request_for_a_game_that_is_not_in_progress_is_refused() {
    let mut driver = busy();
    assert_eq!(driver.request_with("e5", RequestOptions::new().only_during(GameId(8))), Err(RequestError::GameOver));
    driver.feed("\n\r{Game 7 (Newton vs. Einstein) Newton resigns} 0-1\n\r");
    assert_eq!(driver.request_with("e5", game()), Err(RequestError::GameOver));
}

#[test]
fn an_expired_quit_leaves_the_session_ready() {
    let mut driver = busy();
    let id = driver.request_with("quit", RequestOptions::new().send_within(seconds(1))).unwrap();
    driver.wait(seconds(1));
    assert_eq!(driver.take_replies(), [(id, Err(RequestError::Expired))]);
    assert_eq!(driver.session.state(), SessionState::Ready);
}
