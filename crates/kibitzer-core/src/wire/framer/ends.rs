//! The end of a stream, and framers that start in the middle of one.

use super::bytes::StreamByte;
use super::{BlockPart, Framer, MAX_UNITS, OpenBlock, PendingFrame, SequenceFrame};
use crate::wire::StreamState;
use crate::wire::control::SequenceState;
use crate::wire::frame::{Control, Frame};
use crate::wire::telnet::{IAC, SUBNEGOTIATION, TelnetState};

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
