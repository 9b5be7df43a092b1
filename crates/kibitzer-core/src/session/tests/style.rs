//! Boards in a style other than 12.

use super::login::{on_fics, on_uhlin};
use super::*;

const DIAGRAM: &str = "\n\rGame 1 (Alice vs. Boris)\n\r\n\r        ---------------------------------\n\r     \
    8  | *R| *N| *B| *Q| *K| *B| *N| *R|     Move # : 1 (White)\n\rfics% ";
const TEN: &str = "\n\r<10>\n\r|rnbqkbnr|\n\r|pppppppp|\n\r|        |\n\r|        |\n\r|    P   |\n\r|        |\n\r\
    |PPPP PPP|\n\r|RNBQKBNR|\n\rB 4 1 1 1 1 0\n\r0 Alice Boris 0 5 0 39 39 300 300 1 P/e2-e4 (0:00) e4 0\n\r>10<\n\rfics% ";
const EIGHT: &str = "\n\r#@#001Alice           *Boris           :RNBQKBNRPPPPPPPP@#@\n\rfics% ";

/// Passes answers to the session. Returns whether it sent the commands that restore style 12, and nothing else.
fn is_repaired(driver: &mut Driver, peer: &mut Peer) -> bool {
    peer.heard.clear();
    driver.serve(peer);
    assert!(driver.take_replies().is_empty(), "nobody asked");
    match &peer.heard[..] {
        [] => false,
        heard => heard == ["set style 12", "refresh"] || panic!("{heard:?}"),
    }
}

// Rules: style10 O1
#[test]
fn a_board_in_another_style_causes_a_request_for_style_12() {
    for board in [DIAGRAM, TEN, EIGHT] {
        for (mut driver, mut peer) in [on_fics(guest()), on_uhlin(guest())] {
            // Boards in flight still come in the old style.
            driver.feed([board, board].concat());
            assert!(is_repaired(&mut driver, &mut peer));
            driver.feed(board);
            assert!(!is_repaired(&mut driver, &mut peer));
            driver.now += seconds(60);
            driver.feed(board);
            assert!(is_repaired(&mut driver, &mut peer), "it was lost again");
        }
    }
}

// Rules: style10 O1
#[test]
fn a_style_set_by_the_user_is_kept() {
    for command in ["style 1", "set style 10"] {
        let (mut driver, mut peer) = on_uhlin(guest());
        peer = peer.on("style", "Style 1 set.\n\r");
        driver.request(command).unwrap();
        driver.serve(&mut peer);
        driver.take_replies();
        for board in [DIAGRAM, TEN, EIGHT] {
            driver.feed(board);
        }
        assert!(!is_repaired(&mut driver, &mut peer), "{command}");
        driver.request("style 12").unwrap();
        driver.serve(&mut peer);
        driver.take_replies();
        driver.feed(DIAGRAM);
        assert!(is_repaired(&mut driver, &mut peer));
    }
}

#[test]
fn talk_that_looks_like_a_heading_is_not_a_board() {
    let (mut driver, mut peer) = on_fics(guest());
    for line in ["Foo shouts: Game 1 (Alice vs. Boris)", "{Game 1 (Alice vs. Boris) Creating rated blitz match.}"] {
        driver.feed(format!("\n\r{line}\n\rfics% "));
    }
    assert!(!is_repaired(&mut driver, &mut peer));
}
