//! Parsing of frames to messages: messages of several lines, and the facts from earlier lines that affect the meaning of a line.

use std::sync::Arc;

use super::icc::{self, EarlierDatagrams};
use super::other_boards::{self, Style10Progress};
use super::received::{ReadyMessages, SpareAllocations};
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
    begun: BegunMessage,
    /// The sender named in the last heading; `None` once a line without a tag has followed.
    sender: Option<Box<(Handle, Titles)>>,
    /// The code of the current reply in block mode, if it is that of an error, until a line reports the refusal.
    pub(super) error_code: Option<CommandCode>,
    pub(super) datagrams: EarlierDatagrams,
    pub(super) spare: SpareAllocations,
}

/// A message of several lines that may continue with the next line. Its lines are emitted as text if that line does not fit.
#[derive(Clone, Debug, Default)]
enum BegunMessage {
    #[default]
    None,
    /// The heading of a player's message, whose text is in the next line.
    Heading(Received),
    /// The lines of a style 10 board so far, from its start marker on.
    Style10(Vec<Received>),
    /// A complete style 10 board, which has been emitted. Its end marker may follow.
    Style10End,
}

impl FrameParser {
    /// Returns whether the next line may belong to a message of several lines that has begun.
    pub(super) const fn is_mid_message(&self) -> bool {
        !matches!(self.begun, BegunMessage::None)
    }

    /// Returns whether a line is a message by itself, so that [`parse_single_line`](Self::parse_single_line) can parse it.
    pub(super) fn is_single_line(&self, tag: LineTag, line: &[u8]) -> bool {
        !self.is_mid_message() && !self.begins_multi_line(tag, line)
    }

    /// Parses a frame, and appends the messages that it completes to `ready`. A prompt or the report of the login sets `logged_in`.
    pub(super) fn parse_frame(&mut self, frame: &Frame<'_>, ready: &mut ReadyMessages) {
        match (std::mem::take(&mut self.begun), &frame.kind) {
            // These frames may occur between any two lines, and do not end a message of several lines.
            (begun, FrameKind::Control(Control::Telnet { .. } | Control::Ping) | FrameKind::Datagram { .. }) => {
                self.begun = begun;
                self.parse_frame_by_itself(frame, ready);
            }
            (BegunMessage::Heading(heading), &FrameKind::Line { tag: LineTag::PlayerText, bytes }) => {
                let message = self.build_quoted_message(&[heading.raw(), b"\n", bytes].concat(), bytes);
                let message = message.unwrap_or_else(|| text_message(bytes));
                ready.push(Received { message, ..heading }.extended_to(frame));
            }
            (BegunMessage::Style10(lines), &FrameKind::Line { bytes, .. }) => {
                self.add_style10_line(lines, frame, bytes, ready);
            }
            (BegunMessage::Style10End, &FrameKind::Line { bytes: other_boards::STYLE10_END, .. }) => {}
            (BegunMessage::Style10End, FrameKind::Control(_) | FrameKind::OverLong { .. }) => {
                self.begun = BegunMessage::Style10End;
                self.parse_frame_by_itself(frame, ready);
            }
            (begun, _) => {
                ready.extend(begun.into_lines());
                self.parse_frame_by_itself(frame, ready);
            }
        }
    }

    /// Parses a frame that does not continue a message of several lines, and appends its messages to `ready`. A line that begins
    /// such a message is stored.
    fn parse_frame_by_itself(&mut self, frame: &Frame<'_>, ready: &mut ReadyMessages) {
        match &frame.kind {
            &FrameKind::Line { tag, bytes } if self.begins_multi_line(tag, bytes) => {
                let first = Received::from_line(frame, text_message(bytes), bytes);
                self.begun = match sender_in_heading(bytes) {
                    Some(sender) => {
                        self.sender = Some(Box::new(sender));
                        BegunMessage::Heading(first)
                    }
                    None => BegunMessage::Style10(vec![first]),
                };
            }
            &FrameKind::Line { tag, bytes } => {
                ready.push(Received::from_line(frame, self.parse_single_line(tag, bytes), bytes));
            }
            FrameKind::Datagram { bytes } => self.parse_datagram(frame, bytes, ready),
            FrameKind::OverLong { bytes, length } => {
                let over_long = OverLongLine { line: Line::from(*bytes), length: *length };
                ready.push(Received::from_line(frame, Message::OverLong(Arc::new(over_long)), bytes));
            }
            FrameKind::Control(control) => {
                self.logged_in |= *control == Control::Prompt;
                let refusal = self.track_error_code(control).map(Message::from);
                let messages = refusal.into_iter().chain([Message::Control(control.clone())]);
                ready.extend(messages.into_iter().map(|message| Received::from_line(frame, message, &[])));
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

    /// Parses an ICC datagram, and appends the messages that it is equivalent to to `ready`. A datagram without a number becomes
    /// text.
    fn parse_datagram(&mut self, frame: &Frame<'_>, unit: &[u8], ready: &mut ReadyMessages) {
        let Some(messages) = icc::parse_typed_or_generic(unit, &mut self.datagrams) else {
            ready.push(Received::from_line(frame, text_message(unit), unit));
            return;
        };
        self.logged_in |= matches!(messages.as_slice(), [Message::LoggedIn(_)]);
        // No secret datagram has a type of its own.
        let is_secret = matches!(messages.as_slice(), [Message::Datagram(datagram)] if datagram.is_secret());
        let line = if is_secret { &[] } else { unit };
        ready.extend(messages.into_iter().map(|message| Received::from_line(frame, message, line).into_datagram()));
    }

    /// Returns whether a line begins a message of several lines: a style 10 board, or a heading with the text after it.
    fn begins_multi_line(&self, tag: LineTag, line: &[u8]) -> bool {
        match tag {
            LineTag::Style10 => true,
            LineTag::None => (self.family.is_icc() && line == br#""10""#) || sender_in_heading(line).is_some(),
            _ => false,
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

    /// Removes and returns the lines of a message of several lines that is not complete at the end of the stream.
    pub(super) fn take_unfinished_lines(&mut self) -> Vec<Received> {
        std::mem::take(&mut self.begun).into_lines()
    }

    /// Parses a line that is a message by itself. The first line without a tag in a reply with the code of an error is a refusal if
    /// no parser accepts it.
    pub(super) fn parse_single_line(&mut self, tag: LineTag, line: &[u8]) -> Message {
        let message = self.parse_known_line(tag, line);
        if let Some(code) = self.error_code {
            match &message {
                Some(Message::Refused(_)) => self.error_code = None,
                None if tag == LineTag::None && !line.trim_ascii().is_empty() => {
                    self.error_code = None;
                    return Refusal::from_error_code(code, line).into();
                }
                _ => {}
            }
        }
        message.unwrap_or_else(|| self.spare.text_message(line))
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
        if self.family.is_icc()
            && let Some(holding) = Holding::parse_untagged(line)
        {
            return Some(Message::from(holding));
        }
        dispatch::parse_line_after_login(tag, line, &mut self.spare)
    }

    /// Adds a line to the style 10 board that has begun, and appends the board to `ready` if it is complete now. If the line does
    /// not fit, appends the lines so far as text, then parses the line by itself.
    fn add_style10_line(
        &mut self,
        mut lines: Vec<Received>,
        frame: &Frame<'_>,
        line: &[u8],
        ready: &mut ReadyMessages,
    ) {
        let progress = other_boards::parse_next_style10_line(&lines, line);
        if progress == Style10Progress::Broken {
            ready.extend(lines);
            return self.parse_frame_by_itself(frame, ready);
        }
        lines.push(Received::from_line(frame, text_message(line), line));
        let Style10Progress::Board(board) = progress else {
            self.begun = BegunMessage::Style10(lines);
            return;
        };
        if !line.ends_with(other_boards::STYLE10_END) {
            self.begun = BegunMessage::Style10End;
        }
        let all_lines = lines.iter().map(Received::raw).collect::<Vec<_>>().join(&b'\n');
        let mut message = Message::Style10(board);
        message.set_line_if_missing(&all_lines);
        let first = lines.into_iter().next().unwrap_or_default();
        ready.push(Received { message, ..first }.extended_to(frame));
    }
}

impl BegunMessage {
    /// Returns the lines so far, none of which has been emitted.
    fn into_lines(self) -> Vec<Received> {
        match self {
            Self::None | Self::Style10End => Vec::new(),
            Self::Heading(line) => vec![line],
            Self::Style10(lines) => lines,
        }
    }
}

/// Creates a message for a line that no parser accepts.
fn text_message(line: &[u8]) -> Message {
    Message::Text(Line::from(line))
}
