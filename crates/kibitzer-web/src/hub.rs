//! The newest events of the session, and their delivery to viewers.
//!
//! A viewer has no queue of its own, but a place in the ring that all share. One that falls behind the ring gets a `reset`; neither
//! the session nor another viewer waits for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use kibitzer::internal::rules::legal_moves;
use kibitzer::track::{TrackedGame, TrackedState};
use kibitzer::{Event, GameId, Relation, Style12};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::games::{SessionState, WebEvent};

/// Maximum number of events in the ring.
const KEPT_EVENTS: usize = 20_000;
/// Maximum memory of the events in the ring, in bytes.
const KEPT_BYTES: usize = 24 << 20;
/// Maximum number of rows in a `reset`.
const RECENT: usize = 500;
/// Maximum size of these rows, in bytes.
const RECENT_BYTES: usize = 2 << 20;
/// Size from which on a piece of a stream gets no further event.
const CHUNK: usize = 128 << 10;

/// Where the events come from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SourceInfo {
    /// `session`, `attached`, `bot`, `server`, `recording` or `stream`.
    pub kind: &'static str,
    /// Name of the server, the file or the stream.
    pub name: String,
    /// Account name; `None` if it is not known.
    pub handle: Option<String>,
}

impl SourceInfo {
    /// Creates the description of a source whose account is not known yet.
    pub fn new(kind: &'static str, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), handle: None }
    }
}

/// State of the line to the server.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct LineState {
    /// The word of the protocol, such as `live`.
    pub state: &'static str,
    /// Time of the session, as in events.
    pub time: Duration,
    /// Seconds of it that pass in a second.
    pub rate: f64,
    /// Age of the newest received byte.
    pub silent: Duration,
    /// Reason of a loss or an end.
    pub text: Option<String>,
    /// Time until the next attempt to connect.
    pub retry_in: Option<Duration>,
}

/// Publishes the events of a session to all viewers.
#[derive(Clone, Debug)]
pub struct Hub(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    state: Mutex<HubState>,
    changed: watch::Sender<()>,
}

#[derive(Debug)]
struct HubState {
    source: SourceInfo,
    /// First part of the identifiers.
    run: u32,
    /// Number of the newest event.
    newest: u64,
    ring: VecDeque<Entry>,
    n_ring_bytes: usize,
    session: SessionState,
    line: LineState,
    /// Grows with each line that is to be sent.
    line_version: u64,
    /// Grows with each change of the legal moves of a game.
    legal_version: u64,
    /// Grows with each seek.
    seeks: u64,
    /// Whether a seek is in progress, during which nothing is sent.
    is_held: bool,
}

/// An event of the ring.
#[derive(Debug)]
struct Entry {
    row: u64,
    /// As it is sent.
    frame: Bytes,
    json: Bytes,
}

/// An event of the ring with its identifier, as it is sent on request.
#[derive(Debug)]
struct Row {
    id: String,
    json: Bytes,
}

impl Row {
    /// Returns rows as the items of a JSON array. Large, so not to be called while the hub is locked.
    fn join(rows: &[Self]) -> String {
        let row = |it: &Self| format!(r#"{{"id":"{}","event":{}}}"#, it.id, String::from_utf8_lossy(&it.json));
        rows.iter().map(row).collect::<Vec<_>>().join(",")
    }
}

impl HubState {
    fn id(&self, number: u64) -> String {
        format!("{:x}.{number}", self.run)
    }

    /// Returns the number of the oldest event in the ring; that of the next event if it is empty.
    fn oldest(&self) -> u64 {
        self.newest + 1 - self.ring.len() as u64
    }

    fn entry(&self, number: u64) -> Option<&Entry> {
        self.ring.get(usize::try_from(number.checked_sub(self.oldest())?).ok()?)
    }

    /// Returns the entry of the ring at an index with its identifier.
    fn row(&self, index: usize, entry: &Entry) -> Row {
        Row { id: self.id(self.oldest() + index as u64), json: entry.json.clone() }
    }

    /// Stores the legal moves in a game after a board, or after a change of the reserves; none if this login may not move there.
    fn update_legal(&mut self, game: GameId, board: Option<&Arc<Style12>>) {
        let tracked = self.session.tracked(game).filter(|game| game.state() == TrackedState::Playing);
        let Some(board) = board.map(|board| &**board).or_else(|| tracked.map(TrackedGame::position)) else { return };
        let legal = matches!(board.relation(), Relation::MyTurn | Relation::Examining).then(|| {
            let variant = tracked.map_or_else(|| "chess".to_owned(), TrackedGame::variant);
            // The variant of an examined game is not known.
            let is_known = tracked.is_some() || board.relation() != Relation::Examining;
            let hands = tracked.and_then(|game| game.game().hands());
            let moves = is_known.then(|| legal_moves(board, &variant, hands)).flatten();
            let moves = moves.map(|moves| moves.into_iter().map(|legal| legal.uci).collect::<Vec<_>>());
            json!({ "game": game.0, "fen": board.fen().to_string(), "moves": moves })
        });
        self.legal_version += u64::from(legal.is_some());
        let legal = legal.map(|data| (self.legal_version, sse("legal", None, &data.to_string()).into()));
        self.session.set_legal(game, legal);
    }

    /// Parses an identifier; `None` if it is not one of this run.
    fn number(&self, id: &str) -> Option<u64> {
        let (run, number) = id.split_once('.')?;
        let number = number.parse().ok()?;
        (u32::from_str_radix(run, 16).ok()? == self.run && number <= self.newest).then_some(number)
    }
}

impl Hub {
    /// Creates a hub without events. `run` distinguishes the identifiers of this process from those of others.
    pub fn new(source: SourceInfo, run: u32) -> Self {
        let session = SessionState::new(&source.name);
        let state = HubState {
            source,
            run,
            newest: 0,
            ring: VecDeque::new(),
            n_ring_bytes: 0,
            session,
            line: LineState { state: "connecting", ..LineState::default() },
            line_version: 1,
            legal_version: 0,
            seeks: 0,
            is_held: false,
        };
        Self(Arc::new(Shared { state: Mutex::new(state), changed: watch::Sender::new(()) }))
    }

    fn lock(&self) -> MutexGuard<'_, HubState> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event. Viewers receive it at the next [`wake`](Self::wake). Returns the number of a game that begins with it, and whose
    /// earlier moves are missing; the reply to `moves` adds them.
    pub fn push(&self, event: &WebEvent<'_>) -> Option<GameId> {
        let mut state = self.lock();
        state.newest += 1;
        let head = format!("id: {}\ndata: ", state.id(state.newest));
        let frame: Bytes = [head.as_bytes(), &event.json, b"\n\n"].concat().into();
        let json = frame.slice(head.len()..frame.len() - 2);
        let incomplete = state.session.apply(event, &json);
        if let Some(game) = event.game
            && matches!(event.kind, "position" | "holding")
        {
            state.update_legal(game, event.event.and_then(Event::board));
        }
        state.n_ring_bytes += frame.len();
        state.ring.push_back(Entry { row: event.row, frame, json });
        while (state.ring.len() > KEPT_EVENTS || state.n_ring_bytes > KEPT_BYTES) && state.ring.len() > 1 {
            let dropped = state.ring.pop_front().map_or(0, |entry| entry.frame.len());
            state.n_ring_bytes -= dropped;
        }
        incomplete
    }

    /// Marks the games in progress as interrupted, at the end of a recorded connection.
    pub fn interrupt_games(&self) {
        self.lock().session.interrupt_games();
    }

    /// Lets viewers receive what was added.
    pub fn wake(&self) {
        self.0.changed.send_replace(());
    }

    /// Sets the account name of the source.
    pub fn set_handle(&self, handle: Option<String>) {
        self.lock().source.handle = handle;
    }

    /// Sets the state of the line, and sends it to all viewers.
    pub fn set_line(&self, line: LineState) {
        let mut state = self.lock();
        state.line = line;
        state.line_version += 1;
        drop(state);
        self.wake();
    }

    /// Begins a seek: nothing is sent until [`finish_seek`](Self::finish_seek). With `restarts`, the events begin anew.
    pub fn begin_seek(&self, restarts: bool) {
        let mut state = self.lock();
        state.is_held = true;
        if restarts {
            state.run = state.run.wrapping_add(1);
            state.newest = 0;
            state.ring.clear();
            state.n_ring_bytes = 0;
            state.session = SessionState::new(&state.source.name);
        }
    }

    /// Ends a seek: all viewers get a `reset`.
    pub fn finish_seek(&self) {
        let mut state = self.lock();
        state.is_held = false;
        state.seeks += 1;
        drop(state);
        self.wake();
    }

    /// Returns the rows between two events, exclusive, that may be in the ring. An identifier that left the ring stands for its
    /// start.
    pub(crate) fn rows_between(&self, after: Option<&str>, before: Option<&str>) -> std::ops::Range<u64> {
        let state = self.lock();
        let row = |id: &str| state.number(id).and_then(|number| state.entry(number)).map(|entry| entry.row);
        let end = match before {
            Some(id) => row(id).unwrap_or_default(),
            None => u64::MAX,
        };
        after.and_then(row).map_or(0, |row| row + 1)..end
    }

    /// Returns the row of an event of the ring.
    pub(crate) fn row_of(&self, id: &str) -> Option<u64> {
        let state = self.lock();
        state.entry(state.number(id)?).map(|entry| entry.row)
    }

    /// Returns rows, as far as they are in the ring, and the identifier of the newest event, as a JSON object.
    pub fn rows_json(&self, rows: &[u64]) -> String {
        let state = self.lock();
        let found = rows.iter().filter_map(|row| {
            let index = state.ring.partition_point(|entry| entry.row < *row);
            let entry = state.ring.get(index).filter(|entry| entry.row == *row)?;
            Some(state.row(index, entry))
        });
        let (found, through) = (found.collect::<Vec<_>>(), state.id(state.newest));
        drop(state);
        format!(r#"{{"rows":[{}],"through":"{through}"}}"#, Row::join(&found))
    }

    /// Returns the kept events of the newest game with a number, one on each line.
    pub(crate) fn game_lines(&self, game: GameId) -> Vec<u8> {
        self.lock().session.game_lines(game)
    }

    /// Returns the PGN of all games, or of the newest game with a number.
    pub fn pgn(&self, game: Option<GameId>) -> String {
        self.lock().session.pgn(game)
    }

    /// Returns a new viewer, which continues after the event `last` if that is in the ring. `tokens` is the object of its rights.
    pub(crate) fn viewer(&self, last: Option<&str>, tokens: Value) -> Viewer {
        let state = self.lock();
        let last = last.and_then(|id| state.number(id)).filter(|number| *number + 1 >= state.oldest());
        Viewer {
            hub: self.clone(),
            changed: self.0.changed.subscribe(),
            sent: last,
            sent_seeks: state.seeks,
            sent_line: 0,
            sent_legal: 0,
            has_legal: tokens.get("write").is_some(),
            tokens,
        }
    }
}

/// A viewer of the stream.
#[derive(Debug)]
pub(crate) struct Viewer {
    hub: Hub,
    changed: watch::Receiver<()>,
    /// Number of the last sent event; `None` before the first `reset`.
    sent: Option<u64>,
    sent_seeks: u64,
    sent_line: u64,
    sent_legal: u64,
    has_legal: bool,
    tokens: Value,
}

impl Viewer {
    /// Waits for the next piece of the stream. `None` once the hub no longer exists.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe.
    pub(crate) async fn next_chunk(&mut self) -> Option<Bytes> {
        loop {
            self.changed.borrow_and_update();
            if let Some(reset) = self.take_reset() {
                return Some(reset.message().into());
            }
            let chunk = self.take_chunk();
            if !chunk.is_empty() {
                return Some(chunk.freeze());
            }
            self.changed.changed().await.ok()?;
        }
    }

    /// Returns what replaces the state of this viewer, if that has to be done now.
    fn take_reset(&mut self) -> Option<Reset> {
        let state = self.hub.lock();
        let next = self.sent.map_or(0, |sent| sent + 1);
        let reason = match self.sent {
            _ if state.is_held => None,
            _ if self.sent_seeks != state.seeks => Some("seek"),
            None => Some("start"),
            Some(_) => (next < state.oldest()).then_some("slow"),
        }?;
        self.sent = Some(state.newest);
        self.sent_seeks = state.seeks;
        self.sent_line = 0;
        self.sent_legal = 0;
        Some(Reset::new(&state, reason, next, &self.tokens))
    }

    /// Returns the events and states that were not sent yet.
    fn take_chunk(&mut self) -> BytesMut {
        let hub = self.hub.clone();
        let state = hub.lock();
        let mut chunk = BytesMut::new();
        // A seek may have begun or ended since the look for a reset.
        let Some(sent) = self.sent.filter(|_| !state.is_held && self.sent_seeks == state.seeks) else { return chunk };
        let mut next = sent + 1;
        while chunk.len() < CHUNK
            && let Some(entry) = state.entry(next)
        {
            chunk.extend_from_slice(&entry.frame);
            next += 1;
        }
        self.sent = Some(next - 1);
        if self.sent_line < state.line_version {
            chunk.extend_from_slice(line_frame(&state.line).as_bytes());
            self.sent_line = state.line_version;
        }
        if self.has_legal && next > state.newest && self.sent_legal < state.legal_version {
            let changed = state.session.legal().filter(|(version, _)| *version > self.sent_legal);
            changed.for_each(|(_, frame)| chunk.extend_from_slice(frame));
            self.sent_legal = state.legal_version;
        }
        chunk
    }
}

/// What replaces the state of a viewer. Its large message is written after the hub was unlocked.
struct Reset {
    id: String,
    /// A JSON object without the two lists.
    head: String,
    state: Vec<Bytes>,
    recent: Vec<Row>,
}

impl Reset {
    /// Copies what the message needs. `next` is the number of the first event that was not sent to the viewer.
    fn new(state: &HubState, reason: &str, next: u64, tokens: &Value) -> Self {
        let mut n_bytes = 0;
        let fits = |entry: &&Entry| {
            n_bytes += entry.json.len();
            n_bytes <= RECENT_BYTES
        };
        let n_recent = state.ring.iter().rev().take(RECENT).take_while(fits).count();
        let recent = state.ring.iter().enumerate().skip(state.ring.len() - n_recent);
        let missed = (reason == "slow").then(|| state.newest + 1 - next);
        let SourceInfo { kind, name, handle } = &state.source;
        let head = json!({
            "reason": reason, "missed": missed, "t": seconds(state.line.time), "tokens": tokens,
            "source": { "kind": kind, "name": name, "handle": handle },
        });
        Self {
            id: state.id(state.newest),
            head: head.to_string(),
            state: state.session.events(),
            recent: recent.map(|(index, entry)| state.row(index, entry)).collect(),
        }
    }

    fn message(self) -> String {
        let head = self.head.strip_suffix('}').unwrap_or_default();
        let state = self.state.iter().map(|json| String::from_utf8_lossy(json)).collect::<Vec<_>>().join(",");
        let recent = Row::join(&self.recent);
        sse("reset", Some(&self.id), &format!(r#"{head},"state":[{state}],"recent":[{recent}]}}"#))
    }
}

/// Returns a message of the stream.
fn sse(event: &str, id: Option<&str>, data: &str) -> String {
    let id = id.map_or_else(String::new, |id| format!("id: {id}\n"));
    format!("{id}event: {event}\ndata: {data}\n\n")
}

fn line_frame(line: &LineState) -> String {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let data = json!({
        "state": line.state, "t": seconds(line.time), "rate": line.rate, "silent_ms": ms(line.silent),
        "text": line.text, "retry_in_ms": line.retry_in.map(ms),
    });
    sse("line", None, &data.to_string())
}

/// Returns seconds with three decimals.
fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e3).round() / 1e3
}
