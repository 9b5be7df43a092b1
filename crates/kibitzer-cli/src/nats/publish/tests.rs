use super::*;
use kibitzer::transcript::{Direction, TranscriptReader};
use kibitzer_core::EventReader;
use kibitzer_core::MessageReader;
use kibitzer_core::message::Family;
use kibitzer_core::wire::{Framer, Timeseal};
use serde_json::Value;

/// The bytes in the events of a stream that is received in these pieces.
fn bytes_in_events<'a>(mut events: EventReader, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let (mut raw, mut bytes) = (StoredLines::default(), Vec::new());
    let mut add = |event: &Event, lines: &mut StoredLines| {
        let Some(line) = lines.line_unless_ping(event, None) else { return };
        let value: Value = serde_json::from_slice(&line).unwrap();
        if !matches!(event, Event::Received { .. }) {
            assert_eq!(value.get("raw"), None);
            return;
        }
        assert_eq!(value["connection"], 0);
        bytes.extend(value["raw"].as_str().unwrap().chars().map(|character| u8::try_from(character).unwrap()));
    };
    for mut piece in pieces {
        raw.push(piece);
        while let Some(event) = events.next(&mut piece) {
            add(&event, &mut raw);
        }
    }
    while let Some(event) = events.finish() {
        add(&event, &mut raw);
    }
    bytes
}

#[test]
fn the_events_of_a_recording_contain_its_bytes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/transcripts");
    let mut n_recordings = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        let records = TranscriptReader::new(std::io::BufReader::new(std::fs::File::open(&path).unwrap()));
        let records = records.map(Result::unwrap).filter(|record| record.direction == Direction::Received);
        // The first connection.
        let pieces: Vec<_> = records.map(|record| record.bytes).take_while(|bytes| !bytes.is_empty()).collect();
        let read = bytes_in_events(EventReader::default(), pieces.iter().map(|piece| &piece[..]));
        let sent = pieces.concat();
        let end = sent.strip_prefix(&read[..]).unwrap_or_else(|| panic!("{}", path.display()));
        assert!(end.iter().all(u8::is_ascii_control), "{}: {}", path.display(), end.escape_ascii());
        n_recordings += 1;
    }
    assert!(n_recordings > 200, "{n_recordings}");
}

#[test]
fn pings_are_left_out_at_any_read_boundary() {
    let stream = b"fics% [G]\0\n\rFoo(50): h[G]\0i \xe9\n\r[G]\0fics% ";
    for size in 1..stream.len() {
        let framer = Framer::new().with_timeseal(Timeseal::V2);
        let events = EventReader::new(MessageReader::new(framer, Family::default()));
        let bytes = bytes_in_events(events, stream.chunks(size));
        assert_eq!(bytes.escape_ascii().to_string(), r"fics% \n\rFoo(50): hi \xe9\n\rfics% ", "{size}");
    }
}

#[test]
fn a_line_without_an_end_takes_little_memory() {
    let mut lines = StoredLines::default();
    let mut events = EventReader::default();
    for _ in 0..1_000 {
        let piece = [b'x'; 16 << 10];
        lines.push(&piece);
        let mut rest = &piece[..];
        while let Some(event) = events.next(&mut rest) {
            let _ = lines.line_unless_ping(&event, None);
        }
        assert!(lines.bytes.len() <= MAX_UNUSED_BYTES + piece.len(), "{}", lines.bytes.len());
    }
    let mut end = &b"\n\rfics% "[..];
    lines.push(end);
    let last = std::iter::from_fn(|| events.next(&mut end)).filter_map(|event| lines.line_unless_ping(&event, None));
    assert!(String::from_utf8(last.last().unwrap()).unwrap().contains(r#"fics% ""#));
}
