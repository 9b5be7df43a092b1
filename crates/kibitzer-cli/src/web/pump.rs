//! Moves what happens from the source to the model of the console and to the hub of the page.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kibitzer::internal::recorded::Stamp;
use kibitzer::transcript::Utc;
use kibitzer_bot::BotEvent;
use kibitzer_core::message::GameId;
use kibitzer_core::{Event, EventKind, EventReader};
use kibitzer_web::{Hub, LineState, PageRequest, WebEvent};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};

use crate::console::export::row_json;
use crate::console::model::{ConsoleRow, RowContent, SessionModel, SourceItem, SourceItemKind};
use crate::console::source::{ConsoleSource, NextItem, Notice};
use crate::failure::Failure;
use crate::filter::game_of;
use crate::output::{bot_event_json, one_line};

/// Time between two looks at the source. All viewers get what arrived meanwhile in one piece.
const TICK: Duration = Duration::from_millis(25);
/// Time after which requests of the page are answered before further items.
const SLICE: Duration = Duration::from_millis(15);
/// Time between two states of the line without a change.
const LINE_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of games whose earlier moves are requested at a time. The moves of further ones stay unknown.
const MAX_MOVE_REQUESTS: usize = 512;

/// Connects a source with the hub of the page.
pub(super) struct Pump {
    pub(super) source: ConsoleSource,
    pub(super) model: SessionModel,
    pub(super) hub: Hub,
    requests: mpsc::Receiver<PageRequest>,
    pub(super) playback: Playback,
    /// Number of the newest row that was looked at.
    pub(super) newest_row: u64,
    /// The last sent state of the line, and when.
    line: (LineState, Option<Instant>),
    /// Reason of the last loss, and when the next attempt begins.
    loss: Option<(String, Option<Duration>)>,
    /// Account name as the hub has it.
    handle: Option<String>,
    /// Time line of a recording, once the page has asked for it.
    pub(super) timeline: Arc<OnceLock<Value>>,
    /// Commands without a reply.
    pub(super) commands: JoinSet<()>,
    /// Requests for the earlier moves of games.
    move_requests: JoinSet<()>,
}

impl Pump {
    pub(super) fn new(source: ConsoleSource, hub: Hub, requests: mpsc::Receiver<PageRequest>) -> Self {
        Self {
            source,
            model: SessionModel::default(),
            hub,
            requests,
            playback: Playback::default(),
            newest_row: 0,
            line: (LineState::default(), None),
            loss: None,
            handle: None,
            timeline: Arc::default(),
            commands: JoinSet::new(),
            move_requests: JoinSet::new(),
        }
    }

    /// Runs until reading the source fails.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future stops the page.
    pub(super) async fn run(mut self) -> Result<(), Failure> {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        self.show_first_board();
        loop {
            tokio::select! {
                _ = ticks.tick() => self.apply_due_items()?,
                Some(request) = self.requests.recv() => self.answer(request),
                Some(_) = self.commands.join_next() => {}
                Some(_) = self.move_requests.join_next() => {}
            }
        }
    }

    /// Applies the items that are due, and publishes what they changed.
    fn apply_due_items(&mut self) -> Result<(), Failure> {
        let started = Instant::now();
        let mut is_changed = false;
        while started.elapsed() < SLICE {
            match self.source.next_item(Instant::now())? {
                NextItem::Item(item) => {
                    self.apply_item(item);
                    is_changed = true;
                }
                NextItem::Wait => break,
                NextItem::GoalReached => self.finish_seek(),
                NextItem::End(_) => {
                    self.finish_seek();
                    break;
                }
            }
        }
        if let ConsoleSource::Live(live) = &mut self.source
            && live.is_over()
            && self.loss.is_none()
            && let Some(Notice::Error(text)) = live.take_notice()
        {
            // The end of an attachment is no event.
            self.loss = Some((text, None));
        }
        if is_changed {
            self.hub.wake();
        }
        self.publish_line();
        Ok(())
    }

    /// Applies an item, and pushes the events that it is or shows.
    fn apply_item(&mut self, item: SourceItem) {
        let at = item.at;
        let utc = self.source.utc_start().map(|start| start.plus(at));
        match &item.kind {
            SourceItemKind::Bot(event @ BotEvent::Analysis { game, .. }) => {
                let json = bot_event_json(event, &Stamp { time: at, utc });
                let mut published = WebEvent::new(self.newest_row, "analysis", json);
                published.game = Some(*game);
                self.hub.push(&published);
            }
            SourceItemKind::Event { event, .. } => self.note_connection(at, event),
            SourceItemKind::Stored(kind, json) => self.note_stored_connection(at, *kind, json),
            _ => {}
        }
        let snapshot = if let SourceItemKind::Snapshot { lines, .. } = &item.kind { Some(lines.clone()) } else { None };
        self.model.apply_item(item);
        for number in self.newest_row + 1..=self.model.rows.newest {
            self.newest_row = number;
            if let Some(row) = self.model.rows.get(number) {
                self.playback.note_row(row);
                let incomplete = publish_row(&self.hub, row, self.source.utc_start());
                self.request_moves(incomplete);
            }
        }
        for event in snapshot.iter().flat_map(|lines| events_of_lines(lines)) {
            let mut json = Vec::new();
            event.write_json(&Stamp { time: at, utc }.json_members(), &mut json);
            let mut published = WebEvent::new(self.newest_row, event.kind().as_str(), json);
            published.game = game_of(&event);
            published.event = Some(&event);
            self.hub.push(&published);
        }
        self.stop_at_goal();
    }

    /// Requests the earlier moves of a game, in a session of this process in which no bot plays.
    fn request_moves(&mut self, game: Option<GameId>) {
        if self.move_requests.len() < MAX_MOVE_REQUESTS
            && let (ConsoleSource::Live(live), false) = (&self.source, self.source.has_bot())
            && let Some((client, game)) = live.client().cloned().zip(game)
        {
            // The reply is part of the session.
            self.move_requests.spawn(async move { drop(client.moves(game).await) });
        }
    }

    /// Stores what an event says about the connection.
    fn note_connection(&mut self, at: Duration, event: &Event) {
        let text = || one_line(event).trim_start_matches("* ").to_owned();
        match event {
            Event::Lost(loss) => self.loss = Some((text(), loss.retry_in.map(|delay| at + delay))),
            Event::Ended(_) => self.loss = Some((text(), None)),
            Event::SessionReady(_) => self.loss = None,
            _ => {}
        }
    }

    /// Stores what an event of a stored session says about the connection.
    fn note_stored_connection(&mut self, at: Duration, kind: EventKind, json: &str) {
        match kind {
            EventKind::Lost | EventKind::Ended => {
                let members: Value = serde_json::from_str(json).unwrap_or_default();
                let text = members.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
                let retry_in = members.get("retry_in_ms").and_then(Value::as_u64).map(Duration::from_millis);
                self.loss = Some((text, retry_in.map(|delay| at.saturating_add(delay))));
            }
            EventKind::SessionReady => self.loss = None,
            _ => {}
        }
    }

    /// Publishes the state of the line if it has changed, or a second has passed.
    pub(super) fn publish_line(&mut self) {
        let now = Instant::now();
        let line = self.line_state(now);
        let (last, sent) = &self.line;
        let is_same = last.state == line.state && last.rate.total_cmp(&line.rate).is_eq() && last.text == line.text;
        if is_same && sent.is_some_and(|sent| now.duration_since(sent) < LINE_INTERVAL) {
            return;
        }
        if let ConsoleSource::Live(live) = &self.source {
            let handle = live.handle.as_ref().map(ToString::to_string);
            if handle.is_some() && handle != self.handle {
                self.hub.set_handle(handle.clone());
                self.handle = handle;
            }
        }
        self.hub.set_line(line.clone());
        self.line = (line, Some(now));
    }

    fn line_state(&self, now: Instant) -> LineState {
        let time = self.source.current_time(now);
        let mut line = LineState::default();
        line.time = time;
        match &self.source {
            ConsoleSource::Recording(player) => {
                line.state = if player.is_playing() {
                    "playing"
                } else if player.reader.is_over {
                    "at_end"
                } else {
                    "paused"
                };
                line.rate = if player.is_playing() { player.clock.speed } else { 0.0 };
            }
            ConsoleSource::Live(live) => {
                line.state = match live.state_label() {
                    "dialing" => "connecting",
                    "live" if self.model.is_stalled(time) => "stalled",
                    state @ ("login" | "live" | "lost") => state,
                    _ => "over",
                };
                line.rate = if matches!(line.state, "stalled" | "lost" | "over") { 0.0 } else { 1.0 };
                line.silent = self.model.last_received.map_or(Duration::ZERO, |last| time.saturating_sub(last));
                if let Some((text, retry_at)) = &self.loss {
                    line.text = Some(text.clone());
                    line.retry_in = retry_at.map(|at| at.saturating_sub(time));
                }
            }
        }
        line
    }
}

/// Progress of the replay.
#[derive(Debug, Default)]
pub(super) struct Playback {
    /// Number of boards up to now.
    pub(super) n_boards: u64,
    /// Whether the newest row is a board.
    pub(super) is_at_board: bool,
    /// Number of the board at which the replay stops.
    pub(super) goal: Option<u64>,
    /// Whether a seek is in progress, and whether the replay continues after it.
    pub(super) seek: Option<AfterSeek>,
}

/// Whether the replay plays or is paused after a seek.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AfterSeek {
    Play,
    Pause,
}

impl Playback {
    fn note_row(&mut self, row: &ConsoleRow) {
        self.is_at_board = row.event().is_some_and(|event| event.kind() == EventKind::Position);
        self.n_boards += u64::from(self.is_at_board);
    }
}

/// Pushes a row to the hub, unless programs do not get it: silences, and the end of a recorded connection. Returns the game that
/// [`Hub::push`] returns.
fn publish_row(hub: &Hub, row: &ConsoleRow, utc_start: Option<Utc>) -> Option<GameId> {
    let utc = utc_start.map(|start| start.plus(row.at));
    let json = match &row.content {
        RowContent::Gap(_) => return None,
        RowContent::Disconnected => {
            hub.interrupt_games();
            return None;
        }
        RowContent::Event(event) if event.kind() == EventKind::Ping => return None,
        RowContent::Bot(event) => bot_event_json(event, &Stamp { time: row.at, utc }),
        _ => row_json(row, utc_start),
    };
    let mut published = WebEvent::new(row.number, row.kind_name(), json);
    published.game = row.game();
    published.event = row.event();
    published.utc = utc;
    hub.push(&published)
}

/// Returns the events that show the games of a snapshot, without reports of moves that it omits on purpose.
fn events_of_lines(lines: &[Vec<u8>]) -> Vec<Event> {
    let said: Vec<u8> = lines.iter().flat_map(|line| [&line[..], b"\n\r"].concat()).collect();
    let (mut reader, mut rest) = (EventReader::default(), &said[..]);
    let events = std::iter::from_fn(|| reader.next(&mut rest).or_else(|| reader.finish()));
    events.filter(|event| event.kind() != EventKind::Missed).collect()
}
