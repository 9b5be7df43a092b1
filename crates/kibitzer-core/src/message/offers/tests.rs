use super::OfferAnswer::{Accepted, Declined, Withdrawn};
use super::OfferKind::{Abort, Adjourn, Draw, Pause, Switch, Takeback, Unpause};
use super::*;
use crate::SentenceParts;
use crate::message::Message;
use crate::message::dispatch::parse_sentence;

fn parse_offer(line: &[u8]) -> Option<OfferNotice> {
    match parse_sentence(line)? {
        Message::Offer(found) => Some(OfferNotice::clone(&found)),
        _ => None,
    }
}

fn parse_challenge_update(line: &[u8]) -> Option<ChallengeUpdate> {
    match parse_sentence(line)? {
        Message::ChallengeUpdate(found) => Some(ChallengeUpdate::clone(&found)),
        _ => None,
    }
}

fn parse_partnership_update(line: &[u8]) -> Option<PartnershipUpdate> {
    match parse_sentence(line)? {
        Message::Partner(found) => Some(PartnershipUpdate::clone(&found)),
        _ => None,
    }
}

/// Line, name, kind, plies, answer.
type Row<'a> = (&'a str, &'a str, OfferKind, Option<u32>, Option<OfferAnswer>);

fn offer(from: &str, kind: OfferKind, answer: Option<OfferAnswer>) -> OfferNotice {
    let from = (!from.is_empty()).then(|| Handle::from_wire(from.as_bytes()));
    OfferNotice { game: None, actor: MeOrOther::Other, from, kind, count: None, answer }
}

#[test]
fn offers_and_answers_of_others() {
    let cases: &[Row<'_>] = &[
        ("Boris offers you a draw.", "Boris", Draw, None, None),
        ("Your opponent offers you a draw.", "", Draw, None, None),
        ("Your(GM) offers you a draw.", "Your", Draw, None, None),
        ("A would like to abort the game; type \"abort\" to accept.", "A", Abort, None, None),
        ("A would like to adjourn the game; type \"adjourn\" to accept.", "A", Adjourn, None, None),
        ("Alekhine requests to abort game 1.", "Alekhine", Abort, None, None),
        ("Bogoljubov requests to adjourn game 1.", "Bogoljubov", Adjourn, None, None),
        ("Alice would like to take back 2 half move(s).", "Alice", Takeback, Some(2), None),
        ("Euwe would like to take back 1 half-move(s).", "Euwe", Takeback, Some(1), None),
        ("A(C) would like to switch sides.", "A", Switch, None, None),
        ("Alice requests to pause the game.", "Alice", Pause, None, None),
        ("Alice requests to unpause the game.", "Alice", Unpause, None, None),
        ("Boris accepted pause. Game clock paused.", "Boris", Pause, None, Some(Accepted)),
        ("A declines the draw request.", "A", Draw, None, Some(Declined)),
        ("A declines the abort request.", "A", Abort, None, Some(Declined)),
        ("A declines the adjourn request.", "A", Adjourn, None, Some(Declined)),
        ("Alice declines the takeback request.", "Alice", Takeback, None, Some(Declined)),
        ("A declines the switch request.", "A", Switch, None, Some(Declined)),
        ("A declines the pause request.", "A", Pause, None, Some(Declined)),
        ("A declines the unpause request.", "A", Unpause, None, Some(Declined)),
        ("Alice declines draw request.", "Alice", Draw, None, Some(Declined)),
        ("Flohr declines your adjourn request.", "Flohr", Adjourn, None, Some(Declined)),
        ("Capablanca declines your draw offer.", "Capablanca", Draw, None, Some(Declined)),
        ("A withdraws the draw request.", "A", Draw, None, Some(Withdrawn)),
        ("Euwe withdraws the takeback request.", "Euwe", Takeback, None, Some(Withdrawn)),
        ("A accepts the takeback request.", "A", Takeback, None, Some(Accepted)),
        ("Flohr accepts your draw offer.", "Flohr", Draw, None, Some(Accepted)),
        ("A proposes a different number (3) of half-move(s) to take back.", "A", Takeback, Some(3), None),
        ("Flohr proposes a different number (3) of half-move(s).", "Flohr", Takeback, Some(3), None),
        ("Updated takeback request received.", "", Takeback, None, None),
    ];
    for &(line, from, kind, count, answer) in cases {
        let want = OfferNotice { count, ..offer(from, kind, answer) };
        assert_eq!(parse_offer(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn observers_get_the_number_of_the_game() {
    let cases: &[Row<'_>] = &[
        ("Game 39: A offers a draw.", "A", Draw, None, None),
        ("Game 39: Euwe requests to take back 1 half-move(s).", "Euwe", Takeback, Some(1), None),
        ("Game 39: A requests to take back 1 half move(s).", "A", Takeback, Some(1), None),
        ("Game 39: A declines the draw request.", "A", Draw, None, Some(Declined)),
        ("Game 39: Bogoljubov declines the draw offer.", "Bogoljubov", Draw, None, Some(Declined)),
        ("Game 39: Euwe withdraws the takeback request.", "Euwe", Takeback, None, Some(Withdrawn)),
        ("Game 39: Alekhine accepts the adjourn request.", "Alekhine", Adjourn, None, Some(Accepted)),
        (
            "Game 39: Flohr proposes a different number (3) of half-move(s) to take back.",
            "Flohr",
            Takeback,
            Some(3),
            None,
        ),
    ];
    for &(line, from, kind, count, answer) in cases {
        let want = OfferNotice { game: Some(GameId(39)), count, ..offer(from, kind, answer) };
        assert_eq!(parse_offer(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn offers_and_answers_of_this_login() {
    let cases: &[(&str, &str, OfferKind, Option<OfferAnswer>)] = &[
        ("Draw request sent.", "", Draw, None),
        ("Abort request sent.", "", Abort, None),
        ("Adjourn request sent.", "", Adjourn, None),
        ("Takeback request sent.", "", Takeback, None),
        ("Alternate takeback request sent.", "", Takeback, None),
        ("Updated takeback request sent.", "", Takeback, None),
        ("Switch request sent.", "", Switch, None),
        ("Pause request sent.", "", Pause, None),
        ("Unpause request sent.", "", Unpause, None),
        ("Offering a draw to Flohr.", "", Draw, None),
        ("Requesting to abort game 1.", "", Abort, None),
        ("Requesting to adjourn game 1.", "", Adjourn, None),
        ("You decline the draw request from Alice.", "Alice", Draw, Some(Declined)),
        ("You accept the takeback request from A.", "A", Takeback, Some(Accepted)),
        ("You withdraw the draw request to A.", "A", Draw, Some(Withdrawn)),
        ("Accepting the draw offer from Euwe.", "Euwe", Draw, Some(Accepted)),
        ("Declining the abort request from Euwe.", "Euwe", Abort, Some(Declined)),
        ("Withdrawing your takeback request to Flohr.", "Flohr", Takeback, Some(Withdrawn)),
    ];
    for &(line, from, kind, answer) in cases {
        let want = OfferNotice { actor: MeOrOther::Me, ..offer(from, kind, answer) };
        assert_eq!(parse_offer(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn offers_are_written_for_each_reader() {
    use MeOrOther::{Me, Other};
    let parts = SentenceParts { names: &["Foo"], number: Some(3), ..SentenceParts::default() };
    let observed = SentenceParts { game: Some(GameId(39)), ..parts };
    let cases: &[(OfferKind, MeOrOther, &SentenceParts<'_>, &str)] = &[
        (Draw, Me, &parts, "Offering a draw to Foo."),
        (Draw, Other, &parts, "Foo offers you a draw."),
        (Draw, Other, &observed, "Game 39: Foo offers a draw."),
        (Abort, Me, &parts, "Requesting to abort game 3."),
        (Takeback, Other, &parts, "Foo would like to take back 3 half-move(s)."),
        (Takeback, Other, &observed, "Game 39: Foo requests to take back 3 half-move(s)."),
        (Switch, Me, &parts, "Switch request sent."),
    ];
    for &(kind, actor, parts, want) in cases {
        assert_eq!(kind.to_sentence(actor, parts), want);
    }
    let joined = SentenceParts { names: &["Foo", "Bar"], ..SentenceParts::default() };
    let sentence = ChallengeChange::Joined.to_sentence(Me, &joined);
    assert_eq!(sentence, "Foo, whom you were challenging, has joined a game with Bar.");
    assert_eq!(ChallengeChange::Departed.to_sentence(Other, &SentenceParts::default()), "");
}

#[test]
fn other_lines_are_no_offers() {
    let lines = [
        "",
        ".",
        "A declines the match request.",
        "You decline the match offer from Dmitri.",
        "Accepting the partnership request from Alekhine.",
        "Simul match request sent.",
        "A offers you a draw",
        "A offers you a draw. Or not.",
        "A B offers you a draw.",
        "Game x: A offers a draw.",
        "Game 4: Game clock paused.",
        "Game 6: A has lagged for 30 seconds.",
        "Game 107: A disconnection will be considered a forfeit.",
        "A would like to take back half move(s).",
        "A would like to take back -1 half move(s).",
        "You disagree on the number of half-moves to take back.",
        "Alice offers to be your bughouse partner; type \"partner Alice\" to accept.",
    ];
    for line in lines {
        assert_eq!(parse_offer(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn every_update_has_its_actor_and_change() {
    use ChallengeChange::{
        Accepted, Countered, Declined, Departed, GetgameMatched, Intercepted, Joined, Removed, SeekIsManual,
        SeekMatched, Updated, Withdrawn,
    };
    use MeOrOther::{Me, Other};
    let cases: &[(&str, Option<&str>, MeOrOther, ChallengeChange)] = &[
        ("Dmitri updates the match request.", Some("Dmitri"), Other, Updated),
        ("Duras updates the offer.", Some("Duras"), Other, Updated),
        ("Carla declines the match offer.", Some("Carla"), Other, Declined),
        ("Duras declines your match offer.", Some("Duras"), Other, Declined),
        ("A declines the match request.", Some("A"), Other, Declined),
        ("A(GM) accepts the match offer.", Some("A"), Other, Accepted),
        ("Flohr accepts your match offer.", Some("Flohr"), Other, Accepted),
        ("Boris accepts your challenge.", Some("Boris"), Other, Accepted),
        ("Bogoljubov accepts your seek.", Some("Bogoljubov"), Other, Accepted),
        ("You accept the match offer from A.", Some("A"), Me, Accepted),
        ("You accept the challenge of Alice.", Some("Alice"), Me, Accepted),
        ("Accepting the match offer from Alekhine.", Some("Alekhine"), Me, Accepted),
        ("You decline the match offer from Dmitri.", Some("Dmitri"), Me, Declined),
        ("Declining the match offer from Euwe.", Some("Euwe"), Me, Declined),
        ("Dmitri withdraws the match offer.", Some("Dmitri"), Other, Withdrawn),
        ("Challenge from Duras removed.", Some("Duras"), Other, Removed),
        ("Challenge from Duras withdrawn.", Some("Duras"), Other, Withdrawn),
        ("Challenge to Euwe withdrawn.", Some("Euwe"), Me, Withdrawn),
        ("You withdraw the match offer to Boris.", Some("Boris"), Me, Withdrawn),
        ("Withdrawing your match offer to GuestTLLA.", Some("GuestTLLA"), Me, Withdrawn),
        ("A, who was challenging you, has joined a match with B.", Some("A"), Other, Joined),
        ("Euwe, who was challenging you, has departed.", Some("Euwe"), Other, Departed),
        ("Euwe, whom you were challenging, has joined a game with GuestTLLA.", Some("Euwe"), Me, Joined),
        ("A, whom you were challenging, has departed.", Some("A"), Me, Departed),
        ("Euwe declines your offer and proposes a counteroffer.", Some("Euwe"), Other, Countered),
        ("Carla declines your match offer a match with these parameters:", Some("Carla"), Other, Countered),
        ("Declining the offer from Duras and proposing a counteroffer.", Some("Duras"), Me, Countered),
        ("Declining offer from Dmitri and offering new match parameters.", Some("Dmitri"), Me, Countered),
        ("Updating the offer already made to Duras.", Some("Duras"), Me, Updated),
        ("Updating offer already made to \"Carla\".", Some("Carla"), Me, Updated),
        ("Your challenge intercepts Duras's challenge.", Some("Duras"), Me, Intercepted),
        ("Euwe's challenge intercepts your challenge.", Some("Euwe"), Other, Intercepted),
        ("Your seek matches one already posted by A.", Some("A"), Me, SeekMatched),
        ("Your seek matches one posted by Alekhine.", Some("Alekhine"), Me, SeekMatched),
        ("Your seek qualifies for A's getgame.", Some("A"), Me, GetgameMatched),
        ("Issuing match request since the seek was set to manual.", None, Me, SeekIsManual),
    ];
    for &(line, name, actor, change) in cases {
        let want = ChallengeUpdate { name: name.map(|name| Handle::from_wire(name.as_bytes())), actor, change };
        assert_eq!(parse_challenge_update(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn other_lines_change_no_challenge() {
    let lines = [
        "",
        "A declines the draw request.",
        "A declines the match offer. x",
        "A B declines the match offer.",
        "Game 3: A declines the match offer.",
        "Accepting the match offer from .",
        "Challenge: A (1500) B (1671) rated blitz 5 0.",
        "Notification: Alice, who has an adjourned game with you, has arrived.",
    ];
    for line in lines {
        assert_eq!(parse_challenge_update(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn every_text_of_a_partnership() {
    let foo = || Handle::from_wire(b"Foo");
    let team = |text: &str| PartnershipUpdate::Team(PlayerText::from_wire(text.as_bytes()));
    let playing = |game| PartnershipUpdate::Playing {
        game: GameId(game),
        white: Handle::from_wire(b"A"),
        black: Handle::from_wire(b"B"),
    };
    let cases = [
        ("Foo offers to be your bughouse partner; type \"partner Foo\" to accept.", PartnershipUpdate::Offered(foo())),
        ("Foo offers to be your bughouse partner; type \"partner Foo\" to  accept.", PartnershipUpdate::Offered(foo())),
        ("Making a partnership offer to Foo.", PartnershipUpdate::OfferSent(foo())),
        ("Foo agrees to be your partner.", PartnershipUpdate::Agreed { actor: MeOrOther::Other, name: foo() }),
        ("You agree to be Foo's partner.", PartnershipUpdate::Agreed { actor: MeOrOther::Me, name: foo() }),
        ("Foo declines the partnership request.", PartnershipUpdate::Declined(foo())),
        ("Foo withdraws partnership request.", PartnershipUpdate::Withdrawn { actor: MeOrOther::Other, name: foo() }),
        (
            "You withdraw the partnership request to Foo.",
            PartnershipUpdate::Withdrawn { actor: MeOrOther::Me, name: foo() },
        ),
        ("You no longer have a bughouse partner.", PartnershipUpdate::Ended),
        ("Your partner has ended partnership.", PartnershipUpdate::EndedByPartner),
        ("You are no longer Foo's partner.", PartnershipUpdate::Ended),
        ("Your partner has just unset his/her partner.", PartnershipUpdate::EndedByPartner),
        ("Your partner has unset his/her partner variable.", PartnershipUpdate::EndedByPartner),
        ("Your partner has just chosen a new partner.", PartnershipUpdate::EndedByPartner),
        ("Your partner has accepted a partnership with Foo.", PartnershipUpdate::EndedByPartner),
        ("Your partner has disconnected.", PartnershipUpdate::Disconnected),
        ("Your partner, Bogoljubov, has departed.", PartnershipUpdate::Disconnected),
        ("Your partner is playing game 75 (A vs. B).", playing(75)),
        ("Your partner is playing game 2 (A(GM) vs. B(C)).", playing(2)),
        (
            "Your bughouse partner issuing A (1500) B (1600) rated bughouse 2 0.",
            team("issuing A (1500) B (1600) rated bughouse 2 0."),
        ),
        (
            "Your partner was challenged A (1500) B (1600) rated bughouse 2 0.",
            team("was challenged A (1500) B (1600) rated bughouse 2 0."),
        ),
        ("Your opponent's partner has lagged.", team("has lagged.")),
        ("Your partner accepts the challenge of Alekhine.", team("accepts the challenge of Alekhine.")),
    ];
    for (line, want) in cases {
        assert_eq!(parse_partnership_update(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn other_lines_change_no_partnership() {
    let lines = [
        "",
        "Foo (your partner) tells you: Your partner has disconnected.",
        "Your opponent offers you a draw.",
        "Your challenge intercepts Foo's challenge.",
        "Game 3: Foo agrees to be your partner.",
        "Foo Bar agrees to be your partner.",
        "You no longer care.",
        "Your opponent has no partner for bughouse.",
    ];
    for line in lines {
        assert_eq!(parse_partnership_update(line.as_bytes()), None, "{line}");
    }
}

fn parse_challenge(line: &[u8]) -> Option<Challenge> {
    match parse_sentence(line)? {
        Message::Challenge(found) => Some(Challenge::clone(&found)),
        _ => None,
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
            from_titles: Titles::default(),
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
        assert_eq!(challenge.from_titles.to_string(), if line.contains("A(C)") { "(C)" } else { "" }, "{line}");
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
        Challenge::parse_terms(b"Bogoljubov (----) GuestSSXE (++++) unrated lightning 0 1", MeOrOther::Me).unwrap();
    assert_eq!((challenge.to.as_str(), challenge.to_rating), ("GuestSSXE", Rating::Guest));
    assert_eq!((challenge.initial_min, challenge.increment_s), (Some(0), Some(1)));
    assert_eq!(Challenge::parse_terms(b"#", MeOrOther::Me), None);
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
