//! What a session that is run again is told of the time before.

use super::{Phase, Session};
use crate::session::fence::Fence;

/// For whoever runs a recorded session again: chance and the user decide as they did then.
impl Session {
    /// Tells of a line that will be sent, without its line end and not sealed. If it is a word that is drawn by chance, to
    /// tell where a reply ends, it is the next that is drawn, behind those told before. Returns whether it is one.
    ///
    /// Such a word is drawn no more than a moment before it is sent. One that was sent then and not yet drawn now should be
    /// [taken back](Self::take_back_word).
    pub fn foretell_word(&mut self, line: &[u8]) -> bool {
        let fence = Fence::of_line(line);
        if let Some(fence) = fence {
            self.random.foretell(fence);
        }
        fence.is_some()
    }

    /// The line was sent then. If it is a word that is drawn by chance, it will not be drawn any more. Returns whether it is
    /// one.
    pub fn take_back_word(&mut self, line: &[u8]) -> bool {
        let fence = Fence::of_line(line);
        if let Some(fence) = fence {
            self.random.take_back(fence);
        }
        fence.is_some()
    }

    /// Gives the next command this number, from 1 to 99, if it has one and the number is free; the next one follows it.
    pub fn count_from(&mut self, number: u64) {
        if let Phase::Live(live) = &mut self.phase {
            live.count_from(number);
        }
    }

    /// Gives the next command not the number it would have, but the one behind: another had that, which is not known.
    pub fn skip_number(&mut self) {
        if let Phase::Live(live) = &mut self.phase {
            live.skip_number();
        }
    }

    /// Does not wait any longer before it connects again.
    pub fn reconnect(&mut self) {
        if matches!(self.phase, Phase::Waiting { .. }) {
            self.dial();
        }
    }
}
