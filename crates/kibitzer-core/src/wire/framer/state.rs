//! The end of a stream, and framers that start in the middle of one: the state on which the meaning of the next byte depends.

use crate::text::{Handle, ServerText};
use crate::wire::control::{IAC, SUBNEGOTIATION, SequenceState, TelnetState};
use crate::wire::frame::{Control, Frame};
use crate::wire::framer::bytes::StreamByte;
use crate::wire::framer::{BlockPart, Framer, MAX_UNITS, OpenBlock, PendingFrame, SequenceFrame};
use crate::wire::options::{Encoding, Family, Timeseal};
use crate::wire::quote::Quote;

/// State of a reader after a frame, on which the meaning of the next byte depends: its settings, and what it has found in the
/// stream.
///
/// A reader that starts in the middle of a stream needs this state; see [`EventReader::resume`](crate::EventReader::resume).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "six things a stream is or is not, none of which rules another out")]
pub struct StreamState {
    /// Family of the server. Default: unknown.
    pub family: Family,
    /// Version of timeseal, which determines the form of pings. Default: off.
    pub timeseal: Timeseal,
    /// Character set of the server. Default: detected.
    pub encoding: Encoding,
    /// The account's custom prompt, including its trailing blank. Default: empty, which means that none is known.
    pub prompt: Vec<u8>,
    /// Whether the server does not wrap lines. Default: `false`.
    pub is_unwrapped: bool,
    /// Whether block mode is off, so that its marks are text. Default: `false`, as block mode may be on.
    pub is_unblocked: bool,
    /// Whether the login is complete, so that `login: ` and `password: ` are text. Default: `false`.
    pub is_logged_in: bool,
    /// Whether the server keeps the blank at which it wraps a line, as FatICS does. Default: `false`.
    pub keeps_blanks: bool,
    /// Whether the session is restoring the games of a lost connection, so that changes of observed games belong to that. Default:
    /// `false`.
    pub is_restoring: bool,
    /// Number of the open reply in block mode; `None` between replies.
    pub block: Option<u64>,
    /// Number of open ICC level-1 units.
    pub n_units: u8,
    /// Whether a prompt or a mark has been received on the current line. If nothing else follows on it, the line is not emitted.
    pub is_mid_line: bool,
    /// Whether the next line, if indented, is text of a player that the server quotes. Default: no.
    pub(crate) quote: Quote,
    /// Handle of this login; `None` if unknown.
    pub me: Option<Handle>,
    /// The players of the last challenge and the stored position that it names; `None` if it names none.
    pub(crate) loaded: Option<Box<([Handle; 2], ServerText)>>,
}

impl StreamState {
    /// Returns whether both states have the same family, timeseal version, encoding, prompt, wrapping, block mode and restoration. The other
    /// fields are not compared: a reader finds them in the stream.
    pub fn has_same_settings(&self, other: &Self) -> bool {
        let flags = |state: &Self| (state.is_unwrapped, state.is_unblocked, state.is_restoring);
        (self.family, self.timeseal, self.encoding, &self.prompt, flags(self))
            == (other.family, other.timeseal, other.encoding, &other.prompt, flags(other))
    }
}

impl Framer {
    /// Returns the next of the frames that are unfinished at the end of the stream, or `None` after the last one: telnet command,
    /// control sequence, line, then the ends of open blocks and units.
    pub fn finish(&mut self) -> Option<Frame<'_>> {
        self.clear_emitted();
        let out = self
            .finish_telnet()
            .or_else(|| self.finish_sequence())
            .or_else(|| self.line.has_line_to_emit().then_some(PendingFrame::Line))
            .or_else(|| self.cut_block(self.position))
            .or_else(|| self.end_unit(self.position))?;
        Some(self.emit_frame(out))
    }

    /// Ends an unfinished telnet command. Returns the part that was received as a frame; `None` if none is unfinished. A single
    /// IAC becomes text of the line, which is a frame only if it completes one.
    fn finish_telnet(&mut self) -> Option<PendingFrame> {
        let offset = self.telnet_start;
        match std::mem::take(&mut self.telnet) {
            TelnetState::Text => None,
            TelnetState::Command => self.process_byte(StreamByte { value: IAC, escaped: true, at: offset }),
            TelnetState::Option(command) => {
                Some(PendingFrame::Control { control: Control::Telnet { command, option: None }, offset })
            }
            TelnetState::Subnegotiation { option, .. } => {
                Some(PendingFrame::Control { control: Control::Telnet { command: SUBNEGOTIATION, option }, offset })
            }
        }
    }

    /// Ends an unfinished control sequence, whose bytes are text. Returns the next frame of that text; `None` once there is none.
    fn finish_sequence(&mut self) -> Option<PendingFrame> {
        if matches!(self.sequence.state, SequenceState::Datagram { .. }) {
            return self
                .end_sequence(Some(PendingFrame::Unit { kind: SequenceFrame::Broken, offset: self.sequence.start }));
        }
        loop {
            self.sequence.abort_to_text();
            let out = match self.pending_bytes.pop_front() {
                None if self.sequence.state == SequenceState::None => return None,
                Some(byte) if self.sequence.state == SequenceState::None => self.process_byte(byte),
                byte => {
                    self.pending_bytes.extend(byte);
                    self.replay_byte_as_text()
                }
            };
            if out.is_some() {
                return out;
            }
        }
    }

    /// Writes the settings of the framer, and what it has found in the stream, to `state`. The handle of the login is not
    /// changed.
    pub(crate) fn save_state(&self, state: &mut StreamState) {
        state.family = self.rules.family;
        state.is_unblocked = self.is_unblocked;
        state.timeseal = self.timeseal;
        state.encoding = self.encoding;
        state.prompt = self.rules.prompts.custom.to_vec();
        state.is_logged_in = self.rules.prompts.is_logged_in;
        state.is_unwrapped = self.rules.wrapping.is_unwrapped;
        state.keeps_blanks = self.rules.wrapping.keeps_blanks;
        state.block = self.block.map(|block| block.id);
        state.n_units = self.unit_depth;
        state.is_mid_line = self.line.had_inline_frame;
        state.quote = self.line.quote();
    }

    /// Sets all the state that another framer wrote by [`save_state`](Self::save_state) after a frame. The stream position is not
    /// part of it.
    pub(crate) fn resume(&mut self, state: &StreamState) {
        self.apply_settings(state);
        self.rules.prompts.is_logged_in |= state.is_logged_in;
        self.rules.wrapping.keeps_blanks = state.keeps_blanks;
        self.block =
            state.block.map(|id| OpenBlock { id, start: self.position, part: BlockPart::Reply, over_at: None });
        self.unit_depth = state.n_units.min(MAX_UNITS);
        if state.is_mid_line {
            self.line.record_inline_frame();
        }
        self.line.quote = state.quote;
    }

    /// Sets family, block mode, timeseal, prompt and wrapping from a state, and nothing else.
    pub(crate) fn apply_settings(&mut self, state: &StreamState) {
        self.rules.family = state.family;
        self.is_unblocked = state.is_unblocked;
        self.timeseal = state.timeseal;
        self.encoding = state.encoding;
        self.set_prompt(&state.prompt);
        self.rules.wrapping.is_unwrapped = state.is_unwrapped;
    }
}
