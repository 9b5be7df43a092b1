//! Lines of an exposed session to what is seen of it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::sight::{Sight, Snapshot};
use super::wire::{Line, Note, SnapshotNote};
use crate::core::game::Games;
use crate::core::message::Handle;
use crate::core::session::TransmitKind;
use crate::core::text::{decode, encode};
use crate::core::wire::{StreamState, Timeseal, unseal};
use crate::core::{Event, EventReader};
use crate::tap::{TapPiece, Tapped};

/// Makes of the bytes what the session's own reader made of them.
#[derive(Debug)]
pub(super) struct Decoding {
    began: Instant,
    stage: Stage,
    timeseal: Timeseal,
    seen: VecDeque<Sight>,
    has_ended: bool,
}

/// How far the reader is.
#[derive(Debug)]
enum Stage {
    /// It waits to be told how the session stands.
    Ignorant,
    /// It is being told.
    Told { snapshot: Box<Snapshot>, reader: Box<EventReader> },
    /// It reads along.
    Reads(Box<EventReader>),
}

impl Decoding {
    pub(super) const fn new(began: Instant) -> Self {
        Self { began, stage: Stage::Ignorant, timeseal: Timeseal::Off, seen: VecDeque::new(), has_ended: false }
    }

    pub(super) const fn began(&self) -> Instant {
        self.began
    }

    /// Whether the session has said that it is over.
    pub(super) const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// The next thing that is seen.
    pub(super) fn pop(&mut self) -> Option<Sight> {
        let sight = self.seen.pop_front();
        if self.seen.is_empty() {
            self.seen = VecDeque::new();
        }
        sight
    }

    /// Takes in a line.
    pub(super) fn take(&mut self, time: Duration, line: Line) {
        // A time that no clock can tell is now.
        let at = self.began.checked_add(time).unwrap_or_else(Instant::now);
        match line {
            Line::Received(bytes) => self.received(at, bytes),
            Line::Told(line) => self.told(&line),
            Line::Sent(bytes, kind) => self.sent(at, bytes, kind),
            Line::Note(Note::Snapshot(note)) => self.begin(at, note),
            Line::Note(Note::Stream(note)) => self.stream(&note.state()),
            Line::Note(Note::Life(life)) => self.happened(at, life.event()),
            Line::Note(_) => {}
        }
    }

    fn begin(&mut self, at: Instant, note: SnapshotNote) {
        let handle = note.handle.map(|handle| Handle::from_wire(encode(&handle).as_bytes()));
        let snapshot = Box::new(Snapshot::new(at, note.state, handle, note.missed));
        self.stage = Stage::Told { snapshot, reader: Box::default() };
    }

    fn told(&mut self, mut line: &[u8]) {
        if let Stage::Told { reader, .. } = &mut self.stage {
            while reader.next(&mut line).is_some() {}
        }
    }

    /// What the next byte means: the end of a snapshot, or news of the stream.
    fn stream(&mut self, state: &StreamState) {
        self.timeseal = state.timeseal;
        self.stage = match std::mem::replace(&mut self.stage, Stage::Ignorant) {
            Stage::Ignorant => Stage::Ignorant,
            Stage::Reads(mut reader) => {
                reader.tell(state);
                Stage::Reads(reader)
            }
            Stage::Told { mut snapshot, reader } => {
                let games = finished(*reader);
                snapshot.games = games.iter().cloned().collect();
                self.seen.push_back(Sight::Snapshot(snapshot));
                Stage::Reads(Box::new(EventReader::resume(state, games)))
            }
        };
    }

    fn received(&mut self, at: Instant, bytes: Vec<u8>) {
        let Stage::Reads(reader) = &mut self.stage else { return };
        if bytes.is_empty() {
            while let Some(event) = reader.finish() {
                self.seen.push_back(event_of(at, event, reader, Duration::ZERO));
            }
            return;
        }
        let mut rest = &bytes[..];
        let mut events = Vec::new();
        // It is the machine's time that the decoder takes, not the runtime's.
        let mut started = std::time::Instant::now();
        while let Some(event) = reader.next(&mut rest) {
            events.push(event_of(at, event, reader, started.elapsed()));
            started = std::time::Instant::now();
        }
        self.seen.push_back(piece(at, Tapped::Received(bytes)));
        self.seen.extend(events);
    }

    fn sent(&mut self, at: Instant, bytes: Vec<u8>, kind: TransmitKind) {
        if !matches!(self.stage, Stage::Reads(_)) {
            return;
        }
        let line = (!bytes.is_empty()).then(|| self.line_of(&bytes));
        self.seen.push_back(piece(at, Tapped::Sent { bytes, kind }));
        if !matches!(kind, TransmitKind::Hello | TransmitKind::PingAnswer) {
            self.happened(at, Event::Sent { line, request: None });
        }
    }

    /// What a line that was sent says.
    fn line_of(&self, bytes: &[u8]) -> Arc<str> {
        let plain = match self.timeseal {
            Timeseal::Off => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
            _ => unseal(bytes).map_or_else(|_| bytes.to_vec(), |unsealed| unsealed.text),
        };
        decode(&plain).into()
    }

    /// Something happened to the session itself.
    fn happened(&mut self, at: Instant, event: Event) {
        self.has_ended |= matches!(event, Event::Ended(_));
        let Stage::Reads(reader) = &mut self.stage else { return };
        if matches!(event, Event::Connected) {
            // A new connection starts with nothing; what is known of its stream is told next.
            **reader = EventReader::default();
            self.timeseal = Timeseal::Off;
        }
        self.seen.push_back(piece(at, Tapped::Event { event, game: None, decoding: Duration::ZERO }));
    }
}

/// The games that a reader was told of, the last line included.
fn finished(mut reader: EventReader) -> Games {
    while reader.finish().is_some() {}
    reader.into_games()
}

fn event_of(at: Instant, event: Event, reader: &EventReader, decoding: Duration) -> Sight {
    let game = event.game().and_then(|id| reader.games().get(id)).cloned().map(Box::new);
    piece(at, Tapped::Event { event, game, decoding })
}

const fn piece(at: Instant, what: Tapped) -> Sight {
    Sight::Piece(TapPiece { at, what })
}
