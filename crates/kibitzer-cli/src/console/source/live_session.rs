//! A live session as a source: converts its feed into items, and sends lines on it.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use indicatif::HumanBytes;
use kibitzer::core::Event;
use kibitzer::core::event::RequestError;
use kibitzer::core::session::TransmitKind;
use kibitzer::{Client, Observation, Tap, TapItem};
use kibitzer_attach::{AttachedRequestError, Snapshot};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::Notice;
use crate::console::model::game_snapshot::GameSnapshot;
use crate::console::model::item::{SourceItem, SourceItemKind};
use crate::console::source::feed::{AttachedFeed, FeedItem, READY_LABEL, SessionFeed};
use crate::console::source::recording_player::NextItem;
use crate::live::failure;
use kibitzer::core::text::error_chain;

/// Maximum number of requests without a reply.
const UNANSWERED_LINES: usize = 64;

/// Texts shown for the lines of timeseal itself, which are unreadable.
const TIMESEAL_HELLO: &str = "(timeseal hello)";
const TIMESEAL_PING_ANSWER: &str = "(timeseal answers a ping)";

/// A session of this process or an attached one, and its running requests.
#[derive(Debug)]
pub(crate) struct LiveSession {
    feed: SessionFeed,
    /// Name of the server, for the first row.
    server: String,
    /// Runtime of the requests.
    runtime: Handle,
    jobs: JoinSet<Option<Notice>>,
    began: tokio::time::Instant,
    /// Bytes of sent lines whose `Event::Sent`, which has the text, has not arrived yet.
    unconfirmed: VecDeque<Vec<u8>>,
    /// Whether a failure of the recording has been shown.
    is_failure_shown: bool,
    /// Notice for the status row.
    pending_notice: Option<Notice>,
    /// Whether an item arrived since the feed was last empty.
    has_new_items: bool,
    /// Whether items arrived between the last two times that the feed was empty.
    is_busy: bool,
}

impl LiveSession {
    pub(crate) fn new(client: Client, tap: Tap, server: String, runtime: Handle) -> Self {
        Self::of(SessionFeed::Own { client, tap }, server, runtime, tokio::time::Instant::now())
    }

    /// Creates the source for a session of another process that began at `began`.
    pub(crate) fn attached(remote: AttachedFeed, server: String, runtime: Handle, began: tokio::time::Instant) -> Self {
        Self::of(SessionFeed::Attached(Box::new(remote)), server, runtime, began)
    }

    fn of(feed: SessionFeed, server: String, runtime: Handle, began: tokio::time::Instant) -> Self {
        let (jobs, unconfirmed, pending_notice) = (JoinSet::new(), VecDeque::new(), None);
        let is_failure_shown = false;
        Self {
            feed,
            server,
            runtime,
            jobs,
            began,
            unconfirmed,
            is_failure_shown,
            pending_notice,
            has_new_items: false,
            is_busy: true,
        }
    }

    /// Time since the session began.
    pub(crate) fn time(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.began.into_std())
    }

    /// Returns whether lines can never be sent.
    pub(crate) const fn is_read_only(&self) -> bool {
        self.feed.is_read_only()
    }

    /// Returns whether items arrived recently, so that the screen is to be drawn often.
    pub(crate) const fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// Returns the session state as a single word.
    pub(crate) fn state(&self) -> &'static str {
        self.feed.state()
    }

    /// Returns whether lines can be sent now.
    pub(crate) fn is_ready(&self) -> bool {
        self.state() == READY_LABEL
    }

    /// Returns the title: the handle, the server, the kind of access and the recording.
    pub(crate) fn name(&self) -> String {
        let who = self.feed.handle().map_or_else(String::new, |handle| format!("{handle} at "));
        let recording = match self.feed.recording() {
            None => String::new(),
            Some(recording) if recording.error.is_some() => ", recording failed".to_owned(),
            Some(recording) => format!(", recorded in {} ({})", recording.path.display(), HumanBytes(recording.bytes)),
        };
        format!("{who}{}{}{recording}", self.server, self.feed.access_label())
    }

    /// Returns the next item, without waiting.
    pub(crate) fn next(&mut self) -> NextItem {
        loop {
            match self.feed.next() {
                FeedItem::Tapped(item) => {
                    self.has_new_items = true;
                    if let Some(item) = self.item(item) {
                        return NextItem::Item(item);
                    }
                }
                FeedItem::Snapshot(snapshot) => return NextItem::Item(self.snapshot_item(&snapshot)),
                FeedItem::Disconnected(reason) => return NextItem::Item(self.disconnected_item(reason)),
                FeedItem::Empty => {
                    if let Some(item) = self.failed_recording() {
                        return NextItem::Item(item);
                    }
                    self.is_busy = std::mem::take(&mut self.has_new_items);
                    return NextItem::Wait;
                }
            }
        }
    }

    /// Converts the snapshot that follows attaching, or a gap.
    fn snapshot_item(&mut self, snapshot: &Snapshot) -> SourceItem {
        self.unconfirmed.clear();
        let snapshots: Vec<_> = snapshot.games.iter().map(GameSnapshot::new).collect();
        let games = match snapshots.len() {
            1 => "1 game goes on".to_owned(),
            n => format!("{n} games go on"),
        };
        let missed = snapshot.missed;
        let text = if missed.is_nothing() {
            format!("attached; {games}")
        } else {
            let (bytes, lines, notes) = (missed.received_bytes, missed.sent_lines, missed.notes);
            format!("missed: {bytes} bytes, {lines} lines sent, {notes} events of the session; {games}")
        };
        SourceItem {
            at: snapshot.at.saturating_duration_since(self.began),
            kind: SourceItemKind::Snapshot { snapshots, text },
        }
    }

    /// Reports that the attachment ended.
    fn disconnected_item(&mut self, reason: String) -> SourceItem {
        self.pending_notice = Some(Notice::Error(format!("{reason}; q leaves")));
        SourceItem { at: self.time(Instant::now()), kind: SourceItemKind::Note(reason) }
    }

    /// Returns a failure of the recording, once.
    fn failed_recording(&mut self) -> Option<SourceItem> {
        let failed = self.feed.recording().filter(|recording| recording.error.is_some());
        let was_shown = std::mem::replace(&mut self.is_failure_shown, failed.is_some());
        let text = failure(&failed.filter(|_| !was_shown)?);
        self.pending_notice = Some(Notice::Error(text.clone()));
        Some(SourceItem { at: self.time(Instant::now()), kind: SourceItemKind::Note(text) })
    }

    fn item(&mut self, item: TapItem) -> Option<SourceItem> {
        let at = item.at.saturating_duration_since(self.began);
        let kind = match item.observation {
            Observation::Received(bytes) => SourceItemKind::Bytes(bytes.into()),
            Observation::Sent { bytes, kind: TransmitKind::Hello } => timeseal_item(bytes.into(), TIMESEAL_HELLO),
            Observation::Sent { bytes, kind: TransmitKind::PingAnswer } => {
                timeseal_item(bytes.into(), TIMESEAL_PING_ANSWER)
            }
            Observation::Sent { bytes, .. } => {
                self.unconfirmed.push_back(bytes.into());
                return None;
            }
            Observation::Event { event, parsing } => {
                if let Event::Sent { line, .. } = &event {
                    self.sent(line.as_deref())
                } else {
                    if matches!(event, Event::Connected) {
                        self.unconfirmed.clear();
                    }
                    SourceItemKind::Event {
                        snapshot: item.game.map(|game| Box::new(GameSnapshot::new(&game))),
                        event,
                        decoding: parsing,
                    }
                }
            }
            _ => return None,
        };
        Some(SourceItem { at, kind })
    }

    /// Converts a sent line; its text is `None` if it is secret.
    fn sent(&mut self, line: Option<&str>) -> SourceItemKind {
        let bytes = self.unconfirmed.pop_front().unwrap_or_default();
        let text = line.unwrap_or_default().as_bytes().to_vec();
        SourceItemKind::Sent { bytes, text, answers_ping: false, is_secret: line.is_none() }
    }

    /// Starts to send a line. Its reply arrives as items; [`notice`](Self::notice) returns failures that no item shows.
    pub(crate) fn request(&mut self, line: &str) -> Result<(), &'static str> {
        match self.state() {
            "over" | "gone" => return Err("not sent: the session is over"),
            _ if self.feed.is_read_only() => {
                return Err("not sent: attached to look; with --write lines are sent");
            }
            READY_LABEL => {}
            // A typed line is meant for now: it must not wait for a connection that may come hours later.
            _ => return Err("not sent: the session is not ready; Enter tries again"),
        }
        if self.jobs.len() >= UNANSWERED_LINES {
            return Err("not sent: too many lines wait for their reply");
        }
        let line = line.to_owned();
        match &self.feed {
            SessionFeed::Own { client, .. } => {
                let client = client.clone();
                let request = async move { client.request(&line).await.err().and_then(|error| request_notice(&error)) };
                self.jobs.spawn_on(request, &self.runtime);
            }
            SessionFeed::Attached(remote) => {
                let Some(requests) = remote.requests().cloned() else { return Ok(()) };
                let request = async move {
                    requests.request(&line).await.err().and_then(|error| attached_request_notice(&error))
                };
                self.jobs.spawn_on(request, &self.runtime);
            }
        }
        Ok(())
    }

    /// Starts to record the session in a new file. [`notice`](Self::notice) returns the outcome.
    pub(crate) fn record(&mut self, file: String) -> Result<(), &'static str> {
        let SessionFeed::Own { client, .. } = &self.feed else {
            return Err("an attached session can be recorded by its own process only");
        };
        let client = client.clone();
        let recording = async move {
            Some(match client.record(&file).await {
                Ok(()) => Notice::Info(format!("recording in {file}, passwords left out")),
                Err(error) => Notice::Error(error_chain(&error)),
            })
        };
        self.jobs.spawn_on(recording, &self.runtime);
        Ok(())
    }

    /// Returns the outcome of a request or recording, if it has to be shown.
    pub(crate) fn notice(&mut self) -> Option<Notice> {
        while let Some(outcome) = self.jobs.try_join_next() {
            if let Ok(Some(notice)) = outcome {
                return Some(notice);
            }
        }
        self.pending_notice.take()
    }
}

/// Converts a line of timeseal itself.
fn timeseal_item(bytes: Vec<u8>, name: &str) -> SourceItemKind {
    SourceItemKind::Sent { bytes, text: name.into(), answers_ping: true, is_secret: false }
}

/// Returns the notice for a failed request on an attached session.
fn attached_request_notice(error: &AttachedRequestError) -> Option<Notice> {
    match error {
        AttachedRequestError::Request(error) => request_notice(error),
        error => Some(Notice::Error(format!("not sent: {error}"))),
    }
}

/// Returns the notice for a failed request; `None` if the stream shows the failure.
fn request_notice(error: &RequestError) -> Option<Notice> {
    match error {
        RequestError::Command(error) => Some(Notice::Error(format!("not sent: {error}"))),
        RequestError::Busy | RequestError::NotConnected => Some(Notice::Error(format!("not sent: {error}"))),
        RequestError::TimedOut(_) | RequestError::Lost => Some(Notice::Error(error.to_string())),
        _ => None,
    }
}
