use proptest::prelude::*;

use super::*;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

/// Text, time, offset, and the line.
const LINES: &[(&[u8], u64, u8, &str)] = &[
    (b"hi", 1_234_567, 0, "c560bab4a6a7b5bfa698918e800a"),
    (b"e4", 10, 49, "7fc0b8bcb4caa5b1bcc871adb10a"),
    (b"\x029", 6_400_000, 0, "c5b0bdb3a3a4b1b9a09891a4800a"),
    (
        b"TIMESTAMP|nobody|console|",
        0,
        0,
        "9b8071809e80809e80cda6728c8c9cb0ae75beb2a3a4a1a2a1cabedea3b0bcbcb4b4717e800a",
    ),
    (
        b"TIMESEAL2|nobody|console|",
        42,
        7,
        "6299bccd6a6c62607bcd78c5abbfafb4ae737d7374766d6fbcddb572b3a871b1b4baa375870a",
    ),
];

// Rules: transport S1, transport S3
#[test]
fn the_known_lines_are_made_and_read() {
    for &(text, time_ms, offset, line) in LINES {
        let sealed = seal_text(text, time_ms, offset);
        assert_eq!(hex(&sealed), line);
        let want = Some(Unsealed { text: text.to_vec(), time_ms });
        assert_eq!(unseal(&sealed), want, "{line}");
        assert_eq!(unseal(&sealed[..sealed.len() - 1]), want, "{line} without its line end");
    }
}

// Rules: transport S1
#[test]
fn s1_each_version_has_its_hello() {
    assert_eq!(seal_hello(Timeseal::Off, 7), None);
    for (version, want) in
        [(Timeseal::V1, &b"TIMESTAMP|nobody|kibitzer|"[..]), (Timeseal::V2, b"TIMESEAL2|nobody|kibitzer|")]
    {
        let hello = unseal(&seal_hello(version, 7).unwrap()).unwrap();
        assert_eq!((hello.text.as_slice(), hello.time_ms), (want, 7));
        assert_eq!(hello.hello_version(), Some(version));
    }
    for other in [&b"TIMESTAMP3|x|"[..], b"ZIPSEAL|1|0|", b"guest", b""] {
        assert_eq!(unseal(&seal_text(other, 0, 0)).unwrap().hello_version(), None);
    }
}

// Rules: transport S3
#[test]
fn s3_the_answer_to_a_ping_carries_the_time() {
    let answer = unseal(&seal_ping_answer(6_400_000)).unwrap();
    assert!(answer.is_ping_answer());
    assert_eq!(answer.time_ms, 6_400_000);
    assert_eq!(hex(&seal_ping_answer(6_400_000)), "c5b0bdb3a3a4b1b9a09891a4800a");
    assert!(!unseal(&seal_line(b"9", 0).unwrap()).unwrap().is_ping_answer());
}

// Rules: transport L2, bugs 15, bugs 16
#[test]
fn a_line_is_printable_ascii_and_nothing_else() {
    for text in ["a\r", "a\nb", "\0", "\x18", "\x19", "\x02", "\t", "\x7f", "é"] {
        assert_eq!(seal_line(text.as_bytes(), 0), None, "{text:?}");
        let escaped = crate::text::encode_ascii(text);
        assert_eq!(unseal(&seal_line(escaped.as_bytes(), 0).unwrap()).unwrap().text, escaped.as_bytes());
    }
    assert_eq!(unseal(&seal_line(b"", 3).unwrap()).unwrap(), Unsealed { text: vec![], time_ms: 3 });
}

#[test]
fn the_clock_starts_anew_at_ten_million() {
    for (time_ms, want) in [(9_999_999, 9_999_999), (10_000_000, 0), (u64::MAX, u64::MAX % 10_000_000)] {
        assert_eq!(unseal(&seal_line(b"e4", time_ms).unwrap()).unwrap().time_ms, want);
    }
}

#[test]
fn a_line_without_one_part_is_refused() {
    let sealed = |text: &[u8]| {
        let mut bytes = text.to_vec();
        bytes.resize(text.len().next_multiple_of(BLOCK_BYTES), FILLER);
        swap_within_blocks(&mut bytes);
        bytes.iter_mut().zip(key_from(0)).for_each(|(byte, key)| *byte = (*byte ^ key | TOP_BIT).wrapping_sub(SHIFT));
        [bytes.as_slice(), b"\x80\n"].concat()
    };
    let cases: &[(&str, Vec<u8>)] = &[
        ("nothing", b"".to_vec()),
        ("an empty line", b"\n".to_vec()),
        ("an unsealed line", b"unsealed line\n".to_vec()),
        ("an unsealed line of another length", b"guest\n".to_vec()),
        ("an offset alone", b"\x80\n".to_vec()),
        ("no end of the text", sealed(b"hi")),
        ("no end of the time", sealed(b"hi\x1812345")),
        ("no digit", sealed(b"hi\x18\x19")),
        ("no number", sealed(b"hi\x1812a\x19")),
        ("too large a number", sealed(b"hi\x1899999999999999999999999\x19")),
    ];
    for (name, line) in cases {
        assert_eq!(unseal(line), None, "{name}");
    }
    assert_eq!(unseal(&sealed(b"hi\x1812\x19")).unwrap().time_ms, 12, "the cases differ from a good line by one thing");
}

proptest! {
    // Rules: transport L2
    #[test]
    fn encoded_lines_can_be_decoded(text in "[ -~]{0,60}", time_ms in 0..Unsealed::TIME_MODULUS_MS, offset in 0..50_u8) {
        let line = seal_text(text.as_bytes(), time_ms, offset);
        prop_assert_eq!(line.len() % BLOCK_BYTES, 2);
        prop_assert_eq!(line.iter().filter(|&&byte| byte == b'\n' || byte == b'\r').count(), 1);
        prop_assert_eq!(unseal(&line), Some(Unsealed { text: text.into_bytes(), time_ms }));
    }

    #[test]
    fn any_bytes_are_accepted_or_refused_without_panic(line in proptest::collection::vec(any::<u8>(), 0..80)) {
        if let Some(unsealed) = unseal(&line) {
            prop_assert!(unsealed.text.len() < line.len() && unsealed.text.is_ascii());
        }
    }

    /// Any bytes whose length and last byte fit, so that the rest is looked at.
    #[test]
    fn any_bytes_of_the_right_length_are_decoded_without_panic(body in proptest::collection::vec(any::<[u8; 12]>(), 0..5), offset in 0x80_u8..) {
        let line = [body.as_flattened(), &[offset]].concat();
        if let Some(unsealed) = unseal(&line) {
            prop_assert!(unsealed.text.len() < line.len() && unsealed.text.is_ascii());
        }
    }
}
