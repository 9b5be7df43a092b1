use kibitzer_core::message::Refusal;

use crate::command;
use crate::command::testing::{answer, assert_line};

const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
        Alice Alice 2 0 0 39 39 0 0 1 none (0:00) none 0 0 0";

#[test]
fn commands_write_their_lines() {
    assert_line(&command::examine_scratch(), "examine");
    assert_line(&command::examine("Alice".parse().unwrap(), 55), "examine Alice 55");
    assert_line(&command::forward(3), "forward 3");
    assert_line(&command::backward(99), "backward 99");
    assert_line(&command::revert(), "revert");
    assert_line(&command::unexamine(), "unexamine");
}

#[test]
fn examine_returns_the_board() {
    for reply in [format!("Starting a game in examine (scratch) mode.\n\n{BOARD}"), BOARD.to_owned()] {
        assert_eq!(answer(&command::examine_scratch(), &reply).unwrap().game().0, 1, "{reply}");
    }
    let cases = ["There is no history game 99 for Alekhine.", "There is no player matching that name.", ""];
    for text in cases {
        assert_eq!(
            answer(&command::examine_scratch(), text).unwrap_err().text(),
            Some(text).filter(|text| !text.is_empty())
        );
    }
}

#[test]
fn steps_return_a_board_or_report_an_edge() {
    let cases = [
        (format!("Carla goes forward 3 moves.\n\n{BOARD}"), true, false),
        ("Game 1: Alekhine goes forward 1 move.".to_owned(), false, false),
        (format!("Alice goes forward 200 moves.\nEnd of game.\n\n{BOARD}"), true, true),
        ("You're at the end of the game.".to_owned(), false, true),
        ("You cannot go forward; no moves are stored.".to_owned(), false, true),
    ];
    for (reply, has_board, is_at_edge) in cases {
        let stepped = answer(&command::forward(3), &reply).unwrap();
        assert_eq!((stepped.board.is_some(), stepped.is_at_edge), (has_board, is_at_edge), "{reply}");
    }
    let back = answer(&command::backward(99), &format!("Beginning of game.\n\n{BOARD}")).unwrap();
    assert!(back.is_at_edge && back.board.is_some());
    assert!(answer(&command::revert(), &format!("Alice reverts to mainline.\n\n{BOARD}")).unwrap().board.is_some());
}

#[test]
fn refused_steps_are_errors() {
    for text in ["You are not examining a game.", "You are not examining any games."] {
        let error = answer(&command::forward(1), text).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::NotExamining));
    }
    assert_eq!(answer(&command::forward(1), "What?").unwrap_err().text(), Some("What?"));
    let unknown = answer(&command::revert(), "revert: Command not found.");
    assert!(unknown.unwrap_err().is_refused_for(Refusal::UnknownCommand));
}

#[test]
fn unexamine_is_confirmed() {
    assert_eq!(answer(&command::unexamine(), "You are no longer examining game 1."), Ok(()));
    assert!(answer(&command::unexamine(), "You are not examining any games.").is_err());
    assert!(answer(&command::unexamine(), "Foo stopped examining game 1.").is_err(), "somebody else");
}
