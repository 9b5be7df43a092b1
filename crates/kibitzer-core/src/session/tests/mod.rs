//! The session against scripted servers, in virtual time.

mod adjourned;
mod boards;
mod chaos;
mod conditions;
mod icc;
mod liveness;
mod login;
mod peer;
mod reconnect;
mod requests;
mod restore;
mod seal;
mod secrets;
mod style;
mod talk;

use std::time::{Duration, Instant};

use self::peer::Peer;
use super::*;
use crate::event::{
    CloseCause, DialError, Event, LoginError, LoginStep, LostCause, RequestError, RequestId, RestoreOutcome, Restored,
    ResumptionState, SessionEndReason,
};

/// A request for telnet's timing mark, as [`Driver::take_sent`] returns it.
const TIMING_MARK: &str = "\u{fffd}\u{fffd}\x06";

/// A session with its clock, and its output so far.
struct Driver {
    session: Session,
    now: Instant,
    sent: Vec<Transmit>,
    events: Vec<Event>,
    replies: Vec<(RequestId, Result<Reply, RequestError>)>,
}

impl Driver {
    /// Returns a session that is connected.
    fn connected(options: SessionOptions) -> Self {
        let mut driver = Self::new(options);
        driver.dial(Ok(()));
        driver
    }

    fn new(options: SessionOptions) -> Self {
        let now = Instant::now();
        let session = Session::new(options, now);
        let mut driver = Self { session, now, sent: Vec::new(), events: Vec::new(), replies: Vec::new() };
        driver.drain();
        driver
    }

    fn dial(&mut self, outcome: Result<(), DialError>) {
        assert!(matches!(self.session.next_action(), DriverAction::Dial { .. }), "{:?}", self.session.next_action());
        self.session.handle_dial_outcome(outcome, self.now);
        self.drain();
    }

    /// Passes received bytes to the session.
    fn feed(&mut self, bytes: impl AsRef<[u8]>) {
        let mut rest = bytes.as_ref();
        while let Some(event) = self.session.receive(&mut rest, self.now) {
            self.events.push(event);
        }
        assert!(rest.is_empty());
        self.drain();
    }

    /// Closes the connection.
    fn close(&mut self, cause: CloseCause) {
        self.session.handle_close(cause, self.now);
        self.drain();
    }

    /// Closes the connection on request of the session.
    fn close_on_request(&mut self) {
        assert_eq!(self.session.next_action(), DriverAction::Close);
        self.close(CloseCause::Closed);
    }

    /// Advances the clock, and handles the timeouts on the way.
    fn wait(&mut self, duration: Duration) {
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

    fn request(&mut self, line: &str) -> Result<RequestId, RequestError> {
        let id = self.session.request(Command::new(line).unwrap(), self.now);
        self.drain();
        id
    }

    fn request_with(&mut self, line: &str, options: RequestOptions) -> Result<RequestId, RequestError> {
        let id = self.session.request_with(Command::new(line).unwrap(), options, self.now);
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

    /// Returns the lines sent since the last call, with their line ends.
    fn take_sent(&mut self) -> Vec<String> {
        self.sent.drain(..).map(|transmit| String::from_utf8_lossy(transmit.bytes()).into_owned()).collect()
    }

    /// Serves the session as [`serve`](Self::serve) does, with prompts that are not recognized: waits for the timeout after which
    /// the next line is sent.
    fn serve_unprompted(&mut self, peer: &mut Peer) {
        self.serve(peer);
        self.wait(Duration::from_millis(250));
        self.serve(peer);
    }

    /// Passes a prompt to the session, and returns the line that it sends then.
    fn prompted(&mut self) -> String {
        self.feed("fics% ");
        let mut sent = self.take_sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.remove(0)
    }

    /// Drops the sent lines except for the last.
    fn drop_sent_except_last(&mut self) {
        self.sent.drain(..self.sent.len() - 1);
    }

    fn take_transmits(&mut self) -> Vec<Transmit> {
        std::mem::take(&mut self.sent)
    }

    fn take_replies(&mut self) -> Vec<(RequestId, Result<Reply, RequestError>)> {
        std::mem::take(&mut self.replies)
    }

    /// Removes and returns the only reply; panics if there is none or another one.
    fn reply(&mut self) -> Result<Reply, RequestError> {
        let mut replies = self.take_replies();
        assert_eq!(replies.len(), 1, "{replies:?}");
        replies.remove(0).1
    }

    fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the session's own events since the last call, except for sent lines.
    fn take_session_events(&mut self) -> Vec<Event> {
        let events = std::mem::take(&mut self.events);
        let is_of_server = |event: &Event| {
            matches!(event, Event::Received { .. } | Event::Desync(_) | Event::Missed { .. } | Event::Listing { .. })
        };
        let is_news = |event: &Event| !is_of_server(event) && !matches!(event, Event::Sent { .. });
        events.into_iter().filter(is_news).collect()
    }

    /// Passes the server's answers to these lines to the session.
    fn answer(&mut self, peer: &mut Peer, lines: &[String]) {
        for line in lines {
            if line == TIMING_MARK {
                self.feed(b"\xff\xfb\x06");
                continue;
            }
            self.feed(peer.answer(line.trim_end_matches('\n')));
        }
    }

    /// Passes answers of the server to the session until it sends nothing more.
    fn serve(&mut self, peer: &mut Peer) {
        loop {
            let lines = self.take_sent();
            if lines.is_empty() {
                return;
            }
            self.answer(peer, &lines);
        }
    }
}

#[test]
fn a_session_can_be_sent_to_another_thread() {
    const fn is_send_and_sync<T: Send + Sync>() {}
    is_send_and_sync::<Session>();
    is_send_and_sync::<SessionOptions>();
    is_send_and_sync::<Transmit>();
    is_send_and_sync::<RequestError>();
}

fn guest() -> SessionOptions {
    SessionOptions::new(Credentials::Guest)
}

fn account() -> SessionOptions {
    let password = Password::new("swordfish").unwrap();
    SessionOptions::new(Credentials::Account { handle: "newton".parse().unwrap(), password })
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Returns a duration one millisecond shorter.
fn almost(duration: Duration) -> Duration {
    duration.saturating_sub(Duration::from_millis(1))
}
