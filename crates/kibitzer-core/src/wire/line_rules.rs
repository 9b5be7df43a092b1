//! Settings and facts of the stream on which the interpretation of a line depends.

use super::options::{Family, Limits};
use super::prompt::Prompts;
use super::wrap::Wrapping;
use crate::scan::find;

/// Limits, prompts, wrapping and family of a stream: as configured, and as found in it.
#[derive(Clone, Debug, Default)]
pub(super) struct LineRules {
    pub(super) limits: Limits,
    pub(super) prompts: Prompts,
    pub(super) wrapping: Wrapping,
    /// Family of the server, which decides which control bytes are framing. `Auto` until it is set or the login shows it.
    pub(super) family: Family,
}

impl LineRules {
    /// Returns whether the server sends a prompt after all output, so that a line can be held until the bytes after it arrive.
    /// `false` before the login, and on ICC, where sessions switch the prompt off.
    pub(super) fn prompt_follows_output(&self) -> bool {
        self.prompts.is_logged_in && self.family != Family::Icc
    }

    /// Updates prompts and wrapping from a line of the server: the end of the login, FatICS's greeting, or `nowrap`. Other lines
    /// change nothing.
    pub(super) fn apply_server_line(&mut self, line: &[u8]) {
        if !self.prompts.is_logged_in {
            // FICS and its relatives announce the session with this line; ICC sends datagram 0 instead (transport rule P9).
            if line.starts_with(b"**** Starting ") && find(line, b" session as ").is_some() {
                self.prompts.is_logged_in = true;
            }
            // FatICS names itself in its greeting. Only before the login: later, a player may write the word.
            self.wrapping.keeps_blanks |= find(line, b"FatICS").is_some();
        }
        match line {
            b"nowrap set." => self.wrapping.is_unwrapped = true,
            b"nowrap unset." => self.wrapping.is_unwrapped = false,
            _ => {}
        }
    }
}
