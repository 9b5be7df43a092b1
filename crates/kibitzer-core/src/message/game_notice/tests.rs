use super::ExamineAction::{
    AtBeginning, AtEnd, Backward, Commit, Forward, IsExaminer, MadeMeExaminer, Move, Revert, Set, SetupEntered,
    SetupLeft, Start, Stop,
};
use super::*;
use crate::message::Message;
use crate::message::dispatch::parse_sentence;

fn parse_examine(line: &[u8]) -> Option<ExamineNotice> {
    match parse_sentence(line)? {
        Message::Examine(found) => Some(ExamineNotice::clone(&found)),
        _ => None,
    }
}

fn parse_observing(line: &[u8]) -> Option<ObservingUpdate> {
    match parse_sentence(line)? {
        Message::Observing(found) => Some(ObservingUpdate::clone(&found)),
        _ => None,
    }
}

fn parse_focus(line: &[u8]) -> Option<PrimaryGameChange> {
    match parse_sentence(line)? {
        Message::Focus(found) => Some(PrimaryGameChange::clone(&found)),
        _ => None,
    }
}

fn text(words: &str) -> PlayerText {
    PlayerText::from_wire(words.as_bytes())
}

#[test]
fn events_of_others_with_and_without_a_game_number() {
    let cases = [
        ("Game 29: A goes forward 22 moves.", Some(29), Forward(22)),
        ("Game 29: A goes forward 1 move.", Some(29), Forward(1)),
        ("A goes forward 1 move.", None, Forward(1)),
        ("A goes forward 40 moves.", None, Forward(40)),
        ("Game 29: A backs up 4 moves.", Some(29), Backward(4)),
        ("A backs up 1 move.", None, Backward(1)),
        ("A backs up 500 moves.", None, Backward(500)),
        ("Game 29: A reverts to main line move 5.", Some(29), Revert(Some(5))),
        ("Game 29: A reverts to the main line", Some(29), Revert(None)),
        ("A reverts to mainline.", None, Revert(None)),
        ("Game 29: A commits the subvariation.", Some(29), Commit),
        ("Game 29: A moves: Nf3", Some(29), Move(ServerText::from_wire(b"Nf3"))),
        ("A(GM) moves: Bb5+ ", None, Move(ServerText::from_wire(b"Bb5+"))),
        ("Game 29: A sets White's clock to 5:00.", Some(29), Set(text("White's clock to 5:00."))),
        ("Game 29: A sets whatever", Some(29), Set(text("whatever"))),
        ("A sets the side to move to white.", None, Set(text("the side to move to white."))),
        ("A is now an examiner of game 29.", Some(29), IsExaminer),
        ("A is now examiner of game 29.", Some(29), IsExaminer),
        ("A has made you an examiner of game 104.", Some(104), MadeMeExaminer),
        ("A stopped examining game 1.", Some(1), Stop),
        ("A has stopped examining game 1.", Some(1), Stop),
    ];
    for (line, game, action) in cases {
        let want = ExamineNotice { game: game.map(GameId), by: Some(Handle::from_wire(b"A")), action };
        assert_eq!(parse_examine(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn events_of_this_login() {
    let cases = [
        ("Starting a game in examine (scratch) mode.", None, Start { scratch: true }),
        ("Starting a game in examine mode.", None, Start { scratch: false }),
        ("You are now examiner of game 1.", Some(1), IsExaminer),
        ("You are no longer examining game 29.", Some(29), Stop),
        ("Entering setup mode.", None, SetupEntered),
        ("Game is validated - entering examine mode.", None, SetupLeft),
        ("You're at the beginning of the game.", None, AtBeginning),
        ("You're at the end of the game.", None, AtEnd),
        ("Beginning of game.", None, AtBeginning),
        ("End of game.", None, AtEnd),
    ];
    for (line, game, action) in cases {
        let want = ExamineNotice { game: game.map(GameId), by: None, action };
        assert_eq!(parse_examine(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn other_lines_are_no_events_of_examined_games() {
    let lines = [
        "",
        "A sets his alarm clock.",
        "A goes forward x moves.",
        "A goes forward 2 moves. Or 3.",
        "A B goes forward 2 moves.",
        "You are now observing game 463.",
        "Game 1 (which you were observing) has no examiners.",
        "Game 29: A offers a draw.",
        "Game 1: Bogoljubov dances 1-0",
        "Game 1: Bogoljubov resigns 2-0",
        "Bogoljubov resigns 1-0",
        "Alekhine, whom you are following, has started examining a game.",
    ];
    for line in lines {
        assert_eq!(parse_examine(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn observations_start_and_stop() {
    let cases = [
        ("You are now observing game 463.", true),
        ("Removing game 463 from observation list.", false),
        ("You are no longer observing game 463.", false),
        ("Game 463 (which you were observing) has no examiners.", false),
    ];
    for (line, is_observed) in cases {
        let want = ObservingUpdate { game: GameId(463), is_observed };
        assert_eq!(parse_observing(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn the_focus_names_a_game_and_perhaps_an_opponent() {
    let cases = [("You are now at A's board (game 5).", Some("A")), ("Your primary game is now game 5.", None)];
    for (line, opponent) in cases {
        let focus = parse_focus(line.as_bytes()).unwrap();
        assert_eq!((focus.game, focus.opponent.as_ref().map(Handle::as_str)), (GameId(5), opponent), "{line}");
    }
}

#[test]
fn other_lines_change_no_observation() {
    let lines = [
        "",
        "You are now observing game x.",
        "You are now observing game 4294967295.",
        "You are now observing game 3. Foo",
        "You are no longer examining game 29.",
        "Game 463: A (2243) B (2158E) rated standard 45 45",
        "Foo tells you: You are now observing game 3.",
    ];
    for line in lines {
        let line = line.as_bytes();
        assert_eq!((parse_observing(line), parse_focus(line)), (None, None));
    }
}

fn parse_own_start(line: &[u8]) -> Option<OwnGameStarting> {
    match parse_sentence(line)? {
        Message::Creating(found) => Some(OwnGameStarting::clone(&found)),
        _ => None,
    }
}

/// Line, number and names, rated, kind, resumed.
type Row<'a> = (&'a str, (i32, &'a str, &'a str), Option<bool>, &'a str, bool);

#[test]
fn creating_lines_with_every_field() {
    let rated = |value| Rating::Established(value);
    let cases = [
        (
            "Creating: A (1500) B (++++) unrated blitz 5 0",
            rated(1500),
            Rating::Guest,
            false,
            "blitz",
            Some((5, 0)),
            false,
        ),
        (
            "Creating: A ( 958) B (1600P) rated Blitz 5 0",
            rated(958),
            Rating::Provisional(1600),
            true,
            "Blitz",
            Some((5, 0)),
            false,
        ),
        (
            "Creating: Duras (----) Capablanca (----) unrated blitz chess960 5 5",
            Rating::Unrated,
            Rating::Unrated,
            false,
            "blitz chess960",
            Some((5, 5)),
            false,
        ),
        (
            "Creating: A (1500) B (1600) rated wild(22) 5 0",
            rated(1500),
            rated(1600),
            true,
            "wild(22)",
            Some((5, 0)),
            false,
        ),
        (
            "Creating: A (1500) B (1600) rated standard 10 10 (adjourned)",
            rated(1500),
            rated(1600),
            true,
            "standard",
            Some((10, 10)),
            true,
        ),
        ("Creating: A (1500) B (1600) unrated untimed", rated(1500), rated(1600), false, "untimed", None, false),
    ];
    for (line, first, second, is_rated, kind, clock, adjourned) in cases {
        let creating = parse_own_start(line.as_bytes()).unwrap();
        assert_eq!((creating.first_rating, creating.second_rating), (first, second), "{line}");
        assert_eq!((creating.rated, creating.kind.as_str(), creating.adjourned), (is_rated, kind, adjourned), "{line}");
        assert_eq!(creating.initial_min.zip(creating.increment_s), clock, "{line}");
    }
    let names = parse_own_start(b"Creating: A (1500) B (++++) unrated blitz 5 0").unwrap();
    assert_eq!((names.first.as_str(), names.second.as_str()), ("A", "B"));
}

// Rules: bugs 54
#[test]
fn games_in_every_form() {
    let cases: &[Row<'_>] = &[
        ("{Game 107 (A vs. B) Creating unrated blitz match.}", (107, "A", "B"), Some(false), "blitz", false),
        (
            "{Game 1 (Alice vs. Carla) Continuing rated standard match.}",
            (1, "Alice", "Carla"),
            Some(true),
            "standard",
            true,
        ),
        ("{Game 3 (A(*) vs. B) Creating rated blitz match.}", (3, "A", "B"), Some(true), "blitz", false),
        ("{Game 3 (A(GM)(TD) vs. B(U)) Creating rated blitz match.}", (3, "A", "B"), Some(true), "blitz", false),
        ("{Game 2 (A vs. B) Creating unrated  match.}", (2, "A", "B"), Some(false), "", false),
        ("{Game 2 (A vs. B) Creating unrated match.}", (2, "A", "B"), Some(false), "", false),
        ("{Game 2 (A vs. B) Creating  match.}", (2, "A", "B"), None, "", false),
        ("{Game 2 (A vs. B) Creating blitz match.}", (2, "A", "B"), None, "blitz", false),
        ("{Game 2 (A vs. B) Creating rated wild/5 match.}", (2, "A", "B"), Some(true), "wild/5", false),
        ("{Game 2 (A vs. B) Creating unrated non-standard match.}", (2, "A", "B"), Some(false), "non-standard", false),
        (
            "{Game 2 (A vs. B) Creating unrated blitz bughouse match.}",
            (2, "A", "B"),
            Some(false),
            "blitz bughouse",
            false,
        ),
        ("{Game 5 (guest53 vs. a-b) Creating rated Blitz match.}", (5, "guest53", "a-b"), Some(true), "Blitz", false),
    ];
    for &(line, (game, white, black), rated, kind, resumed) in cases {
        let created = GameCreated::parse(line.as_bytes()).unwrap();
        assert_eq!(
            (created.game, created.white.as_str(), created.black.as_str()),
            (GameId(game), white, black),
            "{line}"
        );
        assert_eq!((created.rated, created.kind.as_str(), created.resumed), (rated, kind, resumed), "{line}");
    }
}

#[test]
fn other_lines_start_no_game() {
    let lines = [
        "",
        "{Game 1 (A vs. B) A resigns} 0-1",
        "{Game 1 (A vs. B) Creating rated blitz match.} x",
        "x {Game 1 (A vs. B) Creating rated blitz match.}",
        "{Game 1 (A vs. B) Loading rated blitz match.}",
        "{Game 1 (A B) Creating rated blitz match.}",
        "{Game (A vs. B) Creating rated blitz match.}",
        "Creating: A B rated blitz 5 0",
        "Creating: ",
    ];
    for line in lines {
        assert_eq!(GameCreated::parse(line.as_bytes()), None, "{line}");
        assert_eq!(parse_own_start(line.as_bytes()), None, "{line}");
    }
}
