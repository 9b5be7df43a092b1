//! Parses the lines of an exposed session to events.
//!
//! | state | input | next state | output |
//! |---|---|---|---|
//! | `Detached` | snapshot note | `Snapshot` | |
//! | `Detached` | any other line | `Detached` | |
//! | `Snapshot` | snapshot line | `Snapshot` | |
//! | `Snapshot` | stream note | `Attached` | [`AttachEvent::Snapshot`] |
//! | `Snapshot` | any other line | `Snapshot` | |
//! | `Attached` | received bytes | `Attached` | the bytes, then the events parsed from them |
//! | `Attached` | sent line, life note | `Attached` | the line or event |
//! | `Attached` | stream note | `Attached` | |
//! | `Attached` | snapshot note, after missed lines | `Snapshot` | |

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kibitzer::transcript::Direction;
use kibitzer::{Observation, TapItem};
use kibitzer_core::game::Game;
use kibitzer_core::session::{SessionState, TransmitKind};
use kibitzer_core::text::{Handle, decode_characters};
use kibitzer_core::wire::{StreamState, Timeseal, unseal};
use kibitzer_core::{Event, EventReader};
use tokio::time::Instant;

use crate::MissedAmounts;
use crate::wire::{Note, NoteKind, StreamBytes, WireLine};

/// An event of an attached session.
#[derive(Clone, Debug)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, clippy::allow_attributes, reason = "nearly all are items")]
pub enum AttachEvent {
    /// The state of the session: the first event, and the first one after this watcher has missed some.
    Snapshot(Box<SessionSnapshot>),
    /// The next observation, in order, as a [`Tap`](kibitzer::Tap) receives it. Offsets in the stream count from the snapshot, or
    /// from the start of the connection if that is later.
    Item(TapItem),
}

/// The state of a session when this watcher attached, or caught up after it missed events.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionSnapshot {
    /// Time of the snapshot.
    pub at: Instant,
    /// State of the connection and login.
    pub state: SessionState,
    /// Handle of this login; `None` if it is not known yet.
    pub handle: Option<Handle>,
    /// Games in progress that the session follows, each with at most its last eight moves.
    pub games: Vec<Game>,
    /// Amounts that this watcher missed since the previous event because it read too slowly; zero in the first snapshot.
    pub missed: MissedAmounts,
}

/// Converts the lines of an exposed session to events. Received bytes are parsed with the reader that the session itself uses.
#[derive(Debug)]
pub(crate) struct WatcherDecoder {
    /// Time at which the session started.
    pub(crate) began: Instant,
    state: DecoderState,
    timeseal: Timeseal,
    /// Events that were not returned yet.
    events: VecDeque<AttachEvent>,
    /// Whether [`Event::Ended`] was received.
    pub(crate) has_session_ended: bool,
}

/// State of a [`WatcherDecoder`]; the table of the module shows the transitions.
#[derive(Debug)]
enum DecoderState {
    /// No snapshot has started.
    Detached,
    Snapshot {
        snapshot: Box<SessionSnapshot>,
        reader: Box<EventReader>,
    },
    Attached(Box<EventReader>),
}

impl WatcherDecoder {
    pub(crate) const fn new(began: Instant) -> Self {
        let state = DecoderState::Detached;
        Self { began, state, timeseal: Timeseal::Off, events: VecDeque::new(), has_session_ended: false }
    }

    /// Removes and returns the next event; `None` if another line has to be processed first.
    pub(crate) fn next_event(&mut self) -> Option<AttachEvent> {
        let event = self.events.pop_front();
        if self.events.is_empty() {
            self.events = VecDeque::new();
        }
        event
    }

    /// Processes a line and queues the events that follow from it. Lines that the current state does not expect are ignored.
    pub(crate) fn process(&mut self, line: WireLine) {
        match line {
            WireLine::Bytes(StreamBytes { hex, snapshot: true, .. }) => {
                if let DecoderState::Snapshot { reader, .. } = &mut self.state {
                    // A line that describes the state of a game.
                    let mut line = &hex[..];
                    while reader.next(&mut line).is_some() {}
                }
            }
            WireLine::Bytes(StreamBytes { t, dir: Direction::Received, hex, .. }) => {
                self.queue_received(self.local_time(t), hex);
            }
            WireLine::Bytes(StreamBytes { t, hex, redacted, kind, .. }) => {
                let bytes = if redacted { Vec::new() } else { hex };
                self.queue_sent(self.local_time(t), bytes, kind.unwrap_or(TransmitKind::Command));
            }
            WireLine::Note(Note { t, kind: NoteKind::Snapshot { state, handle, missed } }) => {
                let at = self.local_time(t);
                let snapshot = Box::new(SessionSnapshot { at, state, handle, games: Vec::new(), missed });
                self.state = DecoderState::Snapshot { snapshot, reader: Box::default() };
            }
            WireLine::Note(Note { kind: NoteKind::Stream(state), .. }) => self.finish_snapshot_or_update_reader(&state),
            WireLine::Note(Note { t, kind: NoteKind::Life(event) }) => {
                self.apply_session_event(self.local_time(t), event);
            }
            WireLine::Note(_) => {}
        }
    }

    /// Converts the time of a line to this process's clock; returns the current time if the clock cannot represent it.
    fn local_time(&self, t: Duration) -> Instant {
        self.began.checked_add(t).unwrap_or_else(Instant::now)
    }

    /// Applies a stream note: completes a started snapshot and queues its event; while attached, changes the reader's
    /// settings. Ignored while detached.
    fn finish_snapshot_or_update_reader(&mut self, state: &StreamState) {
        self.timeseal = state.timeseal;
        self.state = match std::mem::replace(&mut self.state, DecoderState::Detached) {
            DecoderState::Detached => DecoderState::Detached,
            DecoderState::Attached(mut reader) => {
                reader.apply_settings(state);
                DecoderState::Attached(reader)
            }
            DecoderState::Snapshot { mut snapshot, mut reader } => {
                while reader.finish().is_some() {}
                let games = reader.into_games();
                snapshot.games = games.iter().cloned().collect();
                self.events.push_back(AttachEvent::Snapshot(snapshot));
                DecoderState::Attached(Box::new(EventReader::resume(state, games)))
            }
        };
    }

    /// Queues received bytes and the events parsed from them. An empty slice marks the end of the connection: an unfinished line then
    /// becomes an event. Ignored unless attached.
    fn queue_received(&mut self, at: Instant, bytes: Vec<u8>) {
        let DecoderState::Attached(reader) = &mut self.state else { return };
        if bytes.is_empty() {
            // The connection has ended, possibly within a line.
            while let Some(event) = reader.finish() {
                self.events.push_back(parsed_event_item(at, event, reader, Duration::ZERO));
            }
            return;
        }
        let mut rest = &bytes[..];
        let mut events = Vec::new();
        // The system's time, which a paused runtime does not stop.
        let mut started = std::time::Instant::now();
        while let Some(event) = reader.next(&mut rest) {
            events.push(parsed_event_item(at, event, reader, started.elapsed()));
            started = std::time::Instant::now();
        }
        self.events.push_back(tap_item(at, Observation::Received(bytes.into()), None));
        self.events.extend(events);
    }

    /// Queues a sent line, and its [`Event::Sent`] unless it is of timeseal or a probe. `bytes` is empty for a private line. Ignored
    /// unless attached.
    fn queue_sent(&mut self, at: Instant, bytes: Vec<u8>, kind: TransmitKind) {
        let line = (!bytes.is_empty()).then(|| self.sent_text(&bytes));
        let DecoderState::Attached(reader) = &mut self.state else { return };
        if kind.is_line() {
            reader.note_sent_line(line.as_deref().unwrap_or_default().as_bytes());
        }
        self.events.push_back(tap_item(at, Observation::Sent { bytes: Bytes::from(bytes), kind }, None));
        if kind.is_line() {
            self.apply_session_event(at, Event::Sent { line, request: None });
        }
    }

    /// Returns the text of a sent line: without its line feed, or decoded by timeseal.
    fn sent_text(&self, bytes: &[u8]) -> Arc<str> {
        let plain = match self.timeseal {
            Timeseal::Off => bytes.strip_suffix(b"\n").unwrap_or(bytes).to_vec(),
            _ => unseal(bytes).map_or_else(|| bytes.to_vec(), |unsealed| unsealed.text),
        };
        decode_characters(&plain).into()
    }

    /// Records the end of the session, and queues an event of the session itself unless detached or within a snapshot. A new connection
    /// resets the reader.
    fn apply_session_event(&mut self, at: Instant, event: Event) {
        self.has_session_ended |= matches!(event, Event::Ended(_));
        let DecoderState::Attached(reader) = &mut self.state else { return };
        if matches!(event, Event::Connected) {
            // A stream note with the state of the new connection's stream follows.
            **reader = EventReader::default();
            self.timeseal = Timeseal::Off;
        }
        let observation = Observation::Event { event, parsing: Duration::ZERO };
        self.events.push_back(tap_item(at, observation, None));
    }
}

/// Creates the item of an event that was parsed from received bytes, with a copy of the game that it is about.
fn parsed_event_item(at: Instant, event: Event, reader: &EventReader, parsing: Duration) -> AttachEvent {
    let game = event.affected_game().and_then(|id| reader.games().get(id)).cloned().map(Box::new);
    tap_item(at, Observation::Event { event, parsing }, game)
}

const fn tap_item(at: Instant, observation: Observation, game: Option<Box<Game>>) -> AttachEvent {
    AttachEvent::Item(TapItem::new(at, observation, game))
}
