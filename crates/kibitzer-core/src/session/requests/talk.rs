//! Talk: pauses between its lines, as the server's throttle requires, and pieces of long texts.

use std::time::{Duration, Instant};

use crate::message::{Message, Refusal};
use crate::scan::{Cursor, find};
use crate::session::command::Command;
use crate::session::reply::Reply;
use crate::text;

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

/// Pauses in the talk of one connection, at most one for each [`ThrottledTalk`].
#[derive(Debug, Default)]
pub(crate) struct TalkPacing {
    pauses: Vec<TalkPause>,
}

#[derive(Debug)]
struct TalkPause {
    talk: ThrottledTalk,
    /// `None` once it is over.
    until: Option<Instant>,
    length: Duration,
}

impl TalkPacing {
    /// Ends the pauses whose time is over.
    pub(crate) fn end_expired_pauses(&mut self, now: Instant) {
        for pause in &mut self.pauses {
            pause.until = pause.until.filter(|&until| until > now);
        }
    }

    /// Returns the end of the current pause of this kind of talk; `None` if it may be sent now.
    pub(crate) fn paused_until(&self, talk: ThrottledTalk) -> Option<Instant> {
        self.pauses.iter().find(|pause| pause.talk == talk)?.until
    }

    /// Begins or ends pauses according to the reply to a line of talk, and returns the result of that line. Delivery resets the
    /// length of the next pause.
    pub(crate) fn apply_reply(&mut self, talk: ThrottledTalk, reply: &Reply, now: Instant) -> TalkResult {
        let notice = reply.events.iter().find_map(|event| TalkLimitLine::parse(event.message()?, event.raw()));
        let result = notice.as_ref().map_or(TalkResult::Delivered, |notice| notice.result);
        if result == TalkResult::Delivered {
            self.pauses.retain(|pause| pause.talk != talk);
        }
        let Some(notice) = notice else { return result };
        for kind in [ThrottledTalk::Tell, ThrottledTalk::Shout, ThrottledTalk::CShout] {
            if notice.kind == Some(kind) || kind == talk && result != TalkResult::Delivered {
                self.begin_pause(kind, notice.length, now);
            }
        }
        result
    }

    /// Begins a pause of this length; without one, twice as long as the last pause and at least [`FIRST_PAUSE`]. Limited to
    /// [`MAX_PAUSE`].
    fn begin_pause(&mut self, talk: ThrottledTalk, length: Option<Duration>, now: Instant) {
        let last = self.pauses.iter().find(|pause| pause.talk == talk).map_or(Duration::ZERO, |pause| pause.length);
        let length = length.unwrap_or_else(|| (last * 2).max(FIRST_PAUSE)).min(MAX_PAUSE);
        self.pauses.retain(|pause| pause.talk != talk);
        self.pauses.push(TalkPause { talk, until: Some(now + length), length });
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

/// Splits a text into pieces of at most `max_bytes` each once encoded by [`text::encode_ascii`].
///
/// Pieces end at blanks if possible, otherwise inside a word, but never inside the entity of a character, whether it is written
/// in the text or produced by encoding. An entity longer than `max_bytes` is a piece of its own. Blanks at the ends of pieces are
/// removed, as servers remove them too; all others are kept. A blank text has no pieces.
///
/// ```
/// use kibitzer_core::session::split_text;
///
/// assert_eq!(split_text("a long story, cut short", 12), ["a long", "story, cut", "short"]);
/// assert_eq!(split_text("♞♞♞", 16), ["♞♞", "♞"], "8 bytes each, once encoded");
/// ```
pub fn split_text(text: &str, max_bytes: usize) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_matches(' ');
    while !rest.is_empty() {
        let (fitting, after) = split_fitting(rest, max_bytes);
        let is_at_blank = after.is_empty() || after.starts_with(' ');
        let last_blank = fitting.rfind(' ').filter(|_| !is_at_blank);
        let (piece, tail) = last_blank.and_then(|blank| rest.split_at_checked(blank)).unwrap_or((fitting, after));
        pieces.push(piece.trim_end_matches(' ').to_owned());
        rest = tail.trim_start_matches(' ');
    }
    pieces
}

/// Splits a text after the last entity or character that fits into `max_bytes` once encoded, but not before the first one.
fn split_fitting(text: &str, max_bytes: usize) -> (&str, &str) {
    let (mut length, mut bytes) = (0, 0);
    let mut rest = text;
    while let Some((unit, tail)) = split_first_unit(rest) {
        bytes += text::encode_ascii(unit).len();
        if bytes > max_bytes && length > 0 {
            break;
        }
        length += unit.len();
        rest = tail;
    }
    text.split_at_checked(length).unwrap_or((text, ""))
}

/// Splits off the first entity or character of a text, which must not be cut; `None` for an empty text.
fn split_first_unit(text: &str) -> Option<(&str, &str)> {
    let entity = text.strip_prefix("&#x").and_then(|body| {
        // Six digits are the most, then the semicolon.
        let digits = body.bytes().take(7).take_while(u8::is_ascii_hexdigit).count();
        (digits > 0 && body.as_bytes().get(digits) == Some(&b';')).then_some(3 + digits + 1)
    });
    let length = entity.or_else(|| text.chars().next().map(char::len_utf8))?;
    text.split_at_checked(length)
}

#[cfg(test)]
mod tests;
