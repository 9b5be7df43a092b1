//! The end of a stream, and a framer that starts in the middle of one.

use super::bytes::Byte;
use super::{Block, Framer, MAX_UNITS, PendingFrame, UnitFrame};
use crate::wire::StreamState;
use crate::wire::control::SequenceState;
use crate::wire::frame::{Control, Frame};
use crate::wire::telnet::{IAC, SUBNEGOTIATION, TelnetState};

impl Framer {
    /// Returns the next frame of the bytes that are left at the end of the stream: unfinished lines, then an
    /// unfinished block.
    pub fn finish(&mut self) -> Option<Frame<'_>> {
        self.clear_emitted();
        let out = self.finish_telnet().or_else(|| self.finish_sequence()).or_else(|| self.finish_line())?;
        Some(self.emit_frame(out))
    }

    /// Emits an unfinished telnet command at the end of the stream, as far as it is known.
    fn finish_telnet(&mut self) -> Option<PendingFrame> {
        let offset = self.telnet_start;
        match std::mem::take(&mut self.telnet) {
            TelnetState::Text => None,
            TelnetState::Command => self.process_byte(Byte { value: IAC, escaped: true, at: offset }),
            TelnetState::Option(command) => {
                Some(PendingFrame::Control { control: Control::Telnet { command, option: None }, offset })
            }
            TelnetState::Subnegotiation { option, .. } => {
                Some(PendingFrame::Control { control: Control::Telnet { command: SUBNEGOTIATION, option }, offset })
            }
        }
    }

    /// Emits the bytes of an unfinished sequence as text.
    fn finish_sequence(&mut self) -> Option<PendingFrame> {
        if matches!(self.sequence.state, SequenceState::Datagram { .. }) {
            return self
                .end_sequence(Some(PendingFrame::Unit { kind: UnitFrame::Broken, offset: self.sequence.start }));
        }
        loop {
            self.sequence.abort_to_text();
            let out = match self.pending_bytes.pop_front() {
                None if self.sequence.state == SequenceState::None => return None,
                Some(byte) if self.sequence.state == SequenceState::None => self.process_byte(byte),
                byte => {
                    self.pending_bytes.extend(byte);
                    self.replay()
                }
            };
            if out.is_some() {
                return out;
            }
        }
    }

    /// Emits the collected line at the end of the stream, if there is one.
    fn finish_line(&mut self) -> Option<PendingFrame> {
        if self.line.has_content() {
            return Some(PendingFrame::Line);
        }
        self.cut_block(self.position).or_else(|| self.end_unit(self.position))
    }

    /// Stores the settings and the facts found in the stream in `state`. Does not change the name of the login.
    pub(crate) fn save_state(&self, state: &mut StreamState) {
        state.family = self.family;
        state.is_unblocked = self.is_unblocked;
        state.timeseal = self.timeseal;
        state.prompt = self.prompts.custom().to_vec();
        state.is_logged_in = self.prompts.is_logged_in();
        state.is_unwrapped = !self.wrapping.enabled;
        state.keeps_blanks = self.wrapping.keeps_blanks;
        state.block = self.block.map(|block| block.id);
        state.n_units = self.units.depth;
        state.is_mid_line = self.line.was_marked();
        state.quote = self.line.quote();
    }

    /// Sets the framer to the state of another one at the end of a frame.
    pub(crate) fn resume(&mut self, state: &StreamState) {
        self.apply_settings(state);
        if state.is_logged_in {
            self.prompts.set_logged_in();
        }
        self.wrapping.keeps_blanks = state.keeps_blanks;
        self.block = state.block.map(|id| Block { id, start: self.position, posed: false, over_at: None });
        self.units.depth = state.n_units.min(MAX_UNITS);
        if state.is_mid_line {
            self.line.set_marked();
        }
        self.line.set_quote(state.quote);
    }

    /// Applies the family, block mode, timeseal, prompt and wrapping of a state, but not its position in the stream.
    pub(crate) fn apply_settings(&mut self, state: &StreamState) {
        self.family = state.family;
        self.is_unblocked = state.is_unblocked;
        self.timeseal = state.timeseal;
        self.set_prompt(&state.prompt);
        self.wrapping.enabled = !state.is_unwrapped;
    }
}
