//! A framer that begins in the middle of a stream.

use super::{Block, Framer, MAX_UNITS};
use crate::wire::StreamState;

impl Framer {
    /// Copies the settings and the facts found in the stream.
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

    /// Goes on where a frame has just ended in a stream of which this is known.
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
