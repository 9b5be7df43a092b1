//! Parsing of bytes to messages: the framer, and the parser of its frames.

use std::collections::VecDeque;
use std::sync::Arc;

use super::line_parser::LineParser;
use super::spare::SpareAllocations;
use super::{Family, Message, Received, Relation, Style12};
use crate::wire::{FastFrame, FastFrameKind, FrameKind, Framer, LineTag, StreamState};

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
    parser: LineParser,
    /// Messages that were completed together with an earlier one.
    ready: VecDeque<Received>,
    /// The last board.
    board: Received,
    /// The last message that is not a board in style 12.
    other: Received,
}

/// Slot in which the last message is stored. Boards have a separate slot, because streams of games alternate between boards and
/// prompts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MessageSlot {
    Board,
    Other,
}

impl Reader {
    /// Creates a reader from a framer that was configured for the stream, and sets the family of the framer.
    pub fn new(mut framer: Framer, family: Family) -> Self {
        framer.set_family(family);
        Self { framer, ..Self::default() }
    }

    /// Sets the server family, once it is detected.
    pub const fn set_family(&mut self, family: Family) {
        self.framer.set_family(family);
    }

    /// Frees unused memory.
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

    /// Returns the state of the stream, without the names of players.
    pub(crate) fn stream_state(&self) -> StreamState {
        let mut state = StreamState::default();
        self.framer.save_state(&mut state);
        state.is_logged_in |= self.parser.logged_in;
        state
    }

    /// Sets whether the login is complete, and the name of this login. The framer is resumed separately.
    pub(crate) fn resume(&mut self, state: &StreamState) {
        self.parser.logged_in = state.is_logged_in;
        self.parser.datagrams.set_login_name(state.me.clone().unwrap_or_default());
    }

    /// Adds the players of a game that the stream reported earlier; datagrams about it may omit them.
    pub(crate) fn add_game(&mut self, board: &Style12) {
        let is_mine = board.relation().is_mine() || board.relation() == Relation::Examining;
        self.parser.datagrams.add_game(board.game(), board.white(), board.black(), is_mine);
    }

    /// Returns the next message, and advances `input` past it; `None` once all of `input` was consumed.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Received> {
        let slot = self.read_to_slot(input)?;
        Some(self.take(slot))
    }

    /// Removes and returns the last message, which [`read_to_slot`](Self::read_to_slot) has stored in this slot.
    #[inline]
    pub(crate) fn take(&mut self, slot: MessageSlot) -> Received {
        let slot = match slot {
            MessageSlot::Board => &mut self.board,
            MessageSlot::Other => &mut self.other,
        };
        // Field by field, because a copy of fields that were just written stalls the processor.
        let Received { offset, length, bell, is_datagram, is_listed, ref mut message } = *slot;
        Received { offset, length, bell, is_datagram, is_listed, message: std::mem::take(message) }
    }

    /// Returns the next message as [`next`](Self::next) does, but by reference. If the caller does not clone it, the memory of a board or a line
    /// of text is used again for a later one.
    pub fn next_ref(&mut self, input: &mut &[u8]) -> Option<&Received> {
        Some(match self.read_to_slot(input)? {
            MessageSlot::Board => &self.board,
            MessageSlot::Other => &self.other,
        })
    }

    /// Keeps the memory of a board that the caller does not need any more for a later board, unless it has clones by then.
    pub(crate) fn reuse(&mut self, board: Arc<Style12>) {
        self.parser.spare.keep_board(board);
    }

    /// Returns the next message of the buffered bytes at the end of the stream; `None` once none is left.
    pub fn finish(&mut self) -> Option<Received> {
        loop {
            if let Some(received) = self.ready.pop_front() {
                return Some(received);
            }
            self.parser.family = self.framer.family();
            let Some(frame) = self.framer.finish() else {
                self.ready.extend(self.parser.take_unfinished()?);
                continue;
            };
            if let Some(received) = self.parser.read(&frame, &mut self.ready) {
                return Some(received);
            }
        }
    }

    /// Reads the next message to the returned slot.
    #[inline]
    pub(crate) fn read_to_slot(&mut self, input: &mut &[u8]) -> Option<MessageSlot> {
        if self.ready.is_empty() && !self.parser.is_mid_message() {
            let (spare, slot) = (&mut self.parser.spare, &mut self.board.message);
            if let Some(fast) =
                self.framer.next_fast_frame(input, |line| spare.reusable_board_in(slot)?.read_fast(line))
            {
                let FastFrame { offset, end, bell, kind } = fast;
                return Some(match kind {
                    FastFrameKind::Board => {
                        self.board.set_position(offset, end, bell);
                        MessageSlot::Board
                    }
                    FastFrameKind::Prompt => {
                        self.parser.logged_in = true;
                        self.parser.spare.keep_allocation(&mut self.other.message);
                        self.other.message = Message::default();
                        self.other.set_position(offset, end, bell);
                        MessageSlot::Other
                    }
                });
            }
        }
        self.parser.spare.keep_allocation(&mut self.other.message);
        self.read_to_slot_slowly(input)
    }

    /// Parses frames until a message is complete, stores it in its slot and returns that slot; `None` if the input is consumed.
    #[inline(never)]
    fn read_to_slot_slowly(&mut self, input: &mut &[u8]) -> Option<MessageSlot> {
        loop {
            if let Some(received) = self.ready.pop_front() {
                self.other = received;
                return Some(MessageSlot::Other);
            }
            self.parser.family = self.framer.family();
            let frame = self.framer.next_frame(input)?;
            self.other = match frame.kind {
                FrameKind::Line { tag: LineTag::Style12, bytes } if !self.parser.is_mid_message() => {
                    let board = self.parser.spare.reusable_board_in(&mut self.board.message);
                    if board.is_some_and(|board| board.read_line(bytes).is_ok()) {
                        self.board.set_position(frame.offset, frame.end, frame.bell);
                        self.board.message.set_line(bytes);
                        return Some(MessageSlot::Board);
                    }
                    Received::of_line(&frame, self.parser.spare.text_message(bytes), bytes)
                }
                FrameKind::Line { tag, bytes }
                    if !self.parser.is_mid_message() && !self.parser.begins_block(tag, bytes) =>
                {
                    // Measured: a message that was just written is not moved without a stall.
                    let message = self.parser.parse_line(tag, bytes);
                    self.other.message = message.unwrap_or_else(|| self.parser.spare.text_message(bytes));
                    self.other.message.set_line(bytes);
                    self.other.set_position(frame.offset, frame.end, frame.bell);
                    return Some(MessageSlot::Other);
                }
                _ => match self.parser.read(&frame, &mut self.ready) {
                    Some(received) => received,
                    None => continue,
                },
            };
            return Some(MessageSlot::Other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Control, Handle, TalkKind};

    fn read(stream: &[u8]) -> Vec<Received> {
        let mut reader = Reader::default();
        let mut rest = stream;
        let mut all = Vec::new();
        while let Some(received) = reader.next(&mut rest).or_else(|| reader.finish()) {
            all.push(received);
        }
        all
    }

    // Rules: text §1
    #[test]
    fn a_players_message_stands_on_two_lines() {
        let all = read(b"fics% \n\rCarla(TD) just sent you a message:\n\r    leave a \"message\": 100%\n\rfics% ");
        let Message::Talk(talk) = &all[1].message else { panic!("{all:?}") };
        assert_eq!((talk.kind, talk.from().as_ref().map(Handle::as_str)), (TalkKind::Message, Some("Carla")));
        assert_eq!(talk.text(), "leave a \"message\": 100%");
        assert_eq!(all[1].raw(), b"Carla(TD) just sent you a message:\n    leave a \"message\": 100%");
        assert_eq!((all[1].offset, all.len()), (8, 3));
    }

    #[test]
    fn telnet_between_the_lines_of_a_message_parts_them_not() {
        let all = read(b"Carla just sent you a message:\n\xff\xfb\x01    hello\n");
        assert!(matches!(all[0].message, Message::Control(Control::Telnet { .. })));
        assert!(matches!(&all[1].message, Message::Talk(talk) if talk.text() == "hello"), "{all:?}");
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn what_does_not_follow_leaves_the_first_line_as_text() {
        for next in ["fics% ", "x\n", "\n", "<b1> game 1 white [] black []\n", "\x1a", ""] {
            let all = read(format!("Carla just sent you a message:\n{next}").as_bytes());
            assert_eq!(all[0].raw(), b"Carla just sent you a message:", "{next}");
            assert!(matches!(all[0].message, Message::Text(_)), "{next}");
            assert_eq!(all.len(), if next.is_empty() { 1 } else { 2 }, "{next}");
        }
    }
}
