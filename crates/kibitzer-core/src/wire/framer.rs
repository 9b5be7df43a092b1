//! The one framer: every layer of the stream in one pass.

use std::collections::VecDeque;

use super::control::{BLOCK_END, BLOCK_START, CONTROL_Y, CONTROL_Z, ESCAPE, Meaning, POSE_START, Sequence, State};
use super::frame::{Frame, FrameKind, Tag};
use super::line::{Context, LineBuffer, Taken, tagged};
use super::options::{Limits, Timeseal};
use super::prompt::{PromptKind, Prompts};
use super::telnet::{IAC, SUBNEGOTIATION, Telnet, TelnetByte};
use super::wrap::Wrapping;
use crate::message::guest_prompt;
use crate::scan::find;

/// Cuts the byte stream of a server into [`Frame`]s.
///
/// Feed it what a read returned with [`next_frame`](Self::next_frame), until that returns `None`; at the end of the stream
/// call [`finish`](Self::finish), until that returns `None` too. The frames depend on the bytes alone, not on how they were
/// cut into reads.
///
/// A line that lies whole in the input is lent from there; only what a read has cut, and lines with control bytes in them,
/// are copied. What the framer keeps is bounded by its [`Limits`].
///
/// ```
/// use kibitzer_core::wire::{FrameKind, Framer, Tag};
///
/// let mut framer = Framer::new();
/// let mut tags = Vec::new();
/// for read in [&b"fics% \n\r<b1> game 6 wh"[..], b"ite [PN] black []\n\rfics% "] {
///     let mut rest = read;
///     while let Some(frame) = framer.next_frame(&mut rest) {
///         if let FrameKind::Line { tag, bytes } = frame.kind {
///             tags.push((tag, bytes.len(), frame.offset));
///         }
///     }
/// }
/// assert_eq!(tags, [(Tag::Holding, 31, 8)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Framer {
    limits: Limits,
    timeseal: Timeseal,
    prompts: Prompts,
    wrapping: Wrapping,
    /// Stream position of the next byte of input.
    position: u64,
    telnet: Telnet,
    /// Position of the IAC that `telnet` is behind.
    telnet_start: u64,
    sequence: Sequence,
    line: LineBuffer,
    block: Option<Block>,
    /// Bytes that were read but not dealt with, because a frame had to go out first.
    again: VecDeque<Byte>,
    /// No whole line can be read before this position: no line end was found, or there are control bytes.
    slow_until: u64,
}

/// The reply in block mode that has begun.
#[derive(Clone, Copy, Debug)]
struct Block {
    id: u64,
    start: u64,
    posed: bool,
    /// Position behind the line with which the block grew longer than the limit.
    over_at: Option<u64>,
}

/// A byte that went through the telnet layer.
#[derive(Clone, Copy, Debug)]
struct Byte {
    value: u8,
    /// An escaped byte is text whatever its value.
    escaped: bool,
    at: u64,
}

/// What goes out, before its bytes are borrowed.
#[derive(Clone, Copy, Debug)]
enum Out {
    Line,
    Guest,
    Bare {
        kind: FrameKind<'static>,
        offset: u64,
    },
    /// The block was cut at this position.
    BlockCut {
        id: u64,
        at: u64,
    },
    Unit {
        kind: Unit,
        offset: u64,
    },
}

/// What the bytes of a [`Sequence`] go out as.
#[derive(Clone, Copy, Debug)]
enum Unit {
    Datagram,
    Broken,
    Start,
}

/// All of the input was taken in.
#[derive(Clone, Copy, Debug)]
struct NeedInput;

/// What the fast path found.
enum Fast<'a> {
    Frame(Frame<'a>),
    /// A line that held only prompts ended.
    Quiet,
    /// The next line has to go byte by byte.
    NotWhole,
}

impl Framer {
    /// A framer with the default limits, for a stream without timeseal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets which timeseal pings to take out of the stream. Default: none.
    #[must_use]
    pub fn with_timeseal(self, timeseal: Timeseal) -> Self {
        Self { timeseal, ..self }
    }

    /// Tells the prompt that the account has set, its trailing blank included, next to those all servers use.
    ///
    /// An empty prompt takes it back.
    pub fn set_prompt(&mut self, prompt: &[u8]) {
        self.prompts.set_custom(prompt);
    }

    /// Tells that the server breaks no line shorter than `narrowest` bytes. Default: 32, the least FICS allows.
    pub const fn set_narrowest_width(&mut self, narrowest: usize) {
        self.wrapping.narrowest = narrowest;
    }

    /// Tells that the server breaks no lines any more. The framer finds out by itself if the reply `nowrap set.` is seen.
    pub const fn set_unwrapped(&mut self) {
        self.wrapping.enabled = false;
    }

    /// Stream position behind the last byte taken.
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Takes the next frame out of `input` and moves `input` behind it.
    ///
    /// `None` means that all of `input` was taken in and more is needed.
    pub fn next_frame<'f, 'input: 'f>(&'f mut self, input: &mut &'input [u8]) -> Option<Frame<'f>> {
        self.reclaim();
        let out = loop {
            if let Some(out) = self.end_block_over_limit() {
                break out;
            }
            if self.is_at_line_start() {
                match self.whole_line(input) {
                    Fast::Frame(frame) => return Some(frame),
                    Fast::Quiet => continue,
                    Fast::NotWhole => {}
                }
            }
            match self.next_byte(input) {
                Ok(Some(out)) => break out,
                Ok(None) => {}
                Err(NeedInput) => return None,
            }
        };
        Some(self.frame(out))
    }

    /// Takes the next frame out of what is left when the stream has ended: unfinished lines, then an unfinished block.
    pub fn finish(&mut self) -> Option<Frame<'_>> {
        self.reclaim();
        let out = self.finish_telnet().or_else(|| self.finish_sequence()).or_else(|| self.finish_line())?;
        Some(self.frame(out))
    }

    fn finish_telnet(&mut self) -> Option<Out> {
        let offset = self.telnet_start;
        match std::mem::take(&mut self.telnet) {
            Telnet::Text => None,
            Telnet::Command => self.process(Byte { value: IAC, escaped: true, at: offset }),
            Telnet::Option(command) => Some(Out::Bare { kind: FrameKind::Telnet { command, option: None }, offset }),
            Telnet::Subnegotiation { option, .. } => {
                Some(Out::Bare { kind: FrameKind::Telnet { command: SUBNEGOTIATION, option }, offset })
            }
        }
    }

    /// What began as a sequence and did not become one is text.
    fn finish_sequence(&mut self) -> Option<Out> {
        if matches!(self.sequence.state, State::Datagram { .. }) {
            return self.end_sequence(Some(Out::Unit { kind: Unit::Broken, offset: self.sequence.start }));
        }
        loop {
            self.sequence.give_up();
            let out = match self.again.pop_front() {
                None if self.sequence.state == State::None => return None,
                Some(byte) if self.sequence.state == State::None => self.process(byte),
                byte => {
                    self.again.extend(byte);
                    self.replay()
                }
            };
            if out.is_some() {
                return out;
            }
        }
    }

    fn finish_line(&mut self) -> Option<Out> {
        if self.line.has_content() { Some(Out::Line) } else { self.cut_block(self.position) }
    }

    fn reclaim(&mut self) {
        self.line.reclaim();
        self.sequence.reclaim();
    }

    fn is_at_line_start(&self) -> bool {
        self.line.is_at_line_start()
            && self.again.is_empty()
            && self.sequence.state == State::None
            && self.telnet == Telnet::Text
            && self.position >= self.slow_until
    }

    /// The fast path: a prompt, or a line that lies whole in the input, without control bytes.
    fn whole_line<'a>(&mut self, input: &mut &'a [u8]) -> Fast<'a> {
        let text = skip_returns(input);
        let first = self.position + (input.len() - text.len()) as u64;
        let indent = text.iter().take_while(|&&b| b == b' ').count();
        let head = text.get(indent..).unwrap_or_default();
        if let Some((kind, length)) = self.prompts.at_start(head)
            && indent + length <= self.limits.line_bytes
        {
            let offset = first + indent as u64;
            self.advance(input, offset + length as u64);
            return Fast::Frame(self.prompt_frame(kind, offset));
        }
        if matches!(text, [b'\n', ..]) && self.line.is_quiet() {
            return self.end_quiet_line(input, first + 1);
        }
        let Some(newline) = memchr::memchr(b'\n', text) else {
            return self.slow(first + text.len() as u64);
        };
        let end = first + newline as u64 + 1;
        let (line, rest) = text.split_at_checked(newline).unwrap_or_default();
        let (line, rest) = (without_returns(line), rest.get(1..).unwrap_or_default());
        if line.len() <= indent && self.line.is_quiet() {
            return self.end_quiet_line(input, end);
        }
        if has_control_bytes(line) || line.len() > self.limits.line_bytes || self.is_for_slow_path(line, indent) {
            return self.slow(end);
        }
        let (tag, bytes) = tagged(line, indent);
        let first = if line.is_empty() { end - 1 } else { first };
        // The bytes behind a line tell it most cheaply; without them the line itself has to.
        let is_over = self.starts_a_line(skip_returns(rest)) || !self.wrapping.may_continue(tag, bytes, line);
        self.advance(input, end);
        self.check_block(end);
        if !is_over {
            self.line.hold(line, first, end);
            return Fast::NotWhole;
        }
        if tag == Tag::None {
            learn(&mut self.prompts, &mut self.wrapping, line);
        }
        let offset = if tag == Tag::None { first } else { first + indent as u64 };
        let bell = self.line.end_whole();
        Fast::Frame(Frame { offset, end, bell, kind: FrameKind::Line { tag, bytes } })
    }

    fn end_quiet_line(&mut self, input: &mut &[u8], end: u64) -> Fast<'static> {
        self.advance(input, end);
        self.line.end_quiet();
        self.check_block(end);
        Fast::Quiet
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

    /// Takes one byte; `None` if it completed nothing.
    fn next_byte(&mut self, input: &mut &[u8]) -> Result<Option<Out>, NeedInput> {
        if let State::Text(_) = self.sequence.state {
            return Ok(self.replay());
        }
        if let Some(byte) = self.again.pop_front() {
            return Ok(self.process(byte));
        }
        let (&value, rest) = input.split_first().ok_or(NeedInput)?;
        let at = self.position;
        *input = rest;
        self.position += 1;
        if self.telnet == Telnet::Text {
            self.telnet_start = at;
        }
        Ok(match self.telnet.byte(value) {
            TelnetByte::Pending => None,
            TelnetByte::Text(value) => self.process(Byte { value, escaped: false, at }),
            TelnetByte::Escaped => self.process(Byte { value: IAC, escaped: true, at: self.telnet_start }),
            TelnetByte::NotACommand => {
                self.again.push_back(Byte { value, escaped: false, at });
                self.process(Byte { value: IAC, escaped: true, at: self.telnet_start })
            }
            TelnetByte::Done { command, option } => {
                Some(Out::Bare { kind: FrameKind::Telnet { command, option }, offset: self.telnet_start })
            }
        })
    }

    /// Hands on one byte of a sequence that was none.
    fn replay(&mut self) -> Option<Out> {
        let State::Text(index) = self.sequence.state else {
            return None;
        };
        let Some(&value) = self.sequence.bytes.get(index) else {
            return self.end_sequence(None);
        };
        let byte = Byte { value, escaped: true, at: self.sequence.start + index as u64 };
        match self.push_text(byte) {
            Taken::FlushFirst => Some(Out::Line),
            taken => {
                self.sequence.state = State::Text(index + 1);
                self.taken(taken, byte)
            }
        }
    }

    /// Gives a byte of text, or of a sequence of control bytes, its meaning.
    fn process(&mut self, byte: Byte) -> Option<Out> {
        if self.sequence.state != State::None {
            return self.process_sequence(byte);
        }
        if byte.escaped {
            return self.push(byte);
        }
        match byte.value {
            b'\n' => self.end_line(byte),
            b'\r' | 0 => None,
            0x07 => {
                self.line.bell = true;
                None
            }
            ESCAPE => self.begin(State::Escape, Some(ESCAPE), byte.at),
            b'[' if self.timeseal == Timeseal::V2 => self.begin(State::Ping, Some(b'['), byte.at),
            BLOCK_START => self.begin(State::BlockId, None, byte.at),
            BLOCK_END if self.block.is_some() => self.flush_before(byte).or_else(|| self.end_block(byte.at)),
            POSE_START if self.block.is_some() => self.set_posed(true),
            CONTROL_Y if self.block.is_some_and(|block| block.posed) => self.set_posed(false),
            CONTROL_Y => self.begin(State::ControlY, None, byte.at),
            CONTROL_Z => self.flush_before(byte).or(Some(Out::Bare { kind: FrameKind::Overflow, offset: byte.at })),
            _ => self.push(byte),
        }
    }

    fn process_sequence(&mut self, byte: Byte) -> Option<Out> {
        if self.sequence.state == State::ControlY && self.must_flush_before_unit(byte.value) {
            return self.flush_before(byte);
        }
        let start = self.sequence.start;
        match self.sequence.byte(byte.value, self.limits.datagram_bytes) {
            Meaning::Pending => None,
            Meaning::Dropped => self.end_sequence(None),
            Meaning::NoSequence => {
                self.sequence.give_up();
                self.again.push_front(byte);
                None
            }
            Meaning::Ping => self.end_sequence(Some(Out::Bare { kind: FrameKind::Ping, offset: start })),
            Meaning::BlockStart { id, code } => self.begin_block(byte, id, code),
            Meaning::Datagram => {
                self.line.set_quiet();
                self.end_sequence(Some(Out::Unit { kind: Unit::Datagram, offset: start }))
            }
            Meaning::UnitStart => {
                self.line.set_quiet();
                self.end_sequence(Some(Out::Unit { kind: Unit::Start, offset: start }))
            }
            Meaning::UnitEnd => {
                self.line.set_quiet();
                self.end_sequence(Some(Out::Bare { kind: FrameKind::UnitEnd, offset: start }))
            }
            Meaning::BrokenDatagram { restart } => {
                self.again.push_front(byte);
                self.sequence.state = if restart { State::ControlY } else { State::None };
                self.sequence.start = byte.at.saturating_sub(1);
                Some(Out::Unit { kind: Unit::Broken, offset: start })
            }
        }
    }

    fn begin(&mut self, state: State, first: Option<u8>, at: u64) -> Option<Out> {
        self.sequence.begin(state, first, at);
        None
    }

    fn end_sequence(&mut self, out: Option<Out>) -> Option<Out> {
        self.sequence.state = State::None;
        out
    }

    /// A level-1 bracket ends the line around it; a level-2 unit stands apart from it.
    fn must_flush_before_unit(&self, byte: u8) -> bool {
        match byte {
            b'[' | b']' => self.line.has_content(),
            b'(' => self.line.is_held(),
            _ => false,
        }
    }

    /// Hands out the line collected so far, if there is one, before `byte` gets its turn again.
    fn flush_before(&mut self, byte: Byte) -> Option<Out> {
        self.line.has_content().then(|| {
            self.again.push_front(byte);
            Out::Line
        })
    }

    fn set_posed(&mut self, posed: bool) -> Option<Out> {
        if let Some(block) = &mut self.block {
            block.posed = posed;
        }
        None
    }

    fn begin_block(&mut self, byte: Byte, id: u64, code: u32) -> Option<Out> {
        let start = self.sequence.start;
        if let Some(out) = self.flush_before(byte) {
            return Some(out);
        }
        if let Some(out) = self.cut_block(start) {
            self.again.push_front(byte);
            return Some(out);
        }
        self.line.set_quiet();
        self.block = Some(Block { id, start, posed: false, over_at: None });
        self.end_sequence(Some(Out::Bare { kind: FrameKind::BlockStart { id, code }, offset: start }))
    }

    fn end_block(&mut self, at: u64) -> Option<Out> {
        let id = self.block.take()?.id;
        self.line.set_quiet();
        Some(Out::Bare { kind: FrameKind::BlockEnd { id, complete: true }, offset: at })
    }

    /// Ends a block that the server did not end.
    fn cut_block(&mut self, at: u64) -> Option<Out> {
        let id = self.block.take()?.id;
        Some(Out::BlockCut { id, at })
    }

    /// Notes behind a line whether the block has grown too long.
    fn check_block(&mut self, end: u64) {
        if let Some(block) = &mut self.block
            && end - block.start > self.limits.block_bytes
        {
            block.over_at = block.over_at.or(Some(end));
        }
    }

    fn end_block_over_limit(&mut self) -> Option<Out> {
        let at = self.block?.over_at?;
        // Behind the last line of the block, the first bytes of the next one may be here already: they were to tell whether it goes on.
        if self.line.is_at_line_start() || self.line.offset(false) >= at { self.cut_block(at) } else { None }
    }

    fn push(&mut self, byte: Byte) -> Option<Out> {
        let taken = self.push_text(byte);
        self.taken(taken, byte)
    }

    fn push_text(&mut self, byte: Byte) -> Taken {
        let context = Context { limits: &self.limits, prompts: &self.prompts, wrapping: &self.wrapping };
        self.line.push(byte.value, byte.at, &context)
    }

    fn end_line(&mut self, byte: Byte) -> Option<Out> {
        let taken = self.line.end(byte.at, self.timeseal == Timeseal::V1, &self.wrapping);
        if taken != Taken::FlushFirst {
            self.check_block(byte.at + 1);
        }
        self.taken(taken, byte)
    }

    fn taken(&mut self, taken: Taken, byte: Byte) -> Option<Out> {
        match taken {
            Taken::Kept => None,
            Taken::FlushFirst => {
                self.again.push_front(byte);
                Some(Out::Line)
            }
            Taken::Over => Some(Out::Line),
            Taken::GuestPrompt => Some(Out::Guest),
            Taken::Ping => {
                let offset = self.line.offset(false);
                self.line.hand_out();
                Some(Out::Bare { kind: FrameKind::Ping, offset })
            }
            Taken::Prompt(kind) => {
                let offset = self.line.offset(true);
                self.line.hand_out_prompt();
                Some(Out::Bare { kind: self.prompt_frame(kind, offset).kind, offset })
            }
        }
    }

    fn prompt_frame(&mut self, kind: PromptKind, offset: u64) -> Frame<'static> {
        self.line.set_quiet();
        let kind = match kind {
            PromptKind::Command => {
                self.prompts.set_logged_in();
                FrameKind::Prompt
            }
            PromptKind::Login => FrameKind::LoginPrompt,
            PromptKind::Password => FrameKind::PasswordPrompt,
        };
        Frame { offset, end: self.position, bell: false, kind }
    }

    /// Borrows the bytes that go out.
    fn frame(&mut self, out: Out) -> Frame<'_> {
        let end = self.sequence.replayed_to().unwrap_or(self.position - self.again.len() as u64);
        match out {
            Out::Bare { kind, offset } => Frame { offset, end, bell: false, kind },
            Out::BlockCut { id, at } => {
                Frame { offset: at, end: at, bell: false, kind: FrameKind::BlockEnd { id, complete: false } }
            }
            Out::Line => self.line_frame(end),
            Out::Guest => {
                self.line.hand_out_prompt();
                let name = guest_prompt(self.line.bytes()).unwrap_or_default();
                Frame { offset: self.line.offset(true), end, bell: false, kind: FrameKind::GuestPrompt { name } }
            }
            Out::Unit { kind, offset } => self.unit_frame(kind, offset, end),
        }
    }

    fn line_frame(&mut self, now: u64) -> Frame<'_> {
        self.line.hand_out();
        let (end, bell) = self.line.end_and_bell(now);
        if let Some(length) = self.line.whole_length() {
            let kind = FrameKind::OverLong { bytes: self.line.bytes(), length };
            return Frame { offset: self.line.offset(false), end, bell, kind };
        }
        learn(&mut self.prompts, &mut self.wrapping, self.line.bytes());
        let (tag, bytes) = self.line.tagged();
        Frame { offset: self.line.offset(tag != Tag::None), end, bell, kind: FrameKind::Line { tag, bytes } }
    }

    fn unit_frame(&mut self, unit: Unit, offset: u64, end: u64) -> Frame<'_> {
        self.sequence.hand_out();
        let bytes = &self.sequence.bytes[..];
        let kind = match unit {
            Unit::Datagram => FrameKind::Datagram { bytes },
            Unit::Start => FrameKind::UnitStart { header: bytes },
            Unit::Broken if bytes.len() >= self.limits.datagram_bytes => {
                FrameKind::OverLong { bytes, length: bytes.len() as u64 }
            }
            Unit::Broken => FrameKind::Line { tag: Tag::None, bytes },
        };
        Frame { offset, end, bell: false, kind }
    }
}

/// Draws from a line of the server's own what later bytes mean.
fn learn(prompts: &mut Prompts, wrapping: &mut Wrapping, line: &[u8]) {
    if !prompts.is_logged_in() {
        if line.starts_with(b"**** Starting ") && find(line, b" session as ").is_some() {
            prompts.set_logged_in();
        }
        wrapping.keeps_blanks |= find(line, b"FatICS").is_some();
    }
    match line {
        b"nowrap set." => wrapping.enabled = false,
        b"nowrap unset." => wrapping.enabled = true,
        _ => {}
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
const fn is_control_byte(byte: u8) -> bool {
    byte.wrapping_sub(0x20) >= IAC - 0x20
}

fn has_control_bytes(line: &[u8]) -> bool {
    line.iter().fold(false, |found, &byte| found | is_control_byte(byte))
}
