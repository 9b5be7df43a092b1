//! The fast path of the framer: borrows complete lines without control bytes, complete level-2 units, and prompts from the input.
//!
//! The fastest frames are command prompts, and boards whose parser finds the end of the line: the output of games consists mostly
//! of these. The caller looks at the bytes at [`line_start`](Framer::line_start), and then consumes the frame that it found there.
//!
//! All frames have to equal those of the slow path; a property test and a fuzz target compare the two.

use crate::wire::control::{CONTROL_Y, CONTROL_Z, IAC};
use crate::wire::frame::{Frame, FrameKind, LineTag};
use crate::wire::framer::{Framer, WHO_AM_I};
use crate::wire::options::{Family, Timeseal};
use crate::wire::prompt::PromptKind;
use crate::wire::quote::Quote;
use crate::wire::wrap::LastPiece;

/// The result of [`Framer::next_whole_line`], the fast path for input that needs no copying.
pub(super) enum WholeLine<'a> {
    Frame(Frame<'a>),
    /// No frame: the end of a line that contained only prompts or marks was consumed.
    FrameOnlyLineEnded,
    /// No frame: the slow path has to continue.
    NotWhole,
}

impl Framer {
    /// Consumes and returns a prompt, a complete level-2 unit, or a complete line without control bytes. A line that may continue
    /// is moved to the line buffer instead.
    pub(super) fn next_whole_line<'a>(&mut self, input: &mut &'a [u8]) -> WholeLine<'a> {
        let text = skip_returns(input);
        let first = self.position + (input.len() - text.len()) as u64;
        if let [b'\n', rest @ ..] = text
            && self.line.has_inline_frame
        {
            self.end_frame_only_line(input, rest);
            return WholeLine::FrameOnlyLineEnded;
        }
        if let Some((unit, rest)) = self.split_whole_unit(text) {
            self.advance(input, rest);
            self.line.record_inline_frame();
            if unit.starts_with(WHO_AM_I) {
                self.complete_login(Family::Icc);
            }
            let kind = FrameKind::Datagram { bytes: unit };
            return WholeLine::Frame(Frame { offset: first, end: self.position, bell: false, kind });
        }
        let indent = text.iter().take_while(|&&b| b == b' ').count();
        let head = text.get(indent..).unwrap_or_default();
        let quote = self.line.quote();
        if !quote.quotes_line_indented_by(indent)
            && let Some((kind, length)) = self.rules.prompts.match_start(head)
            && indent + length <= self.rules.limits.line_bytes
        {
            self.advance(input, head.get(length..).unwrap_or_default());
            let kind = FrameKind::Control(self.record_prompt(kind));
            return WholeLine::Frame(Frame { offset: first + indent as u64, end: self.position, bell: false, kind });
        }
        let Some((line, rest)) = split_first_line(text) else {
            return self.leave_to_slow_path(first + text.len() as u64);
        };
        let end = first + (text.len() - rest.len()) as u64;
        if line.len() <= indent && self.line.has_inline_frame {
            self.end_frame_only_line(input, rest);
            return WholeLine::FrameOnlyLineEnded;
        }
        if has_control_bytes(line) || line.len() > self.rules.limits.line_bytes || self.needs_slow_path(line, indent) {
            return self.leave_to_slow_path(end);
        }
        let (tag, bytes) = quote.split_at_tag(line, indent);
        let first = if line.is_empty() { end - 1 } else { first };
        // The byte after a line decides this at the least cost; without it the line itself is examined.
        let is_over = self.shows_previous_line_ended(skip_returns(rest))
            || !self.rules.wrapping.may_continue(self.rules.output_end(), tag, bytes, LastPiece::First(line));
        self.advance_past_line(input, rest);
        if !is_over {
            self.line.hold_borrowed(line, first, end);
            return WholeLine::NotWhole;
        }
        if tag == LineTag::None {
            self.rules.apply_server_line(line);
        }
        let offset = if tag.is_literal() { first + indent as u64 } else { first };
        let bell = self.line.end_borrowed_line_and_take_bell(quote.after_line(line));
        WholeLine::Frame(Frame { offset, end, bell, kind: FrameKind::Line { tag, bytes } })
    }

    /// Splits `text` into the level-2 unit at its start, without brackets, and the rest. `None` if `text` does not start with a
    /// complete unit, or units are not recognized here.
    fn split_whole_unit<'a>(&self, text: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let unit = text.strip_prefix(&[CONTROL_Y, b'('])?;
        (self.recognizes_units() && !self.is_in_posed_output()).then_some(())?;
        let length = unit_length(unit.get(..self.rules.limits.datagram_bytes).unwrap_or(unit))?;
        Some((unit.get(..length)?, unit.get(length + 2..)?))
    }

    /// Consumes `input` up to `rest`, the end of a line that contained only prompts or marks; such a line is not emitted.
    pub(super) fn end_frame_only_line<'a>(&mut self, input: &mut &'a [u8], rest: &'a [u8]) {
        self.advance_past_line(input, rest);
        self.line.has_inline_frame = false;
    }

    /// Leaves the bytes before the stream position `position` to the slow path. Scanning them again for every read would take
    /// quadratic time.
    fn leave_to_slow_path(&mut self, position: u64) -> WholeLine<'static> {
        self.slow_until = position;
        WholeLine::NotWhole
    }

    /// Returns whether a line without control bytes may be a ping or offer a guest name, which only the slow path detects.
    fn needs_slow_path(&self, line: &[u8], indent: usize) -> bool {
        match line.get(indent..).unwrap_or_default() {
            [b'[', b'G', b']'] => self.timeseal == Timeseal::V1,
            [b'P', ..] => !self.rules.prompts.is_logged_in,
            _ => false,
        }
    }

    /// Consumes `input` up to `rest`, which follows a line end, and records whether the open block exceeds its limit.
    pub(super) fn advance_past_line<'a>(&mut self, input: &mut &'a [u8], rest: &'a [u8]) {
        self.advance(input, rest);
        self.record_block_excess(self.position);
    }

    /// Consumes `input` up to `rest`, its suffix, and advances the stream position.
    pub(super) fn advance<'a>(&mut self, input: &mut &'a [u8], rest: &'a [u8]) {
        self.position += (input.len() - rest.len()) as u64;
        *input = rest;
    }

    /// Returns whether `rest`, the bytes after a line, shows that the line does not continue; `false` if `rest` is empty.
    pub(super) fn shows_previous_line_ended(&self, rest: &[u8]) -> bool {
        match rest.first() {
            None | Some(b'\\') => false,
            Some(b'[') => self.timeseal != Timeseal::V2,
            Some(&byte) => byte == b'\n' || !is_control_byte(byte),
        }
    }
}

/// Returns the length of a level-2 unit up to its closing bracket; `None` if it is incomplete or broken, or contains byte 255.
/// `unit` starts after the opening bracket.
fn unit_length(unit: &[u8]) -> Option<usize> {
    let mut is_quoted = false;
    for at in memchr::memchr3_iter(CONTROL_Y, CONTROL_Z, IAC, unit) {
        match unit.get(at..)? {
            [CONTROL_Y, b')', ..] if !is_quoted => return Some(at),
            [CONTROL_Y, b'(', ..] if !is_quoted => return None,
            [CONTROL_Y, b'{', ..] => is_quoted = true,
            [CONTROL_Y, b'}', ..] => is_quoted = false,
            [CONTROL_Y, _, ..] => {}
            _ => return None,
        }
    }
    None
}

/// Splits `text` into its first line, without the line end, and the rest; `None` without a line end.
fn split_first_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (line, rest) = text.split_at_checked(memchr::memchr(b'\n', text)?)?;
    Some((trim_trailing_returns(line), rest.get(1..)?))
}

/// Removes carriage returns from the start. Nearly always there is at most one.
pub(super) fn skip_returns(input: &[u8]) -> &[u8] {
    match input {
        [b'\r', b'\r', ..] => input.get(input.iter().take_while(|&&byte| byte == b'\r').count()..).unwrap_or_default(),
        [b'\r', rest @ ..] => rest,
        _ => input,
    }
}

/// Removes carriage returns from the end.
const fn trim_trailing_returns(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// Returns whether a byte is a control character below 0x20, including line ends and tabs, or 255, which starts a telnet command.
pub(super) const fn is_control_byte(byte: u8) -> bool {
    byte.wrapping_sub(0x20) >= IAC - 0x20
}

/// Returns whether a line contains a [control byte](is_control_byte).
pub(super) fn has_control_bytes(line: &[u8]) -> bool {
    line.iter().fold(false, |found, &byte| found | is_control_byte(byte))
}

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
