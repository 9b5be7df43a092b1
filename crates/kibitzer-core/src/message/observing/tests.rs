use super::*;

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
        assert_eq!(ObservingUpdate::parse(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn the_focus_names_a_game_and_perhaps_an_opponent() {
    let cases = [("You are now at A's board (game 5).", Some("A")), ("Your primary game is now game 5.", None)];
    for (line, opponent) in cases {
        let focus = PrimaryGameChange::parse(line.as_bytes()).unwrap();
        assert_eq!((focus.game, focus.opponent.as_ref().map(Handle::as_str)), (GameId(5), opponent), "{line}");
    }
}

#[test]
fn other_lines_are_not_parsed() {
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
        assert_eq!((ObservingUpdate::parse(line), PrimaryGameChange::parse(line)), (None, None));
    }
}
