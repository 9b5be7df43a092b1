use std::collections::HashSet;

use super::*;

#[test]
fn printed_titles_are_read_again() {
    for sent in ["", "(GM)", "(GM)(*)", "(GM TD)(C)"] {
        assert_eq!(sent.parse::<Titles>().unwrap().to_string(), sent);
    }
    for other in ["GM", "(GM) ", "(UNR)", "(GM"] {
        assert_eq!(other.parse::<Titles>(), Err(ParseError::new("titles are codes in round brackets")), "{other}");
    }
    assert_eq!(Titles::from_seekinfo_bits(0x06).to_string(), "(C)(GM)");
}

#[test]
fn titles_end_where_a_rating_or_a_channel_begins() {
    let cases: &[(&str, &[&str], &str)] = &[
        ("(GM)(*)(50): x", &["GM", "*"], "(50): x"),
        ("(C)( 958)[2]", &["C"], "( 958)[2]"),
        ("(GM TD) x", &["GM", "TD"], " x"),
        ("(UNR)", &[], "(UNR)"),
        ("(1900)", &[], "(1900)"),
        (" shouts", &[], " shouts"),
        ("(TD", &[], "(TD"),
    ];
    for &(sent, want, rest) in cases {
        let mut at = Cursor::new(sent.as_bytes());
        assert_eq!(Titles::read(&mut at).iter().collect::<Vec<_>>(), want, "{sent}");
        assert_eq!(at.rest(), rest.as_bytes(), "{sent}");
    }
}

#[test]
fn title_bits_name_their_titles() {
    assert_eq!(Titles::from_seekinfo_bits(0x06).iter().collect::<Vec<_>>(), ["C", "GM"]);
    assert!(Titles::from_seekinfo_bits(0).is_empty());
}

#[test]
fn a_handle_starts_with_a_letter() {
    assert_eq!(Handle::read(&mut Cursor::new(b"Foo[26]")), Some(&b"Foo"[..]));
    assert_eq!(Handle::read(&mut Cursor::new(b"guest3090 x")), Some(&b"guest3090"[..]));
    assert_eq!(Handle::read(&mut Cursor::new(b"(told Foo)")), None);
    assert!(Handle::is_name(b"Foo"));
    assert!(!Handle::is_name(b"Foo bar") && !Handle::is_name(b""));
}

#[test]
fn a_handle_matches_a_typed_name_regardless_of_case() {
    let handle = Handle::from_wire(b"Foo");
    assert!(handle == "Foo" && handle == "foo" && handle != "foo " && handle == *"Foo");
    let others = ["foo", "FOO", "Foo-", "Fo"].map(|name| Handle::from_wire(name.as_bytes()));
    assert_eq!(others.iter().collect::<HashSet<_>>().len(), 3);
    assert!(others.contains(&handle) && handle < others[2] && handle > others[3]);
    assert_eq!(others[1].as_str(), "FOO", "the spelling is kept");
    assert_eq!(handle.as_ref(), "Foo");
}

#[test]
fn a_typed_name_is_a_handle_if_an_account_can_have_it() {
    for name in ["Foo", "guest3090", "Foo-Bar", "x", &"x".repeat(32)] {
        assert_eq!(name.parse(), Ok(Handle::from_wire(name.as_bytes())));
    }
    let cases = [
        ("", NO_LETTER),
        ("9x", NO_LETTER),
        (" Foo", NO_LETTER),
        ("Foo ", INVALID_CHARACTER),
        ("Foo Bar", INVALID_CHARACTER),
        ("Fo\u{f6}", INVALID_CHARACTER),
        ("Foo\n", INVALID_CHARACTER),
        (&"x".repeat(33), TOO_LONG),
    ];
    for (name, want) in cases {
        assert_eq!(name.parse::<Handle>(), Err(want), "{name:?}");
    }
}
