//! Messages that a server quotes: a heading of the server, then the words of a player on indented lines.
//!
//! The words may look like anything, such as a board or a prompt. Therefore the framer marks their lines as
//! [`LineTag::PlayerText`], and no parser examines these.
//!
//! | state      | indented line | heading    | other line | empty line | prompt     |
//! |------------|---------------|------------|------------|------------|------------|
//! | `None`     | `None`        | `Expected` | `None`     | `None`     | `None`     |
//! | `Expected` | `Begun`       | `Expected` | `None`     | `Expected` | `Expected` |
//! | `Begun`    | `Begun`       | `Expected` | `None`     | `Begun`    | `None`     |
//!
//! Pings, telnet commands and the marks of blocks and units change nothing.

use super::frame::LineTag;
use crate::scan::{Cursor, find};
use crate::text::{Handle, Titles};

/// State of the quotation of a player's message, after the last line or prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub(crate) enum Quote {
    /// The server is not quoting.
    #[default]
    None,
    /// A heading was received; an indented line is expected.
    Expected,
    /// An indented line of the message was received; more may follow until the next prompt.
    Begun,
}

impl Quote {
    /// Returns whether a line with this many leading blanks is text of the quoted player.
    pub(super) fn quotes_line_indented_by(self, indent: usize) -> bool {
        self != Self::None && indent > 0
    }

    /// Returns the tag after the first `indent` bytes, which are blanks, and the line from that tag on. Without a tag, returns
    /// the whole line; an indented line of a quoted message has no tag ([`LineTag::PlayerText`]).
    #[inline]
    pub(super) fn split_at_tag(self, line: &[u8], indent: usize) -> (LineTag, &[u8]) {
        if self.quotes_line_indented_by(indent) {
            return (LineTag::PlayerText, line);
        }
        let head = line.get(indent..).unwrap_or_default();
        match LineTag::of(head) {
            LineTag::None => (LineTag::None, line),
            tag => (tag, head),
        }
    }

    /// Returns the state after `line`, which is the next line of the stream.
    pub(super) fn after_line(self, line: &[u8]) -> Self {
        match line.first() {
            None => self,
            Some(b' ') if self != Self::None => Self::Begun,
            Some(_) if is_message_heading(line) => Self::Expected,
            Some(_) => Self::None,
        }
    }

    /// Returns the state after a prompt. FatICS prints one after a heading, too.
    pub(super) fn after_prompt(self) -> Self {
        if self == Self::Expected { self } else { Self::None }
    }
}

/// Start of the heading of a message that was sent, received, forwarded or emailed.
const FOLLOWING: &[u8] = b"The following message was ";

/// Words that every other heading contains; the sender may be before or after them.
const JUST_SENT: [&[u8]; 2] = [b"just sent", b"message"];

/// Returns whether a line is the heading of a quoted message.
///
/// Such a line starts with a letter and ends with a colon, the only one unless it starts with [`FOLLOWING`], where a time may
/// contain more. Talk cannot look like this, because a colon precedes its words.
///
/// Source: transcripts `uhlinfics-talk-1-Boris`, `uhlinfics-talk-1-Carla`, `fatics-talk-mixed-b`; uhlin-fics and FatICS.
fn is_message_heading(line: &[u8]) -> bool {
    let [b'A'..=b'Z' | b'a'..=b'z', .., b':'] = line else { return false };
    let is_just_sent = || JUST_SENT.iter().all(|words| find(line, words).is_some());
    line.starts_with(FOLLOWING) || memchr::memchr(b':', line) == Some(line.len() - 1) && is_just_sent()
}

/// Returns whether a line may be the first pieces of a wrapped heading: `The following message was`, `Foo(TD) just sent you a`, or
/// a name with titles alone.
pub(super) fn may_begin_heading(line: &[u8]) -> bool {
    if line.starts_with(FOLLOWING) {
        return !line.ends_with(b":");
    }
    let is_name_with_titles = || line.ends_with(b")") && !line.contains(&b' ');
    let may_begin = || FOLLOWING.starts_with(line) || find(line, b" just").is_some() || is_name_with_titles();
    !line.contains(&b':') && may_begin()
}

/// Returns the sender of a quoted message: `Foo(TD) just sent you a message:`, `The following message was received from Foo:`.
/// `None` if `line` is not the heading of a message, or does not contain the sender.
pub(crate) fn sender_in_heading(line: &[u8]) -> Option<(Handle, Titles)> {
    is_message_heading(line).then_some(())?;
    let from = find(line, b" from ").map(|at| at + 6).or_else(|| Some(find(line, b" by ")? + 4));
    if from.is_none() && line.starts_with(FOLLOWING) {
        return None;
    }
    let mut at = Cursor::new(line.get(from.unwrap_or_default()..)?);
    let name = Handle::from_wire(Handle::read(&mut at)?);
    let titles = Titles::read(&mut at);
    matches!(at.peek(), Some(b' ' | b':')).then_some((name, titles))
}

#[cfg(test)]
mod tests;
