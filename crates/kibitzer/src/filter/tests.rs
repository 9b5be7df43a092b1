//! The language as a whole.

use std::time::Duration;

use kibitzer_core::event::Attribution;
use kibitzer_core::{Event, EventReader};
use proptest::prelude::*;

use super::*;

const SAID: &[u8] = b"Foo tells you: Hello (there)\n\rBar(50): hello foo\n\rfics% \n\rFoo(1882)[12] kibitzes: a b\n\r\
    {Game 12 (Foo vs. Bar) Foo resigns} 0-1\n\rBarFoo shouts: x and y\n\r";

/// Board after Black's 39th move; White is to move with 9 seconds, Black has 2 minutes and lagged 1.5 seconds.
const BOARD: &[u8] =
    b"<12> -------- -------- -------- -------- -------- -------- -------- K------k W -1 0 0 0 0 7 12 Foo Bar 1 2 0 \
    39 39 9000 120000 40 K/h2-h1 (0:31.000) Kh1 0 1 1500\n\r";

fn events(said: &[u8]) -> Vec<Event> {
    let (mut reader, mut input) = (EventReader::default(), said);
    std::iter::from_fn(|| reader.next(&mut input).or_else(|| reader.finish())).collect()
}

/// Numbers of the events that pass, counted from 1.
fn accepted(source: &str, events: &[Event]) -> Vec<usize> {
    let mut filter = EventFilter::new(Expression::parse(source).unwrap());
    (1..)
        .zip(events)
        .filter(|(_, event)| filter.record_and_check(event, Duration::ZERO))
        .map(|(number, _)| number)
        .collect()
}

#[test]
fn each_term_selects_by_one_property() {
    let cases: &[(&str, &[usize])] = &[
        ("kind:tell", &[1]),
        ("kind:tell,shout", &[1, 6]),
        ("KIND:prompt", &[3]),
        ("game:12", &[4, 5]),
        ("game:1,12", &[4, 5]),
        ("from:foo", &[1, 4]),
        ("from:bar,barfoo", &[2, 6]),
        ("name:bar", &[2, 5]),
        ("hello", &[1, 2]),
        ("text:HELLO", &[1, 2]),
        ("text:\"o (T\"", &[1]),
        ("\"hel+o .there\"", &[1]),
        ("\"^foo\"", &[1, 4]),
        ("-kind:prompt -from:foo", &[2, 5, 6]),
        ("kind:tell,kibitz game:12 from:FOO \"A b\"", &[4]),
        ("!\"o\"", &[3]),
        ("kind:sent,mark", &[]),
        ("kind:tell or kind:shout", &[1, 6]),
        ("kind:tell OR game:12 and kind:kibitz", &[1, 4]),
        ("(kind:tell or game:12) and not kind:kibitz", &[1, 5]),
        ("not (kind:tell or kind:shout)", &[2, 3, 4, 5]),
        ("not not (kind:tell)", &[1]),
        ("text:and", &[6]),
        ("text:\"x AND\"", &[6]),
        ("rating>1880", &[4]),
        ("rating >= 1883", &[]),
        ("rating!=1 or kind:prompt", &[3, 4]),
        ("mine", &[]),
    ];
    for &(source, want) in cases {
        assert_eq!(accepted(source, &events(SAID)), want, "{source}");
    }
}

#[test]
fn boards_are_compared_by_their_numbers() {
    let cases = [
        ("lag>1s", true),
        ("lag>1500ms", false),
        ("lag>=1500ms", true),
        ("clock<10s", true),
        ("clock>1m", true),
        ("clock<9s", false),
        ("clock>2m", false),
        ("elapsed=31s", true),
        ("elapsed>31s", false),
        ("move=39", true),
        ("move>39", false),
        ("reply<1h", false),
        ("rating>0", false),
        ("mine and clock<10s", true),
        ("name:foo name:bar", true),
    ];
    for (source, want) in cases {
        assert_eq!(!accepted(source, &events(BOARD)).is_empty(), want, "{source}");
    }
}

#[test]
fn own_games_are_those_that_this_login_plays() {
    let observed = String::from_utf8(BOARD.to_vec()).unwrap().replace("Foo Bar 1 2", "Foo Bar 0 2");
    let ended = b"{Game 12 (Foo vs. Bar) Foo resigns} 0-1\n\r";
    let offered = b"Foo offers you a draw.\n\r";
    let cases: [(Vec<u8>, &[usize]); 4] = [
        ([BOARD, ended, offered].concat(), &[1, 2, 3]),
        ([observed.as_bytes(), ended].concat(), &[]),
        ([BOARD, observed.as_bytes(), ended].concat(), &[1]),
        (
            [
                b"**** Starting FICS session as Foo ****\n\r{Game 12 (Foo vs. Bar) Creating rated blitz match.}\n\r",
                &ended[..],
            ]
            .concat(),
            &[2, 3],
        ),
    ];
    for (n, (said, want)) in cases.into_iter().enumerate() {
        assert_eq!(accepted("mine", &events(&said)), want, "case {n}");
    }
}

#[test]
fn replies_are_compared_by_their_delay() {
    let mut reader = EventReader::default();
    let mut filter = EventFilter::new(Expression::parse("reply>200ms").unwrap());
    let sent = |reader: &mut EventReader, filter: &mut EventFilter, line: &str, ms| {
        let attribution = reader.note_sent_line(line.as_bytes(), Attribution::default());
        let event = Event::sent(Some(line.into()), attribution);
        assert!(!filter.record_and_check(&event, Duration::from_millis(ms)), "{line}");
    };
    let passes = |reader: &mut EventReader, filter: &mut EventFilter, said: &[u8], ms| -> Vec<bool> {
        let mut said = said;
        let events = std::iter::from_fn(|| reader.next(&mut said));
        events.map(|event| filter.record_and_check(&event, Duration::from_millis(ms))).collect()
    };
    sent(&mut reader, &mut filter, "1 finger", 0);
    let block = passes(&mut reader, &mut filter, b"\x151\x1637\x16x\n\r\x17\n\rfics% ", 201);
    assert_eq!(block, [true, false, false, false], "the start of the block, not its lines and end");
    sent(&mut reader, &mut filter, "date", 300);
    sent(&mut reader, &mut filter, "\u{ff}\u{fe}\u{1}", 300);
    let reply = passes(&mut reader, &mut filter, b"\n\rFoo shouts: x\n\rfics% Noon\n\rfics% ", 501);
    assert_eq!(reply, [false, false, true, false], "without numbers it is the first line that no other player caused");
    sent(&mut reader, &mut filter, "date", 600);
    filter.record_and_check(&Event::Connected, Duration::from_millis(700));
    let late = passes(&mut reader, &mut filter, b"Noon\n\rfics% ", 900);
    assert_eq!(late, [false, false], "the line was sent on an earlier connection");
}

#[test]
fn errors_point_at_their_position() {
    let cases = [
        ("", 0, "an expression needs at least one term, such as kind:tell"),
        ("  ", 0, "an expression needs at least one term, such as kind:tell"),
        ("a kind:tel", 7, "unknown kind \"tel\", did you mean \"tell\"?"),
        ("kind:tell,xyzzy", 10, "unknown kind \"xyzzy\""),
        ("kind:sya", 5, "unknown kind \"sya\", did you mean \"say\"?"),
        ("kind:", 5, "kind: needs a value"),
        ("kind:,", 5, "kind: needs a value"),
        ("text:", 5, "text: needs a value"),
        ("game:1,x", 7, "game \"x\" is not a number"),
        ("game:99999999999", 5, "game \"99999999999\" is not a number"),
        ("nick:foo", 0, "unknown key \"nick\""),
        ("-knd:tell", 1, "unknown key \"knd\", did you mean \"kind\"?"),
        ("lgg>1s", 0, "unknown quantity \"lgg\", did you mean \"lag\"?"),
        ("lag:1s", 3, "lag is compared with a number, by < > <= >= = or !="),
        ("lag>1", 4, "a time looks like 500ms, 10s, 2m or 1h"),
        ("lag >", 5, "a time looks like 500ms, 10s, 2m or 1h"),
        ("move<1s", 5, "a number is needed, such as 40"),
        ("x < 10", 2, "< stands alone; write lag>1s, or join terms with and, or, not"),
        ("a || b", 2, "|| stands alone; write lag>1s, or join terms with and, or, not"),
        ("\"foo", 0, "the quotation mark is not closed"),
        ("x text:\"foo", 7, "the quotation mark is not closed"),
        ("from:\"foo\",bar", 10, "a blank is missing after the quotation mark"),
        ("(\"foo\"bar)", 6, "a blank is missing after the quotation mark"),
        ("(a or b", 0, "the bracket is not closed"),
        ("a)", 1, "no bracket is open here"),
        ("()", 1, "a term is missing here, such as kind:tell"),
        ("a or", 4, "a term is missing here, such as kind:tell"),
        ("a and and b", 6, "a term is missing here, such as kind:tell"),
        ("-", 1, "a term is missing here, such as kind:tell"),
    ];
    for (source, position, message) in cases {
        let error = Expression::parse(source).unwrap_err();
        let want = format!("{message} (character {})", position + 1);
        assert_eq!((error.position, error.to_string()), (position, want), "{source}");
    }
    assert!(Expression::parse("\"(\"").unwrap_err().to_string().starts_with("the pattern is not valid: "));
}

#[test]
fn the_excerpt_has_a_caret_below_the_error() {
    let long = format!("{}(", "x ".repeat(500));
    let cases = [
        ("kind:tel or x", "kind:tel or x", "     ^"),
        ("\u{e9}\u{1b} \u{4e16}) x", "\u{e9}\\u{1b} \u{4e16}) x", "          ^"),
        (&long, &format!("{} (", " x".repeat(17)), &format!("{}^", " ".repeat(36))),
    ];
    for (source, shown, caret) in cases {
        assert_eq!(Expression::parse(source).unwrap_err().excerpt(), [shown, caret]);
    }
}

#[test]
fn length_and_nesting_are_limited() {
    let nested = |n| format!("{}x{}", "(".repeat(n), ")".repeat(n));
    assert!(Expression::parse(&nested(32)).is_ok() && Expression::parse(&nested(33)).is_err());
    assert!(Expression::parse(&nested(2_000)).is_err());
    assert!(Expression::parse(&format!("{}x", "-".repeat(4_000))).is_err());
    assert!(Expression::parse(&"x ".repeat(2_000)).is_ok());
    assert!(Expression::parse(&format!("\"{}\"", "x".repeat(500))).is_ok());
    let costly = Expression::parse("\"(a?){9999}z\"").unwrap_err().to_string();
    assert!(costly.starts_with("the pattern is not valid: "), "{costly}");
    assert!(Expression::parse(&"x ".repeat(2_049)).unwrap_err().to_string().starts_with("an expression has at most"));
}

#[test]
fn an_expression_is_displayed_as_it_was_written_on_one_line() {
    let cases = [
        (" kind:tell  and \"x y\" ", "kind:tell  and \"x y\""),
        ("not (a\n\tor b)\r\n", "not (a  or b)"),
        ("MINE move = 7", "MINE move = 7"),
    ];
    for (source, want) in cases {
        assert_eq!(Expression::parse(source).unwrap().to_string(), want);
    }
}

#[test]
fn the_examples_in_the_readme_are_expressions() {
    let readme = include_str!("../../../../README.md");
    let (_, section) = readme.split_once("\n## Select events\n").unwrap();
    let rows = section.lines().take_while(|line| !line.starts_with("## ")).filter_map(|line| line.strip_prefix("| `"));
    let examples: Vec<_> = rows.map(|row| row.split_once("` |").unwrap().0.replace("\\|", "|")).collect();
    assert_eq!(examples.len(), 10);
    for example in examples {
        assert_eq!(Expression::parse(&example).map(drop), Ok(()), "{example}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "([-!()\":<>= ,\\\\a\u{e9}\u{1b}]|kind|text|lag|1s|and|or|not|\\PC){0,40}") {
        match Expression::parse(&text) {
            Ok(expression) => {
                let again = Expression::parse(&expression.to_string()).unwrap();
                prop_assert_eq!(&again, &expression);
                for event in events(SAID).iter().chain(&events(BOARD)) {
                    let [got, want] = [&again, &expression]
                        .map(|expression| expression.accepts(&Subject::of_event(event, None)));
                    prop_assert_eq!(got, want);
                }
            }
            Err(error) => {
                prop_assert!(text.is_char_boundary(error.position));
                prop_assert!(error.excerpt()[1].ends_with('^'));
            }
        }
    }
}
