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
use crate::console::model::card::Card;
use crate::console::model::item::{Item, What};
use crate::console::source::feed::{Fed, Feed, LIVE, Remote};
use crate::console::source::player::Next;
use crate::live::failure;
use kibitzer::core::text::error_chain;

/// Lines that may wait for their reply at once.
const UNANSWERED_LINES: usize = 64;

/// How timeseal begins, and how it answers a ping, in words.
const HELLO: &str = "(timeseal hello)";
const PING_ANSWER: &str = "(timeseal answers a ping)";

/// A session that goes on, and what is asked of it.
#[derive(Debug)]
pub(in crate::console) struct Live {
    feed: Feed,
    /// What the server is called.
    server: String,
    /// Runs the requests.
    runtime: Handle,
    jobs: JoinSet<Option<Notice>>,
    began: tokio::time::Instant,
    /// Lines that went out, and of which the session has not told yet.
    untold: VecDeque<Vec<u8>>,
    /// Whether the failure of the recording was shown.
    is_failure_shown: bool,
    /// What has to be told at the bottom of the screen.
    news: Option<Notice>,
    /// Whether something has come since the last time nothing did.
    has_news: bool,
    /// Whether something had come by then.
    is_busy: bool,
}

impl Live {
    pub(in crate::console) fn new(client: Client, tap: Tap, server: String, runtime: Handle) -> Self {
        Self::of(Feed::Own { client, tap }, server, runtime, tokio::time::Instant::now())
    }

    /// A session of another process, which began then.
    pub(in crate::console) fn attached(
        remote: Remote,
        server: String,
        runtime: Handle,
        began: tokio::time::Instant,
    ) -> Self {
        Self::of(Feed::Other(Box::new(remote)), server, runtime, began)
    }

    fn of(feed: Feed, server: String, runtime: Handle, began: tokio::time::Instant) -> Self {
        let (jobs, untold, news) = (JoinSet::new(), VecDeque::new(), None);
        let is_failure_shown = false;
        Self { feed, server, runtime, jobs, began, untold, is_failure_shown, news, has_news: false, is_busy: true }
    }

    /// Since the session began.
    pub(in crate::console) fn time(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.began.into_std())
    }

    /// Whether nothing may be sent, ever.
    pub(in crate::console) const fn is_only_looked_at(&self) -> bool {
        self.feed.is_only_looked_at()
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
        self.state() == LIVE
    }

    /// Who is where, and what it is recorded in.
    pub(in crate::console) fn name(&self) -> String {
        let who = self.feed.handle().map_or_else(String::new, |handle| format!("{handle} at "));
        let recording = match self.feed.recording() {
            None => String::new(),
            Some(recording) if recording.error.is_some() => ", recording failed".to_owned(),
            Some(recording) => format!(", recorded in {} ({})", recording.path.display(), HumanBytes(recording.bytes)),
        };
        format!("{who}{}{}{recording}", self.server, self.feed.note())
    }

    /// The next thing that happened.
    pub(in crate::console) fn next(&mut self) -> Next {
        loop {
            match self.feed.next() {
                Fed::Item(item) => {
                    self.has_news = true;
                    if let Some(item) = self.item(item) {
                        return Next::Item(item);
                    }
                }
                Fed::Snapshot(snapshot) => return Next::Item(self.begin(&snapshot)),
                Fed::Gone(reason) => return Next::Item(self.gone(reason)),
                Fed::Nothing => {
                    if let Some(item) = self.failed_recording() {
                        return Next::Item(item);
                    }
                    self.is_busy = std::mem::take(&mut self.has_news);
                    return Next::Wait;
                }
            }
        }
    }

    /// How a session stood when it was attached to, or when what was missed of it was over.
    fn begin(&mut self, snapshot: &Snapshot) -> Item {
        self.untold.clear();
        let cards: Vec<_> = snapshot.games.iter().map(Card::of).collect();
        let games = match cards.len() {
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
        Item { at: snapshot.at.saturating_duration_since(self.began), what: What::Snapshot { cards, text } }
    }

    /// Nothing more comes of a session that another process has.
    fn gone(&mut self, reason: String) -> Item {
        self.news = Some(Notice::Wrong(format!("{reason}; q leaves")));
        Item { at: self.time(Instant::now()), what: What::Told(reason) }
    }

    /// The failure of the recording, once.
    fn failed_recording(&mut self) -> Option<Item> {
        let failed = self.feed.recording().filter(|recording| recording.error.is_some());
        let was_shown = std::mem::replace(&mut self.is_failure_shown, failed.is_some());
        let text = failure(&failed.filter(|_| !was_shown)?);
        self.news = Some(Notice::Wrong(text.clone()));
        Some(Item { at: self.time(Instant::now()), what: What::Told(text) })
    }

    fn item(&mut self, item: TapItem) -> Option<Item> {
        let at = item.at.saturating_duration_since(self.began);
        let what = match item.observation {
            Observation::Received(bytes) => What::Bytes(bytes.into()),
            Observation::Sent { bytes, kind: TransmitKind::Hello } => of_timeseal(bytes.into(), HELLO),
            Observation::Sent { bytes, kind: TransmitKind::PingAnswer } => of_timeseal(bytes.into(), PING_ANSWER),
            Observation::Sent { bytes, .. } => {
                self.untold.push_back(bytes.into());
                return None;
            }
            Observation::Event { event, parsing } => {
                if let Event::Sent { line, .. } = &event {
                    self.sent(line.as_deref())
                } else {
                    if matches!(event, Event::Connected) {
                        self.untold.clear();
                    }
                    What::Event { card: item.game.map(|game| Box::new(Card::of(&game))), event, decoding: parsing }
                }
            }
            _ => return None,
        };
        Some(Item { at, what })
    }

    /// A line that went out; `None` if nobody may see it.
    fn sent(&mut self, line: Option<&str>) -> What {
        let bytes = self.untold.pop_front().unwrap_or_default();
        let text = line.unwrap_or_default().as_bytes().to_vec();
        What::Sent { bytes, text, answers_ping: false, is_secret: line.is_none() }
    }

    /// Sends a line. What comes back is in the stream; [`notice`](Self::notice) tells what does not get that far.
    pub(in crate::console) fn request(&mut self, line: &str) -> Result<(), &'static str> {
        match self.state() {
            "over" | "gone" => return Err("not sent: the session is over"),
            _ if self.feed.is_only_looked_at() => {
                return Err("not sent: attached to look; with --write lines are sent");
            }
            LIVE => {}
            // What is typed is meant for the moment: it does not wait for a connection that may be hours away.
            _ => return Err("not sent: the session is not ready; Enter tries again"),
        }
        if self.jobs.len() >= UNANSWERED_LINES {
            return Err("not sent: too many lines wait for their reply");
        }
        let line = line.to_owned();
        match &self.feed {
            Feed::Own { client, .. } => {
                let client = client.clone();
                let request = async move { client.request(&line).await.err().and_then(|error| trouble(&error)) };
                self.jobs.spawn_on(request, &self.runtime);
            }
            Feed::Other(remote) => {
                let Some(requests) = remote.requests().cloned() else { return Ok(()) };
                let request = async move { requests.request(&line).await.err().and_then(|error| refusal(&error)) };
                self.jobs.spawn_on(request, &self.runtime);
            }
        }
        Ok(())
    }

    /// Records the session from now on.
    pub(in crate::console) fn record(&mut self, file: String) -> Result<(), &'static str> {
        let Feed::Own { client, .. } = &self.feed else {
            return Err("an attached session can be recorded by its own process only");
        };
        let client = client.clone();
        let recording = async move {
            Some(match client.record(&file).await {
                Ok(()) => Notice::Done(format!("recording in {file}, passwords left out")),
                Err(error) => Notice::Wrong(error_chain(&error)),
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
        self.news.take()
    }
}

/// Bytes of the seal itself, which say nothing to anybody who reads them.
fn of_timeseal(bytes: Vec<u8>, name: &str) -> What {
    What::Sent { bytes, text: name.into(), answers_ping: true, is_secret: false }
}

/// The same of a line that another process was to send.
fn refusal(error: &AttachedRequestError) -> Option<Notice> {
    match error {
        AttachedRequestError::Request(error) => trouble(error),
        error => Some(Notice::Wrong(format!("not sent: {error}"))),
    }
}

/// What the stream does not show of a failure: that the line was not sent, or that nothing came.
fn trouble(error: &RequestError) -> Option<Notice> {
    match error {
        RequestError::Command(error) => Some(Notice::Wrong(format!("not sent: {error}"))),
        RequestError::Busy | RequestError::NotConnected => Some(Notice::Wrong(format!("not sent: {error}"))),
        RequestError::TimedOut(_) | RequestError::Lost => Some(Notice::Wrong(error.to_string())),
        _ => None,
    }
}
