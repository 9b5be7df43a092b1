//! The framer: one state machine for every layer of the stream.
//!
//! A frame takes one of three paths; all of them emit the same frames. `next_fast_frame` (for the reader) consumes prompts and boards,
//! `next_whole_line` borrows a complete line without control bytes, `process_next` processes everything else. Its states are those of three
//! layers: [`TelnetState`], [`Sequence`] (control sequences) and [`LineBuffer`].
//!
//! | layer | state | input | next state | output |
//! |---|---|---|---|---|
//! | telnet | `Text` | IAC | `Command` | |
//! | telnet | `Command` | IAC | `Text` | byte 255 as text |
//! | telnet | `Command` | WILL, WONT, DO, DONT | `Option` | |
//! | telnet | `Command` | SB | `Subnegotiation` | |
//! | telnet | `Command`, `Option`, `Subnegotiation` | end of the command | `Text` | [`Control::Telnet`] |
//! | sequence | `None` | ESC, `[` of a ping, 0x15, control-Y | `Escape`, `Ping`, `BlockId`, `ControlY` | |
//! | sequence | `Escape`, `Csi` | the final byte | `None` | dropped |
//! | sequence | `Ping`, `BlockCode`, `Level1Header`, `Datagram` | the last byte | `None` | the frame |
//! | sequence | any | a byte that does not fit | `Text`, until all bytes so far are emitted | text |
//! | line | `Open` | text | `Open` | a prompt at the start of a line |
//! | line | `Open` | LF of a line that cannot continue | `Open` | the line |
//! | line | `Open` | LF of a line that may continue | `Held` | |
//! | line | `Held` | the continuation mark | `Joining` | |
//! | line | `Held` | another byte | `Open` | the line |
//! | line | `Joining` | text | `Open` | |
//! | line | `Held` | the continuation mark after a cut board | `CutOff` | the board |

mod bytes;
mod ends;
mod fast_frame;
mod whole_line;

use std::collections::VecDeque;
use std::sync::Arc;

use self::bytes::{Byte, InputConsumed};
pub(crate) use self::fast_frame::{FastFrame, FastFrameKind};
use self::whole_line::WholeLine;
use super::control::{Sequence, SequenceState};
use super::family::Family;
use super::frame::{Control, Frame, FrameKind, Level1Header, LineTag};
use super::line::LineBuffer;
use super::options::{Limits, Timeseal};
use super::prompt::{PromptKind, Prompts, guest_prompt};
use super::telnet::TelnetState;
use super::wrap::Wrapping;
use crate::scan::find;
use crate::text::Handle;

/// Splits the byte stream of a server into [`Frame`]s.
///
/// Pass the bytes of a read to [`next_frame`](Self::next_frame) until it returns `None`; at the end of the stream call
/// [`finish`](Self::finish) until it returns `None` too. The frames depend on the bytes alone, not on the boundaries
/// of reads.
///
/// A complete line in the input is borrowed from there; only lines that are split between reads, or that have control
/// bytes, are copied. [`Limits`] bound the memory of the framer.
///
/// ```
/// use kibitzer_core::wire::{FrameKind, Framer, LineTag};
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
/// assert_eq!(tags, [(LineTag::Holding, 31, 8)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Framer {
    limits: Limits,
    timeseal: Timeseal,
    /// Family of the server, which decides which control bytes are framing. `Auto` until it is set or the login shows it.
    family: Family,
    /// Block mode is off: of its marks, only the complaint about an unnumbered line counts.
    is_unblocked: bool,
    prompts: Prompts,
    wrapping: Wrapping,
    /// Stream position of the next byte of input.
    position: u64,
    telnet: TelnetState,
    /// Position of the IAC that began the command in `telnet`.
    telnet_start: u64,
    sequence: Sequence,
    line: LineBuffer,
    block: Option<Block>,
    units: Units,
    /// Bytes that were read but not processed, because a frame had to be emitted first.
    pending_bytes: VecDeque<Byte>,
    /// The fast path cannot succeed before this position: no line end was found, or there are control bytes.
    slow_until: u64,
}

/// The reply in block mode that has begun.
#[derive(Clone, Copy, Debug)]
struct Block {
    id: u64,
    start: u64,
    posed: bool,
    /// Position after the line with which the block exceeded the limit.
    over_at: Option<u64>,
}

/// The ICC level-1 units that have begun.
#[derive(Clone, Copy, Debug, Default)]
struct Units {
    depth: u8,
    /// Ends of units are missing: output was dropped after control-Z, or the units are nested more deeply than on any
    /// server.
    lost_ends: bool,
}

/// Most nested units.
const MAX_UNITS: u8 = 3;

/// A complete frame, before its bytes are borrowed.
#[derive(Debug)]
enum PendingFrame {
    Line,
    Guest,
    Control {
        control: Control,
        offset: u64,
    },
    /// The block was cut at this position.
    BlockCut {
        id: u64,
        at: u64,
    },
    Unit {
        kind: UnitFrame,
        offset: u64,
    },
}

/// The frame that the bytes of a [`Sequence`] become.
#[derive(Clone, Copy, Debug)]
enum UnitFrame {
    Datagram,
    Broken,
    Start,
}

impl Framer {
    /// Creates a framer with the default limits, for a stream without timeseal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets which timeseal pings to remove from the stream. Default: none.
    #[must_use]
    pub fn with_timeseal(self, timeseal: Timeseal) -> Self {
        Self { timeseal, ..self }
    }

    /// Sets which timeseal pings to remove from here on. A server may turn out not to support timeseal.
    pub const fn set_timeseal(&mut self, timeseal: Timeseal) {
        self.timeseal = timeseal;
    }

    /// Sets the account's own prompt, which is recognized in addition to the usual ones.
    ///
    /// Every prompt ends with a blank; it is added if it is missing here. An empty prompt removes the setting, and so
    /// does one with control bytes, which no prompt has.
    pub fn set_prompt(&mut self, prompt: &[u8]) {
        self.prompts.set_custom(prompt);
    }

    /// Stops joining lines: the server breaks none. The framer finds out by itself if the reply `nowrap set.` is seen.
    pub const fn set_unwrapped(&mut self) {
        self.wrapping.enabled = false;
    }

    /// Sets the family of the server. Default: [`Family::Auto`], which ends with the login: the prompt shows the family.
    ///
    /// Control-Y and control-Z count on ICC, and until the login where the family is not known. Elsewhere they are text.
    pub const fn set_family(&mut self, family: Family) {
        self.family = family;
    }

    /// Returns the family of the server, as it was set or as the login showed it.
    pub const fn family(&self) -> Family {
        self.family
    }

    /// Sets whether marks of block mode are recognized. Default: `true`, because a recording does not show whether block mode is on.
    ///
    /// With `false`, they are text, except those around the server's complaint about a line without a number, which shows that block
    /// mode is on.
    pub const fn set_block_mode(&mut self, is_on: bool) {
        self.is_unblocked = !is_on;
    }

    /// Releases unused memory.
    pub(crate) fn shrink(&mut self) {
        self.line.shrink();
        self.sequence.shrink();
        self.pending_bytes.shrink_to_fit();
    }

    /// Sets the stream position of the next byte. Must be called before the first byte is read.
    pub(crate) const fn start_at(&mut self, position: u64) {
        self.position = position;
    }

    /// Returns the stream position after the last consumed byte.
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Returns the next frame and advances `input` past it.
    ///
    /// `None` means that all of `input` was consumed and more is needed.
    pub fn next_frame<'f, 'input: 'f>(&'f mut self, input: &mut &'input [u8]) -> Option<Frame<'f>> {
        self.clear_emitted();
        let out = loop {
            if let Some(out) = self.end_block_over_limit() {
                break out;
            }
            if self.is_at_line_start() {
                match self.next_whole_line(input) {
                    WholeLine::Frame(frame) => return Some(frame),
                    WholeLine::MarkedLineEnded => continue,
                    WholeLine::NotWhole => {}
                }
            }
            match self.process_next(input) {
                Ok(Some(out)) => break out,
                Ok(None) => {}
                Err(InputConsumed) => return None,
            }
        };
        Some(self.emit_frame(out))
    }

    #[inline]
    fn clear_emitted(&mut self) {
        if self.line.is_emitted() {
            self.line.clear_emitted();
        }
        self.sequence.clear_emitted();
    }

    fn is_at_line_start(&self) -> bool {
        self.line.is_at_line_start()
            && self.pending_bytes.is_empty()
            && self.sequence.state == SequenceState::None
            && self.telnet == TelnetState::Text
            && self.position >= self.slow_until
    }

    /// Records that a prompt was received, which marks the line and may complete the login. Returns the control to emit.
    fn note_prompt(&mut self, kind: PromptKind) -> Control {
        self.line.set_marked();
        self.line.set_quote(self.line.quote().after_prompt());
        match kind {
            PromptKind::Command(family) => {
                self.log_in(family);
                Control::Prompt
            }
            PromptKind::Login => Control::LoginPrompt,
            PromptKind::Password => Control::PasswordPrompt,
        }
    }

    /// Records that the login is complete, and the family that completed it if the family was not known.
    fn log_in(&mut self, family: Family) {
        self.prompts.set_logged_in();
        if self.family == Family::Auto {
            self.family = family;
        }
    }

    /// Converts a pending frame to a frame that borrows its bytes, and marks them as emitted. A line may change prompts and wrapping, and a
    /// datagram may complete the login.
    fn emit_frame(&mut self, out: PendingFrame) -> Frame<'_> {
        let end = self.sequence.replayed_to().unwrap_or(self.position - self.pending_bytes.len() as u64);
        match out {
            PendingFrame::Control { control, offset } => {
                Frame { offset, end, bell: false, kind: FrameKind::Control(control) }
            }
            PendingFrame::BlockCut { id, at } => {
                let kind = FrameKind::Control(Control::BlockEnd { id, complete: false });
                Frame { offset: at, end: at, bell: false, kind }
            }
            PendingFrame::Line => self.line_frame(end),
            PendingFrame::Guest => {
                self.line.emit_prompt();
                let name = Handle::from_wire(guest_prompt(self.line.bytes()).unwrap_or_default());
                let kind = FrameKind::Control(Control::GuestPrompt(Arc::new(name)));
                Frame { offset: self.line.offset(true), end, bell: false, kind }
            }
            PendingFrame::Unit { kind, offset } => self.unit_frame(kind, offset, end),
        }
    }

    /// Returns the frame of the collected line. A line of the server may change the prompts and the wrapping of later lines.
    fn line_frame(&mut self, now: u64) -> Frame<'_> {
        self.line.emit_line();
        let (end, bell) = self.line.end_and_bell(now);
        if let Some(length) = self.line.whole_length() {
            let kind = FrameKind::OverLong { bytes: self.line.bytes(), length };
            return Frame { offset: self.line.offset(false), end, bell, kind };
        }
        let (tag, bytes) = self.line.split_at_tag();
        if tag == LineTag::None {
            apply_server_line(&mut self.prompts, &mut self.wrapping, bytes);
        }
        Frame { offset: self.line.offset(tag.is_written()), end, bell, kind: FrameKind::Line { tag, bytes } }
    }

    /// Returns the frame of a complete or broken unit; the datagram that reports the login completes it.
    fn unit_frame(&mut self, unit: UnitFrame, offset: u64, end: u64) -> Frame<'_> {
        self.sequence.set_emitted();
        if matches!(unit, UnitFrame::Datagram) && self.sequence.unit().starts_with(WHO_AM_I) {
            self.log_in(Family::Icc);
        }
        let (bytes, unit_bytes) = (&self.sequence.bytes[..], self.sequence.unit());
        let kind = match unit {
            UnitFrame::Datagram => FrameKind::Datagram { bytes: unit_bytes },
            UnitFrame::Start => match Level1Header::parse(unit_bytes) {
                Some(header) => FrameKind::Control(Control::UnitStart(Arc::new(header))),
                // A line like any other, so its limit applies; it may be smaller than that of a header.
                None => match unit_bytes.get(..self.limits.line_bytes) {
                    Some(kept) if kept.len() < unit_bytes.len() => {
                        FrameKind::OverLong { bytes: kept, length: unit_bytes.len() as u64 }
                    }
                    _ => FrameKind::Line { tag: LineTag::None, bytes: unit_bytes },
                },
            },
            UnitFrame::Broken if unit_bytes.len() >= self.limits.datagram_bytes => {
                FrameKind::OverLong { bytes, length: bytes.len() as u64 }
            }
            UnitFrame::Broken => FrameKind::Line { tag: LineTag::None, bytes },
        };
        Frame { offset, end, bell: false, kind }
    }
}

/// The level-2 unit with this login's name, sent once the login is complete, from its number on.
const WHO_AM_I: &[u8] = b"0 ";

/// Updates prompts and wrapping from a line of the server that changes the meaning of later bytes.
fn apply_server_line(prompts: &mut Prompts, wrapping: &mut Wrapping, line: &[u8]) {
    if !prompts.is_logged_in() {
        // FICS and its relatives announce the session with this line; ICC sends datagram 0 instead (transport rule P9).
        if line.starts_with(b"**** Starting ") && find(line, b" session as ").is_some() {
            prompts.set_logged_in();
        }
        // FatICS names itself in its greeting. Only before the login: later, a player may write the word.
        wrapping.keeps_blanks |= find(line, b"FatICS").is_some();
    }
    match line {
        b"nowrap set." => wrapping.enabled = false,
        b"nowrap unset." => wrapping.enabled = true,
        _ => {}
    }
}
