//! Parsing of bytes to messages: a framer combined with the parser of its frames. Allocations of earlier messages are reused.

use std::sync::Arc;

use crate::message::frame_parser::FrameParser;
use crate::message::received::{ReadyMessages, SpareAllocations};
use crate::message::{Family, Message, Received, Relation, Style12};
use crate::text::hide_utf8;
use crate::wire::{Encoding, FastFrame, Frame, FrameKind, Framer, LineTag, StreamState};

/// Reads messages from the byte stream of a server.
///
/// It is used like the [`Framer`] it contains: [`next`](Self::next) until `None` for every read, [`finish`](Self::finish) until
/// `None` at the end of the stream.
///
/// ```
/// use kibitzer_core::MessageReader;
/// use kibitzer_core::message::{Message, TalkKind};
///
/// let mut reader = MessageReader::default();
/// let mut read = &b"fics% \n\rFoo(C) tells you: <12> is only text here\n\rfics% "[..];
/// let mut said = Vec::new();
/// while let Some(received) = reader.next(&mut read) {
///     if let Message::Talk(talk) = received.message {
///         said.push((talk.kind, talk.text().into_owned()));
///     }
/// }
/// assert_eq!(said, [(TalkKind::Tell, "<12> is only text here".to_owned())]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MessageReader {
    framer: Framer,
    parser: FrameParser,
    /// Messages to return before any further input is parsed.
    ready: ReadyMessages,
    /// The last board.
    board: Received,
    /// The last message that is not a board in style 12.
    other: Received,
    /// Whether a line before the login contained a valid sequence of UTF-8.
    greets_in_utf8: bool,
}

/// Slot in which the last message is stored. Boards have a separate slot, because streams of games alternate between boards and
/// prompts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MessageSlot {
    Board,
    Other,
}

impl MessageReader {
    /// Creates a reader for a server of this family; the other settings of the stream are those of `framer`.
    pub fn new(mut framer: Framer, family: Family) -> Self {
        framer.set_family(family);
        Self { framer, ..Self::default() }
    }

    /// Frees memory that is not needed until the next message arrives.
    pub(crate) fn shrink(&mut self) {
        self.framer.shrink();
        self.ready.shrink_to_fit();
        self.board = Received::default();
        self.other = Received::default();
        self.parser.spare = SpareAllocations::default();
    }

    /// Returns the framer, for settings of the stream such as the prompt.
    pub const fn framer_mut(&mut self) -> &mut Framer {
        &mut self.framer
    }

    /// Returns the position in the stream of the next byte of input.
    pub(crate) const fn position(&self) -> u64 {
        self.framer.position()
    }

    /// Returns whether the server reads UTF-8: by its setting, or else by its greeting. Later lines do not count, as they may contain
    /// words of players.
    pub(crate) fn is_utf8_server(&self) -> bool {
        match self.framer.encoding {
            Encoding::Auto => self.greets_in_utf8,
            encoding => encoding == Encoding::Utf8,
        }
    }

    /// Returns whether the stream has shown that the login is complete.
    pub(crate) const fn is_logged_in(&self) -> bool {
        self.parser.logged_in
    }

    /// Returns the state from which another reader can continue the stream. It does not include the players of games.
    pub(crate) fn stream_state(&self) -> StreamState {
        let mut state = StreamState::default();
        self.framer.save_state(&mut state);
        state.is_logged_in |= self.parser.logged_in;
        state
    }

    /// Returns whether a message is ready, or a refusal is pending that only the code of the current reply reports.
    pub(crate) fn has_pending_message(&self) -> bool {
        !self.ready.is_empty() || self.parser.error_code.is_some()
    }

    /// Sets whether the login is complete, and the name of this login, to those of `state`; the framer does not change.
    pub(crate) fn restore_login_state(&mut self, state: &StreamState) {
        self.parser.logged_in = state.is_logged_in;
        self.parser.datagrams.me = state.me.clone().unwrap_or_default();
    }

    /// Stores the players of a game that started earlier in the stream, and whether this login plays or examines it, because
    /// later ICC datagrams about it omit them.
    pub(crate) fn add_game_for_datagrams(&mut self, board: &Style12) {
        let is_mine = board.relation().is_mine() || board.relation() == Relation::Examining;
        self.parser.datagrams.add_game(board.game(), board.white(), board.black(), is_mine);
    }

    /// Parses and returns the next message, and advances `input` past its bytes; `None` once all of `input` is consumed. Bytes of
    /// an incomplete line stay in the reader.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Received> {
        let slot = self.read_to_slot(input)?;
        Some(self.take_from_slot(slot))
    }

    /// Removes and returns the message that [`read_to_slot`](Self::read_to_slot) stored in this slot.
    #[inline]
    pub(crate) fn take_from_slot(&mut self, slot: MessageSlot) -> Received {
        let slot = match slot {
            MessageSlot::Board => &mut self.board,
            MessageSlot::Other => &mut self.other,
        };
        // Field by field, because a copy of fields that were just written stalls the processor.
        let Received { offset, extent, attribution, ref mut message } = *slot;
        Received { offset, extent, attribution, message: std::mem::take(message) }
    }

    /// Parses the next message as [`next`](Self::next) does, and returns a reference to it. Unless the caller clones the message,
    /// its memory is reused for later ones.
    pub fn next_ref(&mut self, input: &mut &[u8]) -> Option<&Received> {
        Some(match self.read_to_slot(input)? {
            MessageSlot::Board => &self.board,
            MessageSlot::Other => &self.other,
        })
    }

    /// Stores a board that the caller no longer needs, so that its memory is reused for a later one, unless it has clones.
    pub(crate) fn recycle_board(&mut self, board: Arc<Style12>) {
        self.parser.spare.recycle_board(board);
    }

    /// Stores a message that the caller no longer needs, as [`recycle_board`](Self::recycle_board) does with a board.
    pub(crate) fn recycle_message(&mut self, message: Message) {
        self.parser.spare.recycle_unless_shared(message);
    }

    /// Parses and returns the next message of the bytes that are still buffered at the end of the stream; `None` once none is
    /// left.
    pub fn finish(&mut self) -> Option<Received> {
        while self.ready.is_empty() {
            self.parser.family = self.framer.family();
            let encoding = self.framer.encoding;
            let Some(mut frame) = self.framer.finish() else {
                self.ready.extend(self.parser.take_unfinished_lines());
                break;
            };
            let mut buffer = Vec::new();
            hide_utf8_unless_recognized(&mut frame, encoding, &mut buffer);
            self.parser.parse_frame(&frame, &mut self.ready);
        }
        self.ready.drain(..self.ready.len().min(1)).next()
    }

    /// Parses the next message, stores it in a slot and returns that slot; `None` once all of `input` is consumed.
    #[inline]
    pub(crate) fn read_to_slot(&mut self, input: &mut &[u8]) -> Option<MessageSlot> {
        if self.ready.is_empty()
            && !self.parser.is_mid_message()
            && let Some(slot) = self.read_board_or_prompt(input)
        {
            return Some(slot);
        }
        self.parser.spare.recycle_message(&mut self.other.message);
        self.read_any_frame(input)
    }

    /// Parses the next message if it is a command prompt or a board in its usual form, and returns its slot.
    #[inline]
    fn read_board_or_prompt(&mut self, input: &mut &[u8]) -> Option<MessageSlot> {
        match self.framer.line_start(input)? {
            text @ [b'<', ..] => {
                let mut board = self.parser.spare.take_board(&mut self.board.message);
                let length = Arc::make_mut(&mut board).overwrite_from_stream_start(text);
                self.board.message = Message::Style12(board);
                let FastFrame { offset, end, bell } = self.framer.take_board_line(input, length?)?;
                self.board.reset_position(offset, end, bell);
                Some(MessageSlot::Board)
            }
            [b'f', ..] => {
                let FastFrame { offset, end, bell } = self.framer.take_command_prompt(input)?;
                self.parser.logged_in = true;
                self.parser.spare.recycle_message(&mut self.other.message);
                self.other.message = Message::default();
                self.other.reset_position(offset, end, bell);
                Some(MessageSlot::Other)
            }
            _ => None,
        }
    }

    /// Does the same as [`read_to_slot`](Self::read_to_slot) for messages of every form.
    #[inline(never)]
    fn read_any_frame(&mut self, input: &mut &[u8]) -> Option<MessageSlot> {
        loop {
            if !self.ready.is_empty() {
                self.other = self.ready.remove(0);
                return Some(MessageSlot::Other);
            }
            self.parser.family = self.framer.family();
            let encoding = self.framer.encoding;
            let mut frame = self.framer.next_frame(input)?;
            let mut buffer = Vec::new();
            if let FrameKind::Line { bytes, .. } = &frame.kind
                && !self.parser.logged_in
                && !bytes.is_ascii()
            {
                self.greets_in_utf8 |= std::str::from_utf8(bytes).is_ok();
            }
            hide_utf8_unless_recognized(&mut frame, encoding, &mut buffer);
            let (tag, bytes) = match frame.kind {
                FrameKind::Line { tag, bytes } if self.parser.is_single_line(tag, bytes) => (tag, bytes),
                _ => {
                    self.parser.parse_frame(&frame, &mut self.ready);
                    continue;
                }
            };
            let is_board = tag == LineTag::Style12 && self.parser.spare.parse_board(&mut self.board.message, bytes);
            let (slot, received) = if is_board {
                (MessageSlot::Board, &mut self.board)
            } else {
                // Measured: a message that was just written is not moved without a stall.
                self.other.message = self.parser.parse_single_line(tag, bytes);
                (MessageSlot::Other, &mut self.other)
            };
            received.message.set_line_if_missing(bytes);
            received.reset_position(frame.offset, frame.end, frame.bell);
            return Some(slot);
        }
    }
}

/// Makes the text of a frame one that is decoded as the encoding demands: from Latin-1 alone, UTF-8 is hidden. `buffer` stores the
/// new text.
fn hide_utf8_unless_recognized<'a>(frame: &mut Frame<'a>, encoding: Encoding, buffer: &'a mut Vec<u8>) {
    if let FrameKind::Line { bytes, .. } | FrameKind::OverLong { bytes, .. } | FrameKind::Datagram { bytes } =
        &mut frame.kind
        && encoding == Encoding::Latin1
        && !bytes.is_ascii()
    {
        *buffer = hide_utf8(bytes);
        *bytes = buffer;
    }
}

#[cfg(test)]
mod tests;
