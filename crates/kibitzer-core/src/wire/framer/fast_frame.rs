//! The fastest path of the framer: command prompts, and boards whose parser finds the end of the line.
//!
//! The output of games consists mostly of these. The frames are the same as on the other paths.

use super::Framer;
use super::whole_line::skip_returns;
use crate::wire::prompt::PromptKind;
use crate::wire::quote::Quote;

/// A prompt or board that [`Framer::next_fast_frame`] has consumed, without its bytes; the fields are those of
/// [`Frame`](crate::wire::Frame).
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastFrame {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) bell: bool,
    pub(crate) kind: FastFrameKind,
}

/// Kind of a [`FastFrame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FastFrameKind {
    /// A command prompt.
    Prompt,
    /// A style 12 line, which the caller's parser has read.
    Board,
}

impl Framer {
    /// Consumes and returns the next frame if it is a command prompt that starts with `f`, such as `fics% `, or a complete style
    /// 12 line that `parse_board` accepts. After `None`, [`next_frame`](Self::next_frame) has to be called.
    ///
    /// `parse_board` receives the input from the first byte of a line on. It returns the length of the board's line, which
    /// must contain no control byte and end before one; `None` if the line is not a board.
    #[inline]
    pub(crate) fn next_fast_frame(
        &mut self,
        input: &mut &[u8],
        parse_board: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> Option<FastFrame> {
        self.clear_emitted();
        let mut text = self.line_start_on_fast_path(input)?;
        if let [b'\n', rest @ ..] = text
            && self.line.has_inline_frame
        {
            self.end_frame_only_line(input, rest);
            text = self.line_start_on_fast_path(input)?;
        }
        let offset = self.position + (input.len() - text.len()) as u64;
        let (bell, kind) = match text {
            [b'<', ..] if !self.rules.prompts.custom.starts_with(b"<") => {
                let (line, rest) = text.split_at_checked(parse_board(text)?)?;
                let rest = skip_returns(rest).strip_prefix(b"\n")?;
                if !self.shows_previous_line_ended(skip_returns(rest)) || line.len() > self.rules.limits.line_bytes {
                    return None;
                }
                self.advance_past_line(input, rest);
                (self.line.end_borrowed_line_and_take_bell(Quote::None), FastFrameKind::Board)
            }
            [b'f', ..] => {
                let (PromptKind::Command(family), length) = self.rules.prompts.match_start(text)? else { return None };
                let rest = text.get(length..).filter(|_| length <= self.rules.limits.line_bytes)?;
                self.advance(input, rest);
                self.record_prompt(PromptKind::Command(family));
                (false, FastFrameKind::Prompt)
            }
            _ => return None,
        };
        Some(FastFrame { offset, end: self.position, bell, kind })
    }

    /// Returns the input without carriage returns at its start; `None` if the frame that starts here needs a slower path, or a
    /// block has to be ended first.
    #[inline]
    fn line_start_on_fast_path<'a>(&self, input: &'a [u8]) -> Option<&'a [u8]> {
        let is_block_over = self.block.is_some_and(|block| block.over_at.is_some());
        (self.may_use_fast_path() && !is_block_over).then(|| skip_returns(input))
    }
}
