//! Recorded sessions, run again.

use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::ahead::Ahead;
use super::{Direction, Record, TranscriptError, TranscriptReader};
use crate::core::Event;
use crate::core::event::{CloseCause, RequestId};
use crate::core::session::{Command, Link, Session, SessionOptions, State, Transmit};
use crate::core::wire::unseal;

/// Lines of the session that may wait to be shown by the recording; older ones were sent by this session alone.
const UNSHOWN_LINES: usize = 1_024;

/// Runs a session on a recording: what the server sent comes in at the recorded times, and nothing goes out.
///
/// Time is the recording's; none passes for the one who replays. What the recorded client asked for is asked for again, so
/// that replies find their requests; what the session would send is told by its [`Event::Sent`]. An empty piece from the
/// server says that the connection ended there, as does the end of the recording.
///
/// What was left to chance is as the recording has it, whatever the [seed](SessionOptions::seed): the words that tell where a
/// reply ends are those that were sent then, and a lost connection is made again when the first bytes went over the next one.
/// So the delay that [`Event::Lost`] tells may be another, and attempts that failed are not told, as no recording has them. A
/// command that held a password is not asked for again; its reply is there all the same.
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
    records: Ahead<R>,
    session: Session,
    /// Where the recording's time begins.
    start: Instant,
    now: Instant,
    input: VecDeque<u8>,
    /// Lines of the session that the recording has not shown yet.
    unshown: VecDeque<Unshown>,
    /// Requests that the recording has shown, and the session has not sent yet.
    shown: Vec<RequestId>,
    /// The session has given the connection up, and the recording has not shown it yet.
    has_hung_up: bool,
    is_over: bool,
}

/// A line of the session.
#[derive(Debug)]
struct Unshown {
    line: Vec<u8>,
    /// The recording does not tell what it was.
    is_redacted: bool,
}

impl<R: BufRead> Replay<R> {
    /// Replays from here on, with the options that the session was made with, or others.
    pub fn new(records: TranscriptReader<R>, options: SessionOptions) -> Self {
        let start = Instant::now();
        Self {
            records: Ahead::new(records),
            session: Session::new(options),
            start,
            now: start,
            input: VecDeque::new(),
            unshown: VecDeque::new(),
            shown: Vec::new(),
            has_hung_up: false,
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
            self.sent(&transmit);
        }
        while self.session.poll_reply().is_some() {}
        self.session.poll_event().or_else(|| self.receive())
    }

    /// The session sends something: the recording has shown it, or will.
    fn sent(&mut self, transmit: &Transmit) {
        let shown = self.shown.iter().position(|id| transmit.request() == Some(*id));
        if let Some(position) = shown {
            // What is sent for it later is its fence, or the same once more.
            self.shown.swap_remove(position);
            return;
        }
        if self.unshown.len() >= UNSHOWN_LINES {
            self.unshown.pop_front();
        }
        self.unshown.push_back(Unshown { line: plain(transmit.bytes()), is_redacted: transmit.is_private() });
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
            // First the recording has to show the end of the connection before.
            Link::Dial { .. } if self.has_hung_up => return false,
            Link::Dial { .. } => self.session.dialed(Ok(()), self.now),
            Link::Close => {
                self.close();
                self.has_hung_up = true;
            }
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
        self.shown.clear();
        self.session.closed(CloseCause::Closed, self.now);
    }

    /// Lets time pass up to the next piece, or what is due before. `false` at the end of the recording.
    fn advance(&mut self) -> Result<bool, TranscriptError> {
        let Self { records, session, .. } = self;
        let foresee = |record: &Record| {
            for line in lines(record) {
                session.foretell_word(&line);
            }
        };
        let (time, is_next_connection) = match records.first(foresee) {
            None => return Ok(false),
            Some(Ok(record)) => (record.time, record.direction == Direction::Received && !record.ends_connection()),
            Some(Err(_)) => (self.time(), false),
        };
        let at = self.start.checked_add(time).unwrap_or(self.now);
        let is_offline = !matches!(self.session.link(), Link::Keep);
        if let Some(due) = self.session.poll_timeout().filter(|due| *due <= at && !is_offline) {
            self.now = self.now.max(due);
            self.session.handle_timeout(self.now);
            return Ok(true);
        }
        // Recordings may be put together: their time may step back, ours does not.
        self.now = self.now.max(at);
        if is_offline && (is_next_connection || !self.has_hung_up) {
            self.has_hung_up = false;
            self.session.reconnect();
            return Ok(true);
        }
        if let Some(record) = self.records.take().transpose()? {
            self.play(&record);
        }
        Ok(true)
    }

    fn play(&mut self, record: &Record) {
        if self.has_hung_up {
            // It was the old connection's.
            self.has_hung_up = !record.ends_connection();
            for line in lines(record) {
                self.session.take_back_word(&line);
            }
        } else if record.ends_connection() {
            self.close();
        } else if record.direction == Direction::Received {
            self.input.extend(&record.bytes);
        } else if record.redacted {
            self.show_redacted();
        } else {
            for line in lines(record) {
                self.show(&line);
            }
        }
    }

    /// Takes in that the client sent a line that is not known: the session has just sent it itself, or somebody asked for it.
    fn show_redacted(&mut self) {
        if let Some(position) = self.unshown.iter().position(|own| own.is_redacted) {
            self.unshown.remove(position);
        } else {
            self.session.skip_number();
        }
    }

    /// Takes in a line the client sent: the session has just sent it itself, or somebody asked for it.
    fn show(&mut self, line: &[u8]) {
        let is_word = self.session.take_back_word(line);
        if let Some(position) = self.unshown.iter().position(|own| own.line == line) {
            self.unshown.remove(position);
        } else if let Some((number, command)) = self.command(line).filter(|_| !is_word) {
            if let Some(number) = number {
                self.session.count_from(number);
            }
            // It may be refused, as it may have been then.
            self.shown.extend(self.session.request(command, self.now));
        }
    }

    /// The command in a line, and its number.
    fn command(&self, line: &[u8]) -> Option<(Option<u64>, Command)> {
        if self.session.state() != State::Ready {
            return None;
        }
        let line = std::str::from_utf8(line).ok()?;
        let capabilities = self.session.capabilities();
        let numbered = if capabilities.block() {
            line.split_once(' ')
        } else if capabilities.units() {
            line.strip_prefix('`').and_then(|line| line.split_once('`'))
        } else {
            None
        };
        let numbered = numbered.and_then(|(number, text)| Some((Some(number.parse().ok()?), text)));
        let (number, text) = numbered.unwrap_or((None, line));
        Some((number, Command::new(text).ok()?))
    }
}

/// The lines that a record shows, as they were before they were sealed, without their line ends.
fn lines(record: &Record) -> impl Iterator<Item = Vec<u8>> {
    let is_shown = record.direction == Direction::Sent && !record.redacted;
    let bytes = if is_shown { &record.bytes[..] } else { &[] };
    bytes.split_inclusive(|&byte| byte == b'\n').map(plain)
}

/// A line as it was before it was sealed, if it was, without its line end.
fn plain(line: &[u8]) -> Vec<u8> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    unseal(line).map_or_else(|_| line.to_vec(), |unsealed| unsealed.text)
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
                    self.session.shutdown(self.now);
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
