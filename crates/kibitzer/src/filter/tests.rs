//! The language as a whole.

use std::convert::Infallible;
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
    (1..).zip(events).filter(|(_, event)| !passed(&mut filter, event, 0).is_empty()).map(|(number, _)| number).collect()
}

/// What passes at this time: the lines of sent events, the kinds of others, and reports.
fn passed(filter: &mut EventFilter, event: &Event, ms: u64) -> Vec<String> {
    let mut passed = Vec::new();
    let stamp = Stamp { time: Duration::from_millis(ms), utc: None };
    let Ok(()) = filter.record(event, stamp, |it| {
        passed.push(text_of(it));
        Ok::<_, Infallible>(())
    });
    passed
}

/// What passes at the end of the connection.
fn passed_at_end(filter: &mut EventFilter) -> Vec<String> {
    let mut passed = Vec::new();
    let Ok(()) = filter.end_connection(|it| {
        passed.push(text_of(it));
        Ok::<_, Infallible>(())
    });
    passed
}

fn text_of(passed: Passed<'_>) -> String {
    match passed {
        Passed::Event(event @ Event::Sent { .. }, stamp) => format!("{event} at {:?}", stamp.time),
        Passed::Event(event, _) => event.kind().to_string(),
        Passed::Answered { after, .. } => format!("answered after {after:?}"),
        Passed::Unanswered => "unanswered".to_owned(),
    }
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

/// Sends a line at this time; returns what passes.
fn sent(reader: &mut EventReader, filter: &mut EventFilter, line: &str, ms: u64) -> Vec<String> {
    let attribution = reader.note_sent_line(line.as_bytes(), Attribution::default());
    passed(filter, &Event::sent(Some(line.into()), attribution), ms)
}

/// Receives bytes at this time; returns what passes.
fn received(reader: &mut EventReader, filter: &mut EventFilter, mut said: &[u8], ms: u64) -> Vec<String> {
    let events = std::iter::from_fn(|| reader.next(&mut said));
    events.flat_map(|event| passed(filter, &event, ms)).collect()
}

#[test]
fn replies_are_compared_by_their_delay() {
    let mut reader = EventReader::default();
    let mut filter = EventFilter::new(Expression::parse("reply>200ms").unwrap());
    assert_eq!(sent(&mut reader, &mut filter, "1 finger", 0), [""; 0]);
    let block = received(&mut reader, &mut filter, b"\x151\x1637\x16x\n\r\x17\n\rfics% ", 201);
    assert_eq!(block, ["answered after 201ms", "block_start"], "not its lines and end");
    sent(&mut reader, &mut filter, "date", 300);
    sent(&mut reader, &mut filter, "\u{ff}\u{fe}\u{1}", 300);
    let reply = received(&mut reader, &mut filter, b"\n\rFoo shouts: x\n\rfics% Noon\n\rfics% ", 501);
    let want = ["answered after 201ms", "text"];
    assert_eq!(reply, want, "without numbers it is the first line that no other player caused");
    sent(&mut reader, &mut filter, "date", 600);
    passed(&mut filter, &Event::Connected, 700);
    let late = received(&mut reader, &mut filter, b"Noon\n\rfics% ", 900);
    assert_eq!(late, [""; 0], "the line was sent on an earlier connection");
}

#[test]
fn lines_that_depend_on_their_reply_pass_once_it_is_known() {
    let cases: [(&str, [&[&str]; 3]); 5] = [
        ("unanswered", [&[], &[], &["> 2 date at 1ms", "unanswered"]]),
        ("unanswered finger", [&[], &[], &[]]),
        ("kind:sent -unanswered", [&[], &["> 1 finger at 0ns"], &[]]),
        ("kind:sent,answered", [&["> 1 finger at 0ns", "> 2 date at 1ms"], &["answered after 5ms"], &["unanswered"]]),
        ("unanswered or kind:block_end", [&[], &["block_end"], &["> 2 date at 1ms", "unanswered"]]),
    ];
    for (source, [at_first, at_reply, at_end]) in cases {
        let mut reader = EventReader::default();
        let mut filter = EventFilter::new(Expression::parse(source).unwrap());
        let mut lines = sent(&mut reader, &mut filter, "1 finger", 0);
        lines.extend(sent(&mut reader, &mut filter, "2 date", 1));
        assert_eq!(lines, at_first, "{source}");
        let reply = received(&mut reader, &mut filter, b"\x151\x1637\x16x\n\r\x17\n\rfics% ", 5);
        assert_eq!(reply, at_reply, "{source}");
        assert_eq!(passed_at_end(&mut filter), at_end, "{source}");
        assert_eq!(passed_at_end(&mut filter), [""; 0], "{source}: once");
    }
}

#[test]
fn held_lines_are_limited() {
    let mut reader = EventReader::default();
    let mut filter = EventFilter::new(Expression::parse("unanswered").unwrap());
    let at_limit = (0..300).flat_map(|n| sent(&mut reader, &mut filter, &format!("{} x", n + 1), n)).count();
    assert_eq!((at_limit / 2, passed_at_end(&mut filter).len() / 2), (300 - 256, 256));
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
    assert_eq!(examples.len(), 11);
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
