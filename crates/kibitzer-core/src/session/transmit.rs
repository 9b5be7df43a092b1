//! What is to be written to the connection.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use zeroize::Zeroizing;

use crate::event::RequestId;
use crate::session::command::Command;
use crate::session::options::credentials::Password;
use crate::session::secret::SecretDetector;
use crate::wire::{Sealer, Timeseal};

/// Bytes to write now, whole and in order.
#[derive(Clone, PartialEq, Eq)]
pub struct Transmit {
    bytes: Zeroizing<Vec<u8>>,
    kind: TransmitKind,
    secrets: Secrets,
    request: Option<RequestId>,
}

/// The parts of a line that are secret.
type Secrets = Vec<Zeroizing<Vec<u8>>>;

/// What kind of bytes a [`Transmit`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TransmitKind {
    /// The first line of a sealed connection.
    Hello,
    /// The answer to a timeseal ping.
    PingAnswer,
    /// A line of the login: the login string, a name, a guest's return.
    Login,
    /// The password.
    Password,
    /// A command.
    Command,
    /// A command that holds a password.
    SecretCommand,
}

impl TransmitKind {
    /// Whether lines of this kind must not be logged, shown or recorded.
    pub const fn is_secret(self) -> bool {
        matches!(self, Self::Password | Self::SecretCommand)
    }

    /// Whether lines of this kind concern the server alone: secrets and the login. Recordings and logs omit them.
    pub const fn is_private(self) -> bool {
        self.is_secret() || matches!(self, Self::Login)
    }
}

impl Transmit {
    /// The bytes, line feed included.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// What they are.
    pub const fn kind(&self) -> TransmitKind {
        self.kind
    }

    /// Whether the bytes must not be logged, shown or recorded; see [`TransmitKind::is_secret`].
    pub const fn is_secret(&self) -> bool {
        self.kind.is_secret()
    }

    /// Whether the bytes concern the server alone; see [`TransmitKind::is_private`].
    pub const fn is_private(&self) -> bool {
        self.kind.is_private()
    }

    /// What in them is secret, before it was sealed: the password, or each of those that a command holds. A server may send
    /// it back.
    pub fn secrets(&self) -> impl Iterator<Item = &[u8]> {
        self.secrets.iter().map(|secret| &secret[..])
    }

    /// The request they belong to, whose reply [`poll_reply`](super::Session::poll_reply) brings.
    pub const fn request(&self) -> Option<RequestId> {
        self.request
    }
}

/// Shows no secret.
impl fmt::Debug for Transmit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Transmit");
        shown.field("kind", &self.kind);
        if !self.is_secret() {
            shown.field("bytes", &format_args!("{}", self.bytes.escape_ascii()));
        }
        shown.finish_non_exhaustive()
    }
}

/// A line that waits to be sealed and written.
pub(super) struct Line {
    pub(super) kind: TransmitKind,
    pub(super) text: Zeroizing<Vec<u8>>,
    pub(super) request: Option<RequestId>,
    secrets: Secrets,
}

/// Shows no secret.
impl fmt::Debug for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Line").field("kind", &self.kind).field("shown", &self.shown()).finish_non_exhaustive()
    }
}

impl Line {
    /// The line as it may be shown; `None` for a secret.
    pub(super) fn shown(&self) -> Option<Arc<str>> {
        (!self.kind.is_secret()).then(|| String::from_utf8_lossy(&self.text).into())
    }
}

/// The lines that wait to be written on one connection.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    /// Answers to pings go first: the server charges us the time they take.
    pings: usize,
    hello: bool,
    lines: VecDeque<Line>,
    seal: Option<Seal>,
    /// Decides which commands are secret. It outlives the connection.
    detector: SecretDetector,
}

#[derive(Clone, Copy, Debug)]
struct Seal {
    sealer: Sealer,
    start: Instant,
}

impl Seal {
    /// Milliseconds since the connection was made, from 1: FatICS takes a line with time 0 for one that is not sealed.
    fn time_ms(self, now: Instant) -> u64 {
        let elapsed = now.saturating_duration_since(self.start).as_millis();
        u64::try_from(elapsed).unwrap_or(u64::MAX).saturating_add(1)
    }
}

impl Outbox {
    /// Prepares for a new connection: the hello is the first that goes out.
    pub(super) fn connected(&mut self, timeseal: Timeseal, now: Instant) {
        let seal = Sealer::new(timeseal).map(|sealer| Seal { sealer, start: now });
        *self = Self { hello: seal.is_some(), seal, detector: std::mem::take(&mut self.detector), ..Self::default() };
    }

    /// The secrets in the line of a command.
    pub(super) fn secrets<'a>(&self, command: &'a Command) -> Vec<&'a str> {
        self.detector.secrets(command.as_str())
    }

    /// Remembers an alias that was defined or listed.
    pub(super) fn learn_alias(&mut self, line: &str) {
        self.detector.learn(line);
    }

    #[cfg(test)]
    pub(super) fn footprint(&self) -> usize {
        self.lines.len()
    }

    /// Lines go out plain from now on.
    pub(super) fn unseal(&mut self) {
        self.seal = None;
        self.pings = 0;
    }

    /// Gives back memory that is not used.
    pub(super) fn shrink(&mut self) {
        self.lines.shrink_to_fit();
    }

    pub(super) fn answer_ping(&mut self) {
        self.pings = self.pings.saturating_add(usize::from(self.seal.is_some()));
    }

    pub(super) fn push(&mut self, kind: TransmitKind, text: &[u8]) {
        let text = Zeroizing::new(text.to_vec());
        self.lines.push_back(Line { kind, text, request: None, secrets: Vec::new() });
    }

    /// A line of the login that holds the password.
    pub(super) fn push_password(&mut self, text: &[u8], password: &Password) {
        let (text, secrets) = (Zeroizing::new(text.to_vec()), vec![Zeroizing::new(password.as_bytes().to_vec())]);
        self.lines.push_back(Line { kind: TransmitKind::Password, text, request: None, secrets });
    }

    /// A line of the session's own making: the command with its number, or what is sent instead of one.
    pub(super) fn push_command(&mut self, command: Option<&Command>, text: String, request: Option<RequestId>) {
        let text = Zeroizing::new(text.into_bytes());
        let words = command.map(|command| self.secrets(command)).unwrap_or_default();
        let kind = if words.is_empty() { TransmitKind::Command } else { TransmitKind::SecretCommand };
        let secrets = words.into_iter().map(|word| Zeroizing::new(word.as_bytes().to_vec())).collect();
        if let Some(command) = command {
            self.learn_alias(command.as_str());
        }
        self.lines.push_back(Line { kind, text, request, secrets });
    }

    /// Forgets the lines of the login that were not sent.
    pub(super) fn forget_login(&mut self) {
        self.lines.retain(|line| !matches!(line.kind, TransmitKind::Login | TransmitKind::Password));
    }

    /// Takes the next bytes, and the line they are of, unless it is an answer to a ping.
    pub(super) fn pop(&mut self, now: Instant) -> Option<(Transmit, Option<Line>)> {
        if let Some(seal) = self.seal {
            if std::mem::take(&mut self.hello) {
                return Some((transmit(TransmitKind::Hello, seal.sealer.hello(seal.time_ms(now))), None));
            }
            if let Some(left) = self.pings.checked_sub(1) {
                self.pings = left;
                let answer = seal.sealer.ping_answer(seal.time_ms(now));
                return Some((transmit(TransmitKind::PingAnswer, answer), None));
            }
        }
        let mut line = self.lines.pop_front()?;
        let bytes = match self.seal {
            Some(seal) => sealed(seal, &line.text, now),
            None => [&line.text[..], b"\n"].concat(),
        };
        let (secrets, request) = (std::mem::take(&mut line.secrets), line.request);
        Some((Transmit { secrets, request, ..transmit(line.kind, bytes) }, Some(line)))
    }
}

fn sealed(seal: Seal, text: &[u8], now: Instant) -> Vec<u8> {
    #[expect(
        clippy::expect_used,
        reason = "handles, passwords and commands are printable ASCII, which their types check"
    )]
    seal.sealer.line(text, seal.time_ms(now)).expect("only printable lines are pushed")
}

fn transmit(kind: TransmitKind, bytes: Vec<u8>) -> Transmit {
    Transmit { bytes: Zeroizing::new(bytes), kind, secrets: Vec::new(), request: None }
}
