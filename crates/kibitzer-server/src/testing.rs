//! Recorded sessions, for tests.

use std::fs;
use std::path::Path;

use kibitzer_core::chess::LastMove;
use kibitzer_core::{Event, EventReader};

/// The name of a recorded session, and the events that its server bytes contain.
pub(crate) struct Session {
    pub(crate) name: String,
    pub(crate) events: Vec<Event>,
}

/// Returns every session of `tests/transcripts`, ordered by name.
pub(crate) fn sessions() -> impl Iterator<Item = Session> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    paths.sort();
    paths.into_iter().map(|path| Session {
        name: path.file_stem().unwrap().to_string_lossy().into_owned(),
        events: events(&received(&fs::read_to_string(&path).unwrap())),
    })
}

fn received(transcript: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    for line in transcript.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        if record["dir"] == "rx" {
            let hex = record["hex"].as_str().unwrap().as_bytes();
            bytes.extend(hex.chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()));
        }
    }
    bytes
}

fn events(mut bytes: &[u8]) -> Vec<Event> {
    let mut reader = EventReader::default();
    let mut events: Vec<Event> = std::iter::from_fn(|| reader.next(&mut bytes)).collect();
    events.extend(std::iter::from_fn(|| reader.finish()));
    events
}

/// Appends the promotion of the move `played` to its recorded SAN, if that names none; uhlin-fics sometimes omits it.
pub(crate) fn with_promotion(spelled: &str, played: Option<LastMove>) -> String {
    match played {
        Some(LastMove::Normal { promotion: Some(role), .. }) if !spelled.contains('=') => {
            format!("{spelled}={}", role.letter())
        }
        _ => spelled.to_owned(),
    }
}
