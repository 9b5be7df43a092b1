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

    /// Stores a board that a later one has replaced.
    pub(super) fn recycle_board(&mut self, board: Arc<Style12>) {
        self.board = Some(board);
    }

    /// Returns a mutable board in `message`, whose content is unspecified. If the message is not a board or its board has clones,
    /// first replaces it by a spare or new board. Never `None`, but without a panic the compiler cannot know that.
    #[inline]
    pub(super) fn reusable_board_in<'a>(&mut self, message: &'a mut Message) -> Option<&'a mut Style12> {
        if !matches!(message, Message::Style12(board) if Arc::strong_count(board) == 1) {
            let spare = self.board.take().filter(|board| Arc::strong_count(board) == 1);
            *message = Message::Style12(spare.unwrap_or_default());
        }
        if let Message::Style12(board) = message { Arc::get_mut(board) } else { None }
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
