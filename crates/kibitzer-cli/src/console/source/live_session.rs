//! A live session as a source of the console.

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

/// Lines that may wait for their reply at once.
const UNANSWERED_LINES: usize = 64;

/// How timeseal begins, and how it answers a ping, in words.
const TIMESEAL_HELLO: &str = "(timeseal hello)";
const TIMESEAL_PING_ANSWER: &str = "(timeseal answers a ping)";

/// A session that goes on, and what is asked of it.
#[derive(Debug)]
pub(in crate::console) struct LiveSession {
    feed: SessionFeed,
    /// What the server is called.
    server: String,
    /// Runs the requests.
    runtime: Handle,
    jobs: JoinSet<Option<Notice>>,
    began: tokio::time::Instant,
    /// Lines that went out, and of which the session has not told yet.
    unconfirmed: VecDeque<Vec<u8>>,
    /// Whether the failure of the recording was shown.
    is_failure_shown: bool,
    /// What has to be told at the bottom of the screen.
    pending_notice: Option<Notice>,
    /// Whether something has come since the last time nothing did.
    has_new_items: bool,
    /// Whether something had come by then.
    is_busy: bool,
}

impl LiveSession {
    pub(in crate::console) fn new(client: Client, tap: Tap, server: String, runtime: Handle) -> Self {
        Self::of(SessionFeed::Own { client, tap }, server, runtime, tokio::time::Instant::now())
    }

    /// A session of another process, which began then.
    pub(in crate::console) fn attached(
        remote: AttachedFeed,
        server: String,
        runtime: Handle,
        began: tokio::time::Instant,
    ) -> Self {
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

    /// Since the session began.
    pub(in crate::console) fn time(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.began.into_std())
    }

    /// Whether nothing may be sent, ever.
    pub(in crate::console) const fn is_read_only(&self) -> bool {
        self.feed.is_read_only()
    }

    /// Whether something came lately.
    pub(in crate::console) const fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// How the session stands, in a word.
    pub(in crate::console) fn state(&self) -> &'static str {
        self.feed.state()
    }

    /// Whether requests can be made.
    pub(in crate::console) fn is_ready(&self) -> bool {
        self.state() == READY_LABEL
    }

    /// Who is where, and what it is recorded in.
    pub(in crate::console) fn name(&self) -> String {
        let who = self.feed.handle().map_or_else(String::new, |handle| format!("{handle} at "));
        let recording = match self.feed.recording() {
            None => String::new(),
            Some(recording) if recording.error.is_some() => ", recording failed".to_owned(),
            Some(recording) => format!(", recorded in {} ({})", recording.path.display(), HumanBytes(recording.bytes)),
        };
        format!("{who}{}{}{recording}", self.server, self.feed.access_label())
    }

    /// The next thing that happened.
    pub(in crate::console) fn next(&mut self) -> NextItem {
        loop {
            match self.feed.next() {
                FeedItem::Tapped(item) => {
                    self.has_new_items = true;
                    if let Some(item) = self.item(item) {
                        return NextItem::Item(item);
                    }
                }
                FeedItem::Snapshot(snapshot) => return NextItem::Item(self.begin(&snapshot)),
                FeedItem::Disconnected(reason) => return NextItem::Item(self.gone(reason)),
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

    /// How a session stood when it was attached to, or when what was missed of it was over.
    fn begin(&mut self, snapshot: &Snapshot) -> SourceItem {
        self.unconfirmed.clear();
        let snapshots: Vec<_> = snapshot.games.iter().map(GameSnapshot::of).collect();
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

    /// Nothing more comes of a session that another process has.
    fn gone(&mut self, reason: String) -> SourceItem {
        self.pending_notice = Some(Notice::Error(format!("{reason}; q leaves")));
        SourceItem { at: self.time(Instant::now()), kind: SourceItemKind::Note(reason) }
    }

    /// The failure of the recording, once.
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
                        snapshot: item.game.map(|game| Box::new(GameSnapshot::of(&game))),
                        event,
                        decoding: parsing,
                    }
                }
            }
            _ => return None,
        };
        Some(SourceItem { at, kind })
    }

    /// A line that went out; `None` if nobody may see it.
    fn sent(&mut self, line: Option<&str>) -> SourceItemKind {
        let bytes = self.unconfirmed.pop_front().unwrap_or_default();
        let text = line.unwrap_or_default().as_bytes().to_vec();
        SourceItemKind::Sent { bytes, text, answers_ping: false, is_secret: line.is_none() }
    }

    /// Sends a line. What comes back is in the stream; [`notice`](Self::notice) tells what does not get that far.
    pub(in crate::console) fn request(&mut self, line: &str) -> Result<(), &'static str> {
        match self.state() {
            "over" | "gone" => return Err("not sent: the session is over"),
            _ if self.feed.is_read_only() => {
                return Err("not sent: attached to look; with --write lines are sent");
            }
            READY_LABEL => {}
            // What is typed is meant for the moment: it does not wait for a connection that may be hours away.
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

    /// Records the session from now on.
    pub(in crate::console) fn record(&mut self, file: String) -> Result<(), &'static str> {
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

    /// What became of something that was asked, if it has to be told.
    pub(in crate::console) fn notice(&mut self) -> Option<Notice> {
        while let Some(outcome) = self.jobs.try_join_next() {
            if let Ok(Some(notice)) = outcome {
                return Some(notice);
            }
        }
        self.pending_notice.take()
    }
}

/// Bytes of the seal itself, which say nothing to anybody who reads them.
fn timeseal_item(bytes: Vec<u8>, name: &str) -> SourceItemKind {
    SourceItemKind::Sent { bytes, text: name.into(), answers_ping: true, is_secret: false }
}

/// The same of a line that another process was to send.
fn attached_request_notice(error: &AttachedRequestError) -> Option<Notice> {
    match error {
        AttachedRequestError::Request(error) => request_notice(error),
        error => Some(Notice::Error(format!("not sent: {error}"))),
    }
}

/// What the stream does not show of a failure: that the line was not sent, or that nothing came.
fn request_notice(error: &RequestError) -> Option<Notice> {
    match error {
        RequestError::Command(error) => Some(Notice::Error(format!("not sent: {error}"))),
        RequestError::Busy | RequestError::NotConnected => Some(Notice::Error(format!("not sent: {error}"))),
        RequestError::TimedOut(_) | RequestError::Lost => Some(Notice::Error(error.to_string())),
        _ => None,
    }
}
