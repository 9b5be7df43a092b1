//! Talk that a server takes only slowly.

use std::time::{Duration, Instant};

use super::command::Command;
use super::reply::Reply;
use crate::message::{Message, Refusal};
use crate::scan::{Cursor, find};

/// The first pause when the server does not say how long.
const FIRST_PAUSE: Duration = Duration::from_secs(2);

/// The longest pause, whatever the server says.
const LONGEST_PAUSE: Duration = Duration::from_mins(2);

/// Pauses between what this login says to others. Each kind of talk has its own.
#[derive(Debug, Default)]
pub(super) struct Pacing {
    tells: Pause,
    shouts: Pause,
}

/// Kinds of talk that servers count apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Talk {
    Tell,
    Shout,
}

#[derive(Debug, Default)]
struct Pause {
    until: Option<Instant>,
    /// How long the last one was, until something was said without one.
    length: Duration,
}

/// What a reply means for the talk it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It was said.
    Said,
    /// It will be said by and by.
    Queued,
    /// It was not said.
    Dropped,
}

impl Talk {
    /// What kind of talk a command is; `None` for other commands.
    pub(super) fn of(command: &Command) -> Option<Self> {
        match command.verb() {
            "tell" | "t" | "xtell" | "ptell" | "say" | "kibitz" | "k" | "xkibitz" | "whisper" | "xwhisper"
            | "message" => Some(Self::Tell),
            "shout" | "it" | "cshout" | "sshout" | "i" => Some(Self::Shout),
            _ => None,
        }
    }
}

impl Pacing {
    /// Ends the pauses that are over.
    pub(super) fn expire(&mut self, now: Instant) {
        for pause in [&mut self.tells, &mut self.shouts] {
            pause.until = pause.until.filter(|&until| until > now);
        }
    }

    /// Until when this kind of talk has to wait, if it has to.
    pub(super) const fn held_until(&self, talk: Talk) -> Option<Instant> {
        match talk {
            Talk::Tell => self.tells.until,
            Talk::Shout => self.shouts.until,
        }
    }

    /// Learns from the reply to something said.
    pub(super) fn learn(&mut self, talk: Talk, reply: &Reply, now: Instant) -> Heard {
        let pause = match talk {
            Talk::Tell => &mut self.tells,
            Talk::Shout => &mut self.shouts,
        };
        let (heard, length) = reply
            .events
            .iter()
            .find_map(|event| notice(event.message()?, event.raw()))
            .unwrap_or((Heard::Said, Some(Duration::ZERO)));
        pause.length = length.unwrap_or_else(|| (pause.length * 2).max(FIRST_PAUSE)).min(LONGEST_PAUSE);
        pause.until = (heard != Heard::Said).then(|| now + pause.length);
        heard
    }
}

/// What a line says about talking too fast, and for how long, if it does.
fn notice(message: &Message, raw: &[u8]) -> Option<(Heard, Option<Duration>)> {
    match message {
        Message::Refused(Refusal::ShoutQuota) => Some((Heard::Dropped, seconds(raw))),
        Message::Text(_) if is_queued(raw) => Some((Heard::Queued, seconds(raw))),
        _ => None,
    }
}

/// `Your communication has been queued for 5 seconds.` The wording is known from FICS's users only.
fn is_queued(line: &[u8]) -> bool {
    line.starts_with(b"Your communication has been queued")
}

/// The number in front of `second`.
fn seconds(line: &[u8]) -> Option<Duration> {
    let in_front = line.get(..find(line, b" second")?)?;
    let digits = in_front.rsplit(|b| !b.is_ascii_digit()).next()?;
    Cursor::new(digits).number().map(|seconds: u32| Duration::from_secs(seconds.into()))
}
