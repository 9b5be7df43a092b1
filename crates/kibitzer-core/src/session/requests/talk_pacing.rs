//! Talk that a server takes only slowly.

use std::time::{Duration, Instant};

use crate::message::{Message, Refusal};
use crate::scan::{Cursor, find};
use crate::session::command::Command;
use crate::session::reply::Reply;

/// The first pause when the server does not say how long.
const FIRST_PAUSE: Duration = Duration::from_secs(2);

/// The longest pause, whatever the server says.
const LONGEST_PAUSE: Duration = Duration::from_mins(2);

/// Pauses between what this login says to others. Each kind of talk has its own.
#[derive(Debug, Default)]
pub(crate) struct Pacing {
    tells: Pause,
    shouts: Pause,
    c_shouts: Pause,
}

/// Kinds of talk that servers count apart. uhlin-fics has a quota for shouts and `it`, and none for c-shouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Talk {
    Tell,
    Shout,
    CShout,
}

#[derive(Debug, Default)]
struct Pause {
    until: Option<Instant>,
    /// How long the last one was, until something was said without one.
    length: Duration,
}

/// What a reply means for the talk it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// It was said.
    Said,
    /// It will be said by and by.
    Queued,
    /// It was not said.
    Dropped,
}

impl Talk {
    /// What kind of talk a command is; `None` for other commands.
    pub(crate) fn of(command: &Command) -> Option<Self> {
        match &*command.verb() {
            "tell" | "t" | "xtell" | "ptell" | "say" | "kibitz" | "k" | "xkibitz" | "whisper" | "xwhisper"
            | "message" => Some(Self::Tell),
            "shout" | "it" | "i" => Some(Self::Shout),
            "cshout" | "sshout" => Some(Self::CShout),
            _ => None,
        }
    }
}

impl Pacing {
    /// Ends the pauses that are over.
    pub(crate) fn expire(&mut self, now: Instant) {
        for pause in [&mut self.tells, &mut self.shouts, &mut self.c_shouts] {
            pause.until = pause.until.filter(|&until| until > now);
        }
    }

    /// Until when this kind of talk has to wait, if it has to.
    pub(crate) const fn held_until(&self, talk: Talk) -> Option<Instant> {
        match talk {
            Talk::Tell => self.tells.until,
            Talk::Shout => self.shouts.until,
            Talk::CShout => self.c_shouts.until,
        }
    }

    /// Learns from the reply to something said.
    pub(crate) fn learn(&mut self, talk: Talk, reply: &Reply, now: Instant) -> Heard {
        let notice = reply.events.iter().find_map(|event| notice(event.message()?, event.raw()));
        let heard = notice.as_ref().map_or(Heard::Said, |notice| notice.heard);
        if heard == Heard::Said {
            *self.pause_mut(talk) = Pause::default();
        }
        let Some(notice) = notice else { return heard };
        // What was refused has to wait, and so has what the notice is about; nothing else is known to.
        let refused = Some(talk).filter(|&talk| heard != Heard::Said && notice.about != Some(talk));
        for talk in [refused, notice.about].into_iter().flatten() {
            self.pause_mut(talk).begin(notice.length, now);
        }
        heard
    }

    const fn pause_mut(&mut self, talk: Talk) -> &mut Pause {
        match talk {
            Talk::Tell => &mut self.tells,
            Talk::Shout => &mut self.shouts,
            Talk::CShout => &mut self.c_shouts,
        }
    }
}

impl Pause {
    /// Without a length it is twice as long as the last one.
    fn begin(&mut self, length: Option<Duration>, now: Instant) {
        self.length = length.unwrap_or_else(|| (self.length * 2).max(FIRST_PAUSE)).min(LONGEST_PAUSE);
        self.until = Some(now + self.length);
    }
}

/// What a server says about talking too fast.
struct Notice {
    heard: Heard,
    /// The kind of talk it names, if it names one.
    about: Option<Talk>,
    /// For how long, if it says so.
    length: Option<Duration>,
}

fn notice(message: &Message, raw: &[u8]) -> Option<Notice> {
    let (heard, about) = match message {
        Message::Refused(Refusal::ShoutQuota) => (Heard::Dropped, Some(Talk::Shout)),
        Message::Text(_) if is_queued(raw) => (Heard::Queued, None),
        Message::Text(_) if raw.starts_with(NEXT_SHOUT) => (Heard::Said, Some(Talk::Shout)),
        _ => return None,
    };
    Some(Notice { heard, about, length: seconds(raw) })
}

/// `Next shout in 60 seconds.` behind a shout that used the quota up; `Next shout available in …` where it was asked for.
///
/// Source: transcript `uhlinfics-talk-1-Carla`.
const NEXT_SHOUT: &[u8] = b"Next shout ";

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
