//! What holds for the parsers of all texts.

use proptest::prelude::*;

use super::template::{match_template, read_game_line_head};
use super::*;
use crate::scan::Cursor;

/// What parsers look for at the start and the end of a line: with that given, whatever stands between gets far.
const FRAMES: &[(&str, &str)] = &[
    ("", ""),
    ("Game 3: Foo requests to ", "."),
    ("You are now ", ""),
    ("{Game 3 (A vs. B) ", "} *"),
    ("{Game 3 (A vs. B) Cr", " match.}"),
    ("{Game 1 (", ""),
    ("Creating: ", ""),
    ("Your partner is playing game ", ""),
    ("Game 29: Foo backs up ", ""),
    ("Challenge: A (1) B (2) rated ", "."),
    ("Foo, who was ", "."),
    ("[", ""),
    (":Notification: ", ""),
    ("Notification: Foo", ""),
    ("**** ", ""),
    ("**** Foo has arrived", ""),
    ("*** Server shutdown", "***"),
    ("Foo(", " seeking "),
    ("Foo at ", ": x"),
];

fn parse(line: &[u8]) {
    let _ = (Message::parse_untagged(line), Seek::parse_text(line), GameCreated::parse(line));
    let _ = dispatch::parse_line_before_login(line);
    if let Some(ended) = GameEnded::parse(line) {
        let _ = (ended.named_player(), ended.is_adjourned());
    }
    let _ = (match_template(line, "% @ # *"), read_game_line_head(&mut Cursor::new(line)));
}

proptest! {
    #[test]
    fn no_bytes_panic(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        words in "[ *.!a-zA-Z0-9\\[\\]';:,()-]{0,60}",
    ) {
        for (start, end) in FRAMES {
            for text in [&bytes[..], words.as_bytes()] {
                parse(&[start.as_bytes(), text, end.as_bytes()].concat());
            }
        }
    }
}
