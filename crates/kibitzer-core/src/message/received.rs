//! A message with its place in the stream.

use super::{Datagram, Message};
use crate::text::Line;
use crate::wire::Frame;

/// A message with its place in the stream and the line it came in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// Position of the frame's first byte in the stream.
    pub offset: u64,
    pub(super) length: u32,
    /// Whether the server rang the bell since the previous line.
    pub bell: bool,
    pub(super) is_datagram: bool,
    pub(super) is_listed: bool,
    /// The content of the frame.
    pub message: Message,
}

impl Received {
    /// A message that comes from a line, with that line.
    pub(super) fn of_line(frame: &Frame<'_>, mut message: Message, line: &[u8]) -> Self {
        message.set_line(line);
        Self::new(frame.offset, frame.end, frame.bell, message)
    }

    pub(super) fn new(offset: u64, end: u64, bell: bool, message: Message) -> Self {
        Self { offset, length: length(offset, end), bell, is_datagram: false, is_listed: false, message }
    }

    /// A message of several lines, the last of which is `frame`.
    pub(super) fn ending_with(self, frame: &Frame<'_>) -> Self {
        Self { length: length(self.offset, frame.end), ..self }
    }

    /// Position after the frame's last byte; at most 4 GiB after the first.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.length.into())
    }

    /// The line the message was parsed from: cleaned, wrapped pieces joined, without line end; of a message of several lines
    /// (a style 10 block, a player's message) all of them, with line feeds between. Of an ICC datagram its number and
    /// arguments as sent, quotation marks included. Empty for [`Control`](super::Control), and for a datagram that must not
    /// be logged.
    ///
    /// It stays the same when a later version learns to type a line, so code that reads lines does not break.
    pub fn raw(&self) -> &[u8] {
        self.message.raw()
    }

    /// Whether the message came in an ICC datagram, rather than in a line.
    pub const fn is_datagram(&self) -> bool {
        self.is_datagram
    }

    /// The ICC datagram the message was parsed from; `None` if it was a line, or a datagram that must not be logged.
    pub fn datagram(&self) -> Option<Datagram> {
        self.is_datagram.then(|| Datagram::parse(self.raw()))?
    }

    /// Returns whether it is a line of a listing; see [`Event::Listing`](crate::Event::Listing).
    pub const fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// Marks it as a line of a listing.
    pub(crate) const fn mark_listed(&mut self) {
        self.is_listed = true;
    }

    /// Returns `line` as text at the same place.
    pub(crate) fn with_text(&self, line: &[u8]) -> Self {
        Self { message: Message::Text(Line::from(line)), is_datagram: false, is_listed: false, ..self.clone() }
    }
}

/// Only a line that is cut at the length limit can be too long for its length.
fn length(offset: u64, end: u64) -> u32 {
    u32::try_from(end.saturating_sub(offset)).unwrap_or(u32::MAX)
}

// The hub copies events; the message level must leave room for the change of a game.
const _: () = assert!(size_of::<Message>() <= 16 && size_of::<Received>() <= 32, "a message has grown");
