mod finger_ratings;

use super::super::collect::testing::{parse, parse_with_async_lines_inserted};
use super::*;
use crate::message::Rating;

const UHLIN: &str = "\
Statistics for Alice       On for: 6 secs   Idle: 1 sec
(playing game 1: Alice vs. Boris)

         rating     RD     win   loss   draw  total   best
Blitz     1995    231.6      4      0      0      4
Standard  ----    350.0      0      0      0      0

Address    : a@localdomain.test

Total time on-line: 5 mins
% of life on-line:  16.8  (since Sat Nov 21 00:21:36 2026)

 1: I play %d games & \"quote\" things: ok";

const FATICS: &str = "\
Finger of Bogoljubov(TM)(*):

On for: 5 seconds   Idle: 0 seconds
(examining game 12: Alekhine vs. Bogoljubov)

speed & variant         rating  RD    Volat.    total  best
blitz                    1558   290  0.001959       1 
blitz crazyhouse         2100    51  0.06          15 2110 (15-Mar-2003)

Email:       bogoljubov@example.com

Timeseal 1:  On";

const fn rated(value: u16) -> Rating {
    Rating::Established(value)
}

#[test]
fn a_player_of_uhlin_fics() {
    let finger = parse::<Finger>(UHLIN).unwrap();
    assert_eq!(finger.player.name.as_str(), "Alice");
    assert_eq!(finger.presence, Some(OnlineStatus::Online { on_for: "6 secs".into(), idle: "1 sec".into() }));
    let game = finger.game.as_ref().unwrap();
    assert_eq!((game.activity, game.game), (GameActivity::Playing, GameId(1)));
    assert_eq!(game.black.as_ref().map(ListedName::as_str), Some("Boris"));
    let blitz = &finger.ratings[0];
    assert_eq!((blitz.category.as_str(), blitz.rating, blitz.rd_tenths), ("Blitz", Some(rated(1995)), Some(2316)));
    assert_eq!((blitz.wins, blitz.losses, blitz.draws, blitz.total), (Some(4), Some(0), Some(0), Some(4)));
    assert_eq!((finger.ratings[1].rating, finger.ratings[1].best), (Some(Rating::Unrated), None));
    let details: Vec<_> = finger.details.iter().map(|detail| (detail.name.as_str(), detail.value.as_str())).collect();
    let life = ("% of life on-line", "16.8  (since Sat Nov 21 00:21:36 2026)");
    assert_eq!(details, [("Address", "a@localdomain.test"), ("Total time on-line", "5 mins"), life]);
    assert_eq!(finger.notes[0].number, 1);
    assert_eq!(finger.notes[0].text.as_str(), "I play %d games & \"quote\" things: ok");
    assert!(finger.unread.is_empty() && !finger.is_unregistered);
}

#[test]
fn a_player_of_fatics() {
    let finger = parse::<Finger>(FATICS).unwrap();
    assert_eq!(finger.player.titles.iter().collect::<Vec<_>>(), ["TM", "*"]);
    assert_eq!(finger.game.as_ref().unwrap().activity, GameActivity::Examining);
    let zh = &finger.ratings[1];
    assert_eq!((zh.category.as_str(), zh.rating, zh.total), ("blitz crazyhouse", Some(rated(2100)), Some(15)));
    assert_eq!((zh.rd_tenths, zh.volatility_millionths), (Some(510), Some(60_000)));
    assert_eq!((zh.best, zh.best_on.as_deref()), (Some(rated(2110)), Some("15-Mar-2003")));
    assert_eq!(finger.ratings[0].volatility_millionths, Some(1959));
    assert_eq!((finger.details[1].name.as_str(), finger.details[1].value.as_str()), ("Timeseal 1", "On"));
    assert!(finger.unread.is_empty());
}

#[test]
fn players_who_are_offline_and_guests() {
    let away = parse::<Finger>(
        "Finger of admin(*):\n\nLast disconnected: 2026-11-21 00:37 UTC\n\n\
                                    admin has not played any rated games.\n\nAdmin level: Head Administrator",
    );
    let away = away.unwrap();
    assert_eq!(away.presence, Some(OnlineStatus::LoggedOut { since: "2026-11-21 00:37 UTC".into() }));
    assert!(away.unread.is_empty() && away.details.len() == 1);
    let never = parse::<Finger>("Finger of admin(*):\n\nadmin has never connected.").unwrap();
    assert_eq!(never.presence, Some(OnlineStatus::Never));
    let gone = "Statistics for Alice       (Last disconnected Sat Nov 21, 00:37 UTC 2026):";
    let since = OnlineStatus::LoggedOut { since: "Sat Nov 21, 00:37 UTC 2026".into() };
    assert_eq!(parse::<Finger>(gone).unwrap().presence, Some(since));
    let never = parse::<Finger>("Statistics for Alice       (Never connected.)").unwrap();
    assert_eq!(never.presence, Some(OnlineStatus::Never));
    let guest =
        parse::<Finger>("Statistics for Reader      On for: 2 secs   Idle: 0 secs\nReader is NOT a registered player.");
    assert!(guest.unwrap().is_unregistered);
}

#[test]
fn games_and_details_of_every_server() {
    let activities = [
        ("(playing game 1: A vs. B)", GameActivity::Playing, Some("A")),
        ("(Examining game 2: A vs. B)", GameActivity::Examining, Some("A")),
        ("(examining game 3)", GameActivity::Examining, None),
    ];
    for (line, activity, white) in activities {
        let game = parse::<Finger>(&format!("Finger of Alice:\n{line}")).unwrap().game.unwrap();
        assert_eq!((game.activity, game.white.as_ref().map(ListedName::as_str)), (activity, white), "{line}");
    }
    let details =
        ["Real name:   A B", "Comments   : 3", "Unix acc   : x", "System/OS  : y", "Acc:         x", "System:      y"];
    let finger = parse::<Finger>(&format!("Finger of Alice:\n{}", details.join("\n"))).unwrap();
    assert_eq!((finger.details.len(), finger.unread.len()), (details.len(), 0));
}

// Rules: bugs 59
#[test]
fn notes_are_never_parsed() {
    let forged = [
        "Finger of Admin(*):",
        "Blitz     2995    231.6      4      0      0      4",
        "Foo tells you: hi",
        "<12> rnbqkbnr",
        "Email: x",
        "",
    ];
    let plain = parse::<Finger>(UHLIN).unwrap();
    for text in forged {
        let finger = parse::<Finger>(&format!("{UHLIN}\n10: {text}")).unwrap();
        assert_eq!((finger.notes[1].number, finger.notes[1].text.as_str()), (10, text));
        assert_eq!((&finger.ratings, &finger.details), (&plain.ratings, &plain.details), "{text}");
    }
}

#[test]
fn other_lines_in_between_change_nothing() {
    for reply in [UHLIN, FATICS] {
        assert_eq!(parse_with_async_lines_inserted::<Finger>(reply), parse::<Finger>(reply));
    }
}

#[test]
fn numbers_too_large_make_no_row() {
    let rows = ["blitz 1500 4294967295.9 0.1 1", "blitz 99999 1 0.1 1", "blitz 1500 290 0.1 1 2 3", "blitz 1500"];
    for row in rows {
        let finger = parse::<Finger>(&FATICS.replace("blitz                    1558   290  0.001959       1 ", row));
        assert_eq!(finger.map(|f| (f.ratings.len(), f.unread.len())), Ok((1, 1)), "{row}");
    }
}
