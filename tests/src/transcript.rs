//! Recorded sessions.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use kibitzer::transcript::{Direction, Record, TranscriptReader};
use kibitzer_core::MessageReader;
use kibitzer_core::message::Family;
use kibitzer_core::wire::{Framer, Timeseal};
use kibitzer_core::{Event, EventReader};

/// The recorded bytes of one connection, received and sent.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// Name of the file, without extension.
    pub name: String,
    /// The received bytes, one item per read.
    pub reads: Vec<Vec<u8>>,
    /// All sent bytes.
    pub sent: Vec<u8>,
    /// Received and sent bytes with their times, in order.
    pub records: Vec<Record>,
}

impl Transcript {
    /// Loads every recorded session, sorted by name.
    pub fn all() -> Vec<Self> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
            .expect("the folder of the transcripts is there")
            .map(|entry| entry.expect("the folder can be listed").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .collect();
        files.sort();
        files.iter().map(|path| Self::load(path)).collect()
    }

    /// Loads the session with this name.
    pub fn named(name: &str) -> Self {
        Self::load(&folder().join(name).with_extension("jsonl"))
    }

    fn load(path: &Path) -> Self {
        let file = File::open(path).expect("the transcript can be read");
        let name = path.file_stem().expect("a transcript has a name").to_string_lossy().into_owned();
        let (mut reads, mut sent, mut records) = (Vec::new(), Vec::new(), Vec::new());
        for record in TranscriptReader::new(BufReader::new(file)) {
            let record = record.expect("every line is a record");
            match record.direction {
                Direction::Received => reads.push(record.bytes.clone()),
                Direction::Sent => sent.extend(&record.bytes),
            }
            records.push(record);
        }
        Self { name, reads, sent, records }
    }

    /// Returns all received bytes.
    pub fn stream(&self) -> Vec<u8> {
        self.reads.concat()
    }

    /// Returns the version of timeseal of the recording client; version 2 for zipseal, which has the same pings.
    pub fn timeseal(&self) -> Timeseal {
        match self.name.as_str() {
            "fatics-timeseal1-black"
            | "fatics-timeseal1-white"
            | "fatics-timeseal2-black"
            | "fatics-seal-noack-white" => Timeseal::V1,
            "fatics-timeseal2-white" | "fatics-zipseal-black" | "fatics-zipseal-white" | "fatics-seal-noack-black" => {
                Timeseal::V2
            }
            _ => Timeseal::Off,
        }
    }

    /// Creates a reader for the recording client's version of timeseal.
    pub fn reader(&self) -> EventReader {
        EventReader::new(MessageReader::new(Framer::new().with_timeseal(self.timeseal()), Family::Auto))
    }

    /// Decodes the whole session to events.
    pub fn events(&self) -> Vec<Event> {
        events_of(self.reader(), [self.stream().as_slice()])
    }

    /// Decodes the first connection of the session to events, with the sent lines.
    pub fn events_with_requests(&self) -> Vec<Event> {
        let (mut reader, mut events) = (self.reader(), Vec::new());
        for record in self.records.iter().take_while(|record| !record.bytes.is_empty()) {
            match record.direction {
                Direction::Received => {
                    let mut piece = &record.bytes[..];
                    events.extend(std::iter::from_fn(|| reader.next(&mut piece)));
                }
                Direction::Sent => {
                    record.bytes.split_inclusive(|b| *b == b'\n').for_each(|line| {
                        reader.note_sent_line(line, record.attribution());
                    });
                }
            }
        }
        events
    }
}

/// Decodes a stream, received in these pieces, to events.
pub fn events_of<'a>(mut reader: EventReader, pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Event> {
    let mut events = Vec::new();
    for mut piece in pieces {
        events.extend(std::iter::from_fn(|| reader.next(&mut piece)));
    }
    events.extend(std::iter::from_fn(|| reader.finish()));
    events
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("transcripts")
}
