//! State of the session shown by the console: rows, bytes, games, delays. Contains no drawing code.

mod bytes;
mod game_snapshot;
mod row;
mod seen_names;
mod timing;

use std::collections::BTreeMap;
use std::time::Duration;

use kibitzer::internal::recorded::PasswordPrompt;
use kibitzer_bot::BotEvent;
use kibitzer_core::event::{Attribution, RequestOrigin};
use kibitzer_core::game::{ChangeKind, PendingOffers};
use kibitzer_core::message::{GameId, Handle, Message};
use kibitzer_core::text::decode_received;
use kibitzer_core::{Event, EventKind};

use bytes::ByteRing;
pub(crate) use bytes::Search;
pub(crate) use game_snapshot::GameSnapshot;
pub(crate) use row::{ConsoleRow, MASK, RowBuffer, RowContent, SentLine};
pub(crate) use seen_names::SeenNames;
pub(crate) use timing::{DelaySamples, SecondCounts};
use timing::{RateHistory, SessionDelays};

use crate::filter::ReplyTimes;

/// Maximum number of games. At the limit one is dropped, preferably one that is over or no longer followed.
const KEPT_GAMES: usize = 256;
/// Minimum duration of a silence that gets a row of its own.
const GAP: Duration = Duration::from_secs(30);
/// Time without a received byte after which a connection is silent; it is stalled if a sent line or a probe waits as long.
const SILENCE: Duration = Duration::from_secs(2);
/// First byte of a telnet command.
const IAC: u8 = 0xFF;

/// One step of a session.
///
/// Items arrive in session order: bytes before the events parsed from them.
#[derive(Clone, Debug)]
pub(crate) struct SourceItem {
    /// Time since the session began.
    pub(crate) at: Duration,
    pub(crate) kind: SourceItemKind,
}

/// Content of a [`SourceItem`].
#[derive(Clone, Debug)]
pub(crate) enum SourceItemKind {
    /// Bytes received from the server.
    Bytes(Vec<u8>),
    /// An event parsed from earlier bytes, or an event of the connection.
    Event {
        event: Event,
        /// State of the changed game after the event; `None` if no game changed.
        snapshot: Option<Box<GameSnapshot>>,
        /// Time that parsing the event took.
        decoding: Duration,
    },
    /// An event of the bot that plays in the session.
    Bot(BotEvent),
    /// State of a session that was already running when the console attached to it.
    Snapshot {
        /// Account name of its login, once it is known.
        handle: Option<Handle>,
        /// Its games.
        snapshots: Vec<GameSnapshot>,
        /// Lines of the server from which the games can be parsed again.
        lines: Vec<Vec<u8>>,
        /// Text of the mark that shows it.
        text: String,
    },
    /// Text to show as a mark in the list.
    Note(String),
    /// A recorded connection ended.
    Disconnected,
    /// A line sent by the client.
    Sent(SentItem),
    /// An event that a stored session itself caused, such as a lost connection, as JSON.
    #[cfg_attr(not(all(feature = "nats", feature = "web")), expect(dead_code, reason = "no sessions are stored"))]
    Stored(EventKind, String),
}

/// A line sent by the client, as the source delivers it.
#[derive(Clone, Debug)]
pub(crate) struct SentItem {
    /// Bytes as sent, including the line end; those of a secret line may have been removed.
    pub(crate) bytes: Vec<u8>,
    /// The line without its end, unsealed.
    pub(crate) text: Vec<u8>,
    /// Whether the line is one of timeseal itself, such as the answer to a ping, to which the server does not reply.
    pub(crate) answers_ping: bool,
    /// Whether the line is known to contain a password.
    pub(crate) is_secret: bool,
    /// The request of the line, and who made it.
    pub(crate) attribution: Attribution,
}

/// A line or a probe that waits for any byte of the server.
#[derive(Clone, Copy, Debug)]
struct Unanswered {
    since: Duration,
    is_probe: bool,
}

/// The time for which clocks are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClockTime {
    pub(crate) at: Duration,
    /// Whether a move may have been missed, as nothing has been received for two seconds.
    pub(crate) is_estimate: bool,
}

/// The session up to the last applied item: rows, bytes, games and timings. Each part has a fixed maximum size.
#[derive(Debug, Default)]
pub(crate) struct SessionModel {
    pub(crate) rows: RowBuffer,
    pub(crate) bytes: ByteRing,
    pub(crate) games: BTreeMap<GameId, Box<GameSnapshot>>,
    pub(crate) rates: RateHistory,
    pub(crate) latency: SessionDelays,
    pub(crate) names: SeenNames,
    /// Why the server refused the user's last line; `None` once the user has sent another one, and after the next move in an own
    /// game.
    pub(crate) refusal: Option<String>,
    /// Account name of the last login.
    handle: Option<Handle>,
    /// The sent lines of the connection that wait for their reply.
    replies: ReplyTimes,
    /// Whether the server's last prompt asked for a password.
    pub(crate) password_prompt: PasswordPrompt,
    /// Offers that wait for an answer.
    pub(crate) offers: PendingOffers,
    /// Position of the connection's first byte among all received bytes.
    base: u64,
    /// State of the games when the console attached, as lines of the server, and the position of the first byte after them.
    snapshot_lines: (u64, Vec<u8>),
    /// Time of the last received bytes or sent line.
    last_traffic: Option<Duration>,
    /// Time of the last received bytes of the connection.
    pub(crate) last_received: Option<Duration>,
    /// The first sent line or probe after them.
    unanswered: Option<Unanswered>,
}

impl SessionModel {
    /// Applies an item: stores its bytes, adds up to two rows, and updates games, offers, names, delays and rates.
    pub(crate) fn apply_item(&mut self, item: SourceItem) {
        let at = item.at;
        if matches!(item.kind, SourceItemKind::Bytes(_) | SourceItemKind::Sent(_)) {
            let last = self.last_traffic.replace(at);
            if let Some(silence) = last.map(|last| at.saturating_sub(last)).filter(|silence| *silence >= GAP) {
                self.push_row(at, RowContent::Gap(silence));
            }
        }
        match item.kind {
            SourceItemKind::Bytes(bytes) => {
                self.rates.second_mut(at).bytes += u64::try_from(bytes.len()).unwrap_or(u64::MAX);
                self.bytes.push(&bytes);
                self.last_received = Some(at);
                self.unanswered = None;
            }
            SourceItemKind::Event { event, snapshot, decoding } => {
                if matches!(event, Event::Received { .. }) {
                    self.latency.decoding.push(decoding);
                    self.rates.second_mut(at).events += 1;
                }
                self.apply_event(at, event, snapshot);
            }
            SourceItemKind::Bot(event @ BotEvent::Analysis { game, .. }) => {
                // Analysis of a game that is over is outdated.
                if let Some(game) = self.games.get_mut(&game).filter(|game| game.followed) {
                    game.analysis = Some(event);
                }
            }
            SourceItemKind::Bot(event) => {
                self.push_row(at, RowContent::Bot(event));
            }
            SourceItemKind::Snapshot { handle, snapshots, lines, text } => {
                self.reset_to_snapshot(at, snapshots, text);
                if let Some(handle) = handle {
                    self.record_handle(at, &handle);
                }
                let lines = lines.into_iter().map(|line| [&line[..], b"\n\r"].concat());
                self.snapshot_lines = (self.base, lines.flatten().collect());
            }
            SourceItemKind::Note(text) => {
                self.add_mark(at, text);
            }
            SourceItemKind::Disconnected => {
                self.push_row(at, RowContent::Disconnected);
                self.reset_connection_state();
            }
            SourceItemKind::Sent(item) => self.apply_sent(at, item),
            SourceItemKind::Stored(kind, json) => {
                self.reset_if_new_connection(kind);
                self.push_row(at, RowContent::Stored(kind, json));
            }
        }
    }

    /// Returns the age of the last received byte; `None` up to two seconds, and before the first byte of a connection.
    pub(crate) fn silence(&self, now: Duration) -> Option<Duration> {
        self.last_received.map(|last| now.saturating_sub(last)).filter(|silence| *silence > SILENCE)
    }

    /// Returns whether a sent line or a probe has waited for more than two seconds without any received byte.
    pub(crate) fn is_stalled(&self, now: Duration) -> bool {
        self.clock_time(now).at < now
    }

    /// Returns whether the session checks a silent connection: a probe is the first thing that it sent since the last received byte.
    pub(crate) fn is_probing(&self, now: Duration) -> bool {
        self.silence(now).is_some() && self.unanswered.is_some_and(|unanswered| unanswered.is_probe)
    }

    /// Returns the oldest sent line whose reply has not begun for more than two seconds, except for checks of the connection, and how
    /// long it has waited.
    pub(crate) fn overdue_line(&self, now: Duration) -> Option<(&SentLine, Duration)> {
        let lines = self.replies.waiting().filter_map(|(row, at)| match &self.rows.get(*row)?.content {
            RowContent::Sent(sent) if !sent.attribution.is_housekeeping() => Some((sent, now.saturating_sub(at))),
            _ => None,
        });
        lines.into_iter().next().filter(|(_, waited)| *waited > SILENCE)
    }

    /// Returns the time for which running clocks are shown: `now`, or the time at which the connection stalled.
    pub(crate) fn clock_time(&self, now: Duration) -> ClockTime {
        let at = self.unanswered.map_or(now, |unanswered| now.min(unanswered.since + SILENCE));
        ClockTime { at, is_estimate: self.silence(now).is_some() }
    }

    /// Appends a mark. Returns its row number.
    pub(crate) fn add_mark(&mut self, at: Duration, text: String) -> u64 {
        self.push_row(at, RowContent::Mark(text))
    }

    /// Appends a row. Returns its number.
    fn push_row(&mut self, at: Duration, content: RowContent) -> u64 {
        let number = self.rows.next_number();
        self.rows.push(ConsoleRow { number, at, base: self.base, reply_after: None, content });
        number
    }

    /// Appends a sent line. If it is secret, or answers a password prompt, its bytes and text are dropped, and its end closes the
    /// prompt. Telnet commands and lines of timeseal itself have no reply.
    fn apply_sent(&mut self, at: Duration, item: SentItem) {
        let SentItem { bytes, text, answers_ping, is_secret, attribution } = item;
        let is_telnet = bytes.first() == Some(&IAC) && !bytes.contains(&b'\n');
        let is_line = !answers_ping && !is_telnet;
        let is_probe = attribution.origin() == Some(RequestOrigin::Probe);
        let secret = is_secret || (self.password_prompt.is_open && is_line);
        if secret {
            self.password_prompt.close_at_line_end(&bytes);
        }
        let (bytes, text) = if secret { (Vec::new(), Vec::new()) } else { (bytes, text) };
        let awaits_reply = is_line && self.replies.is_awaiting_line(attribution);
        let sent = SentLine { bytes, text, secret, attribution, awaits_reply, reply: None };
        if is_line || is_probe {
            self.unanswered.get_or_insert(Unanswered { since: at, is_probe });
        }
        if is_line && attribution.is_of_user() {
            self.refusal = None;
        }
        if is_line {
            self.replies.record_sent(self.rows.next_number(), at, sent.attribution);
        }
        self.push_row(at, RowContent::Sent(sent));
    }

    /// Appends an event, and updates the state that depends on it; `snapshot` is the game that it changed, as it is after the
    /// event.
    fn apply_event(&mut self, at: Duration, event: Event, snapshot: Option<Box<GameSnapshot>>) {
        let number = self.rows.next_number();
        let reply_after = self.record_reply(number, at, &event);
        self.names.record_names(&event);
        self.password_prompt.record_event(event.kind());
        if let Some(message) = event.message() {
            self.offers.apply(message, event.change());
        }
        self.reset_if_new_connection(event.kind());
        if event.kind() == EventKind::Lost {
            self.rates.second_mut(at).losses += 1;
        }
        if let Some(snapshot) = snapshot {
            self.store_game_and_lag(at, &event, snapshot);
        }
        self.update_refusal(&event);
        let handle = if let Event::LoggedIn(identity) = &event { identity.handle.clone() } else { None };
        let number = self.push_row(at, RowContent::Event(event));
        if let Some(row) = self.rows.get_mut(number) {
            row.reply_after = reply_after;
        }
        if let Some(handle) = handle {
            self.record_handle(at, &handle);
        }
    }

    /// Stores the text of a refusal that the user caused, and removes it after a move in an own game.
    fn update_refusal(&mut self, event: &Event) {
        let attribution = event.attribution();
        if matches!(event.message(), Some(Message::Refused(_))) && attribution.is_of_user() {
            self.refusal = Some(decode_received(event.raw()).trim().to_owned());
        } else if attribution.is_own_game()
            && let Some(change) = event.change()
            && matches!(
                change.kind,
                ChangeKind::Moved | ChangeKind::Opened | ChangeKind::Replaced | ChangeKind::TookBack { .. }
            )
        {
            self.refusal = None;
        }
    }

    /// Stores the account name of the login, with a mark if it is another than before, as that of a guest may be after a reconnect.
    fn record_handle(&mut self, at: Duration, handle: &Handle) {
        let before = self.handle.replace(handle.clone()).filter(|before| before != handle);
        if let Some(before) = before {
            self.add_mark(at, format!("new handle {handle}, before {before}"));
        }
    }

    /// Resets the state of the connection if an event of this kind is its start or end.
    fn reset_if_new_connection(&mut self, kind: EventKind) {
        if matches!(kind, EventKind::Connected | EventKind::Lost | EventKind::Ended) {
            self.reset_connection_state();
        }
    }

    /// Resets the state of the connection, stores the games of a session that was already running, and adds a mark with this
    /// text.
    fn reset_to_snapshot(&mut self, at: Duration, snapshots: Vec<GameSnapshot>, text: String) {
        self.reset_connection_state();
        for mut snapshot in snapshots {
            snapshot.clocks_at = at;
            snapshot.continuous_since = self.rows.next_number();
            self.games.insert(snapshot.id(), Box::new(snapshot));
        }
        self.add_mark(at, text);
    }

    /// Resets the state that belongs to a connection, at its start and end: the base position, pending replies, offers and the
    /// password prompt. The games stay, but none is followed, their clocks stop, and their analysis is removed.
    fn reset_connection_state(&mut self) {
        self.base = self.bytes.end;
        if self.snapshot_lines.0 == self.base {
            self.snapshot_lines.1.clear();
        }
        self.replies = ReplyTimes::default();
        self.offers = PendingOffers::default();
        self.password_prompt = PasswordPrompt::default();
        self.last_received = None;
        self.unanswered = None;
        self.refusal = None;
        for game in self.games.values_mut() {
            game.followed = false;
            game.running = None;
            game.analysis = None;
        }
    }

    /// Returns the time from a sent line to the event that gets the row `number`, if the event starts its reply. Stores the reply in
    /// the row of that line, and records its delay.
    fn record_reply(&mut self, number: u64, at: Duration, event: &Event) -> Option<Duration> {
        let (row, reply) = self.replies.record_event(number, at, event)?;
        self.latency.round_trip.push(reply.after);
        if let Some(ConsoleRow { content: RowContent::Sent(sent), .. }) = self.rows.get_mut(row) {
            sent.reply = Some(reply);
            sent.awaits_reply = false;
        }
        Some(reply.after)
    }

    /// Stores the state of a game after an event and, for a board, records the lag of its last move. At the limit, drops another
    /// game, preferably one that is over or no longer followed.
    fn store_game_and_lag(&mut self, at: Duration, event: &Event, mut snapshot: Box<GameSnapshot>) {
        if event.kind() == EventKind::Position
            && let Some(lag) = snapshot.board.lag_ms().and_then(|lag| u64::try_from(lag).ok())
        {
            self.latency.lag.push(Duration::from_millis(lag));
        }
        if self.games.len() >= KEPT_GAMES && !self.games.contains_key(&snapshot.id()) {
            let over = self.games.iter().find(|(_, game)| !game.followed).or_else(|| self.games.iter().next());
            if let Some(id) = over.map(|(id, _)| *id) {
                self.games.remove(&id);
            }
        }
        snapshot.continuous_since = self.rows.next_number();
        // Another game may have had the same number.
        let is_new =
            event.change().is_some_and(|change| matches!(change.kind, ChangeKind::Opened | ChangeKind::Replaced));
        // Only a new board, and a clock that stops or starts, restart the clocks; other changes of the game do not.
        let mut known = self.games.get_mut(&snapshot.id()).filter(|_| !is_new);
        if let Some(known) = &mut known {
            snapshot.continue_from(known);
        }
        let is_clock_notice = event.kind() == EventKind::Clock;
        let known = known
            .filter(|known| known.board == snapshot.board || (is_clock_notice && known.running == snapshot.running));
        snapshot.clocks_at = known.map_or(at, |known| known.clocks_at);
        self.games.insert(snapshot.id(), snapshot);
    }
}

#[cfg(test)]
mod tests;
