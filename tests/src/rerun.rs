//! Runs a session again on its own recording, with the same options, and the same bytes at the same times.
//!
//! A [`Session`] depends on nothing else, so that it sends the same lines and emits the same events if its seed is the same.

use std::collections::VecDeque;
use std::time::Instant;

use kibitzer::transcript::{Direction, Record};
use kibitzer_core::Event;
use kibitzer_core::event::{CloseCause, RequestId};
use kibitzer_core::message::Ivar;
use kibitzer_core::session::{Command, DriverAction, Session, SessionOptions};
use kibitzer_core::wire::unseal;

/// Runs a session on its recording and returns its events.
///
/// A recorded line that the session does not send by itself is requested, so that its reply finds a request. `withheld` are
/// the requested commands that the recording lacks because they contain a password, in order. An empty piece from the server
/// closes the connection; the session is shut down at the end of the recording.
pub fn rerun(records: &[Record], options: SessionOptions, withheld: &[Command]) -> Vec<Event> {
    let start = Instant::now();
    let mut rerun = Rerun {
        session: Session::new(options, start),
        now: start,
        events: Vec::new(),
        unrecorded: VecDeque::new(),
        requested: Vec::new(),
        withheld: withheld.iter().cloned().collect(),
    };
    rerun.settle();
    for record in records {
        rerun.advance(start + record.time);
        rerun.play(record);
        rerun.settle();
    }
    rerun.session.shutdown(rerun.now);
    rerun.settle();
    rerun.events
}

struct Rerun {
    session: Session,
    now: Instant,
    events: Vec<Event>,
    /// Lines that the session sent and that were not reached in the recording yet; `None` for redacted ones.
    unrecorded: VecDeque<Option<Vec<u8>>>,
    /// Requests of recorded lines that the session has not sent yet.
    requested: Vec<RequestId>,
    withheld: VecDeque<Command>,
}

impl Rerun {
    /// Handles every timer that expires up to this time.
    fn advance(&mut self, to: Instant) {
        while let Some(due) = self.session.poll_timeout().filter(|due| *due <= to) {
            self.now = self.now.max(due);
            self.session.handle_timeout(self.now);
            self.settle();
        }
        self.now = to;
    }

    fn play(&mut self, record: &Record) {
        match record.direction {
            Direction::Received if record.bytes.is_empty() => self.close(),
            Direction::Received => {
                let mut rest = &record.bytes[..];
                while let Some(event) = self.session.receive(&mut rest, self.now) {
                    self.events.push(event);
                    self.settle();
                }
            }
            Direction::Sent if record.redacted => self.sent(None),
            Direction::Sent => {
                for line in record.bytes.split_inclusive(|&byte| byte == b'\n') {
                    self.sent(Some(plain(line)));
                }
            }
        }
    }

    /// Matches a recorded line with one that the session sent, or requests it.
    fn sent(&mut self, line: Option<Vec<u8>>) {
        if let Some(position) = self.unrecorded.iter().position(|own| *own == line) {
            self.unrecorded.remove(position);
            return;
        }
        let command = match line {
            Some(line) => command(&line, &self.session),
            None => self.withheld.pop_front(),
        };
        // The request may be rejected, as it may have been in the recorded session.
        self.requested.extend(command.and_then(|command| self.session.request(command, self.now).ok()));
    }

    /// Polls all outputs of the session, and performs its next actions.
    fn settle(&mut self) {
        loop {
            while let Some(transmit) = self.session.poll_transmit(self.now) {
                let requested = self.requested.iter().position(|id| transmit.attribution.request() == Some(*id));
                if let Some(position) = requested {
                    self.requested.swap_remove(position);
                } else {
                    self.unrecorded.push_back((!transmit.kind.is_secret_or_login()).then(|| plain(transmit.bytes())));
                }
            }
            while self.session.poll_reply().is_some() {}
            self.events.extend(std::iter::from_fn(|| self.session.poll_event()));
            match self.session.next_action() {
                DriverAction::Dial { .. } => self.session.handle_dial_outcome(Ok(()), self.now),
                DriverAction::Close => self.close(),
                DriverAction::Keep | DriverAction::Wait | DriverAction::End(_) => return,
            }
        }
    }

    fn close(&mut self) {
        self.unrecorded.clear();
        self.requested.clear();
        self.session.handle_close(CloseCause::Closed, self.now);
    }
}

/// Returns the command in a recorded line; `None` if the session does not accept requests now.
fn command(line: &[u8], session: &Session) -> Option<Command> {
    if !session.state().accepts_requests() {
        return None;
    }
    let line = std::str::from_utf8(line).ok()?;
    let text = if session.capabilities().has(Ivar::Block) { line.split_once(' ')?.1 } else { line };
    Command::new(text).ok()
}

/// Returns a line without line end, unsealed if it was sealed.
fn plain(line: &[u8]) -> Vec<u8> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    unseal(line).map_or_else(|| line.to_vec(), |unsealed| unsealed.text)
}
