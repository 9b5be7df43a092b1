//! Every line of `kibitzer decode`, by the table in `events.txt`.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{decode, objects, timeless, transcript};
use kibitzer::message::listing::AnyListing;
use kibitzer::{Event, EventKind, EventReader};

/// What is promised to programs.
const PAGE: &str = include_str!("../../kibitzer/docs/events.md");

struct Case {
    name: &'static str,
    sent: Vec<u8>,
    printed: String,
}

fn cases() -> Vec<Case> {
    let table = include_str!("events.txt").trim_end();
    // The first paragraph is about the table.
    table.split("\n\n").skip(1).map(Case::read).collect()
}

impl Case {
    fn read(paragraph: &'static str) -> Self {
        let mut case = Self { name: "", sent: Vec::new(), printed: String::new() };
        for line in paragraph.lines() {
            let (mark, content) = line.split_once(' ').unwrap_or((line, ""));
            match mark {
                "#" => case.name = content,
                "<" => case.sent.extend([unescape(content), b"\n\r".to_vec()].concat()),
                ">" => case.printed.extend([content, "\n"]),
                _ => panic!("{line}"),
            }
        }
        case
    }
}

fn unescape(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        bytes.push(match character {
            '\\' => match characters.next().unwrap() {
                'x' => {
                    let digits: String = characters.by_ref().take(2).collect();
                    u8::from_str_radix(&digits, 16).unwrap()
                }
                other => u8::try_from(other).unwrap(),
            },
            other => u8::try_from(other).unwrap(),
        });
    }
    bytes
}

#[test]
fn what_is_sent_is_printed() {
    for Case { name, sent, printed } in cases() {
        assert_eq!(decode(&[], &sent), printed, "{name}");
    }
}

#[test]
fn pieces_make_no_difference() {
    for Case { name, sent, printed } in cases() {
        for chunk in ["1", "2", "7", "1000000"] {
            assert_eq!(decode(&["--chunk", chunk], &sent), printed, "{name}, {chunk}");
        }
    }
}

#[test]
fn the_library_serializes_the_same_objects() {
    let mut n_listings = 0;
    for Case { name, sent, printed } in cases() {
        let (mut reader, mut input) = (EventReader::default(), &sent[..]);
        let mut events: Vec<Event> = std::iter::from_fn(|| reader.next(&mut input)).collect();
        events.extend(std::iter::from_fn(|| reader.finish()));
        let printed = objects(&printed);
        let serialized: Vec<_> = events.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
        assert_eq!(serialized, printed, "{name}");
        for (event, printed) in events.iter().zip(&printed) {
            let Event::Listing { listing, .. } = event else { continue };
            n_listings += 1;
            let listing = match &**listing {
                AnyListing::Games(games) => serde_json::to_value(games).unwrap(),
                other => serde_json::to_value(other).unwrap(),
            };
            assert!(listing.as_object().unwrap().iter().all(|(key, value)| printed[key] == *value), "{name}");
        }
    }
    assert!(n_listings > 0);
}

#[test]
fn transcripts_hold_the_same() {
    for Case { name, sent, printed } in cases() {
        for piece in [1, 5, sent.len()] {
            assert_eq!(timeless(&decode(&[], &transcript(&sent, piece))), printed, "{name}, {piece}");
        }
        assert_eq!(timeless(&decode(&["--chunk", "3"], &transcript(&sent, 4))), printed, "{name}");
    }
}

/// What stands between backticks.
fn words(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The keys of every event that a server causes, as the page for programs has them.
fn promised() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    let (_, table) = PAGE.split_once("## Server events").unwrap();
    let (table, _) = table.split_once("\nOf a `position`").unwrap();
    let row = |row: &'static str| {
        let [_, events, keys, ..] = row.split('|').collect::<Vec<_>>()[..] else { panic!("{row}") };
        words(events).into_iter().map(move |event| (event, words(keys).into_iter().collect())).collect::<Vec<_>>()
    };
    table.lines().filter(|line| line.starts_with("| `")).flat_map(row).collect()
}

#[test]
fn the_page_for_programs_has_every_event_and_key() {
    let printed: String = cases().into_iter().map(|case| case.printed).collect();
    let promised = promised();
    for object in objects(&printed) {
        let keys = object.as_object().unwrap().keys().map(String::as_str);
        let keys: BTreeSet<_> = keys.filter(|key| !["event", "offset", "own"].contains(key)).collect();
        assert_eq!(Some(&keys), promised.get(object["event"].as_str().unwrap()), "{object}");
    }
    // An over-long line is too long for the table.
    let printed = printed.lines().map(|line| line.split('"').nth(3).unwrap()).chain(["over_long"]);
    assert_eq!(printed.collect::<BTreeSet<_>>(), promised.into_keys().collect());
}

#[test]
fn the_page_for_programs_has_every_kind() {
    let rows = PAGE.lines().filter(|line| line.starts_with("| `"));
    let named: BTreeSet<_> = rows.flat_map(|row| words(row.split('|').nth(1).unwrap())).collect();
    // A ping is not printed.
    for kind in EventKind::ALL.iter().filter(|kind| **kind != EventKind::Ping) {
        assert!(named.contains(kind.as_str()), "{kind}");
    }
}

#[test]
fn the_page_for_programs_has_every_reason_change_and_action() {
    let (_, listed) = PAGE.split_once("## Reasons").unwrap();
    let (listed, _) = listed.split_once("\n## Events of a live session").unwrap();
    let known: BTreeSet<_> = words(listed).into_iter().collect();
    for case in cases() {
        // The reason in a list of moves is the server's words.
        for object in objects(&case.printed).iter().filter(|object| object["event"] != "move_list") {
            for key in ["reason", "change", "action"] {
                let Some(word) = object[key].as_str() else { continue };
                assert!(known.contains(word), "{}: {word}", case.name);
            }
        }
    }
}

#[test]
fn a_line_over_the_limit_is_cut() {
    let sent = format!("\n\r{}\n\rFoo shouts: hi\n\r", "x".repeat(1_000_000));
    let printed = decode(&[], sent.as_bytes());
    let lines: Vec<serde_json::Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [_, over_long, shout] = &lines[..] else { panic!("{printed}") };
    assert_eq!((&over_long["event"], &over_long["offset"]), (&"over_long".into(), &2.into()));
    assert_eq!(over_long["bytes"], 1_000_000);
    assert!(over_long["text"].as_str().unwrap().bytes().all(|b| b == b'x'));
    assert_eq!((&shout["event"], &shout["offset"]), (&"shout".into(), &1_000_004.into()));
}
