use super::*;

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
        let creating = OwnGameStarting::parse(line.as_bytes()).unwrap();
        assert_eq!((creating.first_rating, creating.second_rating), (first, second), "{line}");
        assert_eq!((creating.rated, creating.kind.as_str(), creating.adjourned), (is_rated, kind, adjourned), "{line}");
        assert_eq!(creating.initial_min.zip(creating.increment_s), clock, "{line}");
    }
    let names = OwnGameStarting::parse(b"Creating: A (1500) B (++++) unrated blitz 5 0").unwrap();
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
fn other_lines_are_not_parsed() {
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
        assert_eq!(OwnGameStarting::parse(line.as_bytes()), None, "{line}");
    }
}
