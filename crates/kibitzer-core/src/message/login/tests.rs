use proptest::prelude::*;

use super::LoginRefusal::*;
use super::*;

#[test]
fn the_session_line_gives_name_titles_and_server() {
    let cases: &[(&str, &str, &[&str], &str)] = &[
        ("**** Starting FICS session as Alekhine ****", "Alekhine", &[], "FICS"),
        ("**** Starting FICS session as GuestZZMP(U) ****", "GuestZZMP", &["U"], "FICS"),
        ("**** Starting FICS session as Foo(*)(TD) ****", "Foo", &["*", "TD"], "FICS"),
        ("**** Starting BICS session as Foo ****", "Foo", &[], "BICS"),
    ];
    for &(line, name, titles, server) in cases {
        let read = LoggedIn::parse(line.as_bytes()).unwrap_or_else(|| panic!("not read: {line}"));
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
        assert_eq!(LoggedIn::parse(line.as_bytes()), None, "{line}");
    }
    let quote = "Foo tells you: **** Starting FICS session as Foo ****";
    assert_eq!(LoggedIn::parse(quote.as_bytes()), None);
    assert_eq!(LoggedIn::parse(b"**** Starting FICS session as Foo **** or not"), None);
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
        let read = NameStatus::parse(line.as_bytes());
        assert_eq!(read.as_ref().map(|status| (status.name.as_str(), status.kind)), want, "{line}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_accepted_or_refused_without_panic(line in "[ *.!a-zA-Z\"(),:;-]{0,60}", cut in 0_usize..80, row in 0..REFUSALS.len()) {
        let (refusal, _) = REFUSALS[row];
        let joined = [&refusal.as_bytes()[..cut.min(refusal.len())], line.as_bytes()].concat();
        for line in [line.as_bytes(), &joined] {
            let _ = (LoggedIn::parse(line), LoginRefusal::parse(line), NameStatus::parse(line));
        }
    }
}
