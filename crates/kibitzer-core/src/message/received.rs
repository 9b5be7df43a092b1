//! A message with its position in the stream, a typed line with its value, and the reuse of their allocations.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{Attribution, Datagram, Message, Style12, Talk};
use crate::text::{Line, LineBytes};
use crate::wire::Frame;

/// A message with its position in the stream. [`raw`](Self::raw) returns the line that contained it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// Position of the frame's first byte in the stream, in bytes.
    pub offset: u64,
    pub(super) extent: Extent,
    /// The request that the message is part of, and whether it is about a game of this login.
    pub(crate) attribution: Attribution,
    /// The content of the frame.
    pub message: Message,
}

/// Length of a frame in bytes, at most [`MAX_LENGTH`], with marks in the highest bits: an event must not grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Extent(u32);

const MAX_LENGTH: u32 = (1 << 29) - 1;
const BELL: u32 = 1 << 29;
const DATAGRAM: u32 = 1 << 30;
const LISTED: u32 = 1 << 31;

impl Extent {
    /// Creates the extent of a frame from `offset` to `end`, without marks except the bell.
    fn new(offset: u64, end: u64, bell: bool) -> Self {
        let length = u32::try_from(end.saturating_sub(offset)).unwrap_or(u32::MAX).min(MAX_LENGTH);
        Self(if bell { length | BELL } else { length })
    }

    const fn has(self, mark: u32) -> bool {
        self.0 & mark != 0
    }
}

impl Received {
    /// Combines a message with the position of its frame, and stores `line` in the message if it has none.
    pub(super) fn from_line(frame: &Frame<'_>, mut message: Message, line: &[u8]) -> Self {
        message.set_line_if_missing(line);
        Self::new(frame.offset, frame.end, frame.bell, message)
    }

    /// Combines a message with its position, marked neither as a datagram nor as a line of a listing.
    pub(super) fn new(offset: u64, end: u64, bell: bool, message: Message) -> Self {
        Self { offset, extent: Extent::new(offset, end, bell), attribution: Attribution::default(), message }
    }

    /// Sets position and bell, and clears the attribution and the marks of a datagram and of a line of a listing. The message does
    /// not change.
    pub(super) fn reset_position(&mut self, offset: u64, end: u64, bell: bool) {
        self.offset = offset;
        self.extent = Extent::new(offset, end, bell);
        self.attribution = Attribution::default();
    }

    /// Returns this message, marked as the content of a datagram.
    pub(super) const fn into_datagram(mut self) -> Self {
        self.extent.0 |= DATAGRAM;
        self
    }

    /// Marks the message as a line of a listing.
    pub(crate) const fn mark_as_listed(&mut self) {
        self.extent.0 |= LISTED;
    }

    /// Returns this message, extended in the stream to the end of `frame`, which is its last line.
    pub(super) fn extended_to(self, frame: &Frame<'_>) -> Self {
        let marks = self.extent.0 & !MAX_LENGTH;
        Self { extent: Extent(Extent::new(self.offset, frame.end, false).0 | marks), ..self }
    }

    /// Returns the position in the stream after the last byte of the message: at most 512 MiB after [`offset`](Self::offset).
    pub fn end(&self) -> u64 {
        self.offset.saturating_add((self.extent.0 & MAX_LENGTH).into())
    }

    /// Returns whether the server rang the bell since the previous line.
    pub const fn has_bell(&self) -> bool {
        self.extent.has(BELL)
    }

    /// Returns the line that the message was parsed from: cleaned, wrapped pieces joined, without line end. For a message of
    /// several lines (a style 10 block, a player's message) these are all lines, separated by line feeds; for an ICC datagram,
    /// its number and arguments as sent, including quotation marks. Empty for [`Control`](super::Control), and for a datagram
    /// that must not be logged.
    ///
    /// The line stays the same if a later version of the library parses it to another message.
    pub fn raw(&self) -> &[u8] {
        self.message.raw()
    }

    /// Returns whether an ICC datagram contained the message, rather than a line.
    pub(crate) const fn is_datagram(&self) -> bool {
        self.extent.has(DATAGRAM)
    }

    /// Parses the ICC datagram that contained the message; `None` if a line contained it, or a datagram that must not be logged.
    pub fn datagram(&self) -> Option<Datagram> {
        self.is_datagram().then(|| Datagram::parse(self.raw()))?
    }

    /// Returns whether the message is a nonempty text line of a listing, which [`Event::Listing`](crate::Event::Listing) reports
    /// as a whole.
    pub(crate) const fn is_listed(&self) -> bool {
        self.extent.has(LISTED)
    }

    /// Returns a text message with `line` at the position of this message, marked neither as a datagram nor as a line of a
    /// listing.
    pub(crate) fn text_at_same_position(&self, line: &[u8]) -> Self {
        let extent = Extent(self.extent.0 & !(DATAGRAM | LISTED));
        Self { message: Message::Text(Line::from(line)), extent, ..*self }
    }
}

/// Messages to return before any further input is parsed, the first one first. Nearly always there is at most one.
pub(super) type ReadyMessages = SmallVec<[Received; 1]>;

/// A value parsed from a line, together with that line. Derefs to the value.
///
/// Clones share one allocation, which contains lines of up to 96 bytes; a longer line has a second allocation.
#[derive(Clone, PartialEq, Eq)]
pub struct Parsed<T>(Arc<LineAndValue<T>>);

#[derive(PartialEq, Eq)]
struct LineAndValue<T> {
    line: LineBytes,
    value: T,
}

impl<T> Parsed<T> {
    /// Wraps a value without its line, which is empty until [`set_line`](Self::set_line).
    pub(super) fn without_line(value: T) -> Self {
        Self(Arc::new(LineAndValue { line: LineBytes::new(), value }))
    }

    /// Replaces the line. Does nothing if clones exist, because they share the allocation.
    pub(super) fn set_line(&mut self, line: &[u8]) {
        if let Some(contents) = Arc::get_mut(&mut self.0) {
            contents.line.clear();
            contents.line.extend_from_slice(line);
        }
    }

    /// Returns the value for modification; `None` if clones exist.
    pub(crate) fn value_mut(&mut self) -> Option<&mut T> {
        Arc::get_mut(&mut self.0).map(|contents| &mut contents.value)
    }

    /// Returns the line as received; see [`Received::raw`].
    pub(crate) fn raw(&self) -> &[u8] {
        &self.0.line
    }
}

impl<T> Deref for Parsed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Parsed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// Maximum number of spare boards. A turn of 128 events has 64 boards with a prompt after each, and as many games release one each.
const MAX_SPARE_BOARDS: usize = 128;

/// Allocations of messages that are no longer needed, to be reused for later ones.
#[derive(Clone, Debug, Default)]
pub(super) struct SpareAllocations {
    boards: Vec<Arc<Style12>>,
    talk: Option<Arc<Talk>>,
    text: Line,
}

impl SpareAllocations {
    /// Stores the allocation of talk or text that is no longer needed, and drops other messages. Leaves the default message in
    /// their place; a control message stays.
    #[inline]
    pub(super) fn recycle_message(&mut self, message: &mut Message) {
        // Measured: moving a prompt that was just written stalls the processor.
        if matches!(message, Message::Control(_)) {
            return;
        }
        match std::mem::take(message) {
            Message::Talk(talk) => self.talk = Some(talk),
            Message::Text(line) => self.text = line,
            _ => {}
        }
    }

    /// Stores the allocation of a message that is no longer needed, unless clones exist.
    pub(super) fn recycle_unless_shared(&mut self, mut message: Message) {
        match message {
            Message::Style12(board) => self.recycle_board(board),
            Message::Talk(ref talk) if Arc::strong_count(talk) > 1 => {}
            _ => self.recycle_message(&mut message),
        }
    }

    /// Stores a board that is no longer needed, unless clones exist.
    #[inline]
    pub(super) fn recycle_board(&mut self, board: Arc<Style12>) {
        if self.boards.len() < MAX_SPARE_BOARDS && Arc::strong_count(&board) == 1 {
            self.boards.push(board);
        }
    }

    /// Removes the board from `message`; if `message` is not a board or its board has clones, returns a spare or new one instead.
    /// The content of the board is unspecified.
    #[inline]
    pub(super) fn take_board(&mut self, message: &mut Message) -> Arc<Style12> {
        let is_unused = |board: &Arc<Style12>| Arc::strong_count(board) == 1;
        match std::mem::take(message) {
            Message::Style12(board) if is_unused(&board) => board,
            _ => self.boards.pop().unwrap_or_default(),
        }
    }

    /// Parses a style 12 line, and stores the board in `message`, also if it is invalid; returns whether it is valid.
    pub(super) fn parse_board(&mut self, message: &mut Message, line: &[u8]) -> bool {
        let mut board = self.take_board(message);
        let is_valid = Arc::make_mut(&mut board).overwrite_from_line(line).is_ok();
        *message = Message::Style12(board);
        is_valid
    }

    /// Parses a line of talk into a reused allocation; `None` if the line is not talk.
    pub(super) fn parse_talk(&mut self, line: &[u8]) -> Option<Message> {
        let talk = Arc::make_mut(self.talk.get_or_insert_default());
        if talk.overwrite_from_line(line) { self.talk.take().map(Message::Talk) } else { None }
    }

    /// Creates a text message in a reused allocation.
    pub(super) fn text_message(&mut self, line: &[u8]) -> Message {
        let mut text = std::mem::take(&mut self.text);
        text.set(line);
        Message::Text(text)
    }
}

// The hub copies events; the message level must leave room for the change of a game.
const _: () = assert!(size_of::<Message>() <= 16 && size_of::<Received>() <= 32, "a message has grown");
