//! Requests for the board of a game whose moves do not fit.

use super::icc::ready;
use super::login::on_fics;
use super::*;
use crate::event::EventKind;
use crate::message::{GameId, Ivar};

/// Returns a board of game 7 after this many plies of knights.
fn board(plies: u32) -> String {
    let rows = [
        "rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR",
        "rnbqkbnr pppppppp -------- -------- -------- -----N-- PPPPPPPP RNBQKB-R",
        "rnbqkb-r pppppppp -----n-- -------- -------- -----N-- PPPPPPPP RNBQKB-R",
        "rnbqkb-r pppppppp -----n-- -------- -------- -------- PPPPPPPP RNBQKBNR",
    ];
    let last = ["N/f6-g8 (0:01) Ng8", "N/g1-f3 (0:01) Nf3", "N/g8-f6 (0:01) Nf6", "N/f3-g1 (0:01) Ng1"];
    let at = usize::try_from(plies % 4).unwrap();
    let last = if plies == 0 { "none (0:00) none" } else { last[at] };
    let side = if plies.is_multiple_of(2) { "W" } else { "B" };
    format!("<12> {} {side} -1 1 1 1 1 0 7 A B 0 5 0 39 39 300 300 {} {last} 0 1 0\n\r", rows[at], plies / 2 + 1)
}

/// Returns the delta board of a ply.
fn delta(ply: u32) -> String {
    let smith = ["f6g8", "g1f3", "g8f6", "f3g1"][usize::try_from(ply % 4).unwrap()];
    format!("<d1> 7 {ply} N {smith} 100 299900\n\rfics% ")
}

const OBSERVING: &str = "You are now observing game 7.\n\r";
const REMOVED: &str = "Removing game 7 from observation list.\n\rfics% ";

/// Returns the lines that the session sends by itself; the server answers them.
fn requested(driver: &mut Driver, peer: &mut Peer) -> Vec<String> {
    peer.heard.clear();
    driver.serve(peer);
    assert!(driver.take_replies().is_empty(), "no user asked");
    peer.heard.clone()
}

fn kinds(driver: &mut Driver) -> Vec<EventKind> {
    let of_games = [EventKind::Position, EventKind::Desync, EventKind::Missed];
    driver.events.drain(..).map(|event| event.kind()).filter(|kind| of_games.contains(kind)).collect()
}

fn ply(driver: &Driver) -> u32 {
    driver.session.games().get(GameId(7)).unwrap().position().ply()
}

// Rules: datagrams D2
#[test]
fn a_lost_delta_board_makes_the_session_request_the_board_once() {
    use EventKind::{Desync, Missed, Position};
    let (mut driver, peer) = on_fics(guest().with_ivar(Ivar::CompressMove));
    let mut peer = peer.on("refresh 7", &board(5));
    driver.feed([OBSERVING, &board(0), &delta(1)].concat());
    assert_eq!(requested(&mut driver, &mut peer), [""; 0]);
    kinds(&mut driver);
    driver.feed([delta(3), delta(4), delta(5)].concat());
    assert_eq!(requested(&mut driver, &mut peer), ["refresh 7"]);
    assert_eq!((kinds(&mut driver), ply(&driver)), (vec![Desync, Desync, Desync, Missed, Position], 5));
    driver.feed(delta(6));
    assert_eq!((kinds(&mut driver), ply(&driver)), (vec![Position], 6));
    driver.feed(delta(8));
    peer = peer.on("refresh 7", &board(8));
    assert_eq!(requested(&mut driver, &mut peer), ["refresh 7"], "it was lost again");
    assert_eq!(ply(&driver), 8);
}

#[test]
fn a_board_that_does_not_help_is_not_requested_again() {
    let (mut driver, peer) = on_fics(guest());
    // The server counts its plies from a start board that was not seen.
    let mut peer = peer.on("refresh 7", &board(5));
    driver.feed([OBSERVING, &board(4), &delta(9)].concat());
    assert_eq!(requested(&mut driver, &mut peer), ["refresh 7"]);
    for ply in 10..20 {
        driver.feed(delta(ply));
    }
    assert_eq!(requested(&mut driver, &mut peer), [""; 0]);
    driver.feed([&delta(6), "{Game 7 (A vs. B) A resigns} 0-1\n\r", OBSERVING, &board(0), &delta(2)].concat());
    assert_eq!(requested(&mut driver, &mut peer), ["refresh 7"], "another game");
}

#[test]
fn no_board_is_requested_if_it_would_not_help() {
    let start = [OBSERVING, &board(0)].concat();
    let resigned = "{Game 7 (A vs. B) A resigns} 0-1\n\rfics% ";
    let contradiction = board(2).replace("N/g8-f6", "N/b8-c6");
    for said in [[REMOVED, &delta(1)], [resigned, &delta(1)], [&board(1), &contradiction]] {
        let (mut driver, mut peer) = on_fics(guest());
        driver.feed(start.clone() + &said.concat());
        assert!(kinds(&mut driver).contains(&EventKind::Desync), "{said:?}");
        assert_eq!(requested(&mut driver, &mut peer), [""; 0], "{said:?}");
    }
    // The board would come as a diagram.
    let (mut driver, peer) = on_fics(guest());
    let mut peer = peer.on("style 1", "Style 1 set.\n\r");
    driver.feed(&start);
    driver.request("style 1").unwrap();
    driver.serve(&mut peer);
    driver.take_replies();
    driver.feed(delta(3));
    assert_eq!(requested(&mut driver, &mut peer), [""; 0]);
}

#[test]
fn requests_for_boards_are_bounded() {
    let (mut driver, mut peer) = on_fics(guest());
    for game in 0..1000 {
        driver.feed(format!("<d1> {game} 1 e4 e2e4 100 299900\n\r"));
        driver.serve(&mut peer);
    }
    assert_eq!(peer.heard.iter().filter(|line| line.starts_with("refresh ")).count(), 64);
}

// Rules: bugs K7
#[test]
fn a_lost_move_on_icc_makes_the_session_request_the_board_once() {
    const OBSERVED: &str = "\x19(18 7 Ann Bob 23 Crazyhouse 1 3 2 3 2 1 {} 1500 1600 9 {} {} 0 0 0 {} 0\x19)";
    let (mut driver, peer) = ready(guest().with_ivar(Ivar::CompressMove));
    let position = |fen: &str| format!("\x19(110 7 {{{fen}}} 0\x19)");
    let mut peer = peer.on("refresh 7", &position("4k3/8/8/8/4N3/8/8/4K1n1[R] b - - 0 5"));
    driver.feed([OBSERVED, &position("4k3/8/8/8/8/8/8/4K1n1[] w - - 0 4")].concat());
    kinds(&mut driver);
    driver.feed("\x19(24 7 N@e4 N@e4 1 178 1\x19)\x19(24 7 Kd7 e8d7 1 178 1\x19)\x19(24 7 Ke2 e1e2 1 178 1\x19)");
    assert_eq!(requested(&mut driver, &mut peer), ["refresh 7"]);
    assert_eq!(driver.session.games().get(GameId(7)).unwrap().position().move_number(), 5);
    let kinds = kinds(&mut driver);
    assert_eq!(kinds.iter().filter(|kind| **kind == EventKind::Position).count(), 1, "{kinds:?}");
}
