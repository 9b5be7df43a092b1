//! A live session as a source: converts its feed into items, and starts the jobs of the user: sent lines, recordings, faults.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use indicatif::HumanBytes;
use kibitzer::transcript::Utc;
use kibitzer::{Client, Observation, TapItem};
use kibitzer_attach::{AttachEvent, AttachedRequestError, SessionSnapshot};
use kibitzer_core::event::{Attribution, RequestError, RequestOrigin};
use kibitzer_core::game::Game;
use kibitzer_core::message::Handle;
use kibitzer_core::session::{SessionState, TransmitKind};
use kibitzer_core::text::error_chain;
use kibitzer_core::{Event, EventKind, EventReader};
use kibitzer_server::{ConnectionTarget, FiredFaults, ServerControl};
use serde_json::Value;
use thiserror::Error;
use tokio::runtime;
use tokio::task::JoinSet;

use super::Notice;
use crate::arguments::ReaderArgs;
use crate::console::model::{GameSnapshot, SentItem, SourceItem, SourceItemKind};
use crate::console::source::feed::{FeedItem, SessionFeed};
use crate::console::source::recording_player::NextItem;
use crate::fault::{FaultRequest, fired_fault_text};
use crate::live::{LineSender, recording_failure_text, send_failure_text};
use crate::output::one_line;

/// Number of running jobs, most of them sent lines that wait for their reply, from which on no further line is sent.
const MAX_RUNNING_JOBS: usize = 64;
/// Label of the state before a connection is open.
const CONNECTING_LABEL: &str = "dialing";
/// Label of the only state in which lines can be sent.
const READY_LABEL: &str = "live";

/// Why a job of a session was not started.
#[derive(Clone, Copy, Debug, Error)]
pub(crate) enum JobError {
    /// The source is a recording; the text says so.
    #[error("{0}")]
    Recording(&'static str),
    #[error("not sent: the session is over")]
    Over,
    #[error("not sent: attached to look; with --write lines are sent")]
    NoWriteAccess,
    #[error("not sent: the session is not ready; Enter tries again")]
    NotReady,
    #[error("not sent: too many lines wait for their reply")]
    TooManyLines,
    #[error("an attached session can be recorded by its own process only")]
    Attached,
    #[error(
        "faults need an embedded server: `kibitzer` or `kibitzer bot --demo`; others have `serve --control-socket`"
    )]
    NotEmbedded,
}

/// A session of this process, or one that the console is attached to, with its running jobs.
#[derive(Debug)]
pub(crate) struct LiveSession {
    pub(crate) feed: SessionFeed,
    /// Sends lines; `None` without write access to an attached session.
    pub(crate) sender: Option<LineSender>,
    /// Label of the state of an attached session; unused for a session of this process.
    attached_state: &'static str,
    /// Why the session ended; `None` while it continues.
    pub(crate) end_reason: Option<String>,
    /// Account name of the session, once it is logged in.
    pub(crate) handle: Option<Handle>,
    /// Name of the server, for the title.
    server: String,
    /// Runtime on which the jobs run.
    pub(super) runtime: runtime::Handle,
    /// Sending, recording and fault injection in progress; each ends with a notice or `None`.
    pub(super) jobs: JoinSet<Option<Notice>>,
    began: tokio::time::Instant,
    /// Time of day at which the session began; `None` if it is stored without times of day.
    pub(crate) utc_start: Option<Utc>,
    /// Bytes of sent lines, the oldest first, whose `Event::Sent` with the text has not arrived yet.
    unconfirmed: VecDeque<Vec<u8>>,
    /// Whether the present failure of the recording was already shown.
    is_failure_shown: bool,
    /// Notice that no job returned, until it is shown.
    pub(super) pending_notice: Option<Notice>,
    /// Control of the embedded server, and the faults that took effect there; `None` on other servers.
    pub(super) embedded_server: Option<(ServerControl, FiredFaults)>,
    /// Whether an item has arrived since the feed was last empty.
    has_new_items: bool,
    /// Whether items arrived between the last two times that the feed was empty; the screen is then drawn more often.
    pub(crate) is_busy: bool,
}

impl LiveSession {
    /// Creates the source for a session that began at `began`. `sender` is `None` for an attached session without write access.
    pub(crate) fn new(
        feed: SessionFeed,
        sender: Option<LineSender>,
        server: String,
        runtime: runtime::Handle,
        began: tokio::time::Instant,
    ) -> Self {
        Self {
            feed,
            sender,
            attached_state: label_of_state(&SessionState::Connecting),
            end_reason: None,
            handle: None,
            server,
            runtime,
            jobs: JoinSet::new(),
            began,
            utc_start: Some(Utc::now().minus(began.elapsed())),
            unconfirmed: VecDeque::new(),
            is_failure_shown: false,
            pending_notice: None,
            embedded_server: None,
            has_new_items: false,
            is_busy: true,
        }
    }

    /// Returns the client of a session of this process; `None` if the session is attached.
    pub(crate) const fn client(&self) -> Option<&Client> {
        if let Some(LineSender::Own(client)) = &self.sender { Some(client) } else { None }
    }

    /// Returns the time since the session began.
    pub(crate) fn time_since_start(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.began.into_std())
    }

    /// Returns a new reader for the bytes of the present connection from its start, with its family and timeseal version; for an
    /// attached session, with those of default capabilities.
    pub(crate) fn new_event_reader(&self) -> EventReader {
        let capabilities = self.client().map(Client::capabilities).unwrap_or_default();
        let (timeseal, server) = (Some(capabilities.timeseal), capabilities.family);
        let args = ReaderArgs { server, timeseal, ..ReaderArgs::default() };
        args.event_reader()
    }

    /// Returns the state of the session as one word, such as `live`; `gone` once the attachment to it has ended.
    pub(crate) fn state_label(&self) -> &'static str {
        self.client().map_or(self.attached_state, |client| label_of_state(&client.state()))
    }

    /// Returns whether the session, or the attachment to it, has ended.
    pub(crate) fn is_over(&self) -> bool {
        matches!(self.state_label(), "over" | "gone")
    }

    /// Returns whether the session is logged in and set up, so that lines can be sent if there is write access.
    pub(crate) fn is_ready(&self) -> bool {
        self.state_label() == READY_LABEL
    }

    /// Returns the text for the title: handle, server, kind of access, and recording with its size.
    pub(crate) fn title(&self) -> String {
        let who = self.handle.as_ref().map_or_else(String::new, |handle| format!("{handle} at "));
        let access = match &self.sender {
            Some(LineSender::Own(_)) => "",
            Some(LineSender::Attached(_)) => ", attached",
            None => ", attached to look",
        };
        let recording = match self.client().and_then(Client::recording) {
            None => String::new(),
            Some(recording) if recording.error.is_some() => ", recording failed".to_owned(),
            Some(recording) => format!(", recorded in {} ({})", recording.path.display(), HumanBytes(recording.bytes)),
        };
        format!("{who}{}{access}{recording}", self.server)
    }

    /// Returns the next item that has arrived, without waiting. Without one, returns [`NextItem::Wait`] and updates `is_busy`.
    pub(crate) fn next_item(&mut self) -> NextItem {
        // Before its consequences.
        let fired = self.embedded_server.as_mut().and_then(|(_, faults)| faults.try_recv().transpose());
        if let Some(text) = fired.and_then(fired_fault_text) {
            return NextItem::Item(self.mark_now(text));
        }
        while let Some(received) = self.feed.try_next() {
            let item = match received {
                FeedItem::Session(AttachEvent::Item(item)) => {
                    self.has_new_items = true;
                    self.convert_tap_item(item)
                }
                FeedItem::Session(AttachEvent::Snapshot(snapshot)) => Some(self.apply_snapshot(&snapshot)),
                // Kinds that a later version of the protocol adds.
                FeedItem::Session(_) => None,
                FeedItem::Bot(at, event) => {
                    self.has_new_items = true;
                    let at = at.saturating_duration_since(self.began);
                    Some(SourceItem { at, kind: SourceItemKind::Bot(event) })
                }
                FeedItem::Stored(item) => {
                    self.has_new_items = true;
                    self.update_state_of_stored(&item.kind);
                    Some(item)
                }
                FeedItem::MissedBotEvents(missed) => Some(self.mark_now(format!("missed: {missed} events of the bot"))),
                FeedItem::Detached(reason) => {
                    self.attached_state = "gone";
                    self.pending_notice = Some(Notice::Error(reason.clone()));
                    Some(self.mark_now(reason))
                }
            };
            if let Some(item) = item {
                return NextItem::Item(item);
            }
        }
        if let Some(item) = self.take_recording_failure() {
            return NextItem::Item(item);
        }
        self.is_busy = std::mem::take(&mut self.has_new_items);
        NextItem::Wait
    }

    /// Updates the label of the state and the handle after an event of the session, and stores the reason of its end as a notice.
    fn update_state(&mut self, event: &Event) {
        self.update_label(event.kind());
        match event {
            Event::LoggedIn(identity) => self.handle.clone_from(&identity.handle),
            Event::Ended(_) => {
                let text = one_line(event).trim_start_matches("* ").to_owned();
                self.end_reason = Some(text.trim_start_matches("session over: ").to_owned());
                self.pending_notice = Some(Notice::Error(text));
            }
            _ => {}
        }
    }

    /// Updates the label of the state and the handle after an item of a stored session. Its first item may be one of a session that is
    /// ready.
    fn update_state_of_stored(&mut self, item: &SourceItemKind) {
        match item {
            SourceItemKind::Stored(kind, json) => {
                self.update_label(*kind);
                if *kind == EventKind::LoggedIn {
                    let members = serde_json::from_str::<Value>(json).unwrap_or_default();
                    let handle = members.get("name").and_then(Value::as_str);
                    self.handle = handle.and_then(|handle| handle.parse().ok());
                }
            }
            SourceItemKind::Bytes(_) if self.attached_state == CONNECTING_LABEL => self.attached_state = READY_LABEL,
            _ => {}
        }
    }

    fn update_label(&mut self, kind: EventKind) {
        self.attached_state = match kind {
            EventKind::Connecting => CONNECTING_LABEL,
            EventKind::Connected => "login",
            EventKind::SessionReady => READY_LABEL,
            EventKind::Lost => "lost",
            EventKind::Ended => "over",
            _ => self.attached_state,
        };
    }

    /// Copies the state and the handle from a snapshot, and converts the snapshot to an item. A snapshot arrives after attaching,
    /// and after this process missed a part of the stream.
    fn apply_snapshot(&mut self, snapshot: &SessionSnapshot) -> SourceItem {
        self.unconfirmed.clear();
        self.attached_state = label_of_state(&snapshot.state);
        self.handle.clone_from(&snapshot.handle);
        let snapshots: Vec<_> = snapshot.games.iter().map(GameSnapshot::new).collect();
        let lines = snapshot.games.iter().flat_map(Game::to_snapshot_lines).collect();
        let games = match snapshots.len() {
            1 => "1 game goes on".to_owned(),
            n => format!("{n} games go on"),
        };
        let missed = snapshot.missed;
        let text = if missed.is_zero() {
            format!("attached; {games}")
        } else {
            let (bytes, lines, notes) = (missed.received_bytes, missed.sent_lines, missed.notes);
            format!("missed: {bytes} bytes, {lines} lines sent, {notes} events of the session; {games}")
        };
        SourceItem {
            at: snapshot.at.saturating_duration_since(self.began),
            kind: SourceItemKind::Snapshot { handle: snapshot.handle.clone(), snapshots, lines, text },
        }
    }

    /// Returns the item of a mark at the present time.
    fn mark_now(&self, text: String) -> SourceItem {
        let now = tokio::time::Instant::now().into_std();
        SourceItem { at: self.time_since_start(now), kind: SourceItemKind::Note(text) }
    }

    /// Returns a mark, and stores a notice, if the recording of the session has failed since the last call; otherwise returns
    /// `None`.
    fn take_recording_failure(&mut self) -> Option<SourceItem> {
        let failed = self.client().and_then(Client::recording).filter(|recording| recording.error.is_some());
        let was_shown = std::mem::replace(&mut self.is_failure_shown, failed.is_some());
        let text = recording_failure_text(&failed.filter(|_| !was_shown)?);
        self.pending_notice = Some(Notice::Error(text.clone()));
        Some(self.mark_now(text))
    }

    /// Converts an observation to an item, and updates the state. `None` for the bytes of a sent line, which are stored until its
    /// event arrives, and for unknown observations.
    fn convert_tap_item(&mut self, item: TapItem) -> Option<SourceItem> {
        let at = item.at.saturating_duration_since(self.began);
        let kind = match item.observation {
            Observation::Received(bytes) => SourceItemKind::Bytes(bytes.into()),
            Observation::Sent { bytes, kind, attribution, .. } if !kind.is_line() => {
                let probe = Attribution::of_request(None, Some(RequestOrigin::Probe));
                // Their own text is unreadable.
                let (text, attribution) = match kind {
                    TransmitKind::Hello => ("(timeseal hello)", attribution),
                    TransmitKind::PingAnswer => ("(timeseal answers a ping)", attribution),
                    _ => ("(telnet probe)", probe),
                };
                SourceItemKind::Sent(SentItem {
                    bytes: bytes.into(),
                    text: text.into(),
                    answers_ping: true,
                    is_secret: false,
                    attribution,
                })
            }
            Observation::Sent { bytes, .. } => {
                self.unconfirmed.push_back(bytes.into());
                return None;
            }
            Observation::Event { event, parsing, .. } => {
                self.update_state(&event);
                if let Event::Sent { line, attribution, .. } = &event {
                    let bytes = self.unconfirmed.pop_front().unwrap_or_default();
                    let text = line.as_deref().unwrap_or_default().into();
                    let (is_secret, attribution) = (line.is_none(), *attribution);
                    SourceItemKind::Sent(SentItem { bytes, text, answers_ping: false, is_secret, attribution })
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
            Observation::Missed(number) => {
                SourceItemKind::Note(format!("missed: {number} bytes, lines and events, as the screen was blocked"))
            }
            _ => return None,
        };
        Some(SourceItem { at, kind })
    }

    /// Sets the control of the embedded server to which the session is connected. From now on, faults that take effect there
    /// become marks, and [`start_fault_injection`](Self::start_fault_injection) works.
    pub(crate) fn set_embedded_server(&mut self, control: &ServerControl) {
        self.embedded_server = Some((control.clone(), control.fired_faults()));
    }

    /// Starts to inject a fault. A request that names no connection applies to that of this session; before the login, to the
    /// next one. [`take_notice`](Self::take_notice) returns the outcome.
    ///
    /// # Errors
    ///
    /// [`JobError`] if the server is not embedded.
    pub(crate) fn start_fault_injection(&mut self, request: FaultRequest) -> Result<(), JobError> {
        let (control, _) = self.embedded_server.as_ref().ok_or(JobError::NotEmbedded)?;
        let (control, player) = (control.clone(), self.handle.as_ref());
        let own = player.map_or(ConnectionTarget::Next, |player| ConnectionTarget::Player(player.to_string()));
        let injection =
            async move { Some(request.inject(&control, own).await.map_or_else(Notice::Error, Notice::Info)) };
        self.jobs.spawn_on(injection, &self.runtime);
        Ok(())
    }

    /// Starts to send a line. Its reply arrives as items; [`take_notice`](Self::take_notice) returns failures that no item shows.
    ///
    /// # Errors
    ///
    /// [`JobError`] if the session is over or not ready, without write access, and if too many lines wait for their reply.
    pub(crate) fn start_sending(&mut self, line: &str) -> Result<(), JobError> {
        if self.is_over() {
            return Err(JobError::Over);
        }
        let Some(sender) = self.sender.clone() else {
            return Err(JobError::NoWriteAccess);
        };
        if !self.is_ready() {
            // A typed line is meant for now: it must not wait for a connection that may come hours later.
            return Err(JobError::NotReady);
        }
        if self.jobs.len() >= MAX_RUNNING_JOBS {
            return Err(JobError::TooManyLines);
        }
        let line = line.to_owned();
        let request = async move {
            let error = sender.send(&line).await.err()?;
            let is_lost = matches!(error, AttachedRequestError::Request(RequestError::Lost));
            let text = if is_lost { Some(error.to_string()) } else { send_failure_text(&error) };
            text.map(Notice::Error)
        };
        self.jobs.spawn_on(request, &self.runtime);
        Ok(())
    }

    /// Starts to record the session in a new file. [`take_notice`](Self::take_notice) returns the outcome.
    ///
    /// # Errors
    ///
    /// [`JobError`] if the session is attached.
    pub(crate) fn start_recording(&mut self, file: String) -> Result<(), JobError> {
        let Some(client) = self.client().cloned() else {
            return Err(JobError::Attached);
        };
        let recording = async move {
            Some(match client.record(&file).await {
                Ok(()) => Notice::Info(format!("recording in {file}, passwords left out")),
                Err(error) => Notice::Error(error_chain(&error)),
            })
        };
        self.jobs.spawn_on(recording, &self.runtime);
        Ok(())
    }

    /// Removes and returns the next notice, without waiting: the outcome of a job that has ended, otherwise that of the session
    /// itself.
    pub(crate) fn take_notice(&mut self) -> Option<Notice> {
        while let Some(outcome) = self.jobs.try_join_next() {
            if let Ok(Some(notice)) = outcome {
                return Some(notice);
            }
        }
        self.pending_notice.take()
    }
}

/// Returns the word that the title shows for a state of a session.
const fn label_of_state(state: &SessionState) -> &'static str {
    match state {
        SessionState::Connecting => CONNECTING_LABEL,
        SessionState::LoggingIn(_) => "login",
        SessionState::Ready | SessionState::Restoring => READY_LABEL,
        SessionState::Waiting => "lost",
        SessionState::Ended(_) => "over",
        _ => "closing",
    }
}
