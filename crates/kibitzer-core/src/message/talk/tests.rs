use proptest::prelude::*;

use super::TalkKind::*;
use super::*;

const GAME_1: Option<GameId> = Some(GameId(1));

const fn rated(value: u16) -> Rating {
    Rating::Established(value)
}

/// Line, kind, name (empty: none), titles, text.
type Row = (&'static str, TalkKind, &'static str, &'static [&'static str], &'static str);

fn check(rows: &[Row]) {
    for &(line, kind, from, titles, text) in rows {
        let talk = Talk::parse(line.as_bytes()).unwrap_or_else(|| panic!("not talk: {line}"));
        assert_eq!(talk.kind, kind, "{line}");
        assert_eq!(talk.speaker().as_ref().map_or("", Handle::as_str), from, "{line}");
        assert_eq!(talk.titles().iter().collect::<Vec<_>>(), titles, "{line}");
        assert_eq!(talk.text(), text, "{line}");
    }
}

fn check_none(lines: &[&str]) {
    for line in lines {
        assert_eq!(Talk::parse(line.as_bytes()), None, "{line}");
    }
}

#[test]
fn every_form_of_talk() {
    check(&[
        ("Foo(C) tells you: hello", Tell, "Foo", &["C"], "hello"),
        ("GuestHYMY(U) tells you: from guest 5", Tell, "GuestHYMY", &["U"], "from guest 5"),
        ("guest53 tells you: hi", Tell, "guest53", &[], "hi"),
        ("Foo(GM TD) tells you: hi", Tell, "Foo", &["GM", "TD"], "hi"),
        ("Boris says: good luck!", Say { game: None }, "Boris", &[], "good luck!"),
        ("Bogoljubov[1] says: hi \"there\"", Say { game: GAME_1 }, "Bogoljubov", &[], "hi \"there\""),
        ("Foo(TD)[26] says: gg", Say { game: Some(GameId(26)) }, "Foo", &["TD"], "gg"),
        ("Carla (your partner) tells you: ok: no \"knights\"", PartnerTell, "Carla", &[], "ok: no \"knights\""),
        ("Foo(U) (your partner) tells you: N!", PartnerTell, "Foo", &["U"], "N!"),
        ("Foo(*) shouts: hi", Shout, "Foo", &["*"], "hi"),
        ("Bogoljubov c-shouts: learn: the \"Caro\" 1%", CShout, "Bogoljubov", &[], "learn: the \"Caro\" 1%"),
        ("Foo s-shouts: hi", CShout, "Foo", &[], "hi"),
        ("Foo(GM)(*)(50): x", ChannelTell { channel: 50 }, "Foo", &["GM", "*"], "x"),
        ("Alekhine(53):    leading", ChannelTell { channel: 53 }, "Alekhine", &[], "   leading"),
        ("Foo(0): x", ChannelTell { channel: 0 }, "Foo", &[], "x"),
        ("Alekhine(1940)[1] whispers: a", Whisper { game: GAME_1, rating: Some(rated(1940)) }, "Alekhine", &[], "a"),
        ("    **ANNOUNCEMENT** from admin: back: soon", Announcement, "admin", &[], "back: soon"),
        ("    **UNREG ANNOUNCEMENT** from Headadm(*): behave", Announcement, "Headadm", &["*"], "behave"),
        ("    **ANNOUNCEMENT** from 1st_admin: back", Announcement, "1st_admin", &[], "back"),
        ("    **ANNOUNCEMENT** from now on: no guests", Announcement, "", &[], "from now on: no guests"),
        ("**ANNOUNCEMENT** shutdown at 5", Announcement, "", &[], "shutdown at 5"),
        ("Foo announces: shutdown", Announcement, "Foo", &[], "shutdown"),
        (":Foo(TM) t-shouts: blitz in 5 minutes", Qtell, "", &[], "Foo(TM) t-shouts: blitz in 5 minutes"),
        (":", Qtell, "", &[], ""),
        (">Standings: 1. Foo", Qtell, "", &[], "Standings: 1. Foo"),
    ]);
}

#[test]
fn messages_have_a_date() {
    check(&[
        ("1. Foo at Mon Jan  1, 10:00 PST 2024: hi", Message, "Foo", &[], "hi"),
        (" 1. Carla at Sat Nov 21,  0:36 UTC: 100% \\ ok", Message, "Carla", &[], "100% \\ ok"),
        ("Alekhine at 2026-11-21 00:36 UTC: read \"this\": 50%", Message, "Alekhine", &[], "read \"this\": 50%"),
        ("Foo(TD) at Mon Jan  1, 10:00 ??? 2024: hi", Message, "Foo", &["TD"], "hi"),
    ]);
    check_none(&[
        "Foo at home: hi",
        "Foo at Mon: hi",
        "Foo at 10:00: hi",
        "1. Foo tells you: hi",
        "1. Foo at noon: hi",
        "Carla just sent you a message:",
        "    leave a \"message\": 100% \\ ok",
        "The following message was received:",
    ]);
}

// Rules: text X6, bugs 55
#[test]
fn ratings_of_kibitzes_in_every_form() {
    let provisional = Some(Rating::Provisional(1500));
    let estimated = Some(Rating::Estimated(2158));
    check(&[
        (
            "Foo(C)( 958)[235] kibitzes: +0.3",
            Kibitz { game: Some(GameId(235)), rating: Some(rated(958)) },
            "Foo",
            &["C"],
            "+0.3",
        ),
        ("Alekhine(1882)[1] kibitzes: x", Kibitz { game: GAME_1, rating: Some(rated(1882)) }, "Alekhine", &[], "x"),
        ("Foo(----)[1] kibitzes: x", Kibitz { game: GAME_1, rating: Some(Rating::Unrated) }, "Foo", &[], "x"),
        ("Foo(U)(++++)[1] kibitzes: x", Kibitz { game: GAME_1, rating: Some(Rating::Guest) }, "Foo", &["U"], "x"),
        ("Foo(1500P)[1] kibitzes: x", Kibitz { game: GAME_1, rating: provisional }, "Foo", &[], "x"),
        ("Foo(2158E)[1] whispers: x", Whisper { game: GAME_1, rating: estimated }, "Foo", &[], "x"),
        ("Carla(1882) kibitzes: e4", Kibitz { game: None, rating: Some(rated(1882)) }, "Carla", &[], "e4"),
        ("Foo[12] kibitzes: x", Kibitz { game: Some(GameId(12)), rating: None }, "Foo", &[], "x"),
    ]);
}

// Rules: text X0, bugs 42, ten 8
#[test]
fn the_start_decides_and_the_rest_is_text() {
    let line = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1";
    let shout = format!("Alekhine shouts: {line}");
    assert_eq!(Talk::parse(shout.as_bytes()).unwrap().text(), line);
    check(&[
        ("Foo shouts: {Game 5 (A vs. B) A resigns} 1-0", Shout, "Foo", &[], "{Game 5 (A vs. B) A resigns} 1-0"),
        ("--> Alekhine tells you: fake", ItShout, "Alekhine", &[], "tells you: fake"),
        ("Alekhine tells you: tells you: fake", Tell, "Alekhine", &[], "tells you: fake"),
    ]);
    check_none(&[
        "foo bar tells you: x",
        "Foo  tells you: x",
        "Foo (C) tells you: x",
        " Foo tells you: x",
        "Foo tells you x",
        "Foo tells you:x",
        "Foo tells me: x",
        "Foo(1500) tells you: x",
        "Foo[3] shouts: x",
        "(told Foo)",
        "(4) Boris shouts: hello",
        "Game 4: Game clock paused.",
        "Creating: A (1500) B (1671) unrated blitz 5 0",
    ]);
}

// Rules: text X1, bugs 56
#[test]
fn longer_arrows_are_not_shouts() {
    check_none(&["----> Foo waves", "---> Foo waves", "-->  Foo waves", "-->Foo waves", "--> (x)", "--> ", "-->"]);
}

// Rules: bugs 57
#[test]
fn it_shouts_may_go_on_without_a_blank() {
    check(&[
        ("--> Foo waves", ItShout, "Foo", &[], "waves"),
        ("--> Foo's cat", ItShout, "Foo", &[], "'s cat"),
        ("--> Foo, too", ItShout, "Foo", &[], ", too"),
        ("--> Foo(TD) waves", ItShout, "Foo", &["TD"], "waves"),
        ("--> MAd> (hm)", ItShout, "MAd", &[], "> (hm)"),
        ("--> Foo", ItShout, "Foo", &[], ""),
    ]);
}

// Rules: text X2
#[test]
fn the_text_may_be_empty() {
    check(&[
        ("Foo tells you: ", Tell, "Foo", &[], ""),
        ("Foo tells you:", Tell, "Foo", &[], ""),
        ("Boris(1): ", ChannelTell { channel: 1 }, "Boris", &[], ""),
        ("Guestling(22):", ChannelTell { channel: 22 }, "Guestling", &[], ""),
    ]);
}

// Rules: text X3, bugs 58
#[test]
fn a_channel_tell_may_quote_a_tell() {
    check(&[
        ("Foo(50): Bar tells you: x", ChannelTell { channel: 50 }, "Foo", &[], "Bar tells you: x"),
        ("Foo(50): tells you: x", ChannelTell { channel: 50 }, "Foo", &[], "tells you: x"),
    ]);
}

// Rules: text X4
#[test]
fn a_channel_is_a_number() {
    check(&[
        ("Foo(50): x", ChannelTell { channel: 50 }, "Foo", &[], "x"),
        ("Foo(255): x", ChannelTell { channel: 255 }, "Foo", &[], "x"),
    ]);
    check_none(&["Foo(C): x", "Foo(T50): x", "Foo(1882): x", "Foo(): x", "Foo: x", "Foo(-1): x", "Foo(50)(C): x"]);
}

// Rules: text X5
#[test]
fn entities_are_decoded_after_typing() {
    check(&[
        ("Alekhine(53): na&#xef;ve &#x265e;", ChannelTell { channel: 53 }, "Alekhine", &[], "naïve ♞"),
        ("Foo tells you: &#x3c;12&#x3e;", Tell, "Foo", &[], "<12>"),
    ]);
    check_none(&["Foo tells you&#x3a; x", "Foo&#x28;50): x"]);
}

// Rules: text X7
#[test]
fn a_line_is_a_whole_tell() {
    check_none(&["    and this goes on", "\\   and this too"]);
}

// Rules: bugs 59
#[test]
fn numbered_notes_are_not_tells() {
    check_none(&[
        " 1: Foo tells you: x",
        " 1: Foo(50): x",
        " 1: Foo at Mon Jan  1, 10:00 PST 2024: hi",
        "10: Foo says: x",
    ]);
}

#[test]
fn server_lines_that_look_like_robot_output() {
    check_none(&[": Command not found.", ": Command has failed.", ">10<", "> ", "> Foo tells you: x"]);
}

proptest! {
    #[test]
    fn any_told_text_is_returned_unchanged(text in "[ -%'-~]{0,60}") {
        let line = format!("Foo(C)(50): {text}");
        let talk = Talk::parse(line.as_bytes()).unwrap();
        prop_assert_eq!(talk.kind, ChannelTell { channel: 50 });
        prop_assert_eq!(talk.text(), text);
    }
}
