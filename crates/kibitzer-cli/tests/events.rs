//! Every line of `kibitzer decode`, by the table in `events.txt`.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod common;

use std::collections::BTreeSet;

use common::{decode, transcript};

/// Every value of `event` that is promised.
const NAMES: &str = "position holding game_created game_ended game_info observing tell say partner_tell shout it_shout \
    c_shout channel_tell kibitz whisper announcement qtell message arrived departed challenge offer pending_to \
    pending_from pending_removed seek seeks_removed seeks_cleared login_prompt password_prompt guest_prompt logged_in \
    login_refused kicked prompt block_start block_end datagram refused telnet desync over_long text unit_start unit_end \
    overflow";

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
fn transcripts_hold_the_same() {
    for Case { name, sent, printed } in cases() {
        for piece in [1, 5, sent.len()] {
            assert_eq!(decode(&[], &transcript(&sent, piece)), printed, "{name}, {piece}");
        }
        assert_eq!(decode(&["--chunk", "3"], &transcript(&sent, 4)), printed, "{name}");
    }
}

#[test]
fn the_table_has_every_line() {
    let printed: String = cases().into_iter().map(|case| case.printed).collect();
    let names = printed.lines().map(|line| line.split('"').nth(3).unwrap()).collect::<BTreeSet<_>>();
    // An over-long line is too long for the table.
    let promised = NAMES.split_whitespace().filter(|&name| name != "over_long").collect::<BTreeSet<_>>();
    assert_eq!(names, promised);
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
