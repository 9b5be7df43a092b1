use super::OfferAnswer::{Accepted, Declined, Withdrawn};
use super::OfferKind::{Abort, Adjourn, Draw, Pause, Switch, Takeback, Unpause};
use super::*;

/// Line, name, kind, plies, answer.
type Row<'a> = (&'a str, &'a str, OfferKind, Option<u32>, Option<OfferAnswer>);

fn offer(from: &str, kind: OfferKind, answer: Option<OfferAnswer>) -> OfferNotice {
    let from = (!from.is_empty()).then(|| Handle::from_wire(from.as_bytes()));
    OfferNotice::new(MeOrOther::Other, from, kind, answer)
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
        assert_eq!(OfferNotice::parse(line.as_bytes()), Some(want), "{line}");
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
        assert_eq!(OfferNotice::parse(line.as_bytes()), Some(want), "{line}");
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
        assert_eq!(OfferNotice::parse(line.as_bytes()), Some(want), "{line}");
    }
}

#[test]
fn other_lines_are_not_parsed() {
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
        assert_eq!(OfferNotice::parse(line.as_bytes()), None, "{line}");
    }
}
