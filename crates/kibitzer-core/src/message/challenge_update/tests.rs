use super::*;

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
        assert_eq!(ChallengeUpdate::parse(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn other_lines_are_not_parsed() {
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
        assert_eq!(ChallengeUpdate::parse(line.as_bytes()), None, "{line}");
    }
}
