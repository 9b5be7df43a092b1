use proptest::prelude::*;

use super::PresenceChangeKind::*;
use super::PresenceReportReason::*;
use super::*;
use crate::message::fields::testing::any_rating;

#[test]
fn every_form_of_notification() {
    let cases: &[(&str, &str, &[&str], PresenceChangeKind, PresenceReportReason)] = &[
        ("Notification: Boris has arrived.", "Boris", &[], Arrived, Notify),
        ("Notification: Carla has departed.", "Carla", &[], Departed, Notify),
        ("Notification: Foo(FM)(*) has arrived.", "Foo", &["FM", "*"], Arrived, Notify),
        ("Notification: Erika has departed and isn't on your notify list.", "Erika", &[], Departed, NotifiedBy),
        ("Notification: Foo has arrived and isn't on your notify list.", "Foo", &[], Arrived, NotifiedBy),
        (
            "Notification: Bogoljubov, who has an adjourned game with you, has arrived.",
            "Bogoljubov",
            &[],
            Arrived,
            Adjourned,
        ),
        ("[Alekhine has connected.]", "Alekhine", &[], Arrived, Pin),
        ("[GuestZEGN has disconnected.]", "GuestZEGN", &[], Departed, Pin),
        ("[Foo(U) has connected.]", "Foo", &["U"], Arrived, Pin),
        ("[Trouble (U: 127.0.0.1) has connected.]", "Trouble", &[], Arrived, Pin),
        ("[Boris (R: 127.0.0.1) has connected.]", "Boris", &[], Arrived, Pin),
    ];
    for &(line, name, titles, kind, reason) in cases {
        let read = PresenceChange::parse(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
        assert_eq!((read.name.as_str(), read.kind, read.reason), (name, kind, reason), "{line}");
        assert_eq!(read.titles.iter().collect::<Vec<_>>(), titles, "{line}");
    }
}

#[test]
fn departures_with_the_ivar() {
    let departed = PresenceChange::parse_tagged_departure(b"<wd> gbtami").unwrap();
    assert_eq!((departed.name.as_str(), departed.kind, departed.reason), ("gbtami", Departed, Pin));
    for line in ["<wx> gbtami", "<wd>", "<wd> 17"] {
        assert_eq!(PresenceChange::parse_tagged_departure(line.as_bytes()), None, "{line}");
    }
}

// Rules: text X0, ten 8
#[test]
fn chat_is_never_an_arrival() {
    let cases = [
        "Foo tells you: Notification: Bar has arrived.",
        "--> Foo has arrived.",
        "Foo has arrived.",
        "Notification: Foo Bar has arrived.",
        "Notification: Foo has arrived. ok?",
        "Notification: Foo has arrived",
        "Notification: Foo has left.",
        " Notification: Foo has arrived.",
        ":Notification: Foo has arrived.",
        "[Foo has connected.] really",
        "[Foo has connected]",
        "[Dmitri] added to your notify list.",
        "[Foo (X: 1) has connected.]",
        "Your arrival was noted by: Carla.",
        "Present company includes: Dmitri.",
        "**** Foo has arrived - you can't both be logged in. ****",
        "Your partner, Bogoljubov, has departed.",
    ];
    for line in cases {
        assert_eq!(PresenceChange::parse(line.as_bytes()), None, "{line}");
    }
}

fn print(user: &UserArrived, sign: u8) -> String {
    // An established rating has a blank in place of its mark.
    let ratings: String = user
        .ratings
        .iter()
        .flatten()
        .map(|rating| rating.to_string() + if rating.mark().is_empty() { " " } else { "" })
        .collect();
    format!("<wa> {} {}{:02X}{ratings}", user.name, char::from(sign), user.titles.seekinfo_bits())
}

fn arrived(name: &str, status: WhoStatus, titles: u8, sent: &[Rating]) -> UserArrived {
    let mut ratings = [None; RATINGS];
    for (rating, &sent) in ratings.iter_mut().zip(sent) {
        *rating = Some(sent);
    }
    UserArrived {
        name: Handle::from_wire(name.as_bytes()),
        status,
        titles: Titles::from_seekinfo_bits(titles),
        ratings,
    }
}

const fn rated(value: u16) -> Rating {
    Rating::Established(value)
}

#[test]
fn arrivals_with_and_without_a_status() {
    let captured = arrived("gbtami", WhoStatus::Free, 0, &[Rating::Estimated(1411), Rating::Provisional(1663)]);
    let cases: &[(&str, &str, UserArrived)] = &[
        ("captured, cut", "<wa> gbtami 001411E1663P", captured.clone()),
        ("two blanks: one is the status", "<wa> gbtami  001411E1663P", captured.clone()),
        ("no rating follows", "<wa> gbtami 001411E1663P\u{2026}", captured),
        (
            "playing computer, a blank for a mark",
            "<wa> visar ^022194 1500 0P",
            arrived("visar", WhoStatus::Playing, 2, &[rated(2194), rated(1500), Rating::Provisional(0)]),
        ),
        ("status glued to the name", "<wa> visar^02", arrived("visar", WhoStatus::Playing, 2, &[])),
        (
            "ten ratings",
            "<wa> visar .041 2 3 4 5 6 7 8 9 10 ",
            arrived("visar", WhoStatus::Idle, 4, &[1, 2, 3, 4, 5, 6, 7, 8, 9].map(rated)),
        ),
    ];
    for (name, sent, want) in cases {
        assert_eq!(UserArrived::parse(sent.as_bytes()).as_ref(), Some(want), "{name}");
    }
}

#[test]
fn tagged_arrivals_that_do_not_fit() {
    let cases = ["<wa>", "<wx> gbtami", "<wa> gbtami", "<wa> gbtami xx1411E"];
    for sent in cases {
        assert_eq!(UserArrived::parse(sent.as_bytes()), None, "{sent}");
    }
}

proptest! {
    #[test]
    fn a_printed_line_parses_to_the_same_value(
        name in "[A-Za-z]{1,17}",
        (sign, status) in proptest::sample::select([&WhoStatus::SIGNS[..], &[(b' ', WhoStatus::Free)]].concat()),
        titles in any::<u8>(),
        ratings in proptest::collection::vec(any_rating(), 0..=RATINGS),
    ) {
        let value = arrived(&name, status, titles, &ratings);
        prop_assert_eq!(UserArrived::parse(print(&value, sign).as_bytes()), Some(value));
    }

    #[test]
    fn any_bytes_are_accepted_or_refused_without_panic(line in "<w[ad]> ?[a-z]{0,3}[ ^.]{0,3}[0-9a-fEP ]{0,60}", bytes in any::<Vec<u8>>()) {
        let _ = (UserArrived::parse(line.as_bytes()), UserArrived::parse(&bytes), PresenceChange::parse_tagged_departure(&bytes));
    }
}
