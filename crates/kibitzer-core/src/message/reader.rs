//! Parsing of bytes to messages: a framer combined with the parser of its frames.

use std::collections::VecDeque;
use std::sync::Arc;

use super::frame_parser::FrameParser;
use super::spare::SpareAllocations;
use super::{Family, Message, Received, Relation, Style12};
use crate::text::hide_utf8;
use crate::wire::{Encoding, FastFrame, FastFrameKind, FrameKind, Framer, LineTag, StreamState};

/// Reads messages from the byte stream of a server.
///
/// It is used like the [`Framer`] it contains: [`next`](Self::next) until `None` for every read, [`finish`](Self::finish) until
/// `None` at the end of the stream.
///
/// ```
/// use kibitzer_core::message::{Message, Reader, TalkKind};
///
/// let mut reader = Reader::default();
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
pub struct Reader {
    framer: Framer,
    parser: FrameParser,
    /// Messages to return before any further input is parsed.
    ready: VecDeque<Received>,
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

impl Reader {
    /// Creates a reader for a server of this family; the other settings of the stream are those of `framer`.
    pub fn new(mut framer: Framer, family: Family) -> Self {
        framer.set_family(family);
        Self { framer, ..Self::default() }
    }

    /// Sets the server family, if it was detected after the reader was created.
    pub const fn set_family(&mut self, family: Family) {
        self.framer.set_family(family);
    }

    /// Frees memory that is not needed until the next message arrives.
    pub(crate) fn shrink(&mut self) {
        self.framer.shrink();
        self.ready.shrink_to_fit();
        (self.board, self.other) = Default::default();
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
        let Received { offset, length, bell, is_datagram, is_listed, ref mut message } = *slot;
        Received { offset, length, bell, is_datagram, is_listed, message: std::mem::take(message) }
    }

    /// Parses the next message as [`next`](Self::next) does, and returns a reference to it. Unless the caller clones the message,
    /// its memory is reused for later ones.
    pub fn next_ref(&mut self, input: &mut &[u8]) -> Option<&Received> {
        Some(match self.read_to_slot(input)? {
            MessageSlot::Board => &self.board,
            MessageSlot::Other => &self.other,
        })
    }

    /// Stores a board that the caller no longer needs, so that its memory is reused for a later one, unless it still has clones
    /// then.
    pub(crate) fn recycle_board(&mut self, board: Arc<Style12>) {
        self.parser.spare.recycle_board(board);
    }

    /// Parses and returns the next message of the bytes that are still buffered at the end of the stream; `None` once none is
    /// left.
    pub fn finish(&mut self) -> Option<Received> {
        loop {
            if let Some(received) = self.ready.pop_front() {
                return Some(received);
            }
            self.parser.family = self.framer.family();
            let Some(frame) = self.framer.finish() else {
                self.ready.extend(self.parser.take_unfinished_lines()?);
                continue;
            };
            if let Some(received) = self.parser.parse_frame(&frame, &mut self.ready) {
                return Some(received);
            }
        }
    }

    /// Parses the next message, stores it in a slot and returns that slot; `None` once all of `input` is consumed.
    #[inline]
    pub(crate) fn read_to_slot(&mut self, input: &mut &[u8]) -> Option<MessageSlot> {
        if self.ready.is_empty() && !self.parser.is_mid_message() {
            let (spare, slot) = (&mut self.parser.spare, &mut self.board.message);
            if let Some(fast) = self
                .framer
                .next_fast_frame(input, |line| spare.reusable_board_in(slot)?.overwrite_from_stream_start(line))
            {
                let FastFrame { offset, end, bell, kind } = fast;
                return Some(match kind {
                    FastFrameKind::Board => {
                        self.board.reset_position(offset, end, bell);
                        MessageSlot::Board
                    }
                    FastFrameKind::Prompt => {
                        self.parser.logged_in = true;
                        self.parser.spare.recycle_message(&mut self.other.message);
                        self.other.message = Message::default();
                        self.other.reset_position(offset, end, bell);
                        MessageSlot::Other
                    }
                });
            }
        }
        self.parser.spare.recycle_message(&mut self.other.message);
        self.read_to_slot_slowly(input)
    }

    /// Does the same as [`read_to_slot`](Self::read_to_slot) for messages of every form.
    #[inline(never)]
    fn read_to_slot_slowly(&mut self, input: &mut &[u8]) -> Option<MessageSlot> {
        loop {
            if let Some(received) = self.ready.pop_front() {
                self.other = received;
                return Some(MessageSlot::Other);
            }
            self.parser.family = self.framer.family();
            let encoding = self.framer.encoding;
            let mut frame = self.framer.next_frame(input)?;
            let hidden;
            if let FrameKind::Line { bytes, .. } = &mut frame.kind
                && !bytes.is_ascii()
            {
                self.greets_in_utf8 |= !self.parser.logged_in && std::str::from_utf8(bytes).is_ok();
                if encoding == Encoding::Latin1 {
                    hidden = hide_utf8(bytes);
                    *bytes = &hidden;
                }
            }
            self.other = match frame.kind {
                FrameKind::Line { tag: LineTag::Style12, bytes } if !self.parser.is_mid_message() => {
                    let board = self.parser.spare.reusable_board_in(&mut self.board.message);
                    if board.is_some_and(|board| board.overwrite_from_line(bytes).is_ok()) {
                        self.board.reset_position(frame.offset, frame.end, frame.bell);
                        self.board.message.set_line_if_missing(bytes);
                        return Some(MessageSlot::Board);
                    }
                    Received::from_line(&frame, self.parser.spare.text_message(bytes), bytes)
                }
                FrameKind::Line { tag, bytes }
                    if !self.parser.is_mid_message() && !self.parser.begins_multi_line(tag, bytes) =>
                {
                    // Measured: a message that was just written is not moved without a stall.
                    let message = self.parser.parse_single_line(tag, bytes);
                    self.other.message = message.unwrap_or_else(|| self.parser.spare.text_message(bytes));
                    self.other.message.set_line_if_missing(bytes);
                    self.other.reset_position(frame.offset, frame.end, frame.bell);
                    return Some(MessageSlot::Other);
                }
                _ => match self.parser.parse_frame(&frame, &mut self.ready) {
                    Some(received) => received,
                    None => continue,
                },
            };
            return Some(MessageSlot::Other);
        }
    }
}

#[cfg(test)]
mod tests;
