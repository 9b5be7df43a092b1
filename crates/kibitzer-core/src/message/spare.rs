//! Reuse of the allocations of earlier messages.

use std::sync::Arc;

use super::{Message, Style12, Talk};
use crate::text::Line;

/// Allocations of messages that are no longer needed, to be reused for later ones.
#[derive(Clone, Debug, Default)]
pub(super) struct SpareAllocations {
    board: Option<Arc<Style12>>,
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

    /// Stores a board that is no longer needed.
    pub(super) fn recycle_board(&mut self, board: Arc<Style12>) {
        self.board = Some(board);
    }

    /// Removes the board from `message`; if `message` is not a board or its board has clones, returns a spare or new one instead.
    /// The content of the board is unspecified.
    #[inline]
    pub(super) fn take_board(&mut self, message: &mut Message) -> Arc<Style12> {
        let is_unused = |board: &Arc<Style12>| Arc::strong_count(board) == 1;
        match std::mem::take(message) {
            Message::Style12(board) if is_unused(&board) => board,
            _ => self.board.take().filter(is_unused).unwrap_or_default(),
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
