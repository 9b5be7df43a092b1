//! Sequences of control bytes inside the text: terminal escapes, block mode, version 2 pings, ICC units.

use super::telnet::IAC;
use crate::scan::parse_decimal;

/// Block mode: start, separator, end, and the brackets of a command an administrator has posed.
pub(super) const BLOCK_START: u8 = 0x15;
pub(super) const BLOCK_SEPARATOR: u8 = 0x16;
pub(super) const BLOCK_END: u8 = 0x17;
pub(super) const POSE_START: u8 = 0x18;
/// Control-Y starts every mark of ICC's framing; in block mode it ends posed output.
pub(super) const CONTROL_Y: u8 = 0x19;
pub(super) const CONTROL_Z: u8 = 0x1A;
pub(super) const ESCAPE: u8 = 0x1B;
/// Version 2 of timeseal pings with these bytes, anywhere in the stream.
pub(super) const V2_PING: &[u8; 4] = b"[G]\0";

/// Most parameter bytes of a terminal escape; a longer one is text.
const CSI_LIMIT: usize = 32;
/// Digits of a block's number; FICS advises one, FatICS echoes twelve.
const ID_DIGITS: usize = 18;
const CODE_DIGITS: usize = 9;
/// Bytes of a level-1 header: a number, a name and a tag of up to 99 characters.
const UNIT_HEADER_LIMIT: usize = 256;

/// The sequence of control bytes that is being received, with its bytes so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequence {
    pub(super) state: SequenceState,
    pub(super) bytes: Vec<u8>,
    /// Position of its first byte.
    pub(super) start: u64,
    /// Position of the last control-Y inside the sequence. Telnet commands may come between it and its bracket.
    pub(super) control_y_at: u64,
    is_emitted: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SequenceState {
    /// Outside of any sequence.
    #[default]
    None,
    /// ESC.
    Escape,
    /// ESC `[` and parameters.
    Csi,
    /// A prefix of [`V2_PING`].
    Ping,
    /// 0x15, and digits of the number.
    BlockId,
    /// 0x15, the number, 0x16, and digits of the code from this index on.
    BlockCode(usize),
    /// Control-Y.
    ControlY,
    /// `^Y(`: inside a level-2 unit.
    Datagram { quoted: bool, control_y: bool },
    /// `^Y[`: inside the first line of a level-1 unit.
    Level1Header,
    /// It was no sequence: its bytes from this index on are text.
    Text(usize),
}

/// The effect of one byte inside a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SequenceStep {
    /// Part of the sequence.
    Pending,
    /// The sequence is over and means nothing to the text: it is dropped.
    Dropped,
    /// The bytes so far are not a sequence; the byte has to be processed again.
    NotASequence,
    /// A whole sequence.
    Ping,
    BlockStart {
        id: u64,
        code: u32,
    },
    Datagram,
    UnitStart,
    UnitEnd,
    /// An unfinished level-2 unit has to be emitted as text; then the byte has to be processed again. `restart`: it
    /// begins a new unit.
    BrokenDatagram {
        restart: bool,
    },
}

impl Sequence {
    pub(super) fn begin(&mut self, state: SequenceState, first: Option<u8>, at: u64) {
        self.state = state;
        self.start = at;
        self.bytes.clear();
        self.bytes.extend(first);
    }

    /// Releases unused memory; keeps the bytes of an unfinished sequence.
    pub(super) fn shrink(&mut self) {
        if self.state == SequenceState::None {
            self.bytes = Vec::new();
        }
    }

    /// Discards the stored bytes if they were emitted as a unit; otherwise does nothing.
    pub(super) fn clear_emitted(&mut self) {
        if std::mem::take(&mut self.is_emitted) {
            self.bytes.clear();
        }
    }

    /// Marks `bytes` as emitted.
    pub(super) const fn set_emitted(&mut self) {
        self.is_emitted = true;
    }

    /// Aborts a sequence: the bytes collected so far are text, except for the control bytes that began it.
    pub(super) fn abort_to_text(&mut self) {
        self.start += match self.state {
            SequenceState::None | SequenceState::Text(_) => return,
            SequenceState::Escape | SequenceState::Csi | SequenceState::Ping => 0,
            SequenceState::BlockId
            | SequenceState::BlockCode(_)
            | SequenceState::ControlY
            | SequenceState::Datagram { .. }
            | SequenceState::Level1Header => 1,
        };
        self.state = if self.bytes.is_empty() { SequenceState::None } else { SequenceState::Text(0) };
    }

    /// Returns the bytes after the opening bracket of a unit.
    pub(super) fn unit(&self) -> &[u8] {
        self.bytes.get(1..).unwrap_or_default()
    }

    /// Returns the stream position after the last byte of an aborted sequence that was processed as text; `None` if no sequence was
    /// aborted.
    pub(super) fn replayed_to(&self) -> Option<u64> {
        match self.state {
            SequenceState::Text(index) => Some(self.start + index as u64),
            _ => None,
        }
    }

    /// Consumes the bytes of a level-2 unit that have no special meaning, up to the limit; returns their number.
    pub(super) fn plain_run(&mut self, input: &[u8], datagram_limit: usize) -> usize {
        let SequenceState::Datagram { control_y: false, .. } = self.state else {
            return 0;
        };
        let room = datagram_limit.saturating_sub(self.unit().len());
        let input = input.get(..room).unwrap_or(input);
        let end = memchr::memchr3(CONTROL_Y, CONTROL_Z, IAC, input).unwrap_or(input.len());
        self.bytes.extend_from_slice(input.get(..end).unwrap_or_default());
        end
    }

    /// Processes the next byte. For any result except `Pending`, the caller sets the next state.
    pub(super) fn process(&mut self, byte: u8, datagram_limit: usize) -> SequenceStep {
        match self.state {
            SequenceState::Escape if byte == b'[' => self.collect(byte, SequenceState::Csi),
            SequenceState::None | SequenceState::Text(_) | SequenceState::Escape => SequenceStep::NotASequence,
            SequenceState::Csi => self.process_csi_byte(byte),
            SequenceState::Ping => self.process_ping_byte(byte),
            SequenceState::BlockId => self.block_id(byte),
            SequenceState::BlockCode(from) => self.block_code(byte, from),
            SequenceState::ControlY => self.control_y(byte),
            SequenceState::Datagram { quoted, control_y } => self.datagram(byte, quoted, control_y, datagram_limit),
            SequenceState::Level1Header => self.unit_header(byte),
        }
    }

    fn collect(&mut self, byte: u8, next: SequenceState) -> SequenceStep {
        self.bytes.push(byte);
        self.state = next;
        SequenceStep::Pending
    }

    /// Processes a byte of a terminal escape sequence.
    fn process_csi_byte(&mut self, byte: u8) -> SequenceStep {
        match byte {
            0x20..=0x3F if self.bytes.len() < CSI_LIMIT => self.collect(byte, SequenceState::Csi),
            0x40..=0x7E => SequenceStep::Dropped,
            _ => SequenceStep::NotASequence,
        }
    }

    /// Processes a byte of a timeseal ping.
    fn process_ping_byte(&mut self, byte: u8) -> SequenceStep {
        match V2_PING.get(self.bytes.len()) {
            Some(&0) if byte == 0 => SequenceStep::Ping,
            Some(&want) if byte == want => self.collect(byte, SequenceState::Ping),
            _ => SequenceStep::NotASequence,
        }
    }

    /// Processes a byte of the command's number in a start mark of block mode.
    fn block_id(&mut self, byte: u8) -> SequenceStep {
        match byte {
            b'0'..=b'9' if self.bytes.len() < ID_DIGITS => self.collect(byte, SequenceState::BlockId),
            BLOCK_SEPARATOR if !self.bytes.is_empty() => {
                self.state = SequenceState::BlockCode(self.bytes.len());
                SequenceStep::Pending
            }
            _ => SequenceStep::NotASequence,
        }
    }

    /// Processes a byte of the command's code in a start mark of block mode.
    fn block_code(&mut self, byte: u8, from: usize) -> SequenceStep {
        let digits = self.bytes.len() - from;
        match byte {
            b'0'..=b'9' if digits < CODE_DIGITS => self.collect(byte, SequenceState::BlockCode(from)),
            BLOCK_SEPARATOR if digits > 0 => self.block_numbers(from).unwrap_or(SequenceStep::NotASequence),
            _ => SequenceStep::NotASequence,
        }
    }

    fn block_numbers(&self, from: usize) -> Option<SequenceStep> {
        let (id, code) = self.bytes.split_at_checked(from)?;
        let code = u32::try_from(parse_decimal(code)?).ok()?;
        Some(SequenceStep::BlockStart { id: parse_decimal(id)?, code })
    }

    /// Processes the byte after control-Y, which decides on the kind of an ICC mark.
    fn control_y(&mut self, byte: u8) -> SequenceStep {
        match byte {
            b'(' => self.collect(byte, SequenceState::Datagram { quoted: false, control_y: false }),
            b'[' => self.collect(byte, SequenceState::Level1Header),
            b']' => SequenceStep::UnitEnd,
            b')' | b'{' | b'}' | b'<' | b'>' => SequenceStep::Dropped,
            _ => SequenceStep::NotASequence,
        }
    }

    /// Processes a byte of a level-2 unit, up to `limit` bytes.
    fn datagram(&mut self, byte: u8, quoted: bool, control_y: bool, limit: usize) -> SequenceStep {
        if byte == CONTROL_Z || self.unit().len() >= limit {
            return SequenceStep::BrokenDatagram { restart: false };
        }
        // `^Y)` and `^Y(` inside a quotation are text of a player: only `^Y}` ends it.
        let quoted = match (control_y, byte) {
            (true, b')') if !quoted => {
                self.bytes.pop();
                return SequenceStep::Datagram;
            }
            (true, b'(') if !quoted => {
                self.bytes.pop();
                return SequenceStep::BrokenDatagram { restart: true };
            }
            (true, b'{') => true,
            (true, b'}') => false,
            _ => quoted,
        };
        self.collect(byte, SequenceState::Datagram { quoted, control_y: byte == CONTROL_Y })
    }

    /// Processes a byte of the first line of a level-1 unit.
    fn unit_header(&mut self, byte: u8) -> SequenceStep {
        match byte {
            b'\n' => SequenceStep::UnitStart,
            b'\r' => SequenceStep::Pending,
            // A header that a server would not send: its bytes go out as text.
            _ if byte < b' ' || self.unit().len() >= UNIT_HEADER_LIMIT => SequenceStep::NotASequence,
            _ => self.collect(byte, SequenceState::Level1Header),
        }
    }
}
