use kibitzer_core::chess::{Color, LastMove};
use kibitzer_core::message::{GameResult, Refusal};
use proptest::prelude::*;

use super::*;
use crate::command::testing::{answer, assert_line};

#[test]
fn moves_of_both_notations_are_converted_for_servers() {
    let cases = [
        ("e2e4", "e2e4"),
        ("e2-e4", "e2e4"),
        ("e7e8q", "e7e8=q"),
        ("e7e8=N", "e7e8=n"),
        ("e1g1", "e1g1"),
        ("N@f3", "N@f3"),
        ("p@e4", "P@e4"),
        ("e4", "e4"),
        ("exd5", "exd5"),
        ("exd8=Q+", "exd8=q"),
        ("e8Q", "e8=q"),
        ("bxc3", "bxc3"),
        ("Bxc3", "Bxc3"),
        ("Nf3!?", "Nf3"),
        ("Nbd2", "Nbd2"),
        ("N1d2", "N1d2"),
        ("Nb1xd2", "Nb1xd2"),
        ("Qa1b2#", "Qa1b2"),
        ("O-O", "O-O"),
        ("o-o-o", "O-O-O"),
        ("0-0+", "O-O"),
        (" Kd9 ", ""),
        ("Kd8=Q", ""),
        ("draw", ""),
        ("resign", ""),
        ("e", ""),
        ("e9", ""),
        ("P@e4x", ""),
        ("K@e4", ""),
        ("e4 resign", ""),
        ("e4\nresign", ""),
        ("e4;quit", ""),
        ("é4", ""),
        ("+", ""),
        ("", ""),
    ];
    for (text, want) in cases {
        match MoveText::new(text) {
            Ok(played) => assert_eq!(played.as_str(), want, "{text}"),
            Err(_) => assert_eq!("", want, "{text}"),
        }
    }
    assert_line(&MoveText::new("e7e8q").unwrap(), "e7e8=q");
}

#[test]
fn a_reported_move_can_be_sent() {
    let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR B -1 1 1 1 1 0 1 \
            A B -1 5 0 39 39 300 300 9 ";
    for (told, want) in [
        ("P/e2-e4 (0:00) e4 0 1 0", "e2e4"),
        ("P/e7-e8=Q (0:00) e8=Q 0 1 0", "e7e8=q"),
        ("N/@@-f3 (0:00) N@f3 0 1 0", "N@f3"),
        ("o-o (0:00) O-O 0 1 0", "e1g1"),
    ] {
        let board = Style12::parse(format!("{board}{told}").as_bytes()).unwrap();
        let played: LastMove = board.last_move().unwrap().played.unwrap();
        assert_eq!(MoveText::new(&played.to_uci(Color::White).unwrap().to_string()).unwrap().as_str(), want);
    }
}

const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- ----P--- -------- PPPP-PPP RNBQKBNR B 4 1 1 1 1 0 1 \
        Alekhine Bogoljubov -1 5 0 39 39 300 300 1 P/e2-e4 (0:00) e4 0 1 0";
const END: &str = "{Game 1 (Alekhine vs. Bogoljubov) Bogoljubov checkmated} 1-0";

fn e4() -> MoveText {
    MoveText::new("e4").unwrap()
}

#[test]
fn a_move_returns_the_new_board() {
    let observed = BOARD.replace(" -1 5 0", " 0 5 0").replace(" 1 Alekhine", " 8 Alekhine");
    for reply in [BOARD.to_owned(), format!("{BOARD}\n{observed}"), format!("{BOARD}\nGame 1: Alekhine moves: e4")] {
        let made = answer(&e4(), &reply).unwrap();
        assert_eq!((made.board.map(|board| board.game().0), made.ended), (Some(1), None), "{reply}");
    }
    let made = answer(&e4(), &format!("{BOARD}\n\n{END}")).unwrap();
    assert_eq!(made.ended.map(|ended| ended.result), Some(GameResult::WhiteWins));
    assert!(made.board.is_some());
    let another = format!("{BOARD}\n{{Game 9 (Foo vs. Bar) Foo resigns}} 0-1");
    assert_eq!(answer(&e4(), &another).unwrap().ended, None);
    let cut = BOARD.split_at(BOARD.len() - 30).0;
    assert_eq!(answer(&e4(), cut), Ok(MoveMade { board: None, ended: None }));
    let delta = format!("{BOARD}\n<d1> 1 2 e5 e7e5 0 300000 0");
    assert_eq!(answer(&e4(), &delta).unwrap().board.map(|board| board.side_to_move()), Some(Color::White));
}

#[test]
fn a_refused_move_is_an_error_with_its_reason() {
    let cases = [
        ("Illegal move (e2e5).", Refusal::IllegalMove),
        ("Illegal move.", Refusal::IllegalMove),
        ("Ambiguous move (Rd1).", Refusal::AmbiguousMove),
        ("It is not your move.", Refusal::NotYourMove),
        ("The clock is paused, use \"unpause\" to resume.", Refusal::ClockPaused),
    ];
    for (text, reason) in cases {
        let error = answer(&e4(), &format!("{text}\n\n{BOARD}")).unwrap_err();
        assert_eq!((error.refusal_reason(), error.text()), (Some(reason), Some(text)));
    }
    let not_playing = answer(&e4(), "You are not playing or examining a game.");
    assert!(not_playing.unwrap_err().is_refused_for(Refusal::NotPlaying));
    for text in ["qz9: Command not found.", "kd9: Command has failed."] {
        assert!(answer(&e4(), text).unwrap_err().is_refused_for(Refusal::UnknownCommand));
    }
    assert_eq!(answer(&e4(), "Foo tells you: {Game").unwrap_err().text(), None);
}

proptest! {
    #[test]
    fn accepted_text_is_one_move(text in "[a-hNBRQKPO0-9x@=+#o \n-]{0,14}") {
        if let Ok(played) = MoveText::new(&text) {
            prop_assert_eq!(MoveText::new(played.as_str()), Ok(played.clone()), "written once more");
            prop_assert!(played.as_str().bytes().any(|b| b.is_ascii_digit() || b == b'-'), "no command: {}", played);
            prop_assert!(!played.as_str().contains(char::is_whitespace));
        }
    }
}
