use super::*;
use crate::command;
use crate::command::testing::{answer, assert_line};

const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 1 \
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
        "You are now observing game 1.\nGame 1: Alekhine (1882) Bogoljubov (1558) unrated blitz 5 0\n\n{BOARD}"
    );
    let between = format!("{}\n{fatics}", BOARD.replace(" 1 Alekhine", " 2 Alekhine"));
    let uhlin = format!("You are now observing game 1.\n\n{BOARD}\n<b1> game 1 white [] black []");
    for (game, reply) in [(GameId(1).into(), &fatics), (player("Alekhine"), &uhlin), (GameId(1).into(), &between)] {
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
        assert!(matches!(&error, RequestError::Unexpected { text } if text.as_str() == reply), "{error:?}");
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
