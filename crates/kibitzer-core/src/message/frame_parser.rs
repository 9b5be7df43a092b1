//! Parsing of frames to messages: messages of several lines, and the facts from earlier lines that affect the meaning of a line.

use std::collections::VecDeque;
use std::sync::Arc;

use super::datagram::{self, DatagramMessages, DatagramNamesAndOffers};
use super::spare::SpareAllocations;
use super::style10::{self, Style10Progress};
use super::{
    CommandCode, Control, Family, Handle, Holding, Message, OverLongLine, Received, Refusal, Talk, Titles, dispatch,
};
use crate::text::Line;
use crate::wire::{Frame, FrameKind, LineTag, sender_in_heading};

/// Indentation of the text of a message that a player just sent.
const MESSAGE_INDENT: &[u8] = b"    ";

/// Parses frames to messages, and stores the facts from earlier frames that affect the meaning of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct FrameParser {
    pub(super) family: Family,
    pub(super) logged_in: bool,
    /// The lines so far of a message of several lines: the heading of a player's message, whose text is in the next line, or the lines
    /// of a style 10 board from its start marker on. Emitted as text if a line does not fit.
    collected: Vec<Received>,
    /// Whether the last line completed a style 10 board, so that its end marker may follow.
    style10_may_end: bool,
    /// The sender named in the last heading; `None` once a line without a tag has followed.
    sender: Option<Box<(Handle, Titles)>>,
    /// The code of the current reply in block mode, if it is that of an error, until a line reports the refusal.
    pub(super) error_code: Option<CommandCode>,
    pub(super) datagrams: DatagramNamesAndOffers,
    pub(super) spare: SpareAllocations,
}

impl FrameParser {
    /// Returns whether the next line may belong to a message of several lines that has begun.
    pub(super) const fn is_mid_message(&self) -> bool {
        !self.collected.is_empty() || self.style10_may_end
    }

    /// Parses a frame. Returns the first message that it completes, and appends further ones to `ready`; `None` if it completes none.
    /// A prompt or the report of the login sets `logged_in`.
    pub(super) fn parse_frame(&mut self, frame: &Frame<'_>, ready: &mut VecDeque<Received>) -> Option<Received> {
        // These frames may occur between any two lines, and do not end a message of several lines.
        let may_be_between_lines = matches!(
            frame.kind,
            FrameKind::Control(Control::Telnet { .. } | Control::Ping) | FrameKind::Datagram { .. }
        );
        if !may_be_between_lines && !self.collected.is_empty() {
            return self.continue_message(frame, ready);
        }
        match &frame.kind {
            FrameKind::Line { tag, bytes } => self.parse_or_collect_line(frame, *tag, bytes),
            FrameKind::Datagram { bytes } => Some(self.parse_datagram(frame, bytes, ready)),
            FrameKind::OverLong { bytes, length } => {
                let over_long = OverLongLine { line: Line::from(*bytes), length: *length };
                Some(Received::from_line(frame, Message::OverLong(Arc::new(over_long)), bytes))
            }
            FrameKind::Control(control) => {
                self.logged_in |= *control == Control::Prompt;
                let mark = Received::from_line(frame, Message::Control(control.clone()), &[]);
                let Some(refusal) = self.track_error_code(control) else { return Some(mark) };
                ready.push_back(mark);
                Some(Received::from_line(frame, Message::from(refusal), &[]))
            }
        }
    }

    /// Stores the code of a reply that begins, if it is that of an error, and removes it at its end. Returns the refusal of a complete
    /// reply in which no line reported it.
    fn track_error_code(&mut self, control: &Control) -> Option<Refusal> {
        match *control {
            Control::BlockStart { code, .. } => self.error_code = Some(code).filter(|code| code.is_error()),
            Control::BlockEnd { complete, .. } => {
                let code = self.error_code.take().filter(|_| complete)?;
                return Some(Refusal::from_error_code(code, &[]));
            }
            _ => {}
        }
        None
    }

    /// Parses an ICC datagram. Returns the first message that it is equivalent to, and appends further ones to `ready`. A datagram
    /// without a number becomes text.
    fn parse_datagram(&mut self, frame: &Frame<'_>, unit: &[u8], ready: &mut VecDeque<Received>) -> Received {
        let Some(DatagramMessages { first, more }) = datagram::parse_typed_or_generic(unit, &mut self.datagrams) else {
            return Received::from_line(frame, text_message(unit), unit);
        };
        self.logged_in |= matches!(first, Message::LoggedIn(_));
        // No secret datagram has a type of its own.
        let line = if matches!(&first, Message::Datagram(datagram) if datagram.is_secret()) { &[] } else { unit };
        let received = |message| Received { is_datagram: true, ..Received::from_line(frame, message, line) };
        ready.extend(more.into_iter().map(received));
        received(first)
    }

    /// Parses a line that is a message by itself; `None` if it is the end marker of a style 10 board, or the first line of a message of
    /// several lines, which is stored.
    fn parse_or_collect_line(&mut self, frame: &Frame<'_>, tag: LineTag, line: &[u8]) -> Option<Received> {
        if std::mem::take(&mut self.style10_may_end) && line == style10::END {
            return None;
        }
        if self.begins_multi_line(tag, line) {
            if let Some(sender) = sender_in_heading(line) {
                self.sender = Some(Box::new(sender));
            }
            self.collected = vec![Received::from_line(frame, text_message(line), line)];
            return None;
        }
        Some(Received::from_line(frame, self.parse_single_line(tag, line).unwrap_or_else(|| text_message(line)), line))
    }

    /// Returns whether a line begins a message of several lines: a style 10 board, or a heading with the text after it.
    pub(super) fn begins_multi_line(&self, tag: LineTag, line: &[u8]) -> bool {
        match tag {
            LineTag::Style10 => true,
            LineTag::None => (self.family == Family::Icc && line == br#""10""#) || sender_in_heading(line).is_some(),
            _ => false,
        }
    }

    /// Parses the frame after the first lines of a message of several lines. If it belongs to that message, returns the message if it is
    /// complete now; otherwise emits the lines so far as text, then parses the frame.
    fn continue_message(&mut self, frame: &Frame<'_>, ready: &mut VecDeque<Received>) -> Option<Received> {
        let lines = std::mem::take(&mut self.collected);
        let heading = lines.first().filter(|first| sender_in_heading(first.raw()).is_some()).cloned();
        match (&frame.kind, heading) {
            (FrameKind::Line { tag: LineTag::PlayerText, bytes }, Some(heading)) => {
                let message = self.build_quoted_message(&[heading.raw(), b"\n", bytes].concat(), bytes);
                let message = message.unwrap_or_else(|| text_message(bytes));
                Some(Received { message, ..heading }.extended_to(frame))
            }
            (FrameKind::Line { bytes, .. }, None) => self.add_style10_line(lines, frame, bytes, ready),
            _ => self.release_then_parse(lines, frame, ready),
        }
    }

    /// Creates a player's message with the text `quoted` and the sender named in the last heading; `None` without such a sender.
    ///
    /// `line` is the received text that the message stores; it ends with `quoted`.
    fn build_quoted_message(&self, line: &[u8], quoted: &[u8]) -> Option<Message> {
        let sender = self.sender.as_deref().cloned()?;
        let words = quoted.strip_prefix(MESSAGE_INDENT).unwrap_or(quoted.trim_ascii_start());
        Some(Talk::new_quoted_message(sender, line, words.len()).into())
    }

    /// Appends stored lines that turned out to be text to `ready`, then parses `frame` and appends its message. Removes and returns
    /// the first message of `ready`.
    fn release_then_parse(
        &mut self,
        lines: impl IntoIterator<Item = Received>,
        frame: &Frame<'_>,
        ready: &mut VecDeque<Received>,
    ) -> Option<Received> {
        ready.extend(lines);
        let next = self.parse_frame(frame, ready);
        ready.extend(next);
        ready.pop_front()
    }

    /// Removes and returns the lines of a message of several lines that is not complete at the end of the stream; `None` if there is
    /// none.
    pub(super) fn take_unfinished_lines(&mut self) -> Option<Vec<Received>> {
        Some(std::mem::take(&mut self.collected)).filter(|lines| !lines.is_empty())
    }

    /// Parses a line that is a message by itself; `None` if it is text. The first line without a tag in a reply with the code of an
    /// error is a refusal if no parser accepts it.
    pub(super) fn parse_single_line(&mut self, tag: LineTag, line: &[u8]) -> Option<Message> {
        let message = self.parse_known_line(tag, line);
        if self.error_code.is_some() {
            match &message {
                Some(Message::Refused(_)) => self.error_code = None,
                None if tag == LineTag::None && !line.trim_ascii().is_empty() => {
                    return Some(Refusal::from_error_code(self.error_code.take()?, line).into());
                }
                _ => {}
            }
        }
        message
    }

    /// Parses a line that is a message by itself; `None` if no parser accepts it. A non-empty line without a tag clears the stored
    /// sender; the report of the login sets `logged_in`.
    fn parse_known_line(&mut self, tag: LineTag, line: &[u8]) -> Option<Message> {
        match tag {
            LineTag::PlayerText => return self.build_quoted_message(line, line),
            LineTag::None if !line.is_empty() => self.sender = None,
            _ => {}
        }
        if !self.logged_in
            && tag == LineTag::None
            && let Some(message) = dispatch::parse_line_before_login(line)
        {
            self.logged_in = matches!(message, Message::LoggedIn(_));
            return Some(message);
        }
        if self.family == Family::Icc
            && let Some(holding) = Holding::parse_untagged(line)
        {
            return Some(Message::from(holding));
        }
        dispatch::parse_line_after_login(tag, line, &mut self.spare)
    }

    /// Adds a line to the style 10 board being collected. Returns the board if it is complete now, `None` if more lines have to
    /// follow. If the line does not fit, emits the lines so far as text, then parses the line by itself.
    fn add_style10_line(
        &mut self,
        mut lines: Vec<Received>,
        frame: &Frame<'_>,
        line: &[u8],
        ready: &mut VecDeque<Received>,
    ) -> Option<Received> {
        let board = match style10::parse_next_line(&lines, line) {
            Style10Progress::More => None,
            Style10Progress::Board(board) => Some(board),
            Style10Progress::Broken => return self.release_then_parse(lines, frame, ready),
        };
        lines.push(Received::from_line(frame, text_message(line), line));
        let Some(board) = board else {
            self.collected = lines;
            return None;
        };
        self.style10_may_end = !line.ends_with(style10::END);
        let all_lines = lines.iter().map(Received::raw).collect::<Vec<_>>().join(&b'\n');
        let mut message = Message::Style10(board);
        message.set_line_if_missing(&all_lines);
        Some(Received { message, ..lines.into_iter().next()? }.extended_to(frame))
    }
}

/// Creates a message for a line that no parser accepts.
fn text_message(line: &[u8]) -> Message {
    Message::Text(Line::from(line))
}
