//! Bytes to messages: the framer, the parsers of lines, and the few messages that have more than one line.

use std::collections::VecDeque;
use std::sync::Arc;

use super::datagram::{self, DatagramContext, DatagramMessages};
use super::spare::Spare;
use super::style10::{self, Style10Builder, Style10Line};
use super::{Control, Family, Handle, Holding, Message, OverLong, Received, Relation, Style12, Talk, Titles, dispatch};
use crate::text::Line;
use crate::wire::{FastFrame, FastFrameKind, Frame, FrameKind, Framer, LineTag, StreamState, sender};

/// Reads messages from the byte stream of a server.
///
/// It is used like the [`Framer`] it contains: [`next`](Self::next) until `None` for every read, [`finish`](Self::finish) until
/// `None` at the end of the stream.
///
/// ```
/// use kibitzer_core::message::{Message, Reader, TalkKind};
///
/// let mut reader = Reader::default();
/// let mut read = &b"fics% \n\rFoo(C) tells you: <12> is only text here\n\rfics% "[..];
/// let mut said = Vec::new();
/// while let Some(received) = reader.next(&mut read) {
///     if let Message::Talk(talk) = received.message {
///         said.push((talk.kind, talk.text().into_owned()));
///     }
/// }
/// assert_eq!(said, [(TalkKind::Tell, "<12> is only text here".to_owned())]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Reader {
    framer: Framer,
    parser: LineParser,
    /// Messages that were completed together with an earlier one.
    ready: VecDeque<Received>,
    /// The last board.
    board: Received,
    /// The last message that is not a board in style 12.
    other: Received,
}

/// Where the last message is. A board has a place of its own, as streams of games alternate between boards and prompts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Board,
    Other,
}

/// Indentation of the text of a message that a player just sent.
const MESSAGE_INDENT: &[u8] = b"    ";

/// Parses frames. Its state is what the meaning of a line depends on besides the line.
#[derive(Clone, Debug, Default)]
struct LineParser {
    family: Family,
    logged_in: bool,
    style10: Option<Box<Style10>>,
    /// A style 10 board was read; its end marker may follow.
    style10_may_end: bool,
    /// The heading of a player's message, whose text is in the next line.
    heading: Option<Box<Received>>,
    /// The sender named in the last heading.
    sender: Option<Box<(Handle, Titles)>>,
    datagrams: DatagramContext,
    spare: Spare,
}

/// A style 10 block that has begun: its lines are emitted as text if it turns out not to be one.
#[derive(Clone, Debug)]
struct Style10 {
    builder: Style10Builder,
    lines: Vec<Received>,
}

impl Reader {
    /// A reader over a framer that was set up for the stream.
    pub fn new(mut framer: Framer, family: Family) -> Self {
        framer.set_family(family);
        Self { framer, ..Self::default() }
    }

    /// Sets the server family, once it is detected.
    pub const fn set_family(&mut self, family: Family) {
        self.framer.set_family(family);
    }

    /// Frees unused memory.
    pub(crate) fn shrink(&mut self) {
        self.framer.shrink();
        self.ready.shrink_to_fit();
        (self.board, self.other) = Default::default();
        self.parser.spare = Spare::default();
    }

    /// The framer, for setting what was learned about the stream.
    pub const fn framer_mut(&mut self) -> &mut Framer {
        &mut self.framer
    }

    /// Returns the state of the stream, without the names of players.
    pub(crate) fn stream_state(&self) -> StreamState {
        let mut state = StreamState::default();
        self.framer.save_state(&mut state);
        state.is_logged_in |= self.parser.logged_in;
        state
    }

    /// Continues in the middle of a stream that is in this state.
    pub(crate) fn resume(&mut self, state: &StreamState) {
        self.parser.logged_in = state.is_logged_in;
        self.parser.datagrams.set_me(state.me.clone().unwrap_or_default());
    }

    /// Adds the players of a game that the stream reported earlier; datagrams about it may omit them.
    pub(crate) fn add_game(&mut self, board: &Style12) {
        let is_mine = board.relation().is_mine() || board.relation() == Relation::Examining;
        self.parser.datagrams.add_game(board.game(), board.white(), board.black(), is_mine);
    }

    /// Removes the next message from the front of `input`; `None` once all of `input` was consumed.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Received> {
        let place = self.read(input)?;
        Some(self.take(place))
    }

    /// Removes the last message from its place.
    #[inline]
    pub(crate) fn take(&mut self, place: Place) -> Received {
        match place {
            Place::Board => std::mem::take(&mut self.board),
            Place::Other => std::mem::take(&mut self.other),
        }
    }

    /// Returns what [`next`](Self::next) returns, by reference. If the caller does not clone it, the memory of a board or a line
    /// of text is used again for a later one.
    pub fn next_ref(&mut self, input: &mut &[u8]) -> Option<&Received> {
        Some(match self.read(input)? {
            Place::Board => &self.board,
            Place::Other => &self.other,
        })
    }

    /// Keeps the memory of a board that the caller does not need any more for a later board, unless it has clones by then.
    pub(crate) fn reuse(&mut self, board: Arc<Style12>) {
        self.parser.spare.keep_board(board);
    }

    /// Removes the next message from what is left at the end of the stream.
    pub fn finish(&mut self) -> Option<Received> {
        loop {
            if let Some(received) = self.ready.pop_front() {
                return Some(received);
            }
            self.parser.family = self.framer.family();
            let Some(frame) = self.framer.finish() else {
                self.ready.extend(self.parser.unfinished()?);
                continue;
            };
            if let Some(received) = self.parser.read(&frame, &mut self.ready) {
                return Some(received);
            }
        }
    }

    /// Reads the next message to the returned place.
    #[inline]
    pub(crate) fn read(&mut self, input: &mut &[u8]) -> Option<Place> {
        if self.ready.is_empty() && !self.parser.is_mid_message() {
            let (spare, place) = (&mut self.parser.spare, &mut self.board.message);
            if let Some(fast) = self.framer.next_fast_frame(input, |line| spare.board_in(place)?.read_fast(line)) {
                let FastFrame { offset, end, bell, kind } = fast;
                return Some(match kind {
                    FastFrameKind::Board => {
                        self.board.set_place(offset, end, bell);
                        Place::Board
                    }
                    FastFrameKind::Prompt => {
                        self.parser.logged_in = true;
                        self.parser.spare.take(&mut self.other.message);
                        self.other.message = Message::default();
                        self.other.set_place(offset, end, bell);
                        Place::Other
                    }
                });
            }
        }
        self.parser.spare.take(&mut self.other.message);
        self.read_other(input)
    }

    #[inline(never)]
    fn read_other(&mut self, input: &mut &[u8]) -> Option<Place> {
        loop {
            if let Some(received) = self.ready.pop_front() {
                self.other = received;
                return Some(Place::Other);
            }
            self.parser.family = self.framer.family();
            let frame = self.framer.next_frame(input)?;
            self.other = match frame.kind {
                FrameKind::Line { tag: LineTag::Style12, bytes } if !self.parser.is_mid_message() => {
                    let board = self.parser.spare.board_in(&mut self.board.message);
                    if board.is_some_and(|board| board.read_line(bytes).is_ok()) {
                        self.board.set_place(frame.offset, frame.end, frame.bell);
                        self.board.message.set_line(bytes);
                        return Some(Place::Board);
                    }
                    Received::of_line(&frame, self.parser.spare.text(bytes), bytes)
                }
                FrameKind::Line { tag, bytes }
                    if !self.parser.is_mid_message() && !self.parser.begins_block(tag, bytes) =>
                {
                    match self.parser.message(tag, bytes) {
                        Some(message) => Received::of_line(&frame, message, bytes),
                        None => Received::of_line(&frame, self.parser.spare.text(bytes), bytes),
                    }
                }
                _ => match self.parser.read(&frame, &mut self.ready) {
                    Some(received) => received,
                    None => continue,
                },
            };
            return Some(Place::Other);
        }
    }
}

impl LineParser {
    /// Whether the meaning of the next line depends on earlier lines.
    const fn is_mid_message(&self) -> bool {
        self.style10.is_some() || self.style10_may_end || self.heading.is_some()
    }

    /// Parses a frame. If it completes more than one message, the later ones are appended to `ready`; `None` if it completes
    /// none.
    fn read(&mut self, frame: &Frame<'_>, ready: &mut VecDeque<Received>) -> Option<Received> {
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
                return self.release(block.lines, frame, ready);
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
        let Some(DatagramMessages { first, more }) = datagram::parse_unit(unit, &mut self.datagrams) else {
            return Received::of_line(frame, text(unit), unit);
        };
        self.logged_in |= matches!(first, Message::LoggedIn(_));
        // No secret datagram has a type of its own.
        let line = if matches!(&first, Message::Datagram(datagram) if datagram.is_secret()) { &[] } else { unit };
        let received = |message| Received { is_datagram: true, ..Received::of_line(frame, message, line) };
        ready.extend(more.into_iter().map(received));
        received(first)
    }

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
        Some(Received::of_line(frame, self.message(tag, line).unwrap_or_else(|| text(line)), line))
    }

    /// Whether a message of several lines begins.
    fn begins_block(&self, tag: LineTag, line: &[u8]) -> bool {
        match tag {
            LineTag::Style10 => true,
            LineTag::None => (self.family == Family::Icc && line == br#""10""#) || sender(line).is_some(),
            _ => false,
        }
    }

    fn begin_block(&mut self, frame: &Frame<'_>, tag: LineTag, line: &[u8]) {
        let first = Received::of_line(frame, text(line), line);
        if tag == LineTag::None
            && let Some(sender) = sender(line)
        {
            (self.heading, self.sender) = (Some(Box::new(first)), Some(Box::new(sender)));
        } else {
            self.style10 = Some(Box::new(Style10 { builder: Style10Builder::default(), lines: vec![first] }));
        }
    }

    /// Parses the line after the heading of a message: its text. Before any other line the heading is emitted as text.
    fn read_message(
        &mut self,
        heading: Received,
        frame: &Frame<'_>,
        ready: &mut VecDeque<Received>,
    ) -> Option<Received> {
        let FrameKind::Line { tag: LineTag::PlayerText, bytes } = frame.kind else {
            return self.release([heading], frame, ready);
        };
        let message = self.player_text(&[heading.raw(), b"\n", bytes].concat(), bytes);
        Some(Received { message: message.unwrap_or_else(|| text(bytes)), ..heading }.ending_with(frame))
    }

    /// Parses the text of a message that the server quotes; it ends with `quoted`, which may be all of it.
    fn player_text(&self, line: &[u8], quoted: &[u8]) -> Option<Message> {
        let sender = self.sender.as_deref().cloned()?;
        let words = quoted.strip_prefix(MESSAGE_INDENT).unwrap_or(quoted.trim_ascii_start());
        Some(Talk::quoted(sender, line, words.len()).into())
    }

    /// Emits lines that turned out to be text, then the message of `frame`.
    fn release(
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

    /// Returns the lines of a message that is not complete at the end of the stream.
    fn unfinished(&mut self) -> Option<Vec<Received>> {
        let heading = self.heading.take().map(|heading| vec![*heading]);
        heading.or_else(|| Some(self.style10.take()?.lines))
    }

    /// Parses a line; `None` for text.
    fn message(&mut self, tag: LineTag, line: &[u8]) -> Option<Message> {
        match tag {
            LineTag::PlayerText => return self.player_text(line, line),
            LineTag::None if !line.is_empty() => self.sender = None,
            _ => {}
        }
        if !self.logged_in
            && tag == LineTag::None
            && let Some(message) = dispatch::login(line)
        {
            self.logged_in = matches!(message, Message::LoggedIn(_));
            return Some(message);
        }
        if self.family == Family::Icc
            && let Some(holding) = Holding::parse_untagged(line)
        {
            return Some(Message::from(holding));
        }
        dispatch::line(tag, line, &mut self.spare)
    }

    fn read_style10(&mut self, frame: &Frame<'_>, line: &[u8], ready: &mut VecDeque<Received>) -> Option<Received> {
        let mut block = self.style10.take()?;
        let board = match block.builder.line(line) {
            Style10Line::More => None,
            Style10Line::Board(board) => Some(board),
            Style10Line::Broken => return self.release(block.lines, frame, ready),
        };
        block.lines.push(Received::of_line(frame, text(line), line));
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

fn text(line: &[u8]) -> Message {
    Message::Text(Line::from(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::TalkKind;

    fn read(stream: &[u8]) -> Vec<Received> {
        let mut reader = Reader::default();
        let mut rest = stream;
        let mut all = Vec::new();
        while let Some(received) = reader.next(&mut rest).or_else(|| reader.finish()) {
            all.push(received);
        }
        all
    }

    // Rules: text §1
    #[test]
    fn a_players_message_stands_on_two_lines() {
        let all = read(b"fics% \n\rCarla(TD) just sent you a message:\n\r    leave a \"message\": 100%\n\rfics% ");
        let Message::Talk(talk) = &all[1].message else { panic!("{all:?}") };
        assert_eq!((talk.kind, talk.from().as_ref().map(Handle::as_str)), (TalkKind::Message, Some("Carla")));
        assert_eq!(talk.text(), "leave a \"message\": 100%");
        assert_eq!(all[1].raw(), b"Carla(TD) just sent you a message:\n    leave a \"message\": 100%");
        assert_eq!((all[1].offset, all.len()), (8, 3));
    }

    #[test]
    fn telnet_between_the_lines_of_a_message_parts_them_not() {
        let all = read(b"Carla just sent you a message:\n\xff\xfb\x01    hello\n");
        assert!(matches!(all[0].message, Message::Control(Control::Telnet { .. })));
        assert!(matches!(&all[1].message, Message::Talk(talk) if talk.text() == "hello"), "{all:?}");
        assert_eq!(all.len(), 2);
    }

    #[test]
    fn what_does_not_follow_leaves_the_first_line_as_text() {
        for next in ["fics% ", "x\n", "\n", "<b1> game 1 white [] black []\n", "\x1a", ""] {
            let all = read(format!("Carla just sent you a message:\n{next}").as_bytes());
            assert_eq!(all[0].raw(), b"Carla just sent you a message:", "{next}");
            assert!(matches!(all[0].message, Message::Text(_)), "{next}");
            assert_eq!(all.len(), if next.is_empty() { 1 } else { 2 }, "{next}");
        }
    }
}
