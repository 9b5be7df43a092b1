//! Reuse of the allocations of earlier messages.

use std::sync::Arc;

use super::{Message, Style12, Talk};
use crate::text::Line;

/// Allocations of earlier messages, used for later ones.
#[derive(Clone, Debug, Default)]
pub(super) struct SpareAllocations {
    board: Option<Arc<Style12>>,
    talk: Option<Arc<Talk>>,
    text: Line,
}

impl SpareAllocations {
    /// Keeps the allocation of a message that is not needed any more.
    #[inline]
    pub(super) fn keep_allocation(&mut self, message: &mut Message) {
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

    /// Keeps the allocation of a board that a later one has replaced.
    pub(super) fn keep_board(&mut self, board: Arc<Style12>) {
        self.board = Some(board);
    }

    /// Returns the board in a message for modification, one with other content if there is none or it has clones. Always `Some`, by
    /// the lines below; without a panic to say so, a caller treats `None` as a line that is not a board.
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
        Arc::make_mut(self.talk.get_or_insert_default()).read(line)?;
        self.talk.take().map(Message::Talk)
    }

    /// Creates a text message in a reused allocation.
    pub(super) fn text_message(&mut self, line: &[u8]) -> Message {
        let mut text = std::mem::take(&mut self.text);
        text.set(line);
        Message::Text(text)
    }
}
