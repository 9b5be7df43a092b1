//! Control bytes inside the text: telnet commands, which are the lowest layer of the stream; terminal escapes, marks of block
//! mode, version 2 pings, ICC units.

use crate::scan::parse_decimal;

/// The byte that starts a telnet command (interpret as command).
pub(super) const IAC: u8 = 255;
/// The option timing mark: who is asked for it answers once everything before is processed. Source: RFC 860.
pub(crate) const TIMING_MARK: u8 = 6;
/// The request for a timing mark: IAC DO TIMING-MARK.
pub(crate) const TIMING_MARK_REQUEST: [u8; 3] = [IAC, 253, TIMING_MARK];
const SE: u8 = 240;
/// The command byte of a subnegotiation.
pub(super) const SUBNEGOTIATION: u8 = 250;
/// The lowest command byte (end of file, RFC 1184).
const FIRST_COMMAND: u8 = 236;
/// Maximum length of a subnegotiation, in bytes. No known server sends one.
const SUBNEGOTIATION_LIMIT: u16 = 1024;

/// State of the telnet layer: the part of a command that has been received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TelnetState {
    /// Outside of commands.
    #[default]
    Text,
    /// After IAC.
    Command,
    /// After IAC and this command byte, which an option byte follows.
    Option(u8),
    /// Inside a subnegotiation: its option once received, number of bytes so far, and whether the last one was IAC.
    Subnegotiation { option: Option<u8>, bytes: u16, iac: bool },
}

/// The effect of one byte on the telnet layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TelnetStep {
    /// The byte belongs to a command that is not complete.
    Pending,
    /// A byte of text.
    Text(u8),
    /// A doubled IAC: the byte 255, as text.
    Escaped,
    /// The IAC before the byte began no command, so it is text. The byte itself was not consumed and has to be processed again.
    NotACommand,
    /// A complete command.
    Done { command: u8, option: Option<u8> },
}

impl TelnetState {
    /// Processes one byte, and returns its effect. A subnegotiation that reaches its limit is complete.
    pub(super) fn process(&mut self, byte: u8) -> TelnetStep {
        match (*self, byte) {
            (Self::Text, IAC) => self.enter(Self::Command),
            (Self::Text, _) => TelnetStep::Text(byte),
            (Self::Command, IAC) => self.finish(TelnetStep::Escaped),
            (Self::Command, 251..=254) => self.enter(Self::Option(byte)),
            (Self::Command, SUBNEGOTIATION) => self.enter(Self::Subnegotiation { option: None, bytes: 0, iac: false }),
            (Self::Command, FIRST_COMMAND..=249) => self.finish(TelnetStep::Done { command: byte, option: None }),
            (Self::Command, _) => self.finish(TelnetStep::NotACommand),
            (Self::Option(command), option) => self.finish(TelnetStep::Done { command, option: Some(option) }),
            (Self::Subnegotiation { option, bytes, iac }, _) => {
                // Without a limit, a stray SB would swallow the rest of the stream.
                if (iac && byte == SE) || bytes == SUBNEGOTIATION_LIMIT {
                    return self.finish(TelnetStep::Done { command: SUBNEGOTIATION, option });
                }
                let option = option.or((byte != IAC).then_some(byte));
                self.enter(Self::Subnegotiation { option, bytes: bytes + 1, iac: byte == IAC && !iac })
            }
        }
    }

    /// Sets the state to `next`, inside a command that is not complete, and returns [`TelnetStep::Pending`].
    fn enter(&mut self, next: Self) -> TelnetStep {
        *self = next;
        TelnetStep::Pending
    }

    /// Sets the state to [`Text`](Self::Text), because a command has ended, and returns `step`.
    fn finish(&mut self, step: TelnetStep) -> TelnetStep {
        *self = Self::Text;
        step
    }
}

/// Returns the name of a telnet command byte in lower case, such as `will`; `None` for a byte below 236, and for 255.
pub(crate) fn telnet_command_name(command: u8) -> Option<&'static str> {
    const NAMES: [&str; 19] = [
        "eof", "susp", "abort", "eor", "se", "nop", "dm", "brk", "ip", "ao", "ayt", "ec", "el", "ga", "sb", "will",
        "wont", "do", "dont",
    ];
    NAMES.get(usize::from(command.checked_sub(FIRST_COMMAND)?)).copied()
}

// Block mode: start, separator and end of the marks; start of a posed command, which an administrator executes for a player.
pub(super) const BLOCK_START: u8 = 0x15;
pub(super) const BLOCK_SEPARATOR: u8 = 0x16;
pub(super) const BLOCK_END: u8 = 0x17;
pub(super) const POSE_START: u8 = 0x18;
/// Control-Y starts every mark of ICC's framing. In block mode it ends the output of a posed command.
pub(super) const CONTROL_Y: u8 = 0x19;
pub(super) const CONTROL_Z: u8 = 0x1A;
pub(super) const ESCAPE: u8 = 0x1B;
/// A ping of timeseal version 2, which may be anywhere in the stream.
pub(super) const V2_PING: &[u8; 4] = b"[G]\0";

/// Maximum length of a terminal escape, in bytes; a longer one is text.
const CSI_LIMIT: usize = 32;
/// Maximum number of digits of a block's number; FICS recommends one, FatICS echoes twelve.
const ID_DIGITS: usize = 18;
/// Maximum number of digits of a block's code.
const CODE_DIGITS: usize = 9;
/// Maximum length of a level-1 header, in bytes: a number, a name and a tag of up to 99 characters.
const UNIT_HEADER_LIMIT: usize = 256;

/// The control sequence that is being received: its state, and the bytes received so far.
#[derive(Clone, Debug, Default)]
pub(super) struct ControlSequence {
    pub(super) state: SequenceState,
    pub(super) bytes: Vec<u8>,
    /// Stream position of its first byte.
    pub(super) start: u64,
    /// Stream position of the last control-Y inside the sequence. Telnet commands may come between it and its bracket.
    pub(super) control_y_at: u64,
    /// Whether the bytes were emitted in a frame, so that [`clear_emitted`](Self::clear_emitted) removes them.
    pub(super) is_emitted: bool,
}

/// Kind of a control sequence, and the part of it that has been received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SequenceState {
    /// None: the stream is not inside a sequence.
    #[default]
    None,
    /// ESC.
    Escape,
    /// ESC `[` and parameters.
    Csi,
    /// A prefix of [`V2_PING`].
    Ping,
    /// 0x15, and digits of the reply's number.
    BlockId,
    /// 0x15, the reply's number, 0x16, and digits of the code, which start at this index of the bytes.
    BlockCode(usize),
    /// Control-Y.
    ControlY,
    /// `^Y(` and bytes of a level-2 unit. `quoted`: the stream is between `^Y{` and `^Y}`. `control_y`: the last byte was a
    /// control-Y.
    Datagram { quoted: bool, control_y: bool },
    /// `^Y[` and bytes of the header of a level-1 unit.
    Level1Header,
    /// An aborted sequence. Its bytes before this index were processed again as text, the others have yet to be.
    Text(usize),
}

/// The effect of one byte on a control sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SequenceStep {
    /// The byte belongs to the sequence, which is not complete.
    Pending,
    /// The sequence is complete and is ignored.
    Dropped,
    /// The bytes so far are not a sequence, but text. The last byte was not consumed and has to be processed again.
    NotASequence,
    /// A complete version 2 ping.
    Ping,
    /// A complete start mark of block mode.
    BlockStart { id: u64, code: u32 },
    /// A complete level-2 unit.
    Datagram,
    /// A complete header of a level-1 unit.
    UnitStart,
    /// The end mark of a level-1 unit.
    UnitEnd,
    /// A level-2 unit that cannot be completed and has to be emitted as text. The last byte was not consumed and has to be
    /// processed again; with `restart`, as the first byte of a new unit.
    BrokenDatagram { restart: bool },
}

impl ControlSequence {
    /// Starts a sequence at the stream position `at`; `first` is stored as its first byte.
    pub(super) fn begin(&mut self, state: SequenceState, first: Option<u8>, at: u64) {
        self.state = state;
        self.start = at;
        self.bytes.clear();
        self.bytes.extend(first);
    }

    /// Clears the bytes if they were marked as emitted.
    pub(super) fn clear_emitted(&mut self) {
        if std::mem::take(&mut self.is_emitted) {
            self.bytes.clear();
        }
    }

    /// Aborts the sequence: its bytes have to be processed again as text, except for a control byte that began a mark.
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

    /// Returns the bytes after the opening bracket of an ICC unit.
    pub(super) fn unit_body(&self) -> &[u8] {
        self.bytes.get(1..).unwrap_or_default()
    }

    /// Returns the stream position of the next byte of an aborted sequence that has to be processed as text; `None` if no
    /// sequence was aborted.
    pub(super) fn replay_position(&self) -> Option<u64> {
        match self.state {
            SequenceState::Text(index) => Some(self.start + index as u64),
            _ => None,
        }
    }

    /// Stores the bytes at the start of `input` that belong to a level-2 unit and have no special meaning, up to the limit;
    /// returns their number. Outside of such a unit, stores none.
    pub(super) fn collect_plain_bytes(&mut self, input: &[u8], datagram_limit: usize) -> usize {
        let SequenceState::Datagram { control_y: false, .. } = self.state else { return 0 };
        let room = datagram_limit.saturating_sub(self.unit_body().len());
        let input = input.get(..room).unwrap_or(input);
        let end = memchr::memchr3(CONTROL_Y, CONTROL_Z, IAC, input).unwrap_or(input.len());
        self.bytes.extend_from_slice(input.get(..end).unwrap_or_default());
        end
    }

    /// Processes the next byte of the sequence. For any result except `Pending`, the caller has to set the next state.
    pub(super) fn process(&mut self, byte: u8, datagram_limit: usize) -> SequenceStep {
        match self.state {
            SequenceState::Escape if byte == b'[' => self.collect(byte, SequenceState::Csi),
            SequenceState::None | SequenceState::Text(_) | SequenceState::Escape => SequenceStep::NotASequence,
            SequenceState::Csi => self.process_csi_byte(byte),
            SequenceState::Ping => self.process_ping_byte(byte),
            SequenceState::BlockId => self.process_block_id_byte(byte),
            SequenceState::BlockCode(code_at) => self.process_block_code_byte(byte, code_at),
            SequenceState::ControlY => self.process_byte_after_control_y(byte),
            SequenceState::Datagram { quoted, control_y } => {
                self.process_datagram_byte(byte, quoted, control_y, datagram_limit)
            }
            SequenceState::Level1Header => self.process_unit_header_byte(byte),
        }
    }

    /// Stores the byte and sets the next state. Returns [`SequenceStep::Pending`].
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

    /// Processes a byte of the reply's number in a start mark of block mode.
    fn process_block_id_byte(&mut self, byte: u8) -> SequenceStep {
        match byte {
            b'0'..=b'9' if self.bytes.len() < ID_DIGITS => self.collect(byte, SequenceState::BlockId),
            BLOCK_SEPARATOR if !self.bytes.is_empty() => {
                self.state = SequenceState::BlockCode(self.bytes.len());
                SequenceStep::Pending
            }
            _ => SequenceStep::NotASequence,
        }
    }

    /// Processes a byte of the command's code in a start mark of block mode. The code starts at the index `code_at`.
    fn process_block_code_byte(&mut self, byte: u8, code_at: usize) -> SequenceStep {
        let digits = self.bytes.len() - code_at;
        match byte {
            b'0'..=b'9' if digits < CODE_DIGITS => self.collect(byte, SequenceState::BlockCode(code_at)),
            BLOCK_SEPARATOR if digits > 0 => {
                self.block_start_from_collected_digits(code_at).unwrap_or(SequenceStep::NotASequence)
            }
            _ => SequenceStep::NotASequence,
        }
    }

    /// Returns the start of a block whose start mark is complete: the collected digits are those of the number and, from
    /// `code_at` on, those of the code. `None` if the code exceeds `u32`.
    fn block_start_from_collected_digits(&self, code_at: usize) -> Option<SequenceStep> {
        let (id, code) = self.bytes.split_at_checked(code_at)?;
        let code = u32::try_from(parse_decimal(code)?).ok()?;
        Some(SequenceStep::BlockStart { id: parse_decimal(id)?, code })
    }

    /// Processes the byte after control-Y, which determines the kind of ICC mark.
    fn process_byte_after_control_y(&mut self, byte: u8) -> SequenceStep {
        match byte {
            b'(' => self.collect(byte, SequenceState::Datagram { quoted: false, control_y: false }),
            b'[' => self.collect(byte, SequenceState::Level1Header),
            b']' => SequenceStep::UnitEnd,
            b')' | b'{' | b'}' | b'<' | b'>' => SequenceStep::Dropped,
            _ => SequenceStep::NotASequence,
        }
    }

    /// Processes a byte of a level-2 unit, which is broken once it has `limit` bytes. `quoted`: the byte is inside `^Y{` and
    /// `^Y}`. `control_y`: the byte before it was a control-Y.
    fn process_datagram_byte(&mut self, byte: u8, quoted: bool, control_y: bool, limit: usize) -> SequenceStep {
        if byte == CONTROL_Z || self.unit_body().len() >= limit {
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

    /// Processes a byte of the header of a level-1 unit, which ends with its line.
    fn process_unit_header_byte(&mut self, byte: u8) -> SequenceStep {
        match byte {
            b'\n' => SequenceStep::UnitStart,
            b'\r' => SequenceStep::Pending,
            // A header that a server would not send: its bytes go out as text.
            _ if byte < b' ' || self.unit_body().len() >= UNIT_HEADER_LIMIT => SequenceStep::NotASequence,
            _ => self.collect(byte, SequenceState::Level1Header),
        }
    }
}

#[cfg(test)]
mod tests;
