//! Parsing of frames to messages: the state on which the meaning of a line depends, and messages of several lines.

use std::collections::VecDeque;
use std::sync::Arc;

use super::datagram::{self, DatagramContext, DatagramMessages};
use super::spare::SpareAllocations;
use super::style10::{self, Style10Builder, Style10Line};
use super::{Control, Family, Handle, Holding, Message, OverLong, Received, Talk, Titles, dispatch};
use crate::text::Line;
use crate::wire::{Frame, FrameKind, LineTag, sender_in_heading};

/// Indentation of the text of a message that a player just sent.
const MESSAGE_INDENT: &[u8] = b"    ";

/// Parses frames to messages. Keeps the facts from earlier frames on which the meaning of a line depends.
#[derive(Clone, Debug, Default)]
pub(super) struct LineParser {
    pub(super) family: Family,
    pub(super) logged_in: bool,
    style10: Option<Box<PendingStyle10>>,
    /// A style 10 board was read; its end marker may follow.
    style10_may_end: bool,
    /// The heading of a player's message, whose text is in the next line.
    heading: Option<Box<Received>>,
    /// The sender named in the last heading.
    sender: Option<Box<(Handle, Titles)>>,
    pub(super) datagrams: DatagramContext,
    pub(super) spare: SpareAllocations,
}

/// A style 10 block that has begun: its lines are emitted as text if it turns out not to be one.
#[derive(Clone, Debug)]
struct PendingStyle10 {
    builder: Style10Builder,
    lines: Vec<Received>,
}

impl LineParser {
    /// Returns whether the meaning of the next line depends on earlier lines.
    pub(super) const fn is_mid_message(&self) -> bool {
        self.style10.is_some() || self.style10_may_end || self.heading.is_some()
    }

    /// Parses a frame. Returns the first message that it completes, and appends the later ones to `ready`; `None` if it completes
    /// none. A prompt or a report of the login marks the stream as logged in.
    pub(super) fn read(&mut self, frame: &Frame<'_>, ready: &mut VecDeque<Received>) -> Option<Received> {
        // These may stand between any two lines.
        if !matches!(
            frame.kind,
            FrameKind::Control(Control::Telnet { .. } | Control::Ping) | FrameKind::Datagram { .. }
        ) {
            if let Some(heading) = self.heading.take() {
                return self.read_message(*heading, frame, ready);
            }
            if !matches!(frame.kind, FrameKind::Line { .. })
                && let Some(block) = self.style10.take()
            {
                return self.release_then_read(block.lines, frame, ready);
            }
        }
        match &frame.kind {
            FrameKind::Line { tag, bytes } => self.read_line(frame, *tag, bytes, ready),
            FrameKind::Datagram { bytes } => Some(self.read_datagram(frame, bytes, ready)),
            FrameKind::OverLong { bytes, length } => {
                let over_long = OverLong { line: Line::from(*bytes), length: *length };
                Some(Received::of_line(frame, Message::OverLong(Arc::new(over_long)), bytes))
            }
            FrameKind::Control(control) => {
                self.logged_in |= *control == Control::Prompt;
                Some(Received::of_line(frame, Message::Control(control.clone()), &[]))
            }
        }
    }

    /// Parses an ICC datagram, which is text if it has no number. If it is equivalent to more than one message, the later ones
    /// are appended to `ready`.
    fn read_datagram(&mut self, frame: &Frame<'_>, unit: &[u8], ready: &mut VecDeque<Received>) -> Received {
        let Some(DatagramMessages { first, more }) = datagram::parse_typed_or_generic(unit, &mut self.datagrams) else {
            return Received::of_line(frame, text_message(unit), unit);
        };
        self.logged_in |= matches!(first, Message::LoggedIn(_));
        // No secret datagram has a type of its own.
        let line = if matches!(&first, Message::Datagram(datagram) if datagram.is_secret()) { &[] } else { unit };
        let received = |message| Received { is_datagram: true, ..Received::of_line(frame, message, line) };
        ready.extend(more.into_iter().map(received));
        received(first)
    }

    /// Parses a line, which may begin, continue or end a message of several lines; `None` if it completes none.
    fn read_line(
        &mut self,
        frame: &Frame<'_>,
        tag: LineTag,
        line: &[u8],
        ready: &mut VecDeque<Received>,
    ) -> Option<Received> {
        if self.style10.is_some() {
            return self.read_style10(frame, line, ready);
        }
        if std::mem::take(&mut self.style10_may_end) && line == style10::END {
            return None;
        }
        if self.begins_block(tag, line) {
            self.begin_block(frame, tag, line);
            return None;
        }
        Some(Received::of_line(frame, self.parse_line(tag, line).unwrap_or_else(|| text_message(line)), line))
    }

    /// Returns whether a line begins a message of several lines: a style 10 board, or a heading with the text after it.
    pub(super) fn begins_block(&self, tag: LineTag, line: &[u8]) -> bool {
        match tag {
            LineTag::Style10 => true,
            LineTag::None => (self.family == Family::Icc && line == br#""10""#) || sender_in_heading(line).is_some(),
            _ => false,
        }
    }

    /// Keeps the first line of a message of several lines.
    fn begin_block(&mut self, frame: &Frame<'_>, tag: LineTag, line: &[u8]) {
        let first = Received::of_line(frame, text_message(line), line);
        if tag == LineTag::None
            && let Some(sender) = sender_in_heading(line)
        {
            (self.heading, self.sender) = (Some(Box::new(first)), Some(Box::new(sender)));
        } else {
            self.style10 = Some(Box::new(PendingStyle10 { builder: Style10Builder::default(), lines: vec![first] }));
        }
    }

    /// Parses the frame after the heading of a message. If it is the text of the message, returns the message; otherwise the heading
    /// becomes a line of text, and the frame is parsed after it.
    fn read_message(
        &mut self,
        heading: Received,
        frame: &Frame<'_>,
        ready: &mut VecDeque<Received>,
    ) -> Option<Received> {
        let FrameKind::Line { tag: LineTag::PlayerText, bytes } = frame.kind else {
            return self.release_then_read([heading], frame, ready);
        };
        let message = self.quoted_message(&[heading.raw(), b"\n", bytes].concat(), bytes);
        Some(Received { message: message.unwrap_or_else(|| text_message(bytes)), ..heading }.ending_with(frame))
    }

    /// Creates the message whose text is `quoted`, from the sender that the last heading named; `None` if no heading did.
    ///
    /// `line` is the whole received text, of which `quoted` is the last part or all.
    fn quoted_message(&self, line: &[u8], quoted: &[u8]) -> Option<Message> {
        let sender = self.sender.as_deref().cloned()?;
        let words = quoted.strip_prefix(MESSAGE_INDENT).unwrap_or(quoted.trim_ascii_start());
        Some(Talk::quoted(sender, line, words.len()).into())
    }

    /// Appends lines that turned out to be text to `ready`, then parses `frame` and appends its message. Returns the first of
    /// `ready`.
    fn release_then_read(
        &mut self,
        lines: impl IntoIterator<Item = Received>,
        frame: &Frame<'_>,
        ready: &mut VecDeque<Received>,
    ) -> Option<Received> {
        ready.extend(lines);
        let next = self.read(frame, ready);
        ready.extend(next);
        ready.pop_front()
    }

    /// Removes and returns the lines of a message that is not complete at the end of the stream; `None` without such a message.
    pub(super) fn take_unfinished(&mut self) -> Option<Vec<Received>> {
        let heading = self.heading.take().map(|heading| vec![*heading]);
        heading.or_else(|| Some(self.style10.take()?.lines))
    }

    /// Parses one complete line; `None` if no parser accepts it, so that it is text. A non-empty line without a tag ends a quoted
    /// message, and the report of the login marks the stream as logged in.
    pub(super) fn parse_line(&mut self, tag: LineTag, line: &[u8]) -> Option<Message> {
        match tag {
            LineTag::PlayerText => return self.quoted_message(line, line),
            LineTag::None if !line.is_empty() => self.sender = None,
            _ => {}
        }
        if !self.logged_in
            && tag == LineTag::None
            && let Some(message) = dispatch::parse_login_line(line)
        {
            self.logged_in = matches!(message, Message::LoggedIn(_));
            return Some(message);
        }
        if self.family == Family::Icc
            && let Some(holding) = Holding::parse_untagged(line)
        {
            return Some(Message::from(holding));
        }
        dispatch::parse_line(tag, line, &mut self.spare)
    }

    /// Adds a line to a style 10 board. Returns the board once it is complete; if the line does not fit, the lines so far become
    /// text.
    fn read_style10(&mut self, frame: &Frame<'_>, line: &[u8], ready: &mut VecDeque<Received>) -> Option<Received> {
        let mut block = self.style10.take()?;
        let board = match block.builder.add_line(line) {
            Style10Line::More => None,
            Style10Line::Board(board) => Some(board),
            Style10Line::Broken => return self.release_then_read(block.lines, frame, ready),
        };
        block.lines.push(Received::of_line(frame, text_message(line), line));
        let Some(board) = board else {
            self.style10 = Some(block);
            return None;
        };
        self.style10_may_end = !line.ends_with(style10::END);
        let lines = block.lines.iter().map(Received::raw).collect::<Vec<_>>().join(&b'\n');
        let mut message = Message::Style10(board);
        message.set_line(&lines);
        Some(Received { message, ..block.lines.into_iter().next()? }.ending_with(frame))
    }
}

fn text_message(line: &[u8]) -> Message {
    Message::Text(Line::from(line))
}
