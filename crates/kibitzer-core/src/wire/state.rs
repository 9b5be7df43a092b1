//! The state on which the meaning of the next byte of a stream depends.

use super::options::{Encoding, Family, Timeseal};
use super::quote::Quote;
use crate::text::{Handle, ServerText};

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
