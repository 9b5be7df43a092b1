use kibitzer_core::chess::{Color, LastMove};
use kibitzer_core::message::{GameResult, Refusal};
use proptest::prelude::*;

use super::*;
use crate::command;
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

const OBSERVED: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
        Alekhine Bogoljubov 0 5 0 39 39 300 300 1 none (0:00) none 0 0 0";

fn player(name: &str) -> GameRef {
    GameRef::Player(name.parse().unwrap())
}

#[test]
fn a_game_is_named_by_number_or_player() {
    assert_line(&command::observe(GameId(42)), "observe 42");
    assert_line(&command::observe(player("Alice")), "observe Alice");
    assert_line(&command::unobserve(GameId(42)), "unobserve 42");
    assert_line(&command::unobserve_all(), "unobserve");
}

#[test]
fn observe_returns_the_number_and_the_board() {
    let fatics = format!(
        "You are now observing game 1.\nGame 1: Alekhine (1882) Bogoljubov (1558) unrated blitz 5 0\n\n{OBSERVED}"
    );
    let between = format!("{}\n{fatics}", OBSERVED.replace(" 1 Alekhine", " 2 Alekhine"));
    let uhlin = format!("You are now observing game 1.\n\n{OBSERVED}\n<b1> game 1 white [] black []");
    for (game, reply) in
        [(GameRef::Game(GameId(1)), &fatics), (player("Alekhine"), &uhlin), (GameRef::Game(GameId(1)), &between)]
    {
        let observed = answer(&command::observe(game), reply).unwrap();
        assert_eq!((observed.game, observed.board.map(|board| board.game())), (GameId(1), Some(GameId(1))));
    }
    let in_style_1 = answer(&command::observe(GameId(1)), "You are now observing game 1.\nGame 1 (Alice vs. Boris)");
    assert_eq!(in_style_1, Ok(ObservedGame { game: GameId(1), board: None }));
}

#[test]
fn refused_observations_are_errors() {
    let cases = [
        ("There is no such game.", Refusal::NoSuchGame),
        ("You are already observing game 1.", Refusal::AlreadyObserving(GameId(1))),
        ("Sorry, game 1 is a private game.", Refusal::PrivateGame(GameId(1))),
    ];
    for (reply, why) in cases {
        let error = answer(&command::observe(GameId(1)), reply).unwrap_err();
        assert_eq!((error.refusal_reason(), error.text()), (Some(why), Some(reply)));
    }
    for reply in ["Alice is not playing a game.", "Alice is not playing or examining a game."] {
        let error = answer(&command::observe(player("Alice")), reply).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::PlayerNotPlaying), "{reply}");
    }
    // The first is uhlin-fics's answer to observing once more; the last is about another game.
    for reply in ["Removing game 1 from observation list.", "You are now observing game 2."] {
        let error = answer(&command::observe(GameId(1)), reply).unwrap_err();
        assert!(matches!(&error, RequestError::Unexpected { text, .. } if text.as_str() == reply), "{error:?}");
    }
}

#[test]
fn unobserve_returns_the_games() {
    let one = "Removing game 1 from observation list.";
    assert_eq!(answer(&command::unobserve(GameId(1)), one), Ok(vec![GameId(1)]));
    let both = "Removing game 1 from observation list.\nRemoving game 2 from observation list.";
    assert_eq!(answer(&command::unobserve_all(), both), Ok(vec![GameId(1), GameId(2)]));
    let none = answer(&command::unobserve_all(), "You are not observing any games.").unwrap_err();
    assert_eq!(none.refusal_reason(), Some(Refusal::NoneObserved));
    let silence = answer(&command::unobserve_all(), "Foo tells you: hi").unwrap_err();
    assert_eq!((silence.refusal_reason(), silence.text()), (none.refusal_reason(), None));
    assert!(matches!(answer(&command::unobserve_all(), "Hm."), Err(RequestError::Unexpected { .. })));
}

const EXAMINED: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
        Alice Alice 2 0 0 39 39 0 0 1 none (0:00) none 0 0 0";

#[test]
fn commands_write_their_lines() {
    assert_line(&command::examine_scratch(), "examine");
    assert_line(&command::examine("Alice", 55), "examine Alice 55");
    assert_line(&command::forward(3), "forward 3");
    assert_line(&command::backward(99), "backward 99");
    assert_line(&command::revert(), "revert");
    assert_line(&command::unexamine(), "unexamine");
}

#[test]
fn examine_returns_the_board() {
    for reply in [format!("Starting a game in examine (scratch) mode.\n\n{EXAMINED}"), EXAMINED.to_owned()] {
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
        (format!("Carla goes forward 3 moves.\n\n{EXAMINED}"), true, false),
        ("Game 1: Alekhine goes forward 1 move.".to_owned(), false, false),
        (format!("Alice goes forward 200 moves.\nEnd of game.\n\n{EXAMINED}"), true, true),
        ("You're at the end of the game.".to_owned(), false, true),
        ("You cannot go forward; no moves are stored.".to_owned(), false, true),
    ];
    for (reply, has_board, is_at_edge) in cases {
        let stepped = answer(&command::forward(3), &reply).unwrap();
        assert_eq!((stepped.board.is_some(), stepped.is_at_edge), (has_board, is_at_edge), "{reply}");
    }
    let back = answer(&command::backward(99), &format!("Beginning of game.\n\n{EXAMINED}")).unwrap();
    assert!(back.is_at_edge && back.board.is_some());
    assert!(answer(&command::revert(), &format!("Alice reverts to mainline.\n\n{EXAMINED}")).unwrap().board.is_some());
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
