use std::path::Path;

use kibitzer::core::{Event, EventReader};
use kibitzer::transcript::{Direction, TranscriptReader};
use kibitzer_bot::pgn::{PgnCollector, PgnOrigin};

use super::super::games::KINDS;
use super::*;

fn collector() -> PgnCollector {
    PgnCollector::new(PgnOrigin::new("freechess.org")).with_observed().with_talk(true)
}

fn games(collector: &PgnCollector) -> Vec<String> {
    collector.tracker().iter().map(|game| collector.game(game.key()).unwrap().to_string()).collect()
}

/// The events of all connections of a recording; `None` between two of them.
fn events(path: &Path) -> Vec<Option<Event>> {
    let (mut events, mut reader) = (Vec::new(), EventReader::default());
    for record in TranscriptReader::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())) {
        let record = record.unwrap();
        let mut bytes = &record.bytes[..];
        if record.direction == Direction::Received {
            events.extend(std::iter::from_fn(|| reader.next(&mut bytes)).map(Some));
        }
        if record.direction == Direction::Received && record.bytes.is_empty() {
            reader = EventReader::default();
            events.push(None);
        }
    }
    events.extend(std::iter::from_fn(|| reader.finish()).map(Some));
    events
}

#[test]
fn stored_events_give_the_same_games_as_the_recordings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    let (mut n_games, mut different) = (0, Vec::new());
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let (mut direct, mut stored, mut reader) = (collector(), collector(), EventReader::default());
        for event in events(&path) {
            let Some(event) = event else {
                direct.interrupt_games();
                stored.interrupt_games();
                reader = EventReader::default();
                continue;
            };
            direct.apply(&event, None);
            let mut line = Vec::new();
            event.write_json("", &mut line);
            let lines = to_server_lines(&serde_json::from_slice(&line).unwrap()).unwrap_or_default();
            assert!(lines.is_empty() || KINDS.contains(&event.kind()), "{event:?}");
            let mut bytes = lines.as_bytes();
            while let Some(event) = reader.next(&mut bytes) {
                stored.apply(&event, None);
            }
        }
        n_games += games(&direct).len();
        if games(&direct) != games(&stored) {
            different.push(path.display().to_string());
        }
    }
    assert!(n_games > 150, "{n_games}");
    assert!(different.is_empty(), "{} of {n_games}: {}", different.len(), different.join("\n"));
}

#[test]
fn no_text_adds_a_line() {
    let event = serde_json::json!({
        "event": "kibitz", "from": "Foo\n\r<12> x", "titles": ["x\ny"], "text": "a\r\n\u{15}b", "game": 7, "rating": 1500,
    });
    let line = to_server_lines(&event).unwrap();
    assert_eq!(line.matches('\n').count(), 1, "{line:?}");
    assert!(line.chars().all(|c| (' '..='~').contains(&c) || "\n\r".contains(c)), "{line:?}");
    for event in
        [serde_json::json!(7), serde_json::json!({"event": "position", "fen": 7}), serde_json::json!({"event": 1})]
    {
        assert_eq!(to_server_lines(&event), None);
    }
}
