//! The fast path of the framer: prompts, and lines that lie whole in the input, are lent from there.
//!
//! It must give the frames the slow path would; a property test and a fuzz target hold the two against each other.

use super::{Framer, learn};
use crate::wire::frame::{Frame, FrameKind, Tag};
use crate::wire::line::{is_prompted, tagged};
use crate::wire::options::Timeseal;
use crate::wire::telnet::IAC;

/// What the fast path found.
pub(super) enum Fast<'a> {
    Frame(Frame<'a>),
    /// A line that held only prompts ended.
    Marked,
    /// The next line has to go byte by byte.
    NotWhole,
}

impl Framer {
    /// The fast path: a prompt, or a line that lies whole in the input, without control bytes.
    pub(super) fn whole_line<'a>(&mut self, input: &mut &'a [u8]) -> Fast<'a> {
        let text = skip_returns(input);
        let first = self.position + (input.len() - text.len()) as u64;
        let indent = text.iter().take_while(|&&b| b == b' ').count();
        let head = text.get(indent..).unwrap_or_default();
        let quote = self.line.quote();
        if !quote.holds(indent)
            && let Some((kind, length)) = self.prompts.at_start(head)
            && indent + length <= self.limits.line_bytes
        {
            let offset = first + indent as u64;
            self.advance(input, offset + length as u64);
            return Fast::Frame(self.prompt_frame(kind, offset));
        }
        if matches!(text, [b'\n', ..]) && self.line.is_marked() {
            return self.end_marked_line(input, first + 1);
        }
        let Some(newline) = memchr::memchr(b'\n', text) else {
            return self.slow(first + text.len() as u64);
        };
        let end = first + newline as u64 + 1;
        let (line, rest) = text.split_at_checked(newline).unwrap_or_default();
        let (line, rest) = (without_returns(line), rest.get(1..).unwrap_or_default());
        if line.len() <= indent && self.line.is_marked() {
            return self.end_marked_line(input, end);
        }
        if has_control_bytes(line) || line.len() > self.limits.line_bytes || self.is_for_slow_path(line, indent) {
            return self.slow(end);
        }
        let (tag, bytes) = tagged(line, indent, quote);
        let first = if line.is_empty() { end - 1 } else { first };
        // The bytes behind a line tell it most cheaply; without them the line itself has to.
        let is_over = self.starts_a_line(skip_returns(rest))
            || !self.wrapping.may_continue(is_prompted(&self.prompts, self.family), tag, bytes, line, false);
        self.advance(input, end);
        self.check_block(end);
        if !is_over {
            self.line.hold(line, first, end);
            return Fast::NotWhole;
        }
        if tag == Tag::None {
            learn(&mut self.prompts, &mut self.wrapping, line);
        }
        let offset = if tag.is_written() { first + indent as u64 } else { first };
        let bell = self.line.end_whole(line);
        Fast::Frame(Frame { offset, end, bell, kind: FrameKind::Line { tag, bytes } })
    }

    fn end_marked_line(&mut self, input: &mut &[u8], end: u64) -> Fast<'static> {
        self.advance(input, end);
        self.line.end_marked();
        self.check_block(end);
        Fast::Marked
    }

    /// Leaves the bytes up to `position` to the slow path; looking at them again and again would cost the square of their number.
    fn slow(&mut self, position: u64) -> Fast<'static> {
        self.slow_until = position;
        Fast::NotWhole
    }

    /// Lines that are more than lines, yet hold no control byte.
    fn is_for_slow_path(&self, line: &[u8], indent: usize) -> bool {
        match line.get(indent..).unwrap_or_default() {
            [b'[', b'G', b']'] => self.timeseal == Timeseal::V1,
            [b'P', ..] => !self.prompts.is_logged_in(),
            _ => false,
        }
    }

    fn advance(&mut self, input: &mut &[u8], to: u64) {
        let taken = usize::try_from(to - self.position).unwrap_or(usize::MAX);
        *input = input.get(taken..).unwrap_or_default();
        self.position = to;
    }

    /// Whether the bytes behind a line show that it does not continue.
    fn starts_a_line(&self, rest: &[u8]) -> bool {
        match rest.first() {
            None | Some(b'\\') => false,
            Some(b'[') => self.timeseal != Timeseal::V2,
            Some(&byte) => byte == b'\n' || !is_control_byte(byte),
        }
    }
}

const fn skip_returns(mut input: &[u8]) -> &[u8] {
    while let [b'\r', rest @ ..] = input {
        input = rest;
    }
    input
}

const fn without_returns(mut line: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r'] = line {
        line = rest;
    }
    line
}

/// Whether a byte may be more than text: a control character or a telnet command. A tab takes the slow path for nothing.
pub(super) const fn is_control_byte(byte: u8) -> bool {
    byte.wrapping_sub(0x20) >= IAC - 0x20
}

pub(super) fn has_control_bytes(line: &[u8]) -> bool {
    line.iter().fold(false, |found, &byte| found | is_control_byte(byte))
}
