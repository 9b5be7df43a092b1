//! A message with its position in the stream.

use super::{Datagram, Message};
use crate::text::Line;
use crate::wire::Frame;

/// A message with its position in the stream and the line that contained it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// Position of the frame's first byte in the stream, in bytes.
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
    /// Creates a message from the frame's position, and stores `line` in it.
    pub(super) fn of_line(frame: &Frame<'_>, mut message: Message, line: &[u8]) -> Self {
        message.set_line(line);
        Self::new(frame.offset, frame.end, frame.bell, message)
    }

    pub(super) fn new(offset: u64, end: u64, bell: bool, message: Message) -> Self {
        Self { offset, length: saturating_length(offset, end), bell, is_datagram: false, is_listed: false, message }
    }

    /// Sets the position and the bell, and clears the marks of datagrams and listings. The message is unchanged.
    pub(super) fn set_position(&mut self, offset: u64, end: u64, bell: bool) {
        (self.offset, self.length, self.bell) = (offset, saturating_length(offset, end), bell);
        (self.is_datagram, self.is_listed) = (false, false);
    }

    /// Extends the message to the end of `frame`, its last line.
    pub(super) fn ending_with(self, frame: &Frame<'_>) -> Self {
        Self { length: saturating_length(self.offset, frame.end), ..self }
    }

    /// Returns the position after the frame's last byte in the stream. A frame counts as at most 4 GiB long.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.length.into())
    }

    /// Returns the line that the message was parsed from: cleaned, wrapped pieces joined, without line end. For a message of
    /// several lines (a style 10 block, a player's message) these are all lines, separated by line feeds; for an ICC datagram,
    /// its number and arguments as sent, including quotation marks. Empty for [`Control`](super::Control), and for a datagram
    /// that must not be logged.
    ///
    /// The line does not change when a later version learns to parse it, so code that reads lines does not break.
    pub fn raw(&self) -> &[u8] {
        self.message.raw()
    }

    /// Returns whether the message came in an ICC datagram rather than in a line.
    pub const fn is_datagram(&self) -> bool {
        self.is_datagram
    }

    /// Parses and returns the ICC datagram that the message came in; `None` if it came in a line, or in a datagram that must not
    /// be logged.
    pub fn datagram(&self) -> Option<Datagram> {
        self.is_datagram.then(|| Datagram::parse(self.raw()))?
    }

    /// Returns whether it is a line of a listing; see [`Event::Listing`](crate::Event::Listing).
    pub const fn is_listed(&self) -> bool {
        self.is_listed
    }

    /// Marks the message as a line of a listing, so that [`is_listed`](Self::is_listed) returns `true`.
    pub(crate) const fn mark_listed(&mut self) {
        self.is_listed = true;
    }

    /// Returns `line` as a text message at the same position, marked neither as a datagram nor as part of a listing.
    pub(crate) fn with_text(&self, line: &[u8]) -> Self {
        Self { message: Message::Text(Line::from(line)), is_datagram: false, is_listed: false, ..self.clone() }
    }
}

/// Returns the length in bytes, saturated at 4 GiB, which only a line over the length limit can exceed.
fn saturating_length(offset: u64, end: u64) -> u32 {
    u32::try_from(end.saturating_sub(offset)).unwrap_or(u32::MAX)
}

// The hub copies events; the message level must leave room for the change of a game.
const _: () = assert!(size_of::<Message>() <= 16 && size_of::<Received>() <= 32, "a message has grown");
