mod chain;

use super::*;

#[test]
fn text_of_any_length_is_stored() {
    for sent in ["", "e4", "Abcdefghijklmnopqrstuvw", "Abcdefghijklmnopqrstuvwx", "&#x3b1;"] {
        assert_eq!(ServerText::from_wire(sent.as_bytes()).as_str(), decode_received(sent.as_bytes()), "{sent}");
    }
    assert_eq!(ServerText::from_wire(b"caf\xe9").as_str(), "café");
    assert_eq!(size_of::<ServerText>(), 24);
}

// Rules: transport C1
#[test]
fn c1_bytes_are_utf_8_where_it_is_valid_otherwise_latin_1() {
    let cases: [(&[u8], &str, &str); 7] = [
        (b"caf\xe9", "café", "café"),
        (b"caf\xc3\xa9", "café", "cafÃ©"),
        ("Шахматы ♞ 😀".as_bytes(), "Шахматы ♞ 😀", "Ð¨Ð°Ñ\u{85}Ð¼Ð°Ñ\u{82}Ñ\u{8b} â\u{99}\u{9e} ð\u{9f}\u{98}\u{80}"),
        (b"caf\xc3\xa9 caf\xe9", "café café", "cafÃ© café"),
        (b"cut \xe2\x99", "cut â\u{99}", "cut â\u{99}"),
        (b"overlong \xc0\xaf", "overlong À¯", "overlong À¯"),
        (b"\xfb\xfc\xfd &#xe9;", "ûüý é", "ûüý é"),
    ];
    for (sent, want, latin_1) in cases {
        assert_eq!(decode_received(sent), want);
        assert_eq!(Line::from(sent).to_text(), want);
        assert_eq!(decode_received(&hide_utf8(sent)), latin_1, "{want}");
    }
}

#[test]
fn encoded_text_is_decoded_to_itself() {
    for text in ["é", "Ã©", "\u{9b}2J", "Ã\u{85}", "\u{c2}\u{80}", "♞\n\u{7f}", "plain"] {
        assert_eq!(decode_received(&encode_as_received(text)), text);
    }
    assert_eq!(
        decode_entities_outside_ascii("tell Foo caf&#xe9; &#x41; &#xa; & &#x265e;"),
        "tell Foo café &#x41; &#xa; & ♞"
    );
}

// Rules: transport C2
#[test]
fn c2_entities_in_any_case_and_length() {
    let cases = [
        ("&#x41;", "A"),
        ("a&#x265A;b", "a♚b"),
        ("&#x265a;&#x265a;", "♚♚"),
        ("&#x1F600;", "😀"),
        ("&#x110000;", "&#x110000;"),
        ("&#xd800;", "&#xd800;"),
        ("&#x41", "&#x41"),
        ("&#x1000041;", "&#x1000041;"),
        ("&#x;", "&#x;"),
        ("&#x4 1;", "&#x4 1;"),
        ("&#65;", "&#65;"),
        ("&#&#x41;", "&#A"),
        ("&#x+41;", "&#x+41;"),
    ];
    for (sent, want) in cases {
        assert_eq!(decode_received(sent.as_bytes()), want, "{sent}");
    }
}

// Rules: transport C3
#[test]
fn c3_no_entity_becomes_a_control_character() {
    for sent in ["&#xa;", "&#x7;", "&#x1b;", "&#x0;", "&#x7f;", "&#x85;"] {
        assert_eq!(decode_received(sent.as_bytes()), sent);
    }
}

// Rules: transport C2
#[test]
fn c2_encoded_text_decodes_to_itself() {
    assert_eq!(encode_ascii("plain"), "plain");
    assert_eq!(encode_ascii("é♚"), "&#xe9;&#x265a;");
    assert_eq!(decode_received(encode_ascii("é♚ &x").as_bytes()), "é♚ &x");
}

#[test]
fn texts_compare_with_literals() {
    let (text, kind) = (PlayerText::from_wire(b"hi"), ServerText::from_wire(b"wild/5"));
    assert!(text == "hi" && text != *"Hi" && kind == *"wild/5" && kind != "wild");
    assert_eq!((text.as_ref(), kind.to_string()), ("hi", "wild/5".into()));
}

#[test]
fn letters_become_upper_case() {
    for sent in [&b"PNB"[..], b"pNb"] {
        assert_eq!(ServerText::from_wire_uppercase(sent).as_str(), "PNB");
    }
}
