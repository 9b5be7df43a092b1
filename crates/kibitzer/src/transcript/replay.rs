//! Recorded sessions, run again.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Direction, Record, TranscriptError, TranscriptReader};
use crate::core::Event;
use crate::core::session::{CloseCause, Command, Link, Session, SessionOptions, State};
use crate::core::wire::{Timeseal, unseal};

/// Runs a session on a recording: what the server sent comes in at the recorded times, and nothing goes out.
///
/// Time is the recording's; none passes for the one who replays. What the recorded client asked for is asked for again, so
/// that replies find their requests; what the session would send is told by its [`Event::Sent`]. An empty piece from the
/// server says that the connection ended there, as does the end of the recording.
///
/// ```
/// use kibitzer::core::Event;
/// use kibitzer::core::message::Message;
/// use kibitzer::core::session::{Credentials, SessionOptions};
/// use kibitzer::transcript::{Replay, TranscriptReader};
///
/// let recorded = br#"{"t": 0.5, "dir": "rx", "hex": "6c6f67696e3a20"}"#;
/// let replay = Replay::new(TranscriptReader::new(&recorded[..]), SessionOptions::new(Credentials::Guest));
/// let events = replay.collect::<Result<Vec<_>, _>>()?;
/// assert!(events.iter().any(|event| event.message() == Some(&Message::LoginPrompt)));
/// assert!(matches!(&**events.last().unwrap(), Event::Ended(_)), "it ended in the middle of the login");
/// # Ok::<(), kibitzer::transcript::TranscriptError>(())
/// ```
#[derive(Debug)]
pub struct Replay<R> {
    records: TranscriptReader<R>,
    session: Session,
    /// Where the recording's time begins.
    start: Instant,
    now: Instant,
    input: VecDeque<u8>,
    /// Lines of the session that the recording has not shown yet.
    unshown: VecDeque<Vec<u8>>,
    /// The piece whose time has not come.
    next: Option<Record>,
    is_over: bool,
}

impl<R: BufRead> Replay<R> {
    /// Replays from here on, with the options that the session was made with, or others.
    pub fn new(records: TranscriptReader<R>, options: SessionOptions) -> Self {
        let start = Instant::now();
        Self {
            records,
            session: Session::new(options),
            start,
            now: start,
            input: VecDeque::new(),
            unshown: VecDeque::new(),
            next: None,
            is_over: false,
        }
    }

    /// The session as it stands after the last event.
    pub const fn session(&self) -> &Session {
        &self.session
    }

    /// How much of the recording's time has passed.
    pub fn time(&self) -> Duration {
        self.now.saturating_duration_since(self.start)
    }

    /// Takes what the session has to say for now.
    fn take(&mut self) -> Option<Arc<Event>> {
        while let Some(transmit) = self.session.poll_transmit(self.now) {
            self.unshown.push_back(self.plain(transmit.bytes()));
        }
        while self.session.poll_reply().is_some() {}
        self.session.poll_event().or_else(|| self.receive())
    }

    fn receive(&mut self) -> Option<Arc<Event>> {
        let bytes = self.input.make_contiguous();
        let (length, mut rest) = (bytes.len(), &*bytes);
        let event = self.session.receive(&mut rest, self.now);
        let n_taken = length - rest.len();
        self.input.drain(..n_taken);
        event
    }

    /// Does what the session wants of the connection. Returns whether that was something.
    fn follow_link(&mut self) -> bool {
        match self.session.link() {
            Link::Keep | Link::Wait => return false,
            Link::Dial { .. } => self.session.dialed(Ok(()), self.now),
            Link::Close => self.close(),
            Link::Over(_) => {
                let was_over = std::mem::replace(&mut self.is_over, true);
                return !was_over;
            }
        }
        true
    }

    fn close(&mut self) {
        self.input.clear();
        self.unshown.clear();
        self.session.closed(CloseCause::Closed, self.now);
    }

    /// Lets time pass up to the next piece, or what is due before. `false` at the end of the recording.
    fn advance(&mut self) -> Result<bool, TranscriptError> {
        if self.next.is_none() {
            self.next = self.records.next().transpose()?;
        }
        let Some(record) = &self.next else { return Ok(false) };
        let at = self.start + record.time;
        if let Some(due) = self.session.poll_timeout().filter(|due| *due <= at) {
            self.now = self.now.max(due);
            self.session.handle_timeout(self.now);
            return Ok(true);
        }
        // Recordings may be put together: their time may step back, ours does not.
        self.now = self.now.max(at);
        if let Some(record) = self.next.take() {
            self.play(&record);
        }
        Ok(true)
    }

    fn play(&mut self, record: &Record) {
        match record.direction {
            Direction::Received if record.bytes.is_empty() => self.close(),
            Direction::Received => self.input.extend(&record.bytes),
            Direction::Sent if record.redacted => drop(self.unshown.pop_front()),
            Direction::Sent => {
                for line in record.bytes.split_inclusive(|&byte| byte == b'\n') {
                    self.show(line);
                }
            }
        }
    }

    /// Takes in a line the client sent: the session has just sent it itself, or somebody asked for it.
    fn show(&mut self, line: &[u8]) {
        let plain = self.plain(line);
        if let Some(position) = self.unshown.iter().position(|own| *own == plain) {
            self.unshown.remove(position);
        } else if let Some(command) = self.command(&plain) {
            // It may be refused, as it may have been then.
            drop(self.session.request(command, self.now));
        }
    }

    /// A line as it was before it was sealed, without its line end.
    fn plain(&self, line: &[u8]) -> Vec<u8> {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        match self.session.capabilities().timeseal() {
            Timeseal::Off => line.to_vec(),
            _ => unseal(line).map_or_else(|_| line.to_vec(), |unsealed| unsealed.text),
        }
    }

    /// The command in a line, without its number.
    fn command(&self, line: &[u8]) -> Option<Command> {
        if self.session.state() != State::Ready {
            return None;
        }
        let line = std::str::from_utf8(line).ok()?;
        let unnumbered = line.split_once(' ').filter(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
        let is_numbered = self.session.capabilities().block();
        Command::new(unnumbered.filter(|_| is_numbered).map_or(line, |(_, command)| command)).ok()
    }
}

impl<R: BufRead> Iterator for Replay<R> {
    type Item = Result<Arc<Event>, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(event) = self.take() {
                return Some(Ok(event));
            }
            if self.is_over {
                return None;
            }
            if self.follow_link() {
                continue;
            }
            match self.advance() {
                Ok(true) => {}
                Ok(false) => {
                    self.close();
                    self.session.shut_down(self.now);
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
