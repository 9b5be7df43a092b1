//! Pauses between lines of talk, as the server's throttle requires.

use std::time::{Duration, Instant};

use crate::message::{Message, Refusal};
use crate::scan::{Cursor, find};
use crate::session::command::Command;
use crate::session::reply::Reply;

/// First pause if the server gives no length.
const FIRST_PAUSE: Duration = Duration::from_secs(2);

/// Maximum pause, whatever length the server gives.
const MAX_PAUSE: Duration = Duration::from_mins(2);

/// Start of the line after a shout that used up the quota, `Next shout in 60 seconds.`, and of `Next shout available in …`, the
/// answer to a query.
///
/// Source: transcript `uhlinfics-talk-1-Carla`.
const NEXT_SHOUT: &[u8] = b"Next shout ";

/// Start of `Your communication has been queued for 5 seconds.` The wording is known from users of FICS only.
const QUEUED: &[u8] = b"Your communication has been queued";

/// Kinds of talk that servers throttle separately. uhlin-fics has a quota for shouts and `it`, and none for c-shouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ThrottledTalk {
    Tell,
    Shout,
    CShout,
}

/// Server's treatment of a line of talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TalkResult {
    Delivered,
    /// The server delivers it later.
    Queued,
    Dropped,
}

impl ThrottledTalk {
    /// Returns the kind of talk that a command sends; `None` for other commands.
    pub(crate) fn from_command(command: &Command) -> Option<Self> {
        match &*command.verb() {
            "tell" | "t" | "xtell" | "ptell" | "say" | "kibitz" | "k" | "xkibitz" | "whisper" | "xwhisper"
            | "message" => Some(Self::Tell),
            "shout" | "it" | "i" => Some(Self::Shout),
            "cshout" | "sshout" => Some(Self::CShout),
            _ => None,
        }
    }
}

/// Pauses in the talk of one connection, one for each [`ThrottledTalk`].
#[derive(Debug, Default)]
pub(crate) struct TalkPacing {
    pauses: [TalkPause; 3],
}

#[derive(Debug, Default)]
struct TalkPause {
    until: Option<Instant>,
    /// Length of the last pause; zero after talk that needed none.
    length: Duration,
}

impl TalkPacing {
    /// Removes the pauses whose end has passed.
    pub(crate) fn end_expired_pauses(&mut self, now: Instant) {
        for pause in &mut self.pauses {
            pause.until = pause.until.filter(|&until| until > now);
        }
    }

    /// Returns the end of the current pause of this kind of talk; `None` if it may be sent now.
    pub(crate) fn paused_until(&self, talk: ThrottledTalk) -> Option<Instant> {
        self.pauses.get(talk as usize)?.until
    }

    /// Begins or ends pauses according to the reply to a line of talk, and returns the result of that line. Delivery resets the
    /// length of the next pause.
    pub(crate) fn apply_reply(&mut self, talk: ThrottledTalk, reply: &Reply, now: Instant) -> TalkResult {
        let notice = reply.events.iter().find_map(|event| TalkLimitLine::parse(event.message()?, event.raw()));
        let result = notice.as_ref().map_or(TalkResult::Delivered, |notice| notice.result);
        for (kind, pause) in
            [ThrottledTalk::Tell, ThrottledTalk::Shout, ThrottledTalk::CShout].into_iter().zip(&mut self.pauses)
        {
            if kind == talk && result == TalkResult::Delivered {
                *pause = TalkPause::default();
            }
            let is_throttled =
                |notice: &&TalkLimitLine| notice.kind == Some(kind) || kind == talk && result != TalkResult::Delivered;
            if let Some(notice) = notice.as_ref().filter(is_throttled) {
                pause.begin(notice.length, now);
            }
        }
        result
    }
}

impl TalkPause {
    /// Begins a pause of this length; without one, twice as long as the last pause and at least [`FIRST_PAUSE`]. Limited to
    /// [`MAX_PAUSE`].
    fn begin(&mut self, length: Option<Duration>, now: Instant) {
        self.length = length.unwrap_or_else(|| (self.length * 2).max(FIRST_PAUSE)).min(MAX_PAUSE);
        self.until = Some(now + self.length);
    }
}

/// Line in which the server reports that it limits the rate of talk.
struct TalkLimitLine {
    result: TalkResult,
    /// Kind of talk that the line names; `None` if it applies to the kind just sent.
    kind: Option<ThrottledTalk>,
    /// Length of the pause that the line names, if any.
    length: Option<Duration>,
}

impl TalkLimitLine {
    /// Parses a line about the rate of talk; `None` for any other message.
    fn parse(message: &Message, raw: &[u8]) -> Option<Self> {
        let (result, kind) = match message {
            Message::Refused(refusal) if **refusal == Refusal::ShoutQuota => {
                (TalkResult::Dropped, Some(ThrottledTalk::Shout))
            }
            Message::Text(_) if raw.starts_with(QUEUED) => (TalkResult::Queued, None),
            Message::Text(_) if raw.starts_with(NEXT_SHOUT) => (TalkResult::Delivered, Some(ThrottledTalk::Shout)),
            _ => return None,
        };
        Some(Self { result, kind, length: parse_seconds(raw) })
    }
}

/// Parses the number before the first ` second` as a duration; `None` without such a number.
fn parse_seconds(line: &[u8]) -> Option<Duration> {
    let before = line.get(..find(line, b" second")?)?;
    let digits = before.rsplit(|b| !b.is_ascii_digit()).next()?;
    Cursor::new(digits).number().map(|seconds: u32| Duration::from_secs(seconds.into()))
}
