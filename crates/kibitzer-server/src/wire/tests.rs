use super::*;

fn read(chunks: &[&[u8]]) -> Vec<ClientInput> {
    let mut reader = InputReader::default();
    let mut inputs = Vec::new();
    for mut chunk in chunks.iter().copied() {
        while let Some(input) = reader.next(&mut chunk) {
            inputs.push(input);
        }
    }
    inputs
}

fn line(text: &str) -> ClientInput {
    ClientInput::Line(text.as_bytes().to_vec())
}

/// Parses the bytes of fatics-login-twice-telnet, at once and one by one.
#[test]
fn telnet_commands_are_removed_at_any_position() {
    let bytes: &[u8] =
        b"\xff\xfd\x06\xff\xfd\x03\xff\xfb\x18\xff\xfb\x1f\xff\xfd\x01\xff\xf6gu\xff\xfa\x18\x01\xff\xf0est\r\n\
            finger\xff\xfe\x01\r\n\xff\xf4";
    let want = [
        ClientInput::Grant(b"\xff\xfb\x06"),
        ClientInput::Grant(b"\xff\xfb\x03"),
        ClientInput::AreYouThere,
        line("guest"),
        line("finger"),
        ClientInput::Interrupt,
    ];
    assert_eq!(read(&[bytes]), want);
    assert_eq!(read(&bytes.chunks(1).collect::<Vec<_>>()), want);
}

#[test]
fn a_line_ends_in_lf_alone_and_can_be_erased() {
    assert_eq!(
        read(&[b"one\ntwo\r\n\r\nth\rree\nwrong\xff\xf8right\n"]),
        [line("one"), line("two"), line(""), line("th\rree"), line("right"),]
    );
    assert_eq!(read(&[b"\xff\xff\n"]), [ClientInput::Line(vec![0xFF])]);
}

#[test]
fn a_line_over_the_limit_is_cut_and_the_next_one_is_complete() {
    let mut bytes = vec![b'7'; MAX_LINE_BYTES * 3];
    bytes.extend_from_slice(b"\ndate\n");
    assert_eq!(read(&[&bytes]), [ClientInput::TooLong(vec![b'7'; MAX_LINE_BYTES]), line("date")]);
    let erased = [vec![b'7'; MAX_LINE_BYTES * 3], b"\xff\xf8date\n".to_vec()].concat();
    assert_eq!(read(&[&erased]), [line("date")]);
}

fn written(text: &str, width: Option<usize>) -> String {
    let mut out = Vec::new();
    encode_text(text, width, b"\n\r", &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn lines_end_in_lf_cr_and_characters_beyond_ascii_are_entities() {
    assert_eq!(written("caf\u{e9} \u{265e}\n\nfics% ", None), "caf&#xe9; &#x265e;\n\r\n\rfics% ");
}

#[test]
fn each_line_is_wrapped_alone_and_an_entity_counts_as_one_character() {
    assert_eq!(written("\u{e9}\u{e9}\u{e9} \u{e9}\u{e9}\n", Some(7)), "&#xe9;&#xe9;&#xe9; &#xe9;&#xe9;\n\r");
    assert_eq!(written("one two\nthree four\n", Some(9)), "one two\n\rthree \n\r\\   four\n\r");
}

fn wrapped(line: &str, width: usize) -> String {
    let mut out = String::new();
    wrap_line(line, width, &mut out);
    out
}

/// Lines of fatics-talk-mixed-a and -b.
#[test]
fn lines_wrap_like_the_recorded_ones() {
    let board = "<12> rnbqkbnr pppppppp -------- -------- -------- -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 99 Foo Bar 0 \
                     2 12 39 39 120 120 1 none (0:00) none 0 0 0\n";
    assert_eq!(
        wrapped(&format!("Alekhine(53): {board}"), 79),
        "Alekhine(53): <12> rnbqkbnr pppppppp -------- -------- -------- -------- \n\
             \\   PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 99 Foo Bar 0 2 12 39 39 120 120 1 none \n\
             \\   (0:00) none 0 0 0\n"
    );
    assert_eq!(
        wrapped(&format!("Alekhine(1940)[1] kibitzes: {board}"), 79),
        "Alekhine(1940)[1] kibitzes: <12> rnbqkbnr pppppppp -------- -------- -------- \n\
             \\   -------- PPPPPPPP RNBQKBNR W -1 1 1 1 1 0 99 Foo Bar 0 2 12 39 39 120 120 1\n\
             \\    none (0:00) none 0 0 0\n"
    );
    assert_eq!(wrapped("testing it at ten\n", 10), "testing it\n\\    at \n\\   ten\n");
}

#[test]
fn a_long_word_fills_the_line_and_a_full_line_has_an_empty_continuation() {
    assert_eq!(wrapped("ab xxxxxxxxxxxxxxxxxx\n", 10), "ab xxxxxxx\n\\   xxxxxx\n\\   xxxxx\n");
    assert_eq!(wrapped("0123456789\n", 10), "0123456789\n\\   \n");
    assert_eq!(wrapped("012345678\n", 10), "012345678\n");
}
