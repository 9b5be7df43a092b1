//! Boards that come in another style than the one that was set.

use super::login::{on_fics, on_uhlin};
use super::*;

const DIAGRAM: &str = "\n\rGame 1 (Alice vs. Boris)\n\r\n\r        ---------------------------------\n\r     \
    8  | *R| *N| *B| *Q| *K| *B| *N| *R|     Move # : 1 (White)\n\rfics% ";
const TEN: &str = "\n\r<10>\n\r|rnbqkbnr|\n\r|pppppppp|\n\r|        |\n\r|        |\n\r|    P   |\n\r|        |\n\r\
    |PPPP PPP|\n\r|RNBQKBNR|\n\rB 4 1 1 1 1 0\n\r0 Alice Boris 0 5 0 39 39 300 300 1 P/e2-e4 (0:00) e4 0\n\r>10<\n\rfics% ";
const EIGHT: &str = "\n\r#@#001Alice           *Boris           :RNBQKBNRPPPPPPPP@#@\n\rfics% ";

/// The commands about the style among these lines.
fn repairs(sent: &[String]) -> usize {
    sent.iter().filter(|line| line.ends_with("set style 12\n") || line.ends_with("refresh\n")).count()
}

// Rules: style10 O1
#[test]
fn a_board_in_another_style_makes_the_session_ask_for_its_own_again() {
    for board in [DIAGRAM, TEN, EIGHT] {
        for (mut driver, mut peer) in [on_fics(guest()), on_uhlin(guest())] {
            driver.feed(board);
            let sent = driver.take_sent();
            assert_eq!(repairs(&sent), 2, "{sent:?}");
            // What was under way still comes in the old style.
            driver.feed(board);
            driver.answer(&mut peer, &sent);
            driver.feed(board);
            assert_eq!(repairs(&driver.take_sent()), 0);
            assert!(driver.take_replies().is_empty(), "nobody asked");
            driver.now += seconds(60);
            driver.feed(board);
            assert_eq!(repairs(&driver.take_sent()), 2, "it was lost again");
        }
    }
}

// Rules: style10 O1
#[test]
fn a_style_that_was_asked_for_stays() {
    for command in ["style 1", "set style 10"] {
        let (mut driver, mut peer) = on_uhlin(guest());
        peer = peer.on("style", "Style 1 set.\n\r");
        driver.request(command).unwrap();
        driver.serve(&mut peer);
        for board in [DIAGRAM, TEN, EIGHT] {
            driver.feed(board);
        }
        assert!(driver.take_sent().is_empty(), "{command}");
        driver.request("style 12").unwrap();
        driver.serve(&mut peer);
        driver.feed(DIAGRAM);
        assert_eq!(repairs(&driver.take_sent()), 2);
    }
}

#[test]
fn words_that_look_like_a_heading_are_no_board() {
    let (mut driver, _) = on_fics(guest());
    for line in ["Foo shouts: Game 1 (Alice vs. Boris)", "{Game 1 (Alice vs. Boris) Creating rated blitz match.}"] {
        driver.feed(format!("\n\r{line}\n\rfics% "));
    }
    assert_eq!(repairs(&driver.take_sent()), 0);
}
