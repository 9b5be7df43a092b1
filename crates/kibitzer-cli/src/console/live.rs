//! A live session as a source of the console.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use kibitzer::core::Event;
use kibitzer::core::session::{RequestError, State, TransmitKind};
use kibitzer::{Client, Drip, Tap, TapPiece, Tapped};
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::app::Notice;
use super::card::Card;
use super::item::{Item, What};
use super::player::Next;
use crate::chain::chain;

/// Lines that may wait for their reply at once.
const UNANSWERED_LINES: usize = 64;

/// How timeseal begins, and how it answers a ping, in words.
const HELLO: &str = "(timeseal hello)";
const PING_ANSWER: &str = "(timeseal answers a ping)";

/// A session that goes on, and what is asked of it.
#[derive(Debug)]
pub(super) struct Live {
    client: Client,
    tap: Tap,
    /// What the server is called.
    server: String,
    /// Runs the requests.
    runtime: Handle,
    jobs: JoinSet<Option<Notice>>,
    began: tokio::time::Instant,
    /// Lines that went out, and of which the session has not told yet.
    untold: VecDeque<Vec<u8>>,
    recording: Option<String>,
    /// Whether something has come since the last time nothing did.
    has_news: bool,
    /// Whether something had come by then.
    is_busy: bool,
}

impl Live {
    pub(super) fn new(client: Client, tap: Tap, server: String, runtime: Handle) -> Self {
        let began = tokio::time::Instant::now();
        let (jobs, untold) = (JoinSet::new(), VecDeque::new());
        Self { client, tap, server, runtime, jobs, began, untold, recording: None, has_news: false, is_busy: true }
    }

    /// Since the session began.
    pub(super) fn time(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.began.into_std())
    }

    /// Whether something came lately.
    pub(super) const fn is_busy(&self) -> bool {
        self.is_busy
    }

    /// How the session stands, in a word.
    pub(super) fn state(&self) -> &'static str {
        match self.client.state() {
            State::Connecting => "dialing",
            State::LoggingIn(_) => "login",
            State::Ready => "live",
            State::Waiting => "lost",
            State::Ended(_) => "over",
            _ => "closing",
        }
    }

    /// Whether requests can be made.
    pub(super) fn is_ready(&self) -> bool {
        self.client.state() == State::Ready
    }

    /// Who is where, and what it is recorded in.
    pub(super) fn name(&self) -> String {
        let who = self.client.handle().map_or_else(String::new, |handle| format!("{handle} at "));
        let recording = self.recording.as_ref().map_or_else(String::new, |file| format!(", recorded in {file}"));
        format!("{who}{}{recording}", self.server)
    }

    /// The next thing that happened.
    pub(super) fn next(&mut self) -> Next {
        loop {
            match self.tap.try_next() {
                Drip::Piece(piece) => {
                    self.has_news = true;
                    if let Some(item) = self.item(piece) {
                        return Next::Item(item);
                    }
                }
                Drip::Dry | Drip::Over => {
                    self.is_busy = std::mem::take(&mut self.has_news);
                    return Next::Wait;
                }
            }
        }
    }

    fn item(&mut self, piece: TapPiece) -> Option<Item> {
        let at = piece.at.saturating_duration_since(self.began);
        let what = match piece.what {
            Tapped::Received(bytes) => What::Bytes(bytes),
            Tapped::Sent { bytes, kind: TransmitKind::Hello } => of_timeseal(bytes, HELLO),
            Tapped::Sent { bytes, kind: TransmitKind::PingAnswer } => of_timeseal(bytes, PING_ANSWER),
            Tapped::Sent { bytes, .. } => {
                self.untold.push_back(bytes);
                return None;
            }
            Tapped::Event { event, game, decoding } => {
                if let Event::Sent { line, .. } = &*event {
                    self.sent(line.as_deref())
                } else {
                    if matches!(*event, Event::Connected) {
                        self.untold.clear();
                    }
                    What::Event { card: game.map(|game| Box::new(Card::of(&game))), event, decoding }
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
    pub(super) fn request(&mut self, line: &str) -> Result<(), &'static str> {
        match self.client.state() {
            State::Ready => {}
            State::Ended(_) => return Err("not sent: the session is over"),
            // What is typed is meant for the moment: it does not wait for a connection that may be hours away.
            _ => return Err("not sent: the session is not ready; Enter tries again"),
        }
        if self.jobs.len() >= UNANSWERED_LINES {
            return Err("not sent: too many lines wait for their reply");
        }
        let (client, line) = (self.client.clone(), line.to_owned());
        let request = async move { client.request(&line).await.err().and_then(|error| trouble(&error)) };
        self.jobs.spawn_on(request, &self.runtime);
        Ok(())
    }

    /// Records the session from now on.
    pub(super) fn record(&mut self, file: String) -> Result<(), &'static str> {
        if self.recording.is_some() {
            return Err("the session is recorded already");
        }
        let client = self.client.clone();
        self.recording = Some(file.clone());
        let recording = async move {
            Some(match client.record(&file).await {
                Ok(()) => Notice::Done(format!("recorded in {file}, passwords left out")),
                Err(error) => Notice::Wrong(chain(&error)),
            })
        };
        self.jobs.spawn_on(recording, &self.runtime);
        Ok(())
    }

    /// What became of something that was asked, if it has to be told.
    pub(super) fn notice(&mut self) -> Option<Notice> {
        while let Some(outcome) = self.jobs.try_join_next() {
            if let Ok(Some(notice)) = outcome {
                return Some(notice);
            }
        }
        None
    }
}

/// Bytes of the seal itself, which say nothing to anybody who reads them.
fn of_timeseal(bytes: Vec<u8>, name: &str) -> What {
    What::Sent { bytes, text: name.into(), answers_ping: true, is_secret: false }
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
