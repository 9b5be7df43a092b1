use kibitzer::core::EventReader;

use super::*;

/// Names and bytes of the fields of the last frame.
fn named(stream: &[u8]) -> Vec<(String, Vec<u8>)> {
    let (mut reader, mut input) = (EventReader::default(), stream);
    let events = std::iter::from_fn(|| reader.next(&mut input));
    let event = events.filter(|event| matches!(event, Event::Received { .. })).last().unwrap();
    let Event::Received { received, .. } = &event else { panic!() };
    let place = |at| usize::try_from(at).unwrap();
    let frame = &stream[place(received.offset)..place(received.end())];
    fields_of_frame(&event, frame).into_iter().map(|field| (field.name, frame[field.in_frame].to_vec())).collect()
}

fn assert_named(stream: &[u8], want: &[(&str, &[u8])]) {
    let named = named(stream);
    let named: Vec<_> = named.iter().map(|(name, bytes)| (name.as_str(), &bytes[..])).collect();
    assert_eq!(named, want, "{}", stream.escape_ascii());
}

const BOARD: &str = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 0 1 0 4 107 Euwe \
                         Flohr 0 2 12 39 38 120000 119000 7 P/e2-e4 (0:01.500) e4 0 1 304";

#[test]
fn fields_of_a_board_have_the_numbers_and_words_of_the_documentation() {
    let named = named(format!("fics% {BOARD}\n\rfics% ").replace("fics% ", "").as_bytes());
    assert_eq!(named.len(), 33);
    for (number, name, bytes) in [
        (0, "tag", "<12>"),
        (1, "rank 8", "rnbqkbnr"),
        (14, "Black may castle long", "0"),
        (16, "game", "107"),
        (24, "White's clock", "120000"),
        (32, "lag, ms", "304"),
    ] {
        assert_eq!(named[number], (format!("{name} (field {number})"), bytes.as_bytes().to_vec()));
    }
    let document = include_str!("../../../../../../docs/protocol.md");
    for (number, name) in STYLE12.split('|').enumerate() {
        assert!(document.contains(&format!("| {number} | {name} |")), "{number} {name}");
    }
    for name in DELTA.iter().chain(&HOLDING).filter(|name| !name.is_empty()) {
        assert!(document.contains(name), "{name}");
    }
}

#[test]
fn fields_are_found_in_bytes_that_framing_changes() {
    let wrapped = BOARD.replacen("107 Euwe", "107\n\r\\   Euwe", 1).replacen("Flohr", "Fl\u{1}\u{2}ohr", 1);
    // A telnet command inside a name.
    let wrapped: Vec<u8> = wrapped
        .bytes()
        .map(|byte| match byte {
            1 => 0xFF,
            2 => 0xF9,
            byte => byte,
        })
        .collect();
    let named = named(&[&wrapped[..], b"\n\rx"].concat());
    assert_eq!(named[16].1, b"107");
    assert_eq!(named[17].1, b"Euwe");
    assert_eq!(named[18].1, b"Fl\xff\xf9ohr");
    assert_eq!(named[32].1, b"304");
}

#[test]
fn fields_of_other_frames() {
    assert_named(b"fics% ", &[("prompt", b"fics% ")]);
    assert_named(b"\xff\xfb\x01", &[("telnet", b"\xff\xfb\x01")]);
    assert_named(
        b"Foo(C)(TM) tells you: hi \xff\xff&#65;\n\rx",
        &[("speaker", b"Foo"), ("titles", b"(C)(TM)"), ("text", b"hi \xff\xff&#65;")],
    );
    assert_named(b":from a robot\n\rx", &[("text", b"from a robot")]);
    let delta: &[(&str, &[u8])] = &[
        ("tag", b"<d1>"),
        ("game", b"399"),
        ("plies", b"10"),
        ("pretty move", b"O-O"),
        ("Smith notation", b"e8g8c"),
        ("elapsed time, ms", b"922"),
        ("mover's clock, ms", b"168890"),
        ("lag, ms", b"207"),
    ];
    assert_named(b"<d1> 399 10 O-O e8g8c 922 168890 207\n\rx", delta);
    let holding: &[(&str, &[u8])] = &[
        ("tag", b"<b1>"),
        ("game", b"52"),
        ("White's reserve", b"[NB]"),
        ("Black's reserve", b"[]"),
        ("piece added", b"BN"),
    ];
    assert_named(b"<b1> game 52 white [NB] black [] <- BN\n\rx", holding);
    assert_named(b"Something else.\n\rx", &[("line", b"Something else.")]);
}

#[test]
fn bytes_that_do_not_contain_the_line_have_no_origins() {
    assert_eq!(positions_in_frame(b"abc", b"a\x07b"), None);
    assert_eq!(positions_in_frame(b"x[", b"\x1b[1;2mx["), Some(vec![6, 7]));
    assert_eq!(positions_in_frame(b"ab", b"a[G]\0b"), Some(vec![0, 5]));
    assert_eq!(positions_in_frame(b"a", b"\x1b["), None);
}
