use proptest::prelude::*;

use super::*;
use crate::message::Message;
use crate::message::dispatch::parse_sentence;
use crate::message::fields::testing::any_rating;

/// An ad with everything as in the help file's sample, for tests to change.
fn sample() -> Seek {
    Seek {
        titles: Titles::from_seekinfo_bits(2),
        rating: Some(Rating::Established(2194)),
        initial_min: Some(4),
        increment_s: Some(0),
        rated: Some(true),
        kind: Some(ServerText::from_wire(b"suicide")),
        color: None,
        rating_min: Some(0),
        rating_max: Some(9999),
        automatic: Some(true),
        formula: Some(false),
        ..Seek::empty(8, Handle::from_wire(b"visar"), false)
    }
}

// Rules: datagrams S1, datagrams S2, bugs 65, bugs 66
#[test]
fn ads_in_every_shape() {
    let alekhine = Seek {
        index: 5,
        name: Handle::from_wire(b"Alekhine"),
        titles: Titles::default(),
        rating: Some(Rating::Established(1558)),
        initial_min: Some(3),
        kind: Some(ServerText::from_wire(b"crazyhouse")),
        color: Some(Color::Black),
        automatic: Some(false),
        ..sample()
    };
    let guest = Seek {
        index: 6,
        name: Handle::from_wire(b"GuestSSXE"),
        titles: Titles::from_seekinfo_bits(1),
        rating: Some(Rating::Established(0)),
        initial_min: Some(2),
        increment_s: Some(12),
        rated: Some(false),
        kind: Some(ServerText::from_wire(b"blitz")),
        ..sample()
    };
    let provisional = Seek { rating: Some(Rating::Provisional(0)), ..guest.clone() };
    let bare = Seek::empty(8, Handle::from_wire(b"visar"), false);
    let cases: &[(&str, &str, Seek)] = &[
        ("help", "<s> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=? rr=0-9999 a=t f=f", sample()),
        ("captured", "<s> 5 w=Alekhine ti=00 rt=1558  t=3 i=0 r=r tp=crazyhouse c=B rr=0-9999 a=f f=f", alekhine),
        ("captured, guest", "<s> 6 w=GuestSSXE ti=01 rt=0  t=2 i=12 r=u tp=blitz c=? rr=0-9999 a=t f=f", guest),
        ("guest with a mark", "<s> 6 w=GuestSSXE ti=01 rt=0P t=2 i=12 r=u tp=blitz c=? rr=0-9999 a=t f=f", provisional),
        (
            "new",
            "<sn> 8 w=visar ti=02 rt=2194  t=4 i=0 r=r tp=suicide c=? rr=0-9999 a=t f=f",
            Seek { new: true, ..sample() },
        ),
        (
            "another order, unknown keys and words",
            "<s> 8 f=f a=t zz=1=2 rr=0-9999 c=? tp=suicide r=r i=0 t=4 rt=2194 word ti=0002 w=visar",
            sample(),
        ),
        ("no keys but the name, an empty value", "<s>8 w=visar rt=", bare),
    ];
    for (name, sent, want) in cases {
        assert_eq!(Seek::parse(sent.as_bytes()).as_ref(), Some(want), "{name}");
    }
    for (name, sent, seek) in &cases[..5] {
        assert_eq!(seek.to_string(), *sent, "{name}");
    }
}

#[test]
fn a_line_with_a_missing_or_wrong_value_is_refused() {
    let cases = [
        "<sx> 8 w=visar",
        "<s>",
        "<s> 8",
        "<s> 8 w=",
        "<s> w=visar",
        "<s> 8 w=visar ti=xx",
        "<s> 8 w=visar rt=21x",
        "<s> 8 w=visar t=70000",
        "<s> 8 w=visar i=-1",
        "<s> 8 w=visar r=x",
        "<s> 8 w=visar c=?W",
        "<s> 8 w=visar rr=0",
        "<s> 8 w=visar a=true",
        "<s> 8 w=visar f=F",
    ];
    for sent in cases {
        assert_eq!(Seek::parse(sent.as_bytes()), None, "{sent}");
    }
}

// Rules: datagrams S5
#[test]
fn an_index_can_be_reused_for_another_ad() {
    let removed = SeeksRemoved::parse(b"<sr> 8").unwrap();
    let again = Seek::parse(b"<sn> 8 w=Foo").unwrap();
    assert!(removed.indexes.contains(&again.index));
    assert_eq!(again, Seek::empty(8, Handle::from_wire(b"Foo"), true));
}

// Rules: datagrams S4
#[test]
fn removals_name_any_numbers_any_number_of_times() {
    let cases: &[(&str, Option<&[u32]>)] = &[
        ("<sr> 8", Some(&[8])),
        ("<sr> 8 9", Some(&[8, 9])),
        ("<sr> 8 9 8 4294967295 1 2 ", Some(&[8, 9, 8, u32::MAX, 1, 2])),
        ("Ads removed: 22 1 119", Some(&[22, 1, 119])),
        ("<sr>", None),
        ("<sr> x", None),
        ("Ads removed: none", None),
    ];
    for &(sent, want) in cases {
        let in_text = || match Message::parse_untagged(sent.as_bytes()) {
            Some(Message::SeeksRemoved(removed)) => Some(SeeksRemoved::clone(&removed)),
            _ => None,
        };
        let read = SeeksRemoved::parse(sent.as_bytes()).or_else(in_text);
        assert_eq!(read.as_ref().map(|r| &r.indexes[..]), want, "{sent}");
    }
}

#[test]
fn clearing_needs_no_more_than_the_tag() {
    assert_eq!(SeeksCleared::parse(b"<sc>"), Some(SeeksCleared));
    assert_eq!(SeeksCleared::parse(b"<sr>"), None);
}

prop_compose! {
    fn any_seek()(
        (index, name, bits, new) in (any::<u32>(), "[A-Za-z]{1,17}", any::<u8>(), any::<bool>()),
        rating in proptest::option::of(any_rating()),
        times in proptest::option::of(any::<(u16, u16)>()),
        kind in proptest::option::of("[a-z/0-9]{1,30}"),
        color in proptest::option::of(prop_oneof![Just(Color::White), Just(Color::Black)]),
        range in proptest::option::of(any::<(u16, u16)>()),
        (rated, automatic, formula) in any::<(Option<bool>, Option<bool>, Option<bool>)>(),
    ) -> Seek {
        Seek {
            titles: Titles::from_seekinfo_bits(bits),
            initial_min: times.map(|t| t.0),
            increment_s: times.map(|t| t.1),
            kind: kind.map(|kind| ServerText::from_wire(kind.as_bytes())),
            rating_min: range.map(|r| r.0),
            rating_max: range.map(|r| r.1),
            rating, rated, color, automatic, formula,
            ..Seek::empty(index, Handle::from_wire(name.as_bytes()), new)
        }
    }
}

proptest! {
    #[test]
    fn a_printed_line_parses_to_the_same_value(value in any_seek()) {
        prop_assert_eq!(Seek::parse(value.to_string().as_bytes()), Some(value));
    }

    #[test]
    fn removals_are_read_back(indexes in proptest::collection::vec(any::<u32>(), 1..20)) {
        let printed = indexes.iter().fold("<sr>".to_owned(), |line, index| format!("{line} {index}"));
        prop_assert_eq!(SeeksRemoved::parse(printed.as_bytes()).unwrap().indexes, indexes);
    }

    #[test]
    fn any_bytes_are_accepted_or_refused_without_panic(line in "<s[nrc]?> ?[0-9]{0,12}( [a-z]{0,2}=?[0-9a-zA-Z?, -]{0,9}){0,9}", bytes in any::<Vec<u8>>()) {
        let _ = (Seek::parse(line.as_bytes()), Seek::parse(&bytes), SeeksRemoved::parse(line.as_bytes()));
    }
}

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
    fn any_terms_are_accepted_or_refused_without_panic(
        terms in "([0-9]{1,6}|rated|unrated|m|f|\\[white\\]|[0-9]-[0-9]| ){0,40}",
        bytes in any::<Vec<u8>>(),
    ) {
        let _ = Seek::parse_text(format!("Foo seeking {terms} (\"play 17\" to respond)").as_bytes());
        let _ = (Seek::parse_text(&bytes), parse_notice(&bytes));
    }
}
