//! Output of a session until its driver polls it: bytes to write, events, replies, totals.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use zeroize::Zeroizing;

use super::command::Command;
use super::machine::state::SessionCounters;
use super::options::Password;
use super::reply::Reply;
use super::secret::SecretDetector;
use crate::event::{Event, RequestError, RequestId};
use crate::message::{Attribution, RequestOrigin};
use crate::reader::EventReader;
use crate::text::decode_entities_outside_ascii;
use crate::wire::{self, TIMING_MARK_REQUEST, Timeseal};

/// Bytes to write at once and in order. They are wiped from memory when dropped.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Transmit {
    /// Purpose of the bytes.
    pub kind: TransmitKind,
    /// The request that the bytes belong to, and who made it; no request for timeseal and the login.
    /// [`poll_reply`](super::Session::poll_reply) returns only replies to the caller's requests.
    pub attribution: Attribution,
    bytes: Zeroizing<Vec<u8>>,
    secrets: Vec<Zeroizing<Vec<u8>>>,
}

/// Purpose of the bytes of a [`Transmit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TransmitKind {
    /// First line of a connection with timeseal, which identifies the client program.
    Hello,
    /// Answer to a timeseal ping.
    PingAnswer,
    /// Telnet's request for a timing mark, which the server answers: a probe without a line end.
    Probe,
    /// Line of the login without a password: the login string, a name, an empty line of a guest.
    Login,
    /// Line of the login with the password.
    Password,
    /// Command without a password.
    Command,
    /// Command with a password.
    SecretCommand,
}

impl TransmitKind {
    /// Returns whether lines of this kind contain a password, so that they must not be logged, shown or recorded.
    pub const fn is_secret(self) -> bool {
        matches!(self, Self::Password | Self::SecretCommand)
    }

    /// Returns whether bytes of this kind are a line that the session or a user has sent: not those of timeseal, and no probe.
    pub const fn is_line(self) -> bool {
        !matches!(self, Self::Hello | Self::PingAnswer | Self::Probe)
    }

    /// Returns whether lines of this kind contain a password or belong to the login. Recordings and logs omit them.
    pub const fn is_secret_or_login(self) -> bool {
        self.is_secret() || matches!(self, Self::Login)
    }
}

impl Transmit {
    /// Creates a line without its seal and line feed, which [`Output::poll_transmit`] adds.
    fn new<'a>(kind: TransmitKind, text: impl Into<Vec<u8>>, secrets: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let secrets = secrets.into_iter().map(|secret| Zeroizing::new(secret.to_vec())).collect();
        Self { bytes: Zeroizing::new(text.into()), kind, secrets, attribution: Attribution::default() }
    }

    /// Returns the bytes, line feed included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the passwords in the bytes as plain text, even if the bytes are sealed. A server may echo them.
    pub fn secrets(&self) -> impl Iterator<Item = &[u8]> {
        self.secrets.iter().map(|secret| &secret[..])
    }
}

/// Omits the bytes if they contain a password.
impl fmt::Debug for Transmit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Transmit");
        debug.field("kind", &self.kind);
        if !self.kind.is_secret() {
            debug.field("bytes", &format_args!("{}", self.bytes.escape_ascii()));
        }
        debug.finish_non_exhaustive()
    }
}

/// Output of a session until its driver polls it. The parts of the session add to it, and the [`Session`](super::Session) alone
/// removes from it.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// Number of pings to answer. Answers are sent before other lines: the server charges their delay to the player's clock.
    pings: u32,
    /// Whether a probe is to be sent, before other lines.
    pub(super) must_probe: bool,
    /// Version of the hello that has not been sent yet; `Off` if there is none.
    hello: Timeseal,
    /// Lines that are neither sealed nor ended yet.
    pub(super) lines: VecDeque<Transmit>,
    /// Time from which the timestamps of this connection count; `None` if its lines are not sealed.
    seal_start: Option<Instant>,
    /// Finds the passwords in commands. It outlives the connection.
    pub(super) detector: SecretDetector,
    pub(super) events: VecDeque<Event>,
    pub(super) replies: VecDeque<(RequestId, Result<Reply, RequestError>)>,
    /// Totals of all connections.
    pub(super) counters: SessionCounters,
}

impl Output {
    /// Discards the bytes to write, for a new connection. The first line of a sealed connection is the hello.
    pub(super) fn start_connection(&mut self, timeseal: Timeseal, now: Instant) {
        self.pings = 0;
        self.must_probe = false;
        self.hello = timeseal;
        self.lines.clear();
        self.seal_start = (timeseal != Timeseal::Off).then_some(now);
    }

    pub(super) fn emit(&mut self, event: Event) {
        self.events.push_back(event);
    }

    /// Stops sealing lines and drops unanswered pings; later pings are ignored too.
    pub(super) fn disable_timeseal(&mut self) {
        self.seal_start = None;
        self.pings = 0;
    }

    /// Releases unused memory.
    pub(super) fn shrink_to_fit(&mut self) {
        self.lines.shrink_to_fit();
        self.events.shrink_to_fit();
        self.replies.shrink_to_fit();
    }

    /// Queues the answer to a ping; ignored if the connection is not sealed.
    pub(super) fn queue_ping_answer(&mut self) {
        self.pings = self.pings.saturating_add(u32::from(self.seal_start.is_some()));
    }

    /// Queues a line of the login without a password, or a fence.
    pub(super) fn push_plain_line(&mut self, kind: TransmitKind, text: &[u8]) {
        let attribution = Attribution::of_request(None, Some(RequestOrigin::SetUp));
        self.lines.push_back(Transmit { attribution, ..Transmit::new(kind, text, []) });
    }

    /// Queues `text`, a line of the login that contains `password`. The password is registered as the secret of the line, so that
    /// it is redacted.
    pub(super) fn push_password_line(&mut self, text: &[u8], password: &Password) {
        let attribution = Attribution::of_request(None, Some(RequestOrigin::SetUp));
        let line = Transmit::new(TransmitKind::Password, text, [password.as_bytes()]);
        self.lines.push_back(Transmit { attribution, ..line });
    }

    /// Queues a line of a request: the command with its number, or its fence if `command` is `None`. Learns an alias that the
    /// command defines.
    pub(super) fn push_request_and_learn_alias(
        &mut self,
        command: Option<&Command>,
        line: String,
        attribution: Attribution,
    ) {
        let secrets = command.map(|command| self.detector.secrets(command.as_str())).unwrap_or_default();
        let kind = if secrets.is_empty() { TransmitKind::Command } else { TransmitKind::SecretCommand };
        let line = Transmit::new(kind, line, secrets.into_iter().map(str::as_bytes));
        if let Some(command) = command {
            self.detector.learn_alias(command.as_str());
        }
        self.lines.push_back(Transmit { attribution, ..line });
    }

    /// Removes the lines of the login that were not sent.
    pub(super) fn remove_unsent_login_lines(&mut self) {
        self.lines.retain(|line| !matches!(line.kind, TransmitKind::Login | TransmitKind::Password));
    }

    /// Removes and returns the next bytes, sealed if required, and counts them as sent; `None` if nothing is queued. Emits the
    /// [`Event::Sent`] of a line, and records the line in the reader.
    ///
    /// The reader attributes the reply to the line. The hello precedes answers to pings, which precede lines. The hello, the answers and probes have no event; the event of a
    /// line with a password omits the text.
    pub(super) fn poll_transmit(&mut self, reader: &mut EventReader, now: Instant) -> Option<Transmit> {
        let transmit = self.take_timeseal_bytes(now).or_else(|| self.take_line(reader, now))?;
        self.counters.lines_sent += 1;
        self.counters.bytes_sent += u64::try_from(transmit.bytes.len()).unwrap_or(u64::MAX);
        Some(transmit)
    }

    /// Removes and returns the hello or the answer to a ping, or a probe.
    fn take_timeseal_bytes(&mut self, now: Instant) -> Option<Transmit> {
        if let Some(start) = self.seal_start {
            if let Some(hello) = wire::seal_hello(std::mem::take(&mut self.hello), timestamp_ms(start, now)) {
                return Some(Transmit::new(TransmitKind::Hello, hello, []));
            }
            if let Some(left) = self.pings.checked_sub(1) {
                self.pings = left;
                let answer = wire::seal_ping_answer(timestamp_ms(start, now));
                return Some(Transmit::new(TransmitKind::PingAnswer, answer, []));
            }
        }
        std::mem::take(&mut self.must_probe).then(|| Transmit::new(TransmitKind::Probe, TIMING_MARK_REQUEST, []))
    }

    /// Removes and returns the next line. A server that reads UTF-8 receives it, unless the line is sealed.
    fn take_line(&mut self, reader: &mut EventReader, now: Instant) -> Option<Transmit> {
        let mut line = self.lines.pop_front()?;
        if self.seal_start.is_none() && matches!(line.kind, TransmitKind::Command) && reader.is_utf8_server() {
            let text = String::from_utf8_lossy(&line.bytes);
            line.bytes = Zeroizing::new(decode_entities_outside_ascii(&text).into_bytes());
        }
        let shown: Option<Arc<str>> = (!line.kind.is_secret()).then(|| String::from_utf8_lossy(&line.bytes).into());
        line.attribution = reader.note_sent_line(&line.bytes, line.attribution);
        self.emit(Event::Sent { line: shown, attribution: line.attribution });
        line.bytes = Zeroizing::new(match self.seal_start {
            Some(start) => seal_line(&line.bytes, timestamp_ms(start, now)),
            None => [&line.bytes[..], b"\n"].concat(),
        });
        Some(line)
    }
}

/// Returns the milliseconds since the start of the connection plus 1: FatICS treats a line with time 0 as unsealed.
fn timestamp_ms(start: Instant, now: Instant) -> u64 {
    let elapsed = now.saturating_duration_since(start).as_millis();
    u64::try_from(elapsed).unwrap_or(u64::MAX).saturating_add(1)
}

/// Returns a line with its timestamp and line end, as timeseal encodes them.
fn seal_line(text: &[u8], time_ms: u64) -> Vec<u8> {
    #[expect(
        clippy::expect_used,
        reason = "handles, passwords and commands are printable ASCII, which their types check"
    )]
    wire::seal_line(text, time_ms).expect("only printable lines are pushed")
}
