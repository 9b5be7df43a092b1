//! Bytes to messages: the framer, the dispatch, and the few messages that take more than one line.

use std::collections::VecDeque;
use std::sync::Arc;

use super::datagram::{self, DatagramContext, DatagramMessages};
use super::style10::{self, Style10Builder, Style10Line};
use super::{
    CommandCode, Control, Datagram, Family, Handle, Holding, Message, OverLong, Relation, Style12, Talk, TalkKind,
    Titles, UnitHeader, dispatch,
};
use crate::text::{Line, PlayerText};
use crate::wire::{FastFrame, FastFrameKind, Frame, FrameKind, Framer, StreamState, Tag, sender};

/// A message with its place in the stream and the line it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Received {
    /// Position of the frame's own first byte in the stream.
    pub offset: u64,
    /// Position behind the frame's last byte.
    pub end: u64,
    /// Whether the server rang the bell since the line before.
    pub bell: bool,
    /// What was said.
    pub message: Message,
    /// The line; empty where the message has it.
    line: Line,
    is_datagram: bool,
}

impl Received {
    /// The line the message was read from: cleaned, wrapped pieces joined, without line end; of a message of several lines
    /// (a style 10 block, a player's message) all of them, with line feeds between. Of an ICC datagram its number and
    /// arguments as sent, quotation marks included. Empty for what is neither, and for a datagram that must not be logged.
    ///
    /// It stays the same when a later version learns to type a line, so code that looks at lines does not break.
    pub fn raw(&self) -> &[u8] {
        match &self.message {
            Message::Text(line) => line.as_bytes(),
            Message::OverLong(over_long) => over_long.line.as_bytes(),
            Message::Style12(board) if let Some(line) = board.line() => line,
            _ => self.line.as_bytes(),
        }
    }

    /// Whether the message came in an ICC datagram, rather than in a line.
    pub const fn is_datagram(&self) -> bool {
        self.is_datagram
    }

    /// The ICC datagram the message was read from; `None` if it was a line, or a datagram that must not be logged.
    pub fn datagram(&self) -> Option<Datagram> {
        self.is_datagram.then(|| Datagram::parse(self.line.as_bytes()))?
    }

    /// The same place, and nothing but this text.
    pub(crate) fn with_text(&self, line: &[u8]) -> Self {
        let Self { offset, end, bell, .. } = *self;
        Self { offset, end, bell, message: text(line), line: Line::default(), is_datagram: false }
    }

    fn new(frame: &Frame<'_>, message: Message, line: &[u8]) -> Self {
        let has_line = matches!(message, Message::Text(_));
        let line = if has_line { Line::default() } else { Line::from(line) };
        Self { offset: frame.offset, end: frame.end, bell: frame.bell, message, line, is_datagram: false }
    }
}

/// A message that a [`Reader`] lends until it reads the next one: [`Reader::next_ref`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Lent<'a> {
    /// Position of the frame's own first byte in the stream.
    pub offset: u64,
    /// Position after the frame's last byte.
    pub end: u64,
    /// Whether the server rang the bell since the line before.
    pub bell: bool,
    /// The message.
    pub message: LentMessage<'a>,
    line: &'a [u8],
    is_datagram: bool,
}

/// A message whose large parts belong to its [`Reader`].
#[derive(Debug)]
#[non_exhaustive]
pub enum LentMessage<'a> {
    /// A board in style 12.
    Style12(&'a Style12),
    /// A line that is none of the known ones.
    Text(&'a [u8]),
    /// Every other message.
    Other(&'a Message),
}

impl Lent<'_> {
    /// Whether the message came in an ICC datagram, rather than in a line.
    pub const fn is_datagram(&self) -> bool {
        self.is_datagram
    }

    /// The line the message was read from: see [`Received::raw`].
    pub fn raw(&self) -> &[u8] {
        match &self.message {
            LentMessage::Style12(board) if let Some(line) = board.line() => line,
            LentMessage::Other(Message::OverLong(over_long)) => over_long.line.as_bytes(),
            _ => self.line,
        }
    }
}

/// Reads messages out of the byte stream of a server.
///
/// It is fed like the [`Framer`] it holds: [`next`](Self::next) until `None` for every read, [`finish`](Self::finish) until
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
///         said.push((talk.kind, talk.text.to_string()));
///     }
/// }
/// assert_eq!(said, [(TalkKind::Tell, "<12> is only text here".to_owned())]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Reader {
    framer: Framer,
    typist: Typist,
    ready: VecDeque<Received>,
    /// Where the message that was read last is kept.
    kept: Kept,
}

/// The parts of messages that are lent. Of each, the last one stays until there is another.
#[derive(Clone, Debug, Default)]
struct Kept {
    board: Option<Box<Style12>>,
    message: Option<Box<Message>>,
    /// The line, unless the board has it.
    line: Vec<u8>,
}

/// A message that was read.
#[derive(Clone, Copy, Debug)]
struct Read {
    offset: u64,
    end: u64,
    bell: bool,
    is_datagram: bool,
    content: Content,
}

/// Which of the [`Kept`] parts is the message.
#[derive(Clone, Copy, Debug)]
enum Content {
    Board,
    Text,
    Prompt,
    Message,
}

/// In front of a message that a player just sent.
const MESSAGE_INDENT: &[u8] = b"    ";

/// What the meaning of a line depends on besides the line.
#[derive(Clone, Debug, Default)]
struct Typist {
    family: Family,
    logged_in: bool,
    style10: Option<Box<Style10>>,
    /// A style 10 board was read; its end marker may follow.
    style10_may_end: bool,
    /// The heading of a player's message, whose text stands on the next line.
    heading: Option<Box<Received>>,
    /// The sender of the message that was announced last.
    sender: Option<Box<(Handle, Titles)>>,
    /// What ICC's datagrams told of this login and of games.
    datagrams: DatagramContext,
}

/// A style 10 block that has begun: its lines, in case it turns out to be none.
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

    /// Tells which family it turned out to be.
    pub const fn set_family(&mut self, family: Family) {
        self.framer.set_family(family);
    }

    /// Gives back memory that is not used.
    pub(crate) fn shrink(&mut self) {
        self.framer.shrink();
        self.ready.shrink_to_fit();
        self.kept = Kept::default();
    }

    /// The framer, to tell it what was learned about the stream.
    pub const fn framer_mut(&mut self) -> &mut Framer {
        &mut self.framer
    }

    /// What is known of the stream, but for the games.
    pub(crate) fn stream_state(&self) -> StreamState {
        let mut state = StreamState::default();
        self.framer.save_state(&mut state);
        state.is_logged_in |= self.typist.logged_in;
        state
    }

    /// Continues in the middle of a stream that is in this state.
    pub(crate) fn resume(&mut self, state: &StreamState) {
        self.typist.logged_in = state.is_logged_in;
        self.typist.datagrams.set_me(state.me.clone().unwrap_or_default());
    }

    /// Adds the players of a game that the stream reported earlier; datagrams about it may omit them.
    pub(crate) fn add_game(&mut self, board: &Style12) {
        let is_mine = board.relation().is_mine() || board.relation() == Relation::Examining;
        self.typist.datagrams.add_game(board.game(), board.white(), board.black(), is_mine);
    }

    /// Takes the next message out of `input` and moves `input` behind it; `None` once all of it was taken in.
    pub fn next(&mut self, input: &mut &[u8]) -> Option<Received> {
        if let Some(received) = self.ready.pop_front() {
            return Some(received);
        }
        let read = self.read(input)?;
        Some(self.kept.take(read))
    }

    /// [`next`](Self::next) for those who need the message only until the next one: no board and no text is copied.
    pub fn next_ref(&mut self, input: &mut &[u8]) -> Option<Lent<'_>> {
        let Read { offset, end, bell, is_datagram, content } = self.read(input)?;
        let Kept { board, message, line } = &self.kept;
        let message = match (content, board, message) {
            (Content::Board, Some(board), _) => LentMessage::Style12(board),
            (Content::Message, _, Some(message)) => LentMessage::Other(message),
            (Content::Text, ..) => LentMessage::Text(line),
            _ => LentMessage::Other(&Message::Control(Control::Prompt)),
        };
        Some(Lent { offset, end, bell, message, line, is_datagram })
    }

    fn read(&mut self, input: &mut &[u8]) -> Option<Read> {
        if self.ready.is_empty() && !self.typist.is_mid_message() {
            let board = &mut self.kept.board;
            if let Some(known) =
                self.framer.next_fast_frame(input, |line| board.get_or_insert_default().read_usual(line))
            {
                let FastFrame { offset, end, bell, kind } = known;
                let content = match kind {
                    FastFrameKind::Board => Content::Board,
                    FastFrameKind::Prompt => {
                        self.typist.logged_in = true;
                        self.kept.put_prompt()
                    }
                };
                return Some(Read { offset, end, bell, is_datagram: false, content });
            }
        }
        self.read_other(input)
    }

    #[inline(never)]
    fn read_other(&mut self, input: &mut &[u8]) -> Option<Read> {
        loop {
            if let Some(received) = self.ready.pop_front() {
                return Some(self.kept.put(received));
            }
            self.typist.family = self.framer.family();
            let Some(frame) = self.framer.next_frame(input) else {
                self.kept.shrink();
                return None;
            };
            let Frame { offset, end, bell, kind } = frame;
            let read = |is_datagram, content| Some(Read { offset, end, bell, is_datagram, content });
            match kind {
                FrameKind::Datagram { bytes } => {
                    let message = self.typist.read_datagram(&frame, bytes, &mut self.ready);
                    let line = datagram_line(bytes, message.as_ref());
                    return read(message.is_some(), self.kept.put_message(message, line));
                }
                FrameKind::Line { tag: Tag::Style12, bytes } if !self.typist.is_mid_message() => {
                    return read(false, self.kept.put_board(bytes));
                }
                FrameKind::Line { tag, bytes }
                    if !self.typist.is_mid_message() && !self.typist.begins_block(tag, bytes) =>
                {
                    let message = self.typist.message(tag, bytes);
                    return read(false, self.kept.put_message(message, bytes));
                }
                _ => {}
            }
            if let Some(received) = self.typist.read(&frame, &mut self.ready) {
                return Some(self.kept.put(received));
            }
        }
    }

    /// Takes the next message out of what is left when the stream has ended.
    pub fn finish(&mut self) -> Option<Received> {
        loop {
            if let Some(received) = self.ready.pop_front() {
                return Some(received);
            }
            self.typist.family = self.framer.family();
            let Some(frame) = self.framer.finish() else {
                self.ready.extend(self.typist.unfinished()?);
                continue;
            };
            if let Some(received) = self.typist.read(&frame, &mut self.ready) {
                return Some(received);
            }
        }
    }
}

/// Bytes of the last line's buffer that stay between reads, as most lines fit in them.
const IDLE_LINE_BYTES: usize = 128;

impl Kept {
    /// Gives back what an idle session would keep.
    fn shrink(&mut self) {
        self.message = None;
        self.line.clear();
        self.line.shrink_to(IDLE_LINE_BYTES);
    }

    /// A prompt has no line.
    fn put_prompt(&mut self) -> Content {
        self.line.clear();
        Content::Prompt
    }

    /// Parses a board into its place.
    fn put_board(&mut self, line: &[u8]) -> Content {
        let board = self.board.get_or_insert_default();
        if board.read_line(line).is_err() {
            return self.put_message(None, line);
        }
        self.line.clear();
        if board.line().is_none() {
            self.line.extend_from_slice(line);
        }
        Content::Board
    }

    /// Puts a typed line in its place; `None` for text.
    fn put_message(&mut self, message: Option<Message>, line: &[u8]) -> Content {
        self.line.clear();
        self.line.extend_from_slice(line);
        match message {
            None => Content::Text,
            Some(Message::Style12(board)) => {
                self.board = Some(Box::new(Arc::unwrap_or_clone(board)));
                Content::Board
            }
            Some(message) => {
                match &mut self.message {
                    Some(place) => **place = message,
                    None => self.message = Some(Box::new(message)),
                }
                Content::Message
            }
        }
    }

    /// Puts a message in its place.
    fn put(&mut self, received: Received) -> Read {
        let Received { offset, end, bell, message, line, is_datagram } = received;
        let content = match message {
            Message::Text(line) => self.put_message(None, line.as_bytes()),
            message => self.put_message(Some(message), line.as_bytes()),
        };
        Read { offset, end, bell, is_datagram, content }
    }

    /// Takes a message out of its place, or copies it.
    fn take(&mut self, read: Read) -> Received {
        let Read { offset, end, bell, is_datagram, content } = read;
        let message = match (content, &self.board, &mut self.message) {
            (Content::Board, Some(board), _) => Message::Style12(Arc::new(Style12::clone(board))),
            (Content::Message, _, Some(message)) => {
                std::mem::replace(&mut **message, Message::Control(Control::Prompt))
            }
            (Content::Text, ..) => text(&self.line),
            _ => Message::Control(Control::Prompt),
        };
        let has_line = match &message {
            Message::Text(_) => true,
            Message::Style12(board) => board.line().is_some(),
            _ => false,
        };
        let line = if has_line { Line::default() } else { Line::from(&self.line[..]) };
        Received { offset, end, bell, message, line, is_datagram }
    }
}

impl Typist {
    /// Whether the meaning of the next line depends on the lines in front of it.
    const fn is_mid_message(&self) -> bool {
        self.style10.is_some() || self.style10_may_end || self.heading.is_some()
    }

    /// Types a frame. Where that makes more than one message, the later ones go to `ready`; `None` if it makes none yet.
    fn read(&mut self, frame: &Frame<'_>, ready: &mut VecDeque<Received>) -> Option<Received> {
        // What a server sends apart from its lines stands between any two of them.
        if !matches!(frame.kind, FrameKind::Telnet { .. } | FrameKind::Ping | FrameKind::Datagram { .. }) {
            if let Some(heading) = self.heading.take() {
                return self.read_message(*heading, frame, ready);
            }
            if !matches!(frame.kind, FrameKind::Line { .. })
                && let Some(block) = self.style10.take()
            {
                return self.read_behind(block.lines, frame, ready);
            }
        }
        let message = match frame.kind {
            FrameKind::Line { tag, bytes } => return self.read_line(frame, tag, bytes, ready),
            FrameKind::OverLong { bytes, length } => {
                Message::OverLong(Arc::new(OverLong { line: Line::from(bytes), length }))
            }
            FrameKind::Prompt => {
                self.logged_in = true;
                Message::Control(Control::Prompt)
            }
            FrameKind::LoginPrompt => Message::Control(Control::LoginPrompt),
            FrameKind::PasswordPrompt => Message::Control(Control::PasswordPrompt),
            FrameKind::GuestPrompt { name } => {
                Message::Control(Control::GuestPrompt(Arc::new(Handle::from_wire(name))))
            }
            FrameKind::BlockStart { id, code } => Message::Control(Control::BlockStart { id, code: CommandCode(code) }),
            FrameKind::BlockEnd { id, complete } => Message::Control(Control::BlockEnd { id, complete }),
            FrameKind::Telnet { command, option } => Message::Control(Control::Telnet { command, option }),
            FrameKind::Ping => Message::Control(Control::Ping),
            FrameKind::Datagram { bytes } => {
                let message = self.read_datagram(frame, bytes, ready);
                let is_datagram = message.is_some();
                let line = datagram_line(bytes, message.as_ref());
                let received = Received::new(frame, message.unwrap_or_else(|| text(bytes)), line);
                return Some(Received { is_datagram, ..received });
            }
            FrameKind::UnitStart { header } => match UnitHeader::parse(header) {
                Some(header) => Message::Control(Control::UnitStart(Arc::new(header))),
                None => text(header),
            },
            FrameKind::UnitEnd => Message::Control(Control::UnitEnd),
            FrameKind::Overflow => Message::Control(Control::Overflow),
        };
        Some(Received::new(frame, message, &[]))
    }

    /// Reads an ICC datagram; `None` if it is text. Where it makes more than one message, the later ones go to `ready`.
    fn read_datagram(&mut self, frame: &Frame<'_>, unit: &[u8], ready: &mut VecDeque<Received>) -> Option<Message> {
        let DatagramMessages { first: message, more } = datagram::parse_unit(unit, &mut self.datagrams)?;
        self.logged_in |= matches!(message, Message::LoggedIn(_));
        ready.extend(
            more.into_iter().map(|message| Received { is_datagram: true, ..Received::new(frame, message, unit) }),
        );
        Some(message)
    }

    fn read_line(
        &mut self,
        frame: &Frame<'_>,
        tag: Tag,
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
        Some(Received::new(frame, self.message(tag, line).unwrap_or_else(|| text(line)), line))
    }

    /// Whether a message of several lines begins.
    fn begins_block(&self, tag: Tag, line: &[u8]) -> bool {
        match tag {
            Tag::Style10 => true,
            Tag::None => (self.family == Family::Icc && line == br#""10""#) || sender(line).is_some(),
            _ => false,
        }
    }

    fn begin_block(&mut self, frame: &Frame<'_>, tag: Tag, line: &[u8]) {
        let first = Received::new(frame, text(line), line);
        if tag == Tag::None
            && let Some(sender) = sender(line)
        {
            (self.heading, self.sender) = (Some(Box::new(first)), Some(Box::new(sender)));
        } else {
            self.style10 = Some(Box::new(Style10 { builder: Style10Builder::default(), lines: vec![first] }));
        }
    }

    /// Reads what follows the heading of a message: its text. Anything else leaves the heading as text.
    fn read_message(
        &mut self,
        heading: Received,
        frame: &Frame<'_>,
        ready: &mut VecDeque<Received>,
    ) -> Option<Received> {
        let FrameKind::Line { tag: Tag::PlayerText, bytes } = frame.kind else {
            return self.read_behind([heading], frame, ready);
        };
        let line = Line::from(&[heading.raw(), bytes].join(&b'\n')[..]);
        let message = self.player_text(bytes).unwrap_or_else(|| text(bytes));
        Some(Received { end: frame.end, message, line, ..heading })
    }

    /// Types a line of a message that the server quotes.
    fn player_text(&self, line: &[u8]) -> Option<Message> {
        let (from, titles) = self.sender.as_deref().cloned()?;
        let words = line.strip_prefix(MESSAGE_INDENT).unwrap_or(line.trim_ascii_start());
        let text = PlayerText::from_wire(words);
        Some(Message::Talk(Talk { kind: TalkKind::Message, from: Some(from), titles, text }))
    }

    /// Hands out lines that turned out to be no block, then what `frame` makes.
    fn read_behind(
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

    /// The lines of a message that did not come to its end.
    fn unfinished(&mut self) -> Option<Vec<Received>> {
        let heading = self.heading.take().map(|heading| vec![*heading]);
        heading.or_else(|| Some(self.style10.take()?.lines))
    }

    /// Types a line; `None` for text.
    fn message(&mut self, tag: Tag, line: &[u8]) -> Option<Message> {
        match tag {
            Tag::PlayerText => return self.player_text(line),
            Tag::None if !line.is_empty() => self.sender = None,
            _ => {}
        }
        if !self.logged_in
            && tag == Tag::None
            && let Some(message) = dispatch::login(line)
        {
            self.logged_in = matches!(message, Message::LoggedIn(_));
            return Some(message);
        }
        if self.family == Family::Icc
            && let Some(holding) = Holding::parse_untagged(line)
        {
            return Some(Message::Holding(holding));
        }
        dispatch::line(tag, line)
    }

    fn read_style10(&mut self, frame: &Frame<'_>, line: &[u8], ready: &mut VecDeque<Received>) -> Option<Received> {
        let mut block = self.style10.take()?;
        match block.builder.line(line) {
            Style10Line::More => {
                block.lines.push(Received::new(frame, text(line), line));
                self.style10 = Some(block);
                None
            }
            Style10Line::Board(board) => {
                self.style10_may_end = !line.ends_with(style10::END);
                block.lines.push(Received::new(frame, text(line), line));
                block.into_received(board, frame.end)
            }
            Style10Line::Broken => self.read_behind(block.lines, frame, ready),
        }
    }
}

impl Style10 {
    fn into_received(self, board: Arc<Style12>, end: u64) -> Option<Received> {
        let line = self.lines.iter().map(Received::raw).collect::<Vec<_>>().join(&b'\n');
        let first = self.lines.into_iter().next()?;
        Some(Received { end, message: Message::Style10(board), line: Line::from(&line[..]), ..first })
    }
}

/// The line of a datagram's message: the unit as sent, unless it must not be logged. No such unit has a type of its own.
fn datagram_line<'a>(unit: &'a [u8], message: Option<&Message>) -> &'a [u8] {
    match message {
        Some(Message::Datagram(datagram)) if datagram.is_secret() => &[],
        _ => unit,
    }
}

fn text(line: &[u8]) -> Message {
    Message::Text(Line::from(line))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!((talk.kind, talk.from.as_ref().map(Handle::as_str)), (TalkKind::Message, Some("Carla")));
        assert_eq!(talk.text.as_str(), "leave a \"message\": 100%");
        assert_eq!(all[1].raw(), b"Carla(TD) just sent you a message:\n    leave a \"message\": 100%");
        assert_eq!((all[1].offset, all.len()), (8, 3));
    }

    #[test]
    fn telnet_between_the_lines_of_a_message_parts_them_not() {
        let all = read(b"Carla just sent you a message:\n\xff\xfb\x01    hello\n");
        assert!(matches!(all[0].message, Message::Control(Control::Telnet { .. })));
        assert!(matches!(&all[1].message, Message::Talk(talk) if talk.text.as_str() == "hello"), "{all:?}");
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
