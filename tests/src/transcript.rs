//! Recorded sessions.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use kibitzer::transcript::{Direction, Record, TranscriptReader};
use kibitzer_core::message::{Family, Reader};
use kibitzer_core::wire::{Framer, Timeseal};
use kibitzer_core::{Event, EventReader};

/// What one connection received, in the pieces in which it was received, and what it sent.
#[derive(Clone, Debug)]
pub struct Transcript {
    /// The file's name without its ending.
    pub name: String,
    /// The received bytes, one item per read.
    pub reads: Vec<Vec<u8>>,
    /// The bytes sent, in one piece.
    pub sent: Vec<u8>,
    /// All of it with its times, in order.
    pub records: Vec<Record>,
}

impl Transcript {
    /// Every recorded session, by name.
    pub fn all() -> Vec<Self> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder())
            .expect("the folder of the transcripts is there")
            .map(|entry| entry.expect("the folder can be listed").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "jsonl"))
            .collect();
        files.sort();
        files.iter().map(|path| Self::load(path)).collect()
    }

    /// The session of that name.
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

    /// All that was received, in one piece.
    pub fn stream(&self) -> Vec<u8> {
        self.reads.concat()
    }

    /// The version of timeseal that the recording client spoke. The server pings zipseal in the way of version 2.
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

    /// A reader set up as the recording client's would be.
    pub fn reader(&self) -> EventReader {
        EventReader::new(Reader::new(Framer::new().with_timeseal(self.timeseal()), Family::Auto))
    }

    /// The events of the whole session.
    pub fn events(&self) -> Vec<Event> {
        events_of(self.reader(), [self.stream().as_slice()])
    }
}

/// The events of a stream that comes in these pieces.
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
