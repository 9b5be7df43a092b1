use super::*;
use crate::message::Message;
use crate::message::dispatch::parse_sentence;

fn parse_challenge(line: &[u8]) -> Option<Challenge> {
    match parse_sentence(line)? {
        Message::Challenge(found) => Some(Challenge::clone(&found)),
        _ => None,
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

fn rating(value: u16) -> Rating {
    Rating::Established(value)
}

fn parsed(line: &str) -> Challenge {
    parse_challenge(line.as_bytes()).unwrap_or_else(|| panic!("{line}"))
}

#[test]
fn every_field_of_a_challenge() {
    let challenge = parsed("Challenge: A (1500P) [white] Bar ( 958) unrated blitz 5 0.");
    assert_eq!(
        challenge,
        Challenge {
            actor: MeOrOther::Other,
            from: Handle::from_wire(b"A"),
            from_rating: Rating::Provisional(1500),
            from_color: Some(Color::White),
            to: Handle::from_wire(b"Bar"),
            to_rating: rating(958),
            rated: false,
            kind: ServerText::from_wire(b"blitz"),
            initial_min: Some(5),
            increment_s: Some(0),
            black_initial_min: None,
            black_increment_s: None,
            loaded_from: None,
            adjourned: false,
            options: None,
        }
    );
}

#[test]
fn heads_colors_and_ratings() {
    let cases = [
        ("Issuing: A (1500) B (1671) rated blitz 5 0.", MeOrOther::Me, None, rating(1500), rating(1671)),
        (
            "Challenge: GuestZEGN (++++) [black] Alekhine (1940) unrated blitz 2 2.",
            MeOrOther::Other,
            Some(Color::Black),
            Rating::Guest,
            rating(1940),
        ),
        (
            "Updating match request to: Dmitri (1910) [white] Carla (----) rated blitz 4 1.",
            MeOrOther::Me,
            Some(Color::White),
            rating(1910),
            Rating::Unrated,
        ),
        (
            "Challenge: A(C) (1500) B(GM)(*) (UNR) rated blitz 5 0.",
            MeOrOther::Other,
            None,
            rating(1500),
            Rating::Unrated,
        ),
    ];
    for (line, actor, color, from_rating, to_rating) in cases {
        let challenge = parsed(line);
        assert_eq!((challenge.actor, challenge.from_color), (actor, color), "{line}");
        assert_eq!((challenge.from_rating, challenge.to_rating), (from_rating, to_rating), "{line}");
    }
}

// Rules: bugs 60
#[test]
fn terms_in_every_form() {
    // kind, clock, Black's clock, board, adjourned, options
    type Terms<'a> = (&'a str, Option<(u32, u32)>, Option<(u32, u32)>, Option<&'a str>, bool, Option<&'a str>);
    let cases: &[(&str, Terms<'_>)] = &[
        ("unrated untimed", ("untimed", None, None, None, false, None)),
        ("rated blitz 3 0 2 0", ("blitz", Some((3, 0)), Some((2, 0)), None, false, None)),
        ("unrated non-standard 1 0 : 2 1", ("non-standard", Some((1, 0)), Some((2, 1)), None, false, None)),
        ("unrated wild 5 0 Loaded from wild/fr", ("wild", Some((5, 0)), None, Some("wild/fr"), false, None)),
        ("unrated wild 5 0 (Loaded from wild/fr)", ("wild", Some((5, 0)), None, Some("wild/fr"), false, None)),
        (
            "unrated wild 5 0 Loaded from wild/bughouse",
            ("wild", Some((5, 0)), None, Some("wild/bughouse"), false, None),
        ),
        ("unrated wild Loaded from wild/bughouse", ("wild", None, None, Some("wild/bughouse"), false, None)),
        (
            "unrated non-standard 5 0 Loaded from material-odds/queen",
            ("non-standard", Some((5, 0)), None, Some("material-odds/queen"), false, None),
        ),
        ("rated standard 10 10 (adjourned)", ("standard", Some((10, 10)), None, None, true, None)),
        ("rated wild 2 0 Loaded from wild/3 (adjourned)", ("wild", Some((2, 0)), None, Some("wild/3"), true, None)),
        ("unrated blitz chess960 5 5 idn=692", ("blitz chess960", Some((5, 5)), None, None, false, Some("idn=692"))),
        ("unrated standard 5 0 hourglass", ("standard", Some((5, 0)), None, None, false, Some("hourglass"))),
        ("rated blitz 5 3 bronstein", ("blitz", Some((5, 3)), None, None, false, Some("bronstein"))),
        (
            "rated slow 90 30 overtime 40/90,SD/30+30",
            ("slow", Some((90, 30)), None, None, false, Some("overtime 40/90,SD/30+30")),
        ),
        ("unrated untimed idn=518", ("untimed", None, None, None, false, Some("idn=518"))),
        ("rated wild/5 2 12", ("wild/5", Some((2, 12)), None, None, false, None)),
        ("rated Blitz 5 0", ("Blitz", Some((5, 0)), None, None, false, None)),
        ("rated w22 5 0 new words 7", ("w22", Some((5, 0)), None, None, false, Some("new words 7"))),
        ("unrated  blitz bughouse  3 0 ", ("blitz bughouse", Some((3, 0)), None, None, false, None)),
    ];
    for (terms, want) in cases {
        let challenge = parsed(&format!("Challenge: A (1500) B (1671) {terms}."));
        let (clock, black) = (
            challenge.initial_min.zip(challenge.increment_s),
            challenge.black_initial_min.zip(challenge.black_increment_s),
        );
        let loaded = challenge.loaded_from.as_ref().map(ServerText::as_str);
        let options = challenge.options.as_ref().map(ServerText::as_str);
        let kind = challenge.kind.as_str();
        assert_eq!((kind, clock, black, loaded, challenge.adjourned, options), *want, "{terms}");
        assert_eq!(challenge.rated, terms.starts_with("rated"), "{terms}");
    }
}

#[test]
fn the_parameters_of_a_pending_offer_have_no_head_and_no_point() {
    let challenge =
        Challenge::parse_players_and_terms(b"Bogoljubov (----) GuestSSXE (++++) unrated lightning 0 1", MeOrOther::Me)
            .unwrap();
    assert_eq!((challenge.to.as_str(), challenge.to_rating), ("GuestSSXE", Rating::Guest));
    assert_eq!((challenge.initial_min, challenge.increment_s), (Some(0), Some(1)));
    assert_eq!(Challenge::parse_players_and_terms(b"#", MeOrOther::Me), None);
}

#[test]
fn other_lines_are_not_parsed() {
    let lines = [
        "",
        "Challenge: ",
        "Challenge: A (1500) B (1671) rated blitz 5 0",
        "Challenge: A (1500) rated blitz 5 0.",
        "Challenge: A (1500) B (1671) blitz 5 0.",
        "Challenge: A B rated blitz 5 0.",
        " Challenge: A (1500) B (1671) rated blitz 5 0.",
        "Challenge from Duras removed.",
        "Creating: A (1500) B (++++) unrated blitz 5 0",
    ];
    for line in lines {
        assert_eq!(parse_challenge(line.as_bytes()), None, "{line}");
    }
}
