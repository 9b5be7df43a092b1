//! Datagrams: read by number and by meaning, and printed.

use proptest::prelude::*;

use super::*;
use crate::MessageReader;
use crate::chess::{Board, Color, Fen, Square};
use crate::message::*;
use crate::text::ServerText;
use crate::wire::{FrameKind, Framer};

fn fields(unit: &str) -> Vec<String> {
    Datagram::parse(unit.as_bytes()).unwrap().fields.iter().map(|field| field.as_str().to_owned()).collect()
}

// Rules: icc DG1, icc DG2, icc DG3, icc DG4, bugs 80, bugs 82, bugs 84
#[test]
fn arguments_of_every_form() {
    let cases: &[(&str, &[&str])] = &[
        ("124 24 1", &["24", "1"]),
        ("32 Flash {TD} 2 {a b}", &["Flash", "TD", "2", "a b"]),
        ("25 464 *{g3 g2g3 1 59}{d5 d7d5 0 60}", &["464", "*", "g3 g2g3 1 59", "d5 d7d5 0 60"]),
        ("18 {} {IM} {}", &["", "IM", ""]),
        ("31 x \x19{a}b {c) (\x19} 1", &["x", "a}b {c) (", "1"]),
        ("9999 extra", &["extra"]),
        ("109", &[]),
        ("1 {never closed", &["never closed"]),
    ];
    for &(unit, want) in cases {
        assert_eq!(fields(unit), want, "{unit:?}");
    }
    assert_eq!(Datagram::parse(b"x"), None);
}

// Rules: bugs 81
#[test]
fn a_level_1_header_has_a_command_a_player_and_perhaps_a_tag() {
    let header = Level1Header::parse(b"101 * tag").unwrap();
    assert_eq!((header.command, header.player.as_str()), (101, "*"));
    assert_eq!(header.tag.map(|tag| tag.to_string()), Some("tag".to_owned()));
    assert_eq!(Level1Header::parse(b"101 $server$").unwrap().tag, None);
    assert_eq!(Level1Header::parse(b"101"), None);
}

// Rules: icc S2
#[test]
fn time_controls_as_pgn_writes_them() {
    let cases: &[(&str, Option<(u32, u32)>)] = &[
        ("40/7200:20/3600", Some((7200, 0))),
        ("40/5400+30:900+30", Some((5400, 30))),
        ("300", Some((300, 0))),
        ("300+5", Some((300, 5))),
        ("?", None),
        ("-", None),
        ("", None),
        ("40/x", None),
        ("300 5", None),
    ];
    for &(text, want) in cases {
        let found = games::TimeControl::parse_first_pgn_period(text.as_bytes());
        assert_eq!(found.map(|clock| (clock.initial_s, clock.increment_s)), want, "{text}");
    }
}

proptest! {
    #[test]
    fn any_unit_is_read_to_its_end(unit in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Datagram::parse(&unit);
        let _ = Level1Header::parse(&unit);
    }
}

/// What one session says in these units.
fn messages(units: &[&str]) -> Vec<Message> {
    let stream = format!("\x19({}\x19)", units.join("\x19)\x19(").replace('^', "\x19"));
    let mut reader = MessageReader::new(Framer::new(), Family::Icc);
    let mut rest = stream.as_bytes();
    std::iter::from_fn(|| reader.next(&mut rest)).map(|received| received.message).collect()
}

/// What one unit says.
#[track_caller]
fn message(unit: &str) -> Message {
    let [message] = <[Message; 1]>::try_from(messages(&[unit])).unwrap();
    message
}

const OBSERVED: &str = "18 464 Mashin khallod 0 1-minute 1 1 0 1 0 1 {} 2132 2088 1625607086 {IM} {IM} 0 0 0 {} 0";

fn start_of(message: &Message) -> &IccGameStart {
    match message {
        Message::GameInfo(info) => info.start.as_deref().unwrap(),
        other => panic!("{other:?}"),
    }
}

// Rules: icc DG4, icc DG7
#[test]
fn the_table_is_in_order_and_knows_each_number_once() {
    for pair in DatagramKind::ALL.windows(2) {
        assert!(pair[0].number < pair[1].number, "{}", pair[1].name);
    }
    for kind in DatagramKind::ALL {
        assert_eq!(DatagramKind::by_number(kind.number.into()).map(|found| found.name), Some(kind.name));
        let mut names: Vec<_> = kind.arguments.iter().map(|argument| argument.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), kind.arguments.len(), "{}: two arguments have one name", kind.name);
    }
    assert!(DatagramKind::by_number(54).is_none() && DatagramKind::by_number(70_000).is_none());
    // A number that was not switched on, or is of a later version, is handed on too.
    assert!(matches!(message("54 x {y z}"), Message::Datagram(plain) if plain.fields.len() == 2));
}

/// Text that needs every kind of quotation.
const AWKWARD: [&str; 9] =
    ["", "word", "two words", "{brace", "}", "a\u{7}b\n\r\t\u{1b}[", "caf\u{e9}", "\u{265a} )", "(\u{1}"];

// Rules: icc DG1, icc DG2, icc DG6, icc DG11, bugs 80, bugs 84
#[test]
fn every_number_is_printed_as_it_is_read() {
    for kind in DatagramKind::ALL {
        let n_fields = kind.arguments.len() + 2;
        for shift in 0..AWKWARD.len() {
            let fields = (0..n_fields).map(|i| AWKWARD[(i + shift) % AWKWARD.len()]);
            check_round_trip(&Datagram::new(kind.number.into(), fields));
        }
    }
}

/// Printed, framed byte by byte, and read.
#[track_caller]
fn check_round_trip(datagram: &Datagram) {
    let mut wire = Vec::new();
    datagram.write(&mut wire);
    wire.extend(b"aics% ");
    let mut framer = Framer::new();
    let mut kinds = Vec::new();
    for byte in &wire {
        let mut read = std::slice::from_ref(byte);
        while let Some(frame) = framer.next_frame(&mut read) {
            kinds.push(match frame.kind {
                FrameKind::Datagram { bytes } => Datagram::parse(bytes),
                FrameKind::Control(Control::Prompt) => None,
                kind => panic!("{datagram:?}: {kind:?}"),
            });
        }
    }
    assert_eq!(kinds, [Some(datagram.clone()), None]);
}

/// A unit of each number that becomes a message, with braces and control bytes where players write, and empty arguments.
const TYPED: &str = "\
0 Foo {GM TD}
1 Bar 1500 2 1 X 0
2 Bar
12 9 Ann Cid 0 Blitz 1 5 3 5 3 1 {} 1500 0 12 {IM} {} 0 0 0 {} 0
13 7 0 Mat 1-0 {Black checkmated} {}
15 8 Foo Bar 22 Blitz 0 5 3 4 2 0 {Ex: Foo 0} 0 0 12 {} {} 0 0 0 {40/7200:20/3600} 0
16 7 1 Res 0-1 {White resigns} {B00}
17 7
18 9 Ann Cid 23 Crazyhouse 1 5 3 5 3 1 {} 1500 1600 12 {} {C} 0 0 1 {} 0
19 7
21 7 1 0 0 0 0 0 0 3
22 7 2
23 7 4
24 7 e4 e2e4 1 299 1
25 7 * {e4 e2e4 1 299} {e5 e7e5 2 298}
26 7 Bar {} 1 ^{a {b} )\u{7} ^}
28 50 Bar {TD} ^{^} 1
29 Bar 1500 1 {} Foo 0 0 {} 0 Blitz 0 0 5 3 5 3 -1 {}
30 Bar Foo ^{{gone}^}
31 Bar {} ^{}{\u{1b}[^} 1
32 Bar {C} 1 ^{^}
37 7 {PNB} {}
38 7 60 -1
39 7 1
40 9 Ann Cid 0 Blitz 1 5 3 5 3 0 {a board} 0 0 0 {} {} 0 0 0 {} 0
42 7 e5 2
43 7 PW
44 Foo Bar 1
50 195 Bar {C} 2402 2 0 Blitz 5 3 1 -1 0 9999 1 1 {}
51 195 2
55 Bar
56 7 W 299500 0 0 0
59 7 Bar e4
60 7 Bar e2 e4
64 Bar 1500 2
65 Bar
69 11 {Wrong}
70 7 {8/8/8/8/8/8/8/K1k5 w - - 3 9}
82 50 Bar {} ^{\\H{a}\\h\\nb^}
83 Bar {} ^{^}
84 7 rnbqkbnrpppppppp--------------------------------PPPPPPPPRNBQKBNR W
89 7 Bar e4
90 7 Bar e2 e4
100 7 Foo Cid 0 Blitz 1 5 3 5 3 1 {} 0 0 12 {} {} 0 0 0 {} 0
101 7 {} 1
110 7 {8/8/8/8/8/8/8/K1k5 w - - 3 9} 0
111 7 e4 e2e4 1 299 0";

// Rules: icc §8, bugs 80
#[test]
fn every_typed_datagram_parses_to_the_same_message_after_printing() {
    let mut units = TYPED.lines();
    for kind in DatagramKind::ALL.iter().filter(|kind| !matches!(kind.parser, table::ArgumentParser::Generic)) {
        let unit = units.next().unwrap();
        let datagram = Datagram::parse(unit.replace('^', "\x19").as_bytes()).unwrap();
        assert_eq!(datagram.number, u32::from(kind.number), "{unit}");
        let mut wire = Vec::new();
        datagram.write(&mut wire);
        let printed = String::from_utf8(wire).unwrap();
        let printed = printed.strip_prefix("\x19(").and_then(|unit| unit.strip_suffix("\x19)")).unwrap();
        let behind = |unit| messages(&["0 Foo {}", "15 7 Foo Bar 0 Blitz 1 5 3 5 3 1", unit])[3..].to_vec();
        let said = behind(unit);
        assert!(!said.is_empty() && !said.iter().any(|said| matches!(said, Message::Datagram(_))), "{said:?}");
        assert_eq!(behind(printed), said, "{unit}");
    }
    assert_eq!(units.next(), None);
}

#[test]
fn control_bytes_that_no_quotation_holds_are_not_printed() {
    let mut wire = Vec::new();
    Datagram::new(31, ["a\u{19}}\u{19})b\u{1a}"]).write(&mut wire);
    assert_eq!(wire, b"\x19(31 \x19{a})b\x19}\x19)");
}

proptest! {
    #[test]
    fn any_text_is_printed_as_it_is_read(number in 0_u32..300, texts in prop::collection::vec("[^&\u{19}\u{1a}\u{ff}]{0,20}", 0..6)) {
        check_round_trip(&Datagram::new(number, &texts));
    }

    /// Whatever stands in a unit of any number, it is one message or more, and the last bytes of a stream are read.
    #[test]
    fn any_arguments_of_any_number(number in 0_u32..200, rest in prop::collection::vec(any::<u8>(), 0..80)) {
        let unit = [number.to_string().as_bytes(), b" ", &rest[..]].concat();
        prop_assert!(parse_typed_or_generic(&unit, &mut EarlierDatagrams::default()).is_some());
    }
}

// Rules: icc §2, bugs 88
#[test]
fn reasons_why_a_login_failed() {
    use LoginRefusal::{BadName, Banned, Full, InvalidPassword, NameInUse, NotRegistered, Other, Queued};
    let codes = [
        Other,
        BadName,
        BadName,
        BadName,
        InvalidPassword,
        NotRegistered,
        NotRegistered,
        NotRegistered,
        InvalidPassword,
        Other,
        InvalidPassword,
        Banned,
        Other,
        NameInUse,
        Other,
        Other,
        NotRegistered,
        Full,
        Full,
        Queued,
        Other,
        Other,
        Other,
    ];
    for (code, want) in (1..).zip(codes) {
        let said = message(&format!("69 {code} {{You are number 3.}}"));
        assert!(matches!(&said, Message::LoginRefused(refusal) if **refusal == want), "{code}: {said:?}");
    }
}

// Rules: icc §1
#[test]
fn the_own_name_completes_the_login() {
    let Message::LoggedIn(login) = message("0 Foo {GM C}") else { panic!() };
    assert_eq!((login.name.as_str(), login.titles.to_string()), ("Foo", "(GM)(C)".to_owned()));
    // What follows is no login prompt, whoever wrote it.
    let mut reader = MessageReader::default();
    let mut rest = &b"\x19(0 Foo {}\x19)\r\nlogin: \r\n**** Invalid password! ****\r\naics% "[..];
    let said: Vec<_> = std::iter::from_fn(|| reader.next(&mut rest)).map(|received| received.message).collect();
    assert!(
        matches!(
            said[..],
            [Message::LoggedIn(_), Message::Text(_), Message::Text(_), Message::Control(Control::Prompt)]
        ),
        "{said:?}"
    );
}

// Rules: icc §8
#[test]
fn tells_of_every_kind() {
    use TalkKind::{Announcement, CShout, ChannelTell, ItShout, Kibitz, PartnerTell, Qtell, Say, Shout, Tell, Whisper};
    let game = Some(GameId(7));
    let cases = [
        ("31 Foo {TD} ^{a {b}^} 0", Say { game: None }, "a {b}"),
        ("31 Foo {TD} ^{hi^} 1", Tell, "hi"),
        ("31 Foo {TD} ^{hi^} 2", PartnerTell, "hi"),
        ("31 Foo {TD} ^{hi^} 3", Qtell, "hi"),
        ("31 Foo {TD} ^{hi^} 4", Tell, "hi"),
        ("32 Foo {TD} 0 ^{hi^}", Shout, "hi"),
        ("32 Foo {TD} 1 ^{waves^}", ItShout, "waves"),
        ("32 Foo {TD} 2 {hi}", CShout, "hi"),
        ("32 Foo {TD} 3 ^{^}", Announcement, ""),
        ("28 50 Foo {TD} ^{hi^} 1", ChannelTell { channel: 50 }, "hi"),
        ("28 50 Foo {TD} ^{hi^} 4", ChannelTell { channel: 50 }, "hi"),
        ("82 50 Foo {TD} ^{hi^}", ChannelTell { channel: 50 }, "hi"),
        ("83 Foo {TD} ^{\\H1\\h\\n\\b2\\x^}", Qtell, "1\n2\\x"),
        ("26 7 Foo {TD} 1 ^{+0.3^}", Kibitz { game, rating: None }, "+0.3"),
        ("26 7 Foo {TD} 0 ^{^}", Whisper { game, rating: None }, ""),
    ];
    for (unit, kind, text) in cases {
        let Message::Talk(talk) = message(unit) else { panic!("{unit}") };
        assert_eq!((talk.kind, &*talk.text()), (kind, text), "{unit}");
        assert_eq!((talk.speaker().unwrap().as_str(), talk.titles().to_string()), ("Foo", "(TD)".to_owned()), "{unit}");
    }
    assert!(matches!(message("32 Foo {} 9 ^{hi^}"), Message::Datagram(_)));
}

// Rules: bugs 83, icc §8
#[test]
fn a_tell_with_its_text_and_type_in_either_order() {
    let both = ["31 Foo {} ^{5^} 1", "31 Foo {} 1 ^{5^}", "31 Foo {} 1 {5}", "31 Foo {} {5} 1"];
    for unit in both {
        let Message::Talk(talk) = message(unit) else { panic!("{unit}") };
        assert_eq!((talk.kind, &*talk.text()), (TalkKind::Tell, "5"), "{unit}");
    }
}

// Rules: transport C4
#[test]
fn texts_are_latin_1_or_ascii() {
    for (sent, text) in [(&b"31 Foo {} \x19{caf\xe9\x19} 1"[..], "caf\u{e9}"), (b"31 Foo {} \x19{cafe\x19} 1", "cafe")]
    {
        assert_eq!(Datagram::parse(sent).unwrap().argument("text").unwrap().as_str(), text);
    }
    assert_eq!(DatagramKind::by_number(78).unwrap().name, "unaccented");
}

// Rules: icc §8
#[test]
fn players_come_and_go() {
    use PresenceChangeKind::{Arrived, Departed};
    use PresenceReportReason::{Notify, Pin};
    let cases = [
        ("1 Foo 1500 2 1 X 0", Arrived, Pin),
        ("2 Foo", Departed, Pin),
        ("55 Foo", Arrived, Pin),
        ("64 Foo 1500 2 1 X 0", Arrived, Notify),
        ("65 Foo", Departed, Notify),
    ];
    for (unit, kind, reason) in cases {
        let Message::Arrival(arrival) = message(unit) else { panic!("{unit}") };
        assert_eq!((arrival.name.as_str(), arrival.kind, arrival.reason), ("Foo", kind, reason), "{unit}");
    }
}

// Rules: icc §8
#[test]
fn partners_of_this_login_and_of_others() {
    let said = messages(&["0 Foo {}", "44 Bar Foo 1", "44 Foo Bar 0", "44 Bar Baz 1"]);
    let name = Handle::from_wire(b"Bar");
    let [_, Message::Partner(agreed), Message::Partner(ended), Message::Datagram(_)] = &said[..] else {
        panic!("{said:?}")
    };
    assert_eq!(
        (&**agreed, &**ended),
        (&PartnershipUpdate::Agreed { actor: MeOrOther::Other, name }, &PartnershipUpdate::Ended)
    );
}

// Rules: icc S1, bugs 84
#[test]
fn the_list_a_game_starts_with() {
    let said = messages(&[OBSERVED]);
    assert!(matches!(&said[0], Message::Observing(observing) if observing.is_observed && observing.game.0 == 464));
    let Message::GameInfo(info) = &said[1] else { panic!("{said:?}") };
    assert_eq!((info.kind.as_ref().unwrap().as_str(), info.rated), ("1-minute", Some(true)));
    assert_eq!((info.white_time_s, info.black_increment_s), (Some(60), Some(0)));
    assert_eq!(info.white_rating, Some(Rating::Established(2132)));
    let start = start_of(&said[1]);
    assert_eq!(
        (start.white.as_str(), start.black.as_str(), start.kind),
        ("Mashin", "khallod", IccGameStartReason::Observed)
    );
    assert!(start.is_played && !start.has_irregular_semantics);
    let datagram = Datagram::parse(OBSERVED.as_bytes()).unwrap();
    let [id, titles, control] =
        ["id", "white_titles", "time_control"].map(|name| datagram.argument(name).unwrap().as_str());
    assert_eq!((id, titles, control), ("1625607086", "IM", ""));
}

// Rules: icc S1, icc S2
#[test]
fn start_lists_of_every_age_and_kind() {
    // Fields 12 to 22 were added over the years.
    let old = messages(&["15 7 Foo Bar 22 Blitz 0 5 3 4 2 1"]);
    let Message::GameCreated(created) = &old[0] else { panic!("{old:?}") };
    assert_eq!((created.white.as_str(), created.kind.as_str(), created.rated), ("Foo", "Blitz", Some(false)));
    let start = start_of(&old[1]);
    assert_eq!((start.wild, start.kind), (22, IccGameStartReason::Mine));
    let Message::GameInfo(info) = &old[1] else { panic!() };
    assert_eq!((info.white_time_s, info.white_increment_s), (Some(300), Some(3)));
    assert_eq!((info.black_time_s, info.black_increment_s, info.white_rating), (Some(240), Some(2), None));
    // One field less is no such list.
    assert!(matches!(message("15 7 Foo Bar 22 Blitz 0 5 3 4 2"), Message::Datagram(_)));

    let fancy = |control: &str| {
        messages(&[&format!("12 7 F.-1 *a* 0 Blitz 0 5 3 5 3 1 {{}} 0 0 9 {{}} {{}} 1 1 1 {{{control}}} 1")])
    };
    for (control, time_s, increment_s) in
        [("40/5400+30:900+30", Some(5400), Some(30)), ("?", None, None), ("-", None, None)]
    {
        let said = fancy(control);
        let Message::GameInfo(info) = &said[1] else { panic!("{said:?}") };
        assert_eq!((info.black_time_s, info.white_increment_s), (time_s, increment_s), "{control}");
        assert_eq!(info.white_rating, Some(Rating::Unrated));
        let start = start_of(&said[1]);
        assert!(start.has_irregular_legality && start.has_irregular_semantics && info.has_irregular_rules());
        assert_eq!((start.white.as_str(), start.black.as_str()), ("F.-1", "*a*"));
    }
    for (number, kind) in [(40, IccGameStartReason::Isolated), (100, IccGameStartReason::Changed)] {
        let said = message(&OBSERVED.replacen("18", &number.to_string(), 1));
        assert_eq!(start_of(&said).kind, kind);
    }
}

// Rules: icc R1, icc R2
#[test]
fn results_with_their_codes_and_words() {
    use GameEndReason::{
        AbortAgreement, AbortCourtesy, AbortMove1, AbortShutdown, AdjournAgreement, AdjournDisconnect, Agreement,
        BothTime, Disconnect, Fifty, Mate, Material, Partner, Repetition, Resign, Stalemate, Time, TimeMaterial,
        Unknown,
    };
    let cases = [
        ("Mat 1-0 {}", "1-0", Mate),
        ("Res 0-1 {}", "0-1", Resign),
        ("Fla 1-0 {}", "1-0", Time),
        ("BQ 1-0 {}", "1-0", Disconnect),
        ("Agr 1/2-1/2 {}", "1/2-1/2", Agreement),
        ("Sta 1/2-1/2 {}", "1/2-1/2", Stalemate),
        ("Rep 1/2-1/2 {}", "1/2-1/2", Repetition),
        ("50 1/2-1/2 {}", "1/2-1/2", Fifty),
        ("TM 1/2-1/2 {}", "1/2-1/2", TimeMaterial),
        ("NM 1/2-1/2 {}", "1/2-1/2", Material),
        ("NT 1/2-1/2 {}", "1/2-1/2", BothTime),
        ("Agr aborted {}", "*", AbortAgreement),
        ("Sho aborted {}", "*", AbortMove1),
        ("SD aborted {}", "*", AbortShutdown),
        ("BA aborted {}", "*", AbortCourtesy),
        ("Agr * {}", "*", AdjournAgreement),
        ("BQ * {}", "*", AdjournDisconnect),
        ("Xyz 1-0 {}", "1-0", Unknown),
        // The words know more than the code.
        ("Res 0-1 {White's partner resigns}", "0-1", Partner),
        ("Xyz 0-1 {White forfeits on time}", "0-1", Time),
    ];
    for (end, result, reason) in cases {
        let said = messages(&[OBSERVED, &format!("16 464 0 {end} {{B00}}")]);
        let Some(Message::GameEnded(ended)) = said.last() else { panic!("{said:?}") };
        assert_eq!((ended.result.as_str(), ended.reason), (result, reason), "{end}");
        assert_eq!((ended.white.as_str(), ended.black.as_str(), ended.lives_on), ("Mashin", "khallod", false));
    }
    let Message::GameEnded(unknown) = message("13 9 1 Mat 1-0 {Black checkmated} {C20}") else { panic!() };
    assert!(unknown.white.as_str().is_empty() && unknown.lives_on);
    assert!(matches!(message("13 9 1 Mat 2-0 {} {}"), Message::Datagram(_)));
}

// Rules: icc §7
#[test]
fn reasons_why_a_move_is_illegal() {
    for code in 1..=11 {
        let want = match code {
            1 => Refusal::AmbiguousMove,
            4 => Refusal::NotYourMove,
            _ => Refusal::IllegalMove,
        };
        let said = message(&format!("42 7 e5 {code}"));
        assert!(matches!(&said, Message::Refused(refusal) if **refusal == want), "{code}: {said:?}");
    }
}

// Rules: icc §8
#[test]
fn offers_in_a_game_are_reported_once() {
    let said = messages(&[
        "0 Mashin {}",
        OBSERVED,
        "21 464 1 0 0 0 0 0 0 0",
        "21 464 1 0 0 1 0 0 0 3",
        "24 464 e4 e2e4 1 59",
        "24 464 e5 e7e5 1 59",
        "21 464 1 0 0 0 0 0 0 0",
        "21 464 0 0 0 0 0 0 0 0",
    ]);
    let offers: Vec<_> = said
        .iter()
        .filter_map(|message| match message {
            Message::Offer(offer) => {
                let from = offer.from.as_ref().unwrap().as_str();
                Some((offer.game.unwrap().0, from, offer.kind, offer.count, offer.actor))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        offers,
        [
            (464, "Mashin", OfferKind::Draw, None, MeOrOther::Other),
            (464, "khallod", OfferKind::Adjourn, None, MeOrOther::Other),
            (464, "khallod", OfferKind::Takeback, Some(3), MeOrOther::Other),
            (464, "Mashin", OfferKind::Draw, None, MeOrOther::Other),
        ]
    );
    assert!(matches!(said.last(), Some(Message::Datagram(_))));
    let mine = messages(&["0 Foo {}", "15 7 Foo Bar 0 Blitz 0 5 3 5 3 1", "21 7 1 1 0 0 0 0 0 0"]);
    let [.., Message::Offer(first), Message::Offer(second)] = &mine[..] else { panic!("{mine:?}") };
    assert_eq!((first.actor, first.game, first.from.as_ref()), (MeOrOther::Me, None, None));
    assert_eq!((second.actor, second.from.as_ref().unwrap().as_str()), (MeOrOther::Other, "Bar"));
}

// Rules: icc §8
#[test]
fn a_datagram_that_does_not_parse_changes_no_stored_offer() {
    let said = messages(&["0 Foo {}", OBSERVED, "21 464 1 0 0 0 0 0 0 x", "21 464 1 0 0 0 0 0 0 0"]);
    assert!(matches!(said[..], [.., Message::Datagram(_), Message::Offer(_)]), "{said:?}");
    // The second move makes an offer void; one without a notation is none.
    let said = messages(&[
        "0 Foo {}",
        OBSERVED,
        "21 464 1 0 0 0 0 0 0 0",
        "24 464",
        "24 464 e4 e2e4 1 59",
        "21 464 1 0 0 0 0 0 0 0",
    ]);
    assert!(matches!(said.last(), Some(Message::Datagram(_))), "the offer is still the old one: {said:?}");
}

// Rules: icc §8
#[test]
fn at_the_limit_of_games_the_own_one_stays() {
    let foreign = |game: u32| format!("12 {game} A B 0 Blitz 0 5 3 5 3 1");
    let mut units = vec!["0 Foo {}".to_owned(), "15 1 Foo Bar 0 Blitz 0 5 3 5 3 1".to_owned()];
    units.extend((2..2100).map(foreign));
    units.push("21 1 0 1 0 0 0 0 0 0".to_owned());
    units.push("21 2 0 1 0 0 0 0 0 0".to_owned());
    let said = messages(&units.iter().map(String::as_str).collect::<Vec<_>>());
    let [.., Message::Offer(offer), Message::Datagram(_)] = &said[..] else { panic!("{:?}", &said[said.len() - 2..]) };
    assert_eq!(offer.from.as_ref().unwrap().as_str(), "Bar");
}

// Rules: icc §8
#[test]
fn offers_to_play() {
    let Message::Challenge(challenge) = message("29 Foo 1500 1 {C} Bar 1671 2 {} 22 Blitz 1 0 5 3 4 2 0 {}") else {
        panic!()
    };
    assert_eq!((challenge.from.as_str(), challenge.from_rating.to_string()), ("Foo", "1500P".to_owned()));
    assert_eq!((challenge.to.as_str(), challenge.to_rating.to_string()), ("Bar", "1671".to_owned()));
    assert_eq!((challenge.from_color, challenge.rated, challenge.adjourned), (Some(Color::Black), true, false));
    assert_eq!((challenge.initial_min, challenge.increment_s), (Some(4), Some(2)));
    assert_eq!((challenge.black_initial_min, challenge.black_increment_s), (Some(5), Some(3)));
    assert_eq!((challenge.actor, challenge.loaded_from.as_ref().unwrap().as_str()), (MeOrOther::Other, "w22"));
    // With the assessment behind the color.
    let said = messages(&["0 Foo {}", "29 Foo 0 0 {} Bar 1671 2 {} 0 Blitz 0 0 5 0 5 0 -1 -8 0 8 {}"]);
    let Message::Challenge(challenge) = &said[1] else { panic!("{said:?}") };
    assert_eq!((challenge.actor, challenge.from_rating, challenge.from_color), (MeOrOther::Me, Rating::Unrated, None));
    assert_eq!((challenge.black_initial_min, challenge.loaded_from.as_ref()), (None, None));
    let said = messages(&["0 Foo {}", "30 Foo Bar ^{gone^}", "30 Bar Foo ^{^}"]);
    for (message, actor) in said[1..].iter().zip([MeOrOther::Me, MeOrOther::Other]) {
        let Message::ChallengeUpdate(update) = message else { panic!("{message:?}") };
        assert_eq!((update.actor, update.name.as_ref().unwrap().as_str()), (actor, "Bar"));
        assert_eq!(update.change, ChallengeChange::Removed);
    }
}

// Rules: icc §8, bugs 90
#[test]
fn ads_come_and_go_known_or_not() {
    let Message::Seek(seek) = message("50 195 Tinker {C} 2402 2 0 Blitz 5 3 1 -1 0 9999 1 1 {}") else { panic!() };
    assert_eq!((seek.index, seek.name.as_str(), seek.titles.to_string()), (195, "Tinker", "(C)".to_owned()));
    assert_eq!((seek.rating, seek.color), (Some(Rating::Established(2402)), None));
    assert_eq!((seek.initial_min, seek.increment_s, seek.rated), (Some(5), Some(3), Some(true)));
    assert_eq!((seek.rating_min, seek.rating_max), (Some(0), Some(9999)));
    assert_eq!((seek.automatic, seek.formula, seek.kind.as_ref().unwrap().as_str()), (Some(true), Some(true), "Blitz"));
    let Message::SeeksRemoved(removed) = message("51 999 2") else { panic!() };
    assert_eq!(removed.indexes, [999]);
}

// Rules: icc M1, icc M2, bugs 82
#[test]
fn moves_with_any_parts_switched_on() {
    let sent = |san: Option<&str>, smith: Option<&str>, taken_s, clock_s, variation| {
        let word = |word: &str| ServerText::from_wire(word.as_bytes());
        DatagramMove { san: san.map(word), smith: smith.map(word), taken_s, clock_s, variation }
    };
    let cases = [
        ("Nf3 g1f3 2 58", sent(Some("Nf3"), Some("g1f3"), Some(2), Some(58), None)),
        ("Nf3 g1f3 2 -1 1", sent(Some("Nf3"), Some("g1f3"), Some(2), Some(-1), Some(1))),
        ("Nf3 g1f3", sent(Some("Nf3"), Some("g1f3"), None, None, None)),
        ("g1f3 2 58", sent(None, Some("g1f3"), Some(2), Some(58), None)),
        ("O-O 2 58", sent(Some("O-O"), None, Some(2), Some(58), None)),
        ("Q@f7+ Q@f7+ 2 58 3 new", sent(Some("Q@f7+"), Some("Q@f7+"), Some(2), Some(58), Some(3))),
        ("? ?xb1 0 60", sent(Some("?"), Some("?xb1"), Some(0), Some(60), None)),
        ("Nf3 g1f3 58", sent(Some("Nf3"), Some("g1f3"), None, None, None)),
    ];
    for (parts, want) in cases {
        let Message::GameUpdate(update) = message(&format!("24 464 {parts}")) else { panic!("{parts}") };
        assert_eq!((update.game, update.action.clone()), (GameId(464), GameUpdateKind::Move(want.clone())), "{parts}");
        let Message::GameUpdate(update) = message(&format!("111 464 {parts}")) else { panic!("{parts}") };
        assert_eq!(update.action, GameUpdateKind::PastMove(want), "{parts}");
    }
    assert!(matches!(message("24 464"), Message::Datagram(_)));
    let Message::GameUpdate(list) = message("25 464 *{g3 g2g3 1 59}{d5 d7d5 0 60}") else { panic!() };
    let GameUpdateKind::MoveList { start: None, moves } = &list.action else { panic!() };
    assert_eq!(moves.iter().map(|sent| sent.smith.as_ref().unwrap().as_str()).collect::<Vec<_>>(), ["g2g3", "d7d5"]);
    let Message::GameUpdate(list) = message(&format!("25 464 {}", "-".repeat(63) + "K")) else { panic!() };
    assert!(matches!(&list.action, GameUpdateKind::MoveList { start: Some(board), moves } if moves.is_empty()
        && board.find_king(Color::White).unwrap().to_string() == "h1"));
    assert!(matches!(message("25 464 rnbq"), Message::Datagram(_)));
}

// Rules: icc §8
#[test]
fn clocks_drawings_and_the_rest_of_a_board() {
    let square = |name: &str| name.parse::<Square>().unwrap();
    let action = |unit: &str| match message(unit) {
        Message::GameUpdate(update) if update.game.0 == 7 => update.action.clone(),
        other => panic!("{unit}: {other:?}"),
    };
    let ms = ClockReading::from_ms;
    assert_eq!(
        action("56 7 1 -2500 1 0 0"),
        GameUpdateKind::Clock { color: Color::White, reading: ms(-2500), is_running: true }
    );
    assert_eq!(
        action("56 7 B 2500 0"),
        GameUpdateKind::Clock { color: Color::Black, reading: ms(2500), is_running: false }
    );
    assert_eq!(action("38 7 60 -1"), GameUpdateKind::Clocks { white: ms(60_000), black: ms(-1000) });
    assert_eq!(action("22 7 2"), GameUpdateKind::TookBack { plies: 2 });
    assert_eq!(action("23 7 4"), GameUpdateKind::WentBack { plies: 4 });
    assert_eq!(action("39 7 1"), GameUpdateKind::Flip(true));
    assert_eq!(action("101 7 {} 0"), GameUpdateKind::Position { fen: Fen::START, n_moves: 0 });
    assert_eq!(action("110 7 * 3"), GameUpdateKind::Position { fen: Fen::START, n_moves: 3 });
    assert_eq!(
        action("70 7 {8/8/8/8/8/8/8/8 b - - 3 9}"),
        GameUpdateKind::Fen("8/8/8/8/8/8/8/8 b - - 3 9".parse().unwrap())
    );
    let empty = GameUpdateKind::Board { board: Board::EMPTY, side_to_move: Color::Black };
    assert_eq!(action(&format!("84 7 {} b", "-".repeat(64))), empty);
    for (symbol, role) in [
        ("O", MyGameRole::Observer),
        ("PB", MyGameRole::Player(Color::Black)),
        ("SW", MyGameRole::SimulGiver(Color::White)),
        ("E", MyGameRole::Examiner),
        ("X", MyGameRole::Gone),
    ] {
        assert_eq!(action(&format!("43 7 {symbol}")), GameUpdateKind::Role(role));
    }
    for (unit, from, to, is_drawn) in [
        ("59 7 Foo e4", square("e4"), None, true),
        ("89 7 Foo e4", square("e4"), None, false),
        ("60 7 Foo e2 e4", square("e2"), Some(square("e4")), true),
        ("90 7 Foo e2 e4", square("e2"), Some(square("e4")), false),
    ] {
        let Message::Mark(mark) = message(unit) else { panic!("{unit}") };
        assert_eq!(
            (mark.game.0, mark.by.as_str(), mark.from, mark.to, mark.is_drawn),
            (7, "Foo", from, to, is_drawn),
            "{unit}"
        );
    }
    let Message::Holding(holding) = message("37 7 {PNb} {}") else { panic!() };
    assert_eq!((holding.white_letters.as_str(), holding.black_letters.as_str()), ("PNB", ""));
}

#[test]
fn secrets_are_not_stored() {
    for unit in ["114 hunter2 Foo", "93 hunter2", "134 hunter2 {hunter2} {}"] {
        let stream = format!("\x19({unit}\x19)");
        let mut reader = MessageReader::default();
        let received = reader.next(&mut stream.as_bytes()).unwrap();
        assert!(!format!("{received:?}").contains("hunter2"), "{received:?}");
        assert!(received.raw().is_empty() && received.datagram().is_none() && received.is_datagram());
        assert!(!format!("{:?}", Datagram::parse(unit.as_bytes())).contains("hunter2"));
    }
}

#[test]
fn a_message_has_the_datagram_it_came_in() {
    let mut reader = MessageReader::default();
    let mut rest = &b"\x19(69 11 {Wrong, {} try again}\x19)\nFoo shouts: hi\n"[..];
    let refused = reader.next(&mut rest).unwrap();
    assert_eq!(refused.datagram().unwrap().argument("code").unwrap().as_str(), "11");
    assert_eq!(refused.raw(), b"69 11 {Wrong, {} try again}");
    assert_eq!(reader.next(&mut rest).unwrap().datagram(), None);
}

proptest! {
    #[test]
    fn a_usual_move_is_that_of_the_table(
        words in prop::collection::vec("e4|Nf3|e2e4|g1f3|a7b8nQ|-?[0-9]{1,11}|-|\\{x\\}|[ -~]{0,3}", 4..8),
    ) {
        let unit = format!("24 {}", words.join(" "));
        let (mut known, mut other) = (EarlierDatagrams::default(), EarlierDatagrams::default());
        if let Some(found) = boards::parse_usual_move(unit.as_bytes(), &mut known) {
            let (number, at) = split_number(unit.as_bytes()).unwrap();
            let kind = DatagramKind::by_number(number).unwrap();
            let want = kind.parse(at.rest(), &mut other).unwrap();
            prop_assert_eq!(&[Message::from(found)], want.as_slice());
        }
    }

    #[test]
    fn a_move_with_all_parts_is_usual(game in 0..5000_i32, taken in 0..900_u32, clock in -9..9000_i32, variation in 0..3_u8) {
        for unit in [format!("24 {game} e4 e2e4 {taken} {clock}"), format!("24 {game} e4 e2e4 {taken} {clock} {variation}")] {
            prop_assert!(boards::parse_usual_move(unit.as_bytes(), &mut EarlierDatagrams::default()).is_some());
        }
    }
}
