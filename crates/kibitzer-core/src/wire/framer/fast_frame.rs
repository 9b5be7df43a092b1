//! The fastest path through the framer: command prompts, and boards whose parser finds the end of the line.
//!
//! A stream of games consists mostly of these, one after the other. The frames are the same as on the other paths.

use super::Framer;
use super::whole_line::skip_returns;
use crate::wire::prompt::PromptKind;

/// A frame of the fast path: a prompt, or a board that the caller's parser has read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastFrame {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) bell: bool,
    pub(crate) kind: FastFrameKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FastFrameKind {
    Prompt,
    Board,
}

impl Framer {
    /// Returns the next frame if it is a command prompt, or a style 12 line that `read` can parse. After `None`,
    /// [`next_frame`](Self::next_frame) has to be called.
    ///
    /// `read` receives the input from the line's first byte on, and returns the length of the line. The line has no
    /// control byte, and a control byte follows it.
    #[inline]
    pub(crate) fn next_fast_frame(
        &mut self,
        input: &mut &[u8],
        read: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> Option<FastFrame> {
        self.clear_emitted();
        let mut text = self.line_start(input)?;
        if let [b'\n', rest @ ..] = text
            && self.line.is_marked()
        {
            self.end_marked_line(input, rest);
            text = self.line_start(input)?;
        }
        let offset = self.position + (input.len() - text.len()) as u64;
        let (bell, kind) = match text {
            [b'<', ..] if !self.prompts.custom().starts_with(b"<") => {
                let (line, rest) = text.split_at_checked(read(text)?)?;
                let rest = skip_returns(rest).strip_prefix(b"\n")?;
                if !self.starts_a_line(skip_returns(rest)) || line.len() > self.limits.line_bytes {
                    return None;
                }
                self.advance_past_line(input, rest);
                (self.line.end_borrowed_tagged_line(), FastFrameKind::Board)
            }
            [b'f', ..] => {
                let (PromptKind::Command(family), length) = self.prompts.at_start(text)? else { return None };
                let rest = text.get(length..).filter(|_| length <= self.limits.line_bytes)?;
                self.advance(input, rest);
                self.note_prompt(PromptKind::Command(family));
                (false, FastFrameKind::Prompt)
            }
            _ => return None,
        };
        Some(FastFrame { offset, end: self.position, bell, kind })
    }

    /// Returns the input from the start of the next line, if a line starts here and nothing has to be emitted before
    /// it.
    #[inline]
    fn line_start<'a>(&self, input: &'a [u8]) -> Option<&'a [u8]> {
        let is_block_over = self.block.is_some_and(|block| block.over_at.is_some());
        (self.is_at_line_start() && !is_block_over).then(|| skip_returns(input))
    }
}
