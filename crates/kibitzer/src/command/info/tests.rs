use kibitzer_core::event::CommandError;
use kibitzer_core::message::listing::ListingError;
use kibitzer_core::message::{GameId, Ivar, Refusal};

use super::*;
use crate::command::testing::{answer, assert_line};
use crate::command::{self, GameTerms, Request, TalkCommand, TypedCommand};

fn newton() -> Handle {
    "Newton".parse().unwrap()
}

#[test]
fn listing_commands_write_their_lines() {
    assert_line(&command::games(), "games");
    assert_line(&command::games_of(GameId(42)), "games 42");
    assert_line(&command::games_of(newton()), "games Newton");
    assert_line(&command::who(), "who");
    assert_line(&command::suitable_seeks(), "sought");
    assert_line(&command::sought(), "sought all");
    assert_line(&command::own_finger(), "finger");
    let handle = newton();
    assert_line(&command::finger(&handle), "finger Newton");
    assert_line(&command::finger(handle), "finger Newton");
    assert_line(&command::finger("Newton"), "finger Newton");
    assert_line(&command::moves("Newton"), "moves Newton");
    assert_line(&command::stored(newton()), "stored Newton");
    assert_line(&command::own_history(), "history");
    assert_line(&command::variables(newton()), "variables Newton");
    assert_line(&command::interface_variables(), "ivariables");
    assert_line(&command::own_moves(), "moves");
    assert_line(&command::moves(GameId(7)), "moves 7");
    assert_line(&command::in_channel(53), "inchannel 53");
    assert_line(&command::date(), "date");
}

#[test]
fn an_invalid_name_is_an_error_before_anything_is_sent() {
    for name in ["", "New ton", "Newton\nresign", "9x", &"x".repeat(33)] {
        let invalid = Err(CommandError::InvalidName);
        assert_eq!(command::finger(name).command(), invalid, "{name:?}");
        assert_eq!(command::observe(name).command(), invalid, "{name:?}");
        assert_eq!(command::challenge(Handle::from_wire(name.as_bytes()), GameTerms::new()).command(), invalid);
        assert_eq!(TalkCommand::tell(name, "hi").command(), invalid, "{name:?}");
        assert!(answer(&command::finger(name), "Finger of Newton:").is_err(), "{name:?}");
    }
}

#[test]
fn a_typed_command_owns_its_text() {
    fn set_to(value: u32) -> TypedCommand<PlayerText> {
        command::set("gin", &value.to_string())
    }
    let stored: Vec<TypedCommand<PlayerText>> = (0..2).map(set_to).collect();
    assert_line(&stored.clone()[1], "set gin 1");
    assert_eq!(format!("{:?}", stored[0]), "TypedCommand(Ok(\"set gin 0\"))");
    let secret = command::set("password", "hunter2");
    assert_eq!(format!("{secret:?}"), "TypedCommand(Ok(Command(..)))");
}

#[test]
fn unrelated_lines_are_not_part_of_a_listing() {
    let reply = "Bogoljubov tells you: async 0: x\nThere are no games in progress.\n\n\
            Bogoljubov(53): hello\n<d1> 1 6 a6 a7a6 586 299312 0";
    let games = answer(&command::games(), reply).unwrap();
    assert_eq!((games.games.len(), games.unread.len()), (0, 0));
    assert!(
        answer(&command::sought(), "Alice tells you: an empty list comes without a line").unwrap().seeks.is_empty()
    );
}

#[test]
fn a_board_in_a_move_list_is_the_start_position() {
    let reply = "Movelist for game 34:\n\nA (1626) vs. B (UNR) --- Mon Nov  4, 08:38 CET 2002\n\
            Rated standard match, initial time: 10 minutes, increment: 12 seconds.\n\n\
            <12> bbqnnrkr pppppppp -------- -------- -------- -------- PPPPPPPP BBQNNRKR W -1 1 1 1 1 0 34 A B -4 10 12 \
            39 39 600 600 1 none (0:00) none 0 0 0\n\n\
            Move  A                       B\n----  ---------------------   ---------------------\n  \
            1.  e4      (0:00.000)      c5      (0:00.123)\n      {Still in progress} *";
    let moves = answer(&command::own_moves(), reply).unwrap();
    assert_eq!((moves.start.len(), moves.unread.len()), (1, 0));
}

#[test]
fn an_empty_history_is_parsed() {
    let cases = [
        (command::history(newton()), "Sorry, no game information available.", "Newton"),
        (command::own_history(), "Sorry, no game information available.", ""),
        (command::own_history(), "Alice has no history games.", "Alice"),
    ];
    for (command, reply, owner) in cases {
        let history = answer(&command, reply).unwrap();
        assert_eq!((history.owner.as_str(), history.games.len()), (owner, 0), "{reply}");
    }
}

#[test]
fn dates_of_two_servers() {
    let cases = [
        (
            "Local time     - Sat Nov 21, 00:37 UTC 2026\nServer time    - Sat Nov 21, 00:37 UTC 2026",
            ("Sat Nov 21, 00:37 UTC 2026", Some("Sat Nov 21, 00:37 UTC 2026")),
        ),
        (
            "Local time     - Sat Nov 21,  0:22 UTC\nGreenwich time - Sat Nov 21,  0:22 GMT",
            ("Sat Nov 21,  0:22 UTC", Some("Sat Nov 21,  0:22 GMT")),
        ),
        ("Local time     - Sat Nov 21,  0:22 UTC", ("Sat Nov 21,  0:22 UTC", None)),
    ];
    for (reply, want) in cases {
        let date = answer(&command::date(), reply).unwrap();
        assert_eq!((date.local.as_str(), date.server.as_ref().map(ServerText::as_str)), want);
    }
    assert!(matches!(answer(&command::date(), "Localtime"), Err(RequestError::Unexpected { .. })));
}

#[test]
fn refusals_contain_the_text_of_the_server() {
    let no_player = answer(&command::finger(newton()), "There is no player matching the name \"nobody\".").unwrap_err();
    assert_eq!(no_player.text(), Some("There is no player matching the name \"nobody\"."));
    assert!(no_player.refusal_reason().is_some());
    let no_game = answer(&command::moves(GameId(1)), "There is no such game.").unwrap_err();
    assert!(matches!(no_game.refusal_reason(), Some(Refusal::NoSuchGame)));
    let not_playing = answer(&command::own_moves(), "You are not playing, examining, or observing a game.");
    assert!(not_playing.unwrap_err().is_refused_for(Refusal::NotPlaying));
    let unknown = answer(&command::who(), "TODO: unsupported format").unwrap_err();
    assert_eq!(unknown.text(), Some("TODO: unsupported format"));
    let RequestError::Listing { source, .. } = unknown else { panic!("{unknown:?}") };
    assert_eq!(source, ListingError::NotThisReply);
}

#[test]
fn commands_write_their_lines() {
    assert_line(&command::set("gin", "1"), "set gin 1");
    assert_line(&command::unset("formula"), "set formula");
    assert_line(&command::style(12), "set style 12");
    assert_line(&command::enable_ivar(Ivar::Ms), "iset ms 1");
    assert_line(&command::disable_ivar(Ivar::Block), "iset block 0");
}

#[test]
fn set_returns_the_confirmation() {
    for reply in [
        "You will now hear game results.",
        "height set to 240.",
        "Plan variable 1 changed to 'a note'.",
        "Formula unset.",
        "interface set to \"test\".",
        "",
    ] {
        let set = answer(&command::set("x", "y"), &format!("{reply}\nFoo tells you: hi")).unwrap();
        assert_eq!(set.as_str(), reply);
    }
}

#[test]
fn refused_variables_are_errors() {
    for text in ["No such variable \"nosuch\".", "No such variable name provshow."] {
        let error = answer(&command::set("nosuch", "1"), text).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::NoSuchVariable));
    }
    for text in ["Bad value given for variable \"formula\".", "Bad value given for variable style."] {
        let error = answer(&command::set("x", "y"), text).unwrap_err();
        assert_eq!(error.refusal_reason(), Some(Refusal::BadValue), "{text}");
    }
    for text in ["You cannot change your rated status.", "Usage: TODO for set"] {
        assert_eq!(answer(&command::set("x", "y"), text).unwrap_err().text(), Some(text));
    }
}

#[test]
fn styles_and_ivars_are_confirmed() {
    assert_eq!(answer(&command::style(12), "Style 12 set."), Ok(()));
    assert!(answer(&command::style(12), "Style 1 set.").is_err());
    assert!(answer(&command::style(14), "Bad value given for variable style.").is_err());
    assert_eq!(answer(&command::enable_ivar(Ivar::Ms), "ms set."), Ok(()));
    assert_eq!(answer(&command::disable_ivar(Ivar::Ms), "ms unset."), Ok(()));
    assert!(answer(&command::disable_ivar(Ivar::Ms), "ms set.").is_err());
    assert!(answer(&command::enable_ivar(Ivar::Ms), "Foo tells you: ms set.").is_err());
    for text in ["com_iset: block 1", ""] {
        assert_eq!(
            answer(&command::enable_ivar(Ivar::Block), text).unwrap_err().text(),
            Some(text).filter(|text| !text.is_empty())
        );
    }
    let unknown = answer(&command::enable_ivar(Ivar::Ms), "No such ivariable \"nosuch\".").unwrap_err();
    assert_eq!(unknown.refusal_reason(), Some(Refusal::NoSuchVariable));
}
