//! The framer: one state machine for all layers of the stream.
//!
//! A frame takes one of three paths; all of them emit the same frames. `line_start` (for the reader) finds prompts and
//! boards, `next_whole_line` borrows a complete line without control bytes, `process_next_bytes` processes everything else. Its
//! states are those of three layers: [`TelnetState`], [`ControlSequence`] and [`LineBuffer`].
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
mod state;
mod whole_line;

use std::collections::VecDeque;
use std::sync::Arc;

use self::bytes::{InputConsumed, StreamByte};
pub use self::state::StreamState;
pub(crate) use self::whole_line::FastFrame;
use self::whole_line::WholeLine;
use super::control::{ControlSequence, SequenceState, TelnetState};
use super::frame::{Control, Frame, FrameKind, Level1Header, LineTag};
use super::line::{LineBuffer, LineRules};
use super::options::{Encoding, Family, Limits, Timeseal};
use super::prompt::PromptKind;

/// Splits the byte stream of a server into [`Frame`]s.
///
/// Pass the bytes of a read to [`next_frame`](Self::next_frame) until it returns `None`; at the end of the stream call
/// [`finish`](Self::finish) until it returns `None` too. The frames depend on the bytes alone, not on the boundaries
/// of reads.
///
/// The bytes of a frame are borrowed from the input; only lines that are split between reads, or that contain control bytes, are
/// copied. [`Limits`] bound the memory of the framer.
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
    rules: LineRules,
    timeseal: Timeseal,
    pub(crate) encoding: Encoding,
    /// Whether block mode is off, so that its marks are text, except those around the complaint about an unnumbered line.
    is_unblocked: bool,
    /// Stream position of the next byte of input.
    pub(crate) position: u64,
    telnet: TelnetState,
    /// Position of the IAC that began the command in `telnet`.
    telnet_start: u64,
    sequence: ControlSequence,
    line: LineBuffer,
    block: Option<OpenBlock>,
    /// Number of nested ICC level-1 units that have started and not ended.
    unit_depth: u8,
    /// Whether end marks of units are missing: the server dropped output (control-Z), or the units are nested more deeply than on
    /// any server.
    lost_unit_ends: bool,
    /// Bytes that were consumed from the input, but have to be processed again, because a frame had to be emitted first.
    pending_bytes: VecDeque<StreamByte>,
    /// Stream position up to which the fast path cannot succeed: no line end was found before it, or there are control bytes.
    slow_until: u64,
}

/// A reply in block mode that has started and not ended.
#[derive(Clone, Copy, Debug)]
struct OpenBlock {
    /// Number of the reply.
    id: u64,
    /// Stream position of the start mark.
    start: u64,
    part: BlockPart,
    /// Stream position after the line with which the block exceeded its limit.
    over_at: Option<u64>,
}

/// The part of a block that the stream is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockPart {
    /// The reply to the command of the block.
    Reply,
    /// The output of a posed command, which an administrator executes for a player.
    Posed,
    /// The block of a posed command. Its marks are dropped, because its lines belong to the open block.
    PosedBlock,
}

/// Maximum number of nested units.
const MAX_UNITS: u8 = 3;

/// A frame that is complete and has to be emitted; its bytes are still in the buffers.
#[derive(Debug)]
enum PendingFrame {
    /// The line in the line buffer.
    Line,
    Control {
        control: Control,
        offset: u64,
    },
    /// The end of a block that the server did not end.
    BlockCut {
        id: u64,
        at: u64,
    },
    /// The bytes of the control sequence.
    Unit {
        kind: SequenceFrame,
        offset: u64,
    },
}

/// Kind of frame that the bytes of a [`ControlSequence`] become.
#[derive(Clone, Copy, Debug)]
enum SequenceFrame {
    /// A complete level-2 unit.
    Datagram,
    /// An unfinished level-2 unit, as text.
    Broken,
    /// The header of a level-1 unit.
    Start,
}

impl Framer {
    /// Creates a framer with the default limits, for a stream without timeseal.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.rules.limits = limits;
        self
    }

    /// Sets the version of timeseal, which determines the form of pings: they are emitted as [`Control::Ping`]. Default: off, so
    /// that pings are text.
    #[must_use]
    pub fn with_timeseal(self, timeseal: Timeseal) -> Self {
        Self { timeseal, ..self }
    }

    /// Sets the character set of the server. Default [`Encoding::Auto`]. Frames contain the received bytes in any case.
    #[must_use]
    pub fn with_encoding(self, encoding: Encoding) -> Self {
        Self { encoding, ..self }
    }

    /// Sets the version of timeseal, as [`with_timeseal`](Self::with_timeseal) does, from the next byte on. A server may turn out
    /// not to support it.
    pub(crate) const fn set_timeseal(&mut self, timeseal: Timeseal) {
        self.timeseal = timeseal;
    }

    /// Sets the account's custom prompt, which is recognized in addition to the usual ones.
    ///
    /// Adds the blank with which every prompt ends, if it is missing. An empty prompt, or one with control bytes, removes the
    /// custom prompt.
    pub fn set_prompt(&mut self, prompt: &[u8]) {
        self.rules.prompts.set_custom(prompt);
    }

    /// Disables the joining of wrapped lines, for a server that wraps none. The server's line `nowrap set.` does the same, and
    /// `nowrap unset.` enables it again.
    pub const fn disable_line_joining(&mut self) {
        self.rules.wrapping.is_unwrapped = true;
    }

    /// Sets the family of the server. Default: [`Family::Auto`], which the framer replaces once the login shows the family.
    ///
    /// Control-Y and control-Z are framing on ICC, and with `Auto` until the login is complete. Otherwise they are text.
    pub(crate) const fn set_family(&mut self, family: Family) {
        self.rules.family = family;
    }

    /// Returns the family of the server, as set or as shown by the login.
    pub const fn family(&self) -> Family {
        self.rules.family
    }

    /// Sets whether the marks of block mode are recognized. Default: `true`.
    ///
    /// With `false` they are text, except those around the server's complaint about a line without a number, which proves that
    /// block mode is on.
    pub const fn set_block_mode(&mut self, is_on: bool) {
        self.is_unblocked = !is_on;
    }

    /// Frees unused capacity of the buffers.
    pub(crate) fn shrink(&mut self) {
        self.line.text.shrink_to_fit();
        if self.sequence.state == SequenceState::None {
            self.sequence.bytes = Vec::new();
        }
        self.pending_bytes.shrink_to_fit();
    }

    /// Returns the stream position of the next byte of input.
    pub const fn position(&self) -> u64 {
        self.position
    }

    /// Returns the next frame and advances `input` past it.
    ///
    /// `None` means that all of `input` was consumed and more is needed.
    pub fn next_frame<'f, 'input: 'f>(&'f mut self, input: &mut &'input [u8]) -> Option<Frame<'f>> {
        self.clear_emitted();
        let out = loop {
            if let Some(out) = self.cut_block_over_limit() {
                break out;
            }
            if self.may_use_fast_path() {
                match self.next_whole_line(input) {
                    WholeLine::Frame(frame) => return Some(frame),
                    WholeLine::FrameOnlyLineEnded => continue,
                    WholeLine::NotWhole => {}
                }
            }
            match self.process_next_bytes(input) {
                Ok(Some(out)) => break out,
                Ok(None) => {}
                Err(InputConsumed) => return None,
            }
        };
        Some(self.emit_frame(out))
    }

    /// Discards the buffered bytes of the frame that was emitted last.
    #[inline]
    fn clear_emitted(&mut self) {
        if self.line.emitted.is_some() {
            self.line.clear_emitted();
        }
        self.sequence.clear_emitted();
    }

    /// Returns whether the next frame may be borrowed from the input: no frame is half received, and the next bytes are not known
    /// to need the slow path.
    fn may_use_fast_path(&self) -> bool {
        self.line.is_empty()
            && self.pending_bytes.is_empty()
            && self.sequence.state == SequenceState::None
            && self.telnet == TelnetState::Text
            && self.position >= self.slow_until
    }

    /// Records that a prompt was received: a command prompt completes the login. Returns the control to emit.
    fn record_prompt(&mut self, kind: PromptKind) -> Control {
        self.line.record_inline_frame();
        self.line.quote = self.line.quote().after_prompt();
        match kind {
            PromptKind::Command(family) => {
                self.complete_login(family);
                Control::Prompt
            }
            PromptKind::Login => Control::LoginPrompt,
            PromptKind::Password => Control::PasswordPrompt,
        }
    }

    /// Records that the login is complete; sets the family if it was unknown.
    fn complete_login(&mut self, family: Family) {
        self.rules.prompts.is_logged_in = true;
        if self.rules.family == Family::Auto {
            self.rules.family = family;
        }
    }

    /// Converts a pending frame to a frame that borrows its bytes, and marks these as emitted. A line may change prompts and
    /// wrapping, and a datagram may complete the login.
    fn emit_frame(&mut self, out: PendingFrame) -> Frame<'_> {
        let end = self.sequence.replay_position().unwrap_or(self.position - self.pending_bytes.len() as u64);
        match out {
            PendingFrame::Control { control, offset } => {
                Frame { offset, end, bell: false, kind: FrameKind::Control(control) }
            }
            PendingFrame::BlockCut { id, at } => {
                let kind = FrameKind::Control(Control::BlockEnd { id, complete: false });
                Frame { offset: at, end: at, bell: false, kind }
            }
            PendingFrame::Line => self.emit_line_frame(end),
            PendingFrame::Unit { kind, offset } => self.emit_unit_frame(kind, offset, end),
        }
    }

    /// Returns the collected line as a frame, and marks it as emitted. A line of the server may change prompts and wrapping.
    fn emit_line_frame(&mut self, position: u64) -> Frame<'_> {
        self.line.mark_emitted_as_line();
        let (end, bell) = self.line.end_and_bell(position);
        if let Some(length) = self.line.length_if_truncated() {
            let kind = FrameKind::OverLong { bytes: &self.line.text, length };
            return Frame { offset: self.line.offset(false), end, bell, kind };
        }
        let (tag, bytes) = self.line.split_at_tag();
        if tag == LineTag::None {
            self.rules.apply_server_line(bytes);
        }
        Frame { offset: self.line.offset(tag.is_literal()), end, bell, kind: FrameKind::Line { tag, bytes } }
    }

    /// Returns the bytes of the control sequence as a frame, and marks them as emitted. The datagram with this login's name
    /// completes the login.
    fn emit_unit_frame(&mut self, unit: SequenceFrame, offset: u64, end: u64) -> Frame<'_> {
        self.sequence.is_emitted = true;
        if matches!(unit, SequenceFrame::Datagram) && self.sequence.unit_body().starts_with(WHO_AM_I) {
            self.complete_login(Family::Icc);
        }
        let (bytes, unit_bytes) = (&self.sequence.bytes[..], self.sequence.unit_body());
        let kind = match unit {
            SequenceFrame::Datagram => FrameKind::Datagram { bytes: unit_bytes },
            SequenceFrame::Start => match Level1Header::parse(unit_bytes) {
                Some(header) => FrameKind::Control(Control::UnitStart(Arc::new(header))),
                // A line like any other, so its limit applies; it may be smaller than that of a header.
                None => match unit_bytes.get(..self.rules.limits.line_bytes) {
                    Some(kept) if kept.len() < unit_bytes.len() => {
                        FrameKind::OverLong { bytes: kept, length: unit_bytes.len() as u64 }
                    }
                    _ => FrameKind::Line { tag: LineTag::None, bytes: unit_bytes },
                },
            },
            SequenceFrame::Broken if unit_bytes.len() >= self.rules.limits.datagram_bytes => {
                FrameKind::OverLong { bytes, length: bytes.len() as u64 }
            }
            SequenceFrame::Broken => FrameKind::Line { tag: LineTag::None, bytes },
        };
        Frame { offset, end, bell: false, kind }
    }
}

/// Start of the level-2 unit with this login's name, which ICC sends once the login is complete.
const WHO_AM_I: &[u8] = b"0 ";
