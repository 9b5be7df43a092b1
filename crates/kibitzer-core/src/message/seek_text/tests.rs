use proptest::prelude::*;

use super::*;
use crate::chess::Color;
use crate::message::Message;
use crate::message::dispatch::parse_sentence;
use crate::message::seek::tests::sample;

fn parse_notice(line: &[u8]) -> Option<SeekNotice> {
    match parse_sentence(line)? {
        Message::SeekNotice(found) => Some(SeekNotice::clone(&found)),
        _ => None,
    }
}

fn ad(index: u32, name: &str, rating: Option<Rating>, times: Option<(u16, u16)>, rated: bool, kind: &str) -> Seek {
    Seek {
        index,
        name: Handle::from_wire(name.as_bytes()),
        titles: Titles::default(),
        rating,
        initial_min: times.map(|t| t.0),
        increment_s: times.map(|t| t.1),
        rated: Some(rated),
        kind: Some(ServerText::from_wire(kind.as_bytes())),
        rating_min: None,
        rating_max: None,
        new: true,
        ..sample()
    }
}

const fn rated(value: u16) -> Rating {
    Rating::Established(value)
}

#[test]
fn ads_in_the_order_of_each_server() {
    let full = Seek {
        titles: Titles::from_seekinfo_bits(2),
        color: Some(Color::White),
        automatic: Some(false),
        formula: Some(true),
        ..ad(48, "Foo", Some(rated(886)), Some((2, 12)), true, "blitz")
    };
    let crazyhouse = Seek {
        color: Some(Color::Black),
        automatic: Some(false),
        ..ad(5, "Alekhine", Some(rated(1558)), Some((3, 0)), true, "blitz crazyhouse")
    };
    let ranged = Seek {
        rating_min: Some(1300),
        rating_max: Some(1600),
        ..ad(17, "Foo", Some(rated(1449)), Some((5, 0)), true, "blitz")
    };
    let cases: &[(&str, &str, Seek)] = &[
        ("FICS", "Foo(C) ( 886) seeking 2 12 rated blitz [white] m f (\"play 48\" to respond)", full.clone()),
        ("FatICS", "Foo(C) (886) seeking 2 12 rated blitz [white] mf (\"play 48\" to respond)", full),
        (
            "captured, two words of type",
            "Alekhine (1558) seeking 3 0 rated blitz crazyhouse [black] m (\"play 5\" to respond)",
            crazyhouse,
        ),
        (
            "captured, guest",
            "GuestSSXE (++++) seeking 2 12 unrated blitz (\"play 6\" to respond)",
            ad(6, "GuestSSXE", Some(Rating::Guest), Some((2, 12)), false, "blitz"),
        ),
        (
            "captured, no rating",
            "Alekhine (----) seeking 9 9 rated standard (\"play 9\" to respond)",
            ad(9, "Alekhine", Some(Rating::Unrated), Some((9, 9)), true, "standard"),
        ),
        (
            "untimed",
            "Foo (1449) seeking unrated untimed (\"play 9\" to respond)",
            ad(9, "Foo", Some(rated(1449)), None, false, "untimed"),
        ),
        ("ICC", "Foo (1449) seeking blitz 5 0 rated 1300-1600 (\"play 17\" to respond)", ranged),
        (
            "ICC, guest, type of two words",
            "guest7 seeking Wild 24 3 0 unrated (\"play 17\" to respond)",
            ad(17, "guest7", None, Some((3, 0)), false, "Wild 24"),
        ),
    ];
    for (name, sent, want) in cases {
        assert_eq!(Seek::parse_text(sent.as_bytes()).as_ref(), Some(want), "{name}");
    }
}

#[test]
fn lines_that_are_not_ads() {
    let cases = [
        "Foo tells you: Bar (1449) seeking 5 0 rated blitz (\"play 17\" to respond)",
        "Foo (1449) seeking 5 0 rated blitz (\"play 17\" to respond) or not",
        "Foo (1449) seeking 5 0 rated blitz",
        "Foo (1449) seeking a friend (\"play 17\" to respond)",
        "Foo (1449) seeking blitz 5 0 rated (\"play Foo\" to respond)",
        "Foo (1449) seeking 5 0 rated a b c d e f g h i j k l m n o p (\"play 17\" to respond)",
        "",
    ];
    for sent in cases {
        assert_eq!(Seek::parse_text(sent.as_bytes()), None, "{sent}");
    }
}

// Rules: datagrams S6
#[test]
fn notices_about_own_ads() {
    let cases: &[(&str, Option<SeekNotice>)] = &[
        ("Your seek has been posted with index 121.", Some(SeekNotice::Posted { index: 121 })),
        ("(1 player saw the seek.)", Some(SeekNotice::Seen { players: 1 })),
        ("(4 players saw the seek.)", Some(SeekNotice::Seen { players: 4 })),
        ("(5 player(s) saw the seek.)", Some(SeekNotice::Seen { players: 5 })),
        ("Your seeks have been removed.", Some(SeekNotice::Removed)),
        ("You can only have 3 active seeks.", Some(SeekNotice::TooMany { limit: 3 })),
        ("Your seek has been posted with index 121. ", Some(SeekNotice::Posted { index: 121 })),
        ("Your seek has been posted with index 121. Hello", None),
        ("(5 saw the seek.)", None),
        ("", None),
    ];
    for &(sent, want) in cases {
        assert_eq!(parse_notice(sent.as_bytes()), want, "{sent}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_accepted_or_refused_without_panic(
        terms in "([0-9]{1,6}|rated|unrated|m|f|\\[white\\]|[0-9]-[0-9]| ){0,40}",
        bytes in any::<Vec<u8>>(),
    ) {
        let _ = Seek::parse_text(format!("Foo seeking {terms} (\"play 17\" to respond)").as_bytes());
        let _ = (Seek::parse_text(&bytes), parse_notice(&bytes));
    }
}
