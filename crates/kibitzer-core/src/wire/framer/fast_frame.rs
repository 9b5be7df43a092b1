//! The fastest path of the framer: command prompts, and boards whose parser finds the end of the line.
//!
//! The output of games consists mostly of these. The frames are the same as on the other paths. The caller looks at the bytes at
//! [`line_start`](Framer::line_start), and then consumes the frame that it found there.

use super::Framer;
use super::whole_line::skip_returns;
use crate::wire::prompt::PromptKind;
use crate::wire::quote::Quote;

/// The position in the stream of a frame whose bytes the caller has parsed; the fields are those of
/// [`Frame`](crate::wire::Frame).
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastFrame {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) bell: bool,
}

impl Framer {
    /// Advances `input` to the first byte of the next frame and returns it; `None` if a slower path has to find that frame.
    #[inline]
    pub(crate) fn line_start<'a>(&mut self, input: &mut &'a [u8]) -> Option<&'a [u8]> {
        self.clear_emitted();
        loop {
            let is_block_over = self.block.is_some_and(|block| block.over_at.is_some());
            (self.may_use_fast_path() && !is_block_over).then_some(())?;
            let text = skip_returns(input);
            self.advance(input, text);
            match text {
                [b'\n', rest @ ..] if self.line.has_inline_frame => self.end_frame_only_line(input, rest),
                _ => return Some(text),
            }
        }
    }

    /// Consumes the first `length` bytes of `input`, which are at a [`line_start`](Self::line_start), and the line end after them:
    /// a board, without a control byte. `None`, and nothing is consumed, if these bytes may not be the whole line, or another
    /// frame.
    #[inline]
    pub(crate) fn take_board_line(&mut self, input: &mut &[u8], length: usize) -> Option<FastFrame> {
        let rest = skip_returns(input.get(length..)?).strip_prefix(b"\n")?;
        let may_be_prompt = self.rules.prompts.custom.starts_with(b"<");
        if may_be_prompt || !self.shows_previous_line_ended(skip_returns(rest)) || length > self.rules.limits.line_bytes
        {
            return None;
        }
        let offset = self.position;
        self.advance_past_line(input, rest);
        Some(FastFrame { offset, end: self.position, bell: self.line.end_borrowed_line_and_take_bell(Quote::None) })
    }

    /// Consumes a command prompt at a [`line_start`](Self::line_start); `None`, and nothing is consumed, if `input` does not start
    /// with one.
    #[inline]
    pub(crate) fn take_command_prompt(&mut self, input: &mut &[u8]) -> Option<FastFrame> {
        let (kind @ PromptKind::Command(_), length) = self.rules.prompts.match_start(input)? else { return None };
        let rest = input.get(length..).filter(|_| length <= self.rules.limits.line_bytes)?;
        let offset = self.position;
        self.advance(input, rest);
        self.record_prompt(kind);
        Some(FastFrame { offset, end: self.position, bell: false })
    }
}
