//! The session against scripted servers: bytes in, lines out, and time that passes when a test says so.

mod login;
mod peer;

use std::sync::Arc;
use std::time::{Duration, Instant};

use self::peer::Peer;
use super::*;
use crate::event::Event;

/// A session and its clock; what it sends and tells is kept.
pub(super) struct Driver {
    pub(super) session: Session,
    pub(super) now: Instant,
    sent: Vec<Transmit>,
    events: Vec<Arc<Event>>,
    replies: Vec<(RequestId, Result<Reply, RequestError>)>,
}

impl Driver {
    /// A session that is connected.
    pub(super) fn connected(options: SessionOptions) -> Self {
        let mut driver = Self::new(options);
        driver.dial(Ok(()));
        driver
    }

    pub(super) fn new(options: SessionOptions) -> Self {
        let session = Session::new(options);
        let mut driver =
            Self { session, now: Instant::now(), sent: Vec::new(), events: Vec::new(), replies: Vec::new() };
        driver.drain();
        driver
    }

    pub(super) fn dial(&mut self, outcome: Result<(), DialError>) {
        assert!(matches!(self.session.link(), Link::Dial { .. }), "{:?}", self.session.link());
        self.session.dialed(outcome, self.now);
        self.drain();
    }

    /// The server sends this.
    pub(super) fn feed(&mut self, bytes: impl AsRef<[u8]>) {
        let mut rest = bytes.as_ref();
        while let Some(event) = self.session.receive(&mut rest, self.now) {
            self.events.push(event);
        }
        assert!(rest.is_empty());
        self.drain();
    }

    /// The connection is closed by the server.
    pub(super) fn close(&mut self, cause: CloseCause) {
        self.session.closed(cause, self.now);
        self.drain();
    }

    /// Hangs up, as the session asks for.
    pub(super) fn hang_up(&mut self) {
        assert_eq!(self.session.link(), Link::Close);
        self.close(CloseCause::Closed);
    }

    /// Lets time pass.
    pub(super) fn wait(&mut self, duration: Duration) {
        let end = self.now + duration;
        while let Some(due) = self.session.poll_timeout().filter(|due| *due <= end) {
            assert!(due >= self.now || self.session.poll_timeout() == Some(due));
            let before = self.now;
            self.now = self.now.max(due);
            self.session.handle_timeout(self.now);
            self.drain();
            assert!(self.now > before || self.session.poll_timeout() != Some(due), "the same time-out again and again");
        }
        self.now = end;
    }

    pub(super) fn request(&mut self, line: &str) -> Result<RequestId, RequestError> {
        let id = self.session.request(Command::new(line).unwrap(), self.now);
        self.drain();
        id
    }

    fn drain(&mut self) {
        while let Some(transmit) = self.session.poll_transmit(self.now) {
            self.sent.push(transmit);
        }
        self.replies.extend(std::iter::from_fn(|| self.session.poll_reply()));
        self.events.extend(std::iter::from_fn(|| self.session.poll_event()));
    }

    /// What was sent since this was asked last, each with its line end.
    pub(super) fn take_sent(&mut self) -> Vec<String> {
        self.sent.drain(..).map(|transmit| String::from_utf8_lossy(transmit.bytes()).into_owned()).collect()
    }

    pub(super) fn take_transmits(&mut self) -> Vec<Transmit> {
        std::mem::take(&mut self.sent)
    }

    pub(super) fn take_replies(&mut self) -> Vec<(RequestId, Result<Reply, RequestError>)> {
        std::mem::take(&mut self.replies)
    }

    /// The only reply that has come.
    pub(super) fn reply(&mut self) -> Result<Reply, RequestError> {
        let mut replies = self.take_replies();
        assert_eq!(replies.len(), 1, "{replies:?}");
        replies.remove(0).1
    }

    pub(super) fn events(&self) -> &[Arc<Event>] {
        &self.events
    }

    /// What the session told of itself since this was asked last; not what it sent.
    pub(super) fn take_news(&mut self) -> Vec<Event> {
        let events = std::mem::take(&mut self.events);
        let is_news = |event: &Event| !matches!(event, Event::Received { .. } | Event::Desync(_) | Event::Sent { .. });
        events.iter().filter(|event| is_news(event)).map(|event| (**event).clone()).collect()
    }

    /// Lets a server answer until nothing more is said.
    pub(super) fn serve(&mut self, peer: &mut Peer) {
        loop {
            let lines = self.take_sent();
            if lines.is_empty() {
                return;
            }
            for line in lines {
                let answer = peer.answer(line.trim_end_matches('\n'));
                self.feed(answer);
            }
        }
    }
}

pub(super) fn guest() -> SessionOptions {
    SessionOptions::new(Credentials::Guest)
}

pub(super) fn account() -> SessionOptions {
    let password = Password::new("swordfish").unwrap();
    SessionOptions::new(Credentials::Account { handle: "newton".parse().unwrap(), password })
}

pub(super) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
