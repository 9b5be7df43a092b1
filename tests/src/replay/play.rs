//! Options and result of playing a recording to a session.

use std::time::Duration;

use kibitzer_core::Event;
use kibitzer_core::event::{RequestError, SessionEndReason};
use kibitzer_core::message::{Family, Ivar, KickedBy};
use kibitzer_core::session::{Reconnect, Reply, RequestLimits, SessionOptions, TimesealChoice, TransmitKind};
use kibitzer_core::wire::Timeseal;

use super::Recording;
use super::player::Player;

/// How the recorded server is adapted to the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the tests play all of them")]
pub enum Mode {
    /// Not at all: the bytes are received at their recorded times, whatever the session sends.
    Alone,
    /// A [`StandIn`](super::StandIn) replies to lines that were not recorded, and the steps of the login wait for the session.
    /// Nothing is requested.
    Passive,
    /// Like `Passive`; in addition, every command of the recorded client is requested, and the steps after it wait until it was
    /// sent.
    Acting,
}

/// Options of playing a recording.
#[derive(Clone, Debug)]
#[must_use]
pub struct Play<'a> {
    pub(super) recording: &'a Recording,
    pub(super) mode: Mode,
    pub(super) piece: usize,
    pub(super) timeseal: TimesealChoice,
    pub(super) family: Family,
}

/// A line that the session sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sent {
    /// Time since the start of the play.
    pub at: Duration,
    /// Kind of line.
    pub kind: TransmitKind,
    /// Text, unsealed and without line end; passwords included.
    pub text: String,
    /// Whether the recorded client sent the line, too.
    pub is_recorded: bool,
}

/// Result of playing a recording.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct PlayResult {
    /// Sent lines, in order.
    pub sent: Vec<Sent>,
    /// Emitted events, in order.
    pub events: Vec<Event>,
    /// Requested commands with their replies.
    pub replies: Vec<(String, Result<Reply, RequestError>)>,
    /// Name of the login, `?` if unknown; `None` without a login.
    pub name: Option<String>,
    /// Whether the session became ready.
    pub is_ready: bool,
    /// Reason of the end.
    pub end: String,
    /// Number of recorded commands that cannot be requested: empty lines, and bytes that are never sent.
    pub n_skipped: usize,
    /// Violations that the [`Audit`](super::Audit) found.
    pub problems: Vec<String>,
}

impl Sent {
    /// Returns whether the line is a command, with or without a password.
    pub const fn is_command(&self) -> bool {
        is_command(self.kind)
    }
}

impl<'a> Play<'a> {
    /// Plays with the recorded version of timeseal and the recorded reads.
    pub fn new(recording: &'a Recording, mode: Mode) -> Self {
        let timeseal = match recording.timeseal {
            Timeseal::V1 => TimesealChoice::V1,
            Timeseal::V2 => TimesealChoice::V2,
            _ => TimesealChoice::Off,
        };
        Self { recording, mode, piece: usize::MAX, timeseal, family: Family::Fics }
    }

    /// Splits every read into pieces of this many bytes.
    pub const fn in_pieces_of(self, piece: usize) -> Self {
        Self { piece, ..self }
    }

    /// Sets another version of timeseal.
    pub const fn with_timeseal(self, timeseal: TimesealChoice) -> Self {
        Self { timeseal, ..self }
    }

    /// Sets the family of the session.
    pub const fn with_family(self, family: Family) -> Self {
        Self { family, ..self }
    }

    /// Plays the recording to the end of the session.
    pub fn run(&self) -> PlayResult {
        Player::new(self).run()
    }

    pub(super) fn options(&self) -> SessionOptions {
        let options = SessionOptions::new(self.recording.credentials());
        let options = options.family(self.family).timeseal(self.timeseal).reconnect(Reconnect::never());
        if self.mode != Mode::Acting {
            return options;
        }
        // One recorded client has sent many commands at once.
        let options = options.requests(RequestLimits::default().in_flight(64));
        // Without block mode, the recording has no blocks.
        if self.recording.is_in_blocks() { options } else { options.without_ivar(Ivar::Block) }
    }
}

impl PlayResult {
    /// Returns name, stage and end of the session as text.
    pub fn state(&self) -> String {
        let stage = match (&self.name, self.is_ready) {
            (None, _) => "out",
            (Some(_), false) => "in",
            (Some(_), true) => "ready",
        };
        format!("{} {stage}, {}", self.name.as_deref().unwrap_or("-"), self.end)
    }

    /// Returns all events except those of sent lines, whose order depends on the boundaries of reads.
    pub fn events_except_sent(&self) -> Vec<&Event> {
        self.events.iter().filter(|event| !matches!(event, Event::Sent { .. })).collect()
    }
}

pub(super) const fn is_command(kind: TransmitKind) -> bool {
    matches!(kind, TransmitKind::Command | TransmitKind::SecretCommand)
}

pub(super) fn end(reason: &SessionEndReason) -> String {
    match reason {
        SessionEndReason::Kicked(KickedBy::Admin(admin)) => format!("kicked by {admin}"),
        SessionEndReason::Kicked(_) => "kicked by another login".to_owned(),
        SessionEndReason::Login(error) => format!("login: {error}"),
        SessionEndReason::Lost { cause, .. } => format!("lost: {cause}"),
        other => other.to_string(),
    }
}
