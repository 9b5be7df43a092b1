use proptest::prelude::*;

use super::LoginRefusal::*;
use super::PresenceChangeKind::*;
use super::PresenceReportReason::*;
use super::*;
use crate::message::Message;
use crate::message::dispatch::{parse_line_before_login, parse_sentence};
use crate::message::fields::testing::any_rating;

fn parse_presence(line: &[u8]) -> Option<PresenceChange> {
    match parse_sentence(line)? {
        Message::Arrival(found) => Some(PresenceChange::clone(&found)),
        _ => None,
    }
}

fn parse_login(line: &[u8]) -> Option<LoggedIn> {
    match parse_line_before_login(line)? {
        Message::LoggedIn(found) => Some(LoggedIn::clone(&found)),
        _ => None,
    }
}

fn parse_name(line: &[u8]) -> Option<NameStatus> {
    match parse_line_before_login(line)? {
        Message::NameStatus(found) => Some(NameStatus::clone(&found)),
        _ => None,
    }
}

fn parse_kick(line: &[u8]) -> Option<KickedBy> {
    match parse_sentence(line)? {
        Message::Kicked(found) => Some(KickedBy::clone(&found)),
        _ => None,
    }
}

fn parse_farewell(line: &[u8]) -> Option<Farewell> {
    match parse_sentence(line)? {
        Message::Farewell(found) => Some(Farewell::clone(&found)),
        _ => None,
    }
}

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
        let read = parse_presence(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
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
        assert_eq!(parse_presence(line.as_bytes()), None, "{line}");
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

#[test]
fn the_session_line_gives_name_titles_and_server() {
    let cases: &[(&str, &str, &[&str], &str)] = &[
        ("**** Starting FICS session as Alekhine ****", "Alekhine", &[], "FICS"),
        ("**** Starting FICS session as GuestZZMP(U) ****", "GuestZZMP", &["U"], "FICS"),
        ("**** Starting FICS session as Foo(*)(TD) ****", "Foo", &["*", "TD"], "FICS"),
        ("**** Starting BICS session as Foo ****", "Foo", &[], "BICS"),
    ];
    for &(line, name, titles, server) in cases {
        let read = parse_login(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
        assert_eq!((read.name.as_str(), read.server.as_str()), (name, server), "{line}");
        assert_eq!(read.titles.iter().collect::<Vec<_>>(), titles, "{line}");
    }
}

/// Every row of the table in transport §7, and the wordings of both transcripts.
const REFUSALS: &[(&str, LoginRefusal)] = &[
    ("A name should be at least three characters long!  Try again.", BadName),
    ("A name should be at least three characters long! Try again.", BadName),
    ("Names should be at least 3 characters long.  Try again.", BadName),
    ("Sorry, names may be at most 17 characters long.  Try again.", BadName),
    ("Sorry, names may be at most 17 characters long. Try again.", BadName),
    ("Names should be at most 17 characters long.  Try again.", BadName),
    ("Sorry, names can only consist of lower and upper case letters.  Try again.", BadName),
    ("Sorry, names can only consist of lower and upper case letters. Try again.", BadName),
    ("Names should only consist of lower and upper case letters.  Try again.", BadName),
    ("Sorry, Foo is already logged in. Try again.", NameInUse),
    ("Sorry, zoltan is already logged in. Try again.", NameInUse),
    ("*** Sorry Visitor is already logged in ***", NameInUse),
    ("Player \"Foo\" is banned.", Banned),
    ("Due to abusive behavior, guest connections have been prevented.", NotRegistered),
    ("Nobody from your site may login without an account.", NotRegistered),
    ("Due to abusive behavior, nobody from your site may login.", Banned),
    ("Due to abusive behavior, no registered users may use this server from your site.", Banned),
    ("Due to abuse, guest logins are blocked from your address.", NotRegistered),
    ("**** Invalid password! ****", InvalidPassword),
    (" **** Invalid password! ****", InvalidPassword),
    ("*** INVALID PASSWORD ***", InvalidPassword),
    ("Invalid password.", InvalidPassword),
    ("**** LOGIN TIMEOUT ****", Timeout),
    ("**** Login timeout! ****", Timeout),
    ("Sorry, the server is full.", Full),
    ("The server is currently full, please try later.", Full),
    ("unknown timeseal version", Other),
    ("timeseal error: your timeseal did not reply to the server ping", Other),
];

// Rules: transport LG3
#[test]
fn every_refusal_has_its_reason() {
    for &(line, reason) in REFUSALS {
        assert_eq!(LoginRefusal::parse(line.as_bytes()), Some(reason), "{line}");
    }
    let names: Vec<_> = REFUSALS.iter().map(|(_, reason)| reason.as_str()).collect();
    for name in ["invalid_password", "name_in_use", "banned", "bad_name", "not_registered", "timeout", "full", "other"]
    {
        assert!(names.contains(&name), "{name}");
    }
}

// Rules: transport LG4, ten 8
#[test]
fn a_refusal_quoted_in_chat_is_not_one() {
    for (line, _) in REFUSALS {
        let quotes = [
            format!("Foo tells you: {line}"),
            format!("Foo(50): {line}"),
            format!("--> Foo {line}"),
            format!(":{line}"),
            format!("Foo says: no, {line}"),
            format!(" 1: {line}"),
            format!("    **ANNOUNCEMENT** from admin: {line}"),
        ];
        for quote in quotes {
            assert_eq!(LoginRefusal::parse(quote.as_bytes()), None, "{quote}");
        }
    }
}

// Rules: transport LG4
#[test]
fn other_sentences_during_a_login_are_not_refusals() {
    let cases = [
        "Invalid password attempts are logged.",
        "If you see \"**** Invalid password! ****\", try again.",
        "A login timeout is two minutes.",
        "Sorry, Foo Bar is already logged in. Try again.",
        "Sorry, no game information available.",
        "If the server is full, try again later.",
        "**** Foo is already logged in - kicking them out. ****",
        " **** Carla is already logged in - kicking them out. ****",
        "**** Duras is already logged in; closing the other connection. ****",
        "\"Foo\" is a registered name.  If it is yours, type the password.",
        "If not, just hit return to try another name.",
        "If you are not a registered player, enter the login name \"guest\".",
        "Player \"Foo bar\" is banned.",
        "Try again.",
        "",
    ];
    for line in cases {
        assert_eq!(LoginRefusal::parse(line.as_bytes()), None, "{line}");
        assert_eq!(parse_login(line.as_bytes()), None, "{line}");
    }
    let quote = "Foo tells you: **** Starting FICS session as Foo ****";
    assert_eq!(parse_login(quote.as_bytes()), None);
    assert_eq!(parse_login(b"**** Starting FICS session as Foo **** or not"), None);
}

#[test]
fn names_are_registered_or_not() {
    let cases = [
        ("\"Foo\" is a registered name.  If it is yours, type the password.", Some(("Foo", NameKind::Registered))),
        ("\"Foo\" is a registered name. If it is yours, type the password.", Some(("Foo", NameKind::Registered))),
        (
            "\"Foo\" is not a registered name.  You may use this name to play unrated games.",
            Some(("Foo", NameKind::Unregistered)),
        ),
        (
            "\"Zoltan\" is not a registered name.  You may play unrated games as a guest.",
            Some(("Zoltan", NameKind::Unregistered)),
        ),
        (
            "Logging you in as \"GuestIEUC\"; you may use this name to play unrated games.",
            Some(("GuestIEUC", NameKind::Unregistered)),
        ),
        ("Foo tells you: \"Bar\" is a registered name.", None),
        ("\"Foo bar\" is a registered name.", None),
        ("Logging you in as \"Foo\"", None),
    ];
    for (line, want) in cases {
        let read = parse_name(line.as_bytes());
        assert_eq!(read.as_ref().map(|status| (status.name.as_str(), status.kind)), want, "{line}");
    }
}

proptest! {
    #[test]
    fn any_bytes_before_the_login_are_accepted_or_refused_without_panic(line in "[ *.!a-zA-Z\"(),:;-]{0,60}", cut in 0_usize..80, row in 0..REFUSALS.len()) {
        let (refusal, _) = REFUSALS[row];
        let joined = [&refusal.as_bytes()[..cut.min(refusal.len())], line.as_bytes()].concat();
        for line in [line.as_bytes(), &joined] {
            let _ = (parse_login(line), LoginRefusal::parse(line), parse_name(line));
        }
    }
}

// Rules: bugs 18
#[test]
fn a_kick_is_typed() {
    let admin = |name: &str| KickedBy::Admin(Handle::from_wire(name.as_bytes()));
    let cases = [
        ("**** Foo has arrived - you can't both be logged in. ****", KickedBy::SecondLogin),
        ("**** Duras has arrived; you can't both be logged in. ****", KickedBy::SecondLogin),
        ("**** You have been kicked out by Headadm! ****", admin("Headadm")),
    ];
    for (line, by) in cases {
        assert_eq!(parse_kick(line.as_bytes()), Some(by), "{line}");
        for quote in
            [format!("Foo tells you: {line}"), format!("--> Foo {line}"), format!(" {line}"), format!("{line} x")]
        {
            assert_eq!(parse_kick(quote.as_bytes()), None, "{quote}");
        }
    }
    assert_eq!(parse_kick(b"**** Carla is already logged in - kicking them out. ****"), None);
}

#[test]
fn farewells() {
    let cases = [
        ("**** Auto-logout because you were idle more than 60 minutes. ****", Some(Farewell::Idle)),
        ("**** Auto-logout because you were idle more than one hour. ****", Some(Farewell::Idle)),
        ("Logging you out.", Some(Farewell::LoggingOut)),
        ("    **** Server going down in 0 minutes and 9 seconds. ****", Some(Farewell::Shutdown)),
        ("    **** Server shutting down immediately. ****", Some(Farewell::Shutdown)),
        ("    **** Server shutdown ordered by Headadm. ****", Some(Farewell::Shutdown)),
        ("*** The server is shutting down in 3 minutes, initiated by admin ***", Some(Farewell::Shutdown)),
        ("*** Server shutdown canceled by admin ***", Some(Farewell::ShutdownCanceled)),
        ("Foo tells you: **** Server shutting down immediately. ****", None),
        ("--> Foo *** Server shutdown canceled by admin ***", None),
        ("Foo tells you: Logging you out.", None),
        ("**** Invalid password! ****", None),
        ("******", None),
        ("*** ***", None),
    ];
    for (line, want) in cases {
        assert_eq!(parse_farewell(line.as_bytes()), want, "{line}");
    }
}
