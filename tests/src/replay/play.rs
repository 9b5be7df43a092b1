//! How a recording is played to a session machine, and what came of it.

use std::time::Duration;

use kibitzer_core::Event;
use kibitzer_core::event::{RequestError, SessionEndReason};
use kibitzer_core::message::{Family, Ivar, KickedBy};
use kibitzer_core::session::{Reconnect, Reply, RequestLimits, SessionOptions, TimesealChoice, TransmitKind};
use kibitzer_core::wire::Timeseal;

use super::Recording;
use super::player::Player;

/// How much the recorded server is made to fit the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the tests play all of them")]
pub enum Mode {
    /// Not at all: the bytes come at their times, whatever was sent.
    Alone,
    /// A stand-in answers what only the machine sends, and the login goes on as the machine does. It asks for nothing more.
    Passive,
    /// So, too; and every command of the recorded client becomes a request. What follows comes when it was sent.
    Acting,
}

/// How to play a recording.
#[derive(Clone, Debug)]
#[must_use]
pub struct Play<'a> {
    pub(super) recording: &'a Recording,
    pub(super) mode: Mode,
    pub(super) piece: usize,
    pub(super) timeseal: TimesealChoice,
    pub(super) family: Family,
}

/// A line that went out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sent {
    /// When, from the start of the play.
    pub at: Duration,
    /// What it was.
    pub kind: TransmitKind,
    /// Its text, unsealed and without line end; a password too.
    pub text: String,
    /// Whether the recorded client typed it as well.
    pub is_recorded: bool,
}

/// What came of a play.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Played {
    /// What was sent, in order.
    pub sent: Vec<Sent>,
    /// What was told, in order.
    pub events: Vec<Event>,
    /// The commands that were asked for, and what came of them.
    pub replies: Vec<(String, Result<Reply, RequestError>)>,
    /// As whom the server let us in.
    pub name: Option<String>,
    /// Whether the session was set up.
    pub is_ready: bool,
    /// How it ended.
    pub end: String,
    /// Commands of the recorded client that are no requests: empty lines, bytes that are never sent.
    pub n_skipped: usize,
    /// What was wrong: see `Audit`.
    pub problems: Vec<String>,
}

impl Sent {
    /// Whether it is a command, with a password in it or not.
    pub const fn is_command(&self) -> bool {
        is_command(self.kind)
    }
}

impl<'a> Play<'a> {
    /// As the recorded client logged in, the reads as they were recorded.
    pub fn new(recording: &'a Recording, mode: Mode) -> Self {
        let timeseal = match recording.timeseal {
            Timeseal::V1 => TimesealChoice::V1,
            Timeseal::V2 => TimesealChoice::V2,
            Timeseal::Off => TimesealChoice::Off,
        };
        Self { recording, mode, piece: usize::MAX, timeseal, family: Family::Fics }
    }

    /// Cuts every read into pieces of so many bytes.
    pub const fn in_pieces_of(self, piece: usize) -> Self {
        Self { piece, ..self }
    }

    /// Speaks another version of timeseal.
    pub const fn with_timeseal(self, timeseal: TimesealChoice) -> Self {
        Self { timeseal, ..self }
    }

    /// Takes the server for one of another family.
    pub const fn with_family(self, family: Family) -> Self {
        Self { family, ..self }
    }

    /// Plays to the end of the session.
    pub fn run(&self) -> Played {
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
        // What a client got without block mode has no blocks.
        if self.recording.is_in_blocks() { options } else { options.without_ivar(Ivar::Block) }
    }
}

impl Played {
    /// Who was let in, how far the session came, and how it ended.
    pub fn state(&self) -> String {
        let stage = match (&self.name, self.is_ready) {
            (None, _) => "out",
            (Some(_), false) => "in",
            (Some(_), true) => "ready",
        };
        format!("{} {stage}, {}", self.name.as_deref().unwrap_or("-"), self.end)
    }

    /// What was told, but for what was sent, whose place among reads depends on how they are cut.
    pub fn told(&self) -> Vec<&Event> {
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
