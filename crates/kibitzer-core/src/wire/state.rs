//! The state that the meaning of the next byte of a stream depends on.

use super::family::Family;
use super::options::Timeseal;
use super::quote::Quote;
use crate::text::Handle;

/// Everything, apart from the bytes themselves, that the meaning of the next byte depends on at the end of a frame:
/// the settings of the reader, and the facts that it found in the stream.
///
/// A reader that starts in the middle of a stream needs it; see [`EventReader::resume`](crate::EventReader::resume).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "five things a stream is or is not, none of which rules another out")]
pub struct StreamState {
    /// Family of the server. Default: not known.
    pub family: Family,
    /// Version of timeseal, whose pings are removed from the stream. Default: none.
    pub timeseal: Timeseal,
    /// The account's own prompt, its trailing blank included. Default empty: none is known.
    pub prompt: Vec<u8>,
    /// Whether the server breaks no lines. Default: it does.
    pub is_unwrapped: bool,
    /// Whether block mode is off, so that its marks are text. Default: it may be on.
    pub is_unblocked: bool,
    /// Whether the login is over, so that `login: ` and `password: ` are text. Default: it is not.
    pub is_logged_in: bool,
    /// Whether the server keeps the blank at which it breaks a line, as FatICS does. Default: false.
    pub keeps_blanks: bool,
    /// Number of the reply in block mode that has begun and not ended; `None` between replies.
    pub block: Option<u64>,
    /// Number of ICC level-1 units that have begun and not ended.
    pub n_units: u8,
    /// Whether a prompt or a mark was on the current line at the end of the last frame: if nothing follows, the line
    /// is not emitted.
    pub is_mid_line: bool,
    /// Whether the next line, if it is indented, is a player's. Default: it is not.
    pub(crate) quote: Quote,
    /// Name of this login; `None` if it is not known.
    pub me: Option<Handle>,
}

impl StreamState {
    /// Returns whether both states have the same family, timeseal, prompt, wrapping and block mode. The other fields are facts that a reader
    /// finds in the stream.
    pub fn has_same_settings(&self, other: &Self) -> bool {
        (self.family, self.timeseal, &self.prompt, self.is_unwrapped, self.is_unblocked)
            == (other.family, other.timeseal, &other.prompt, other.is_unwrapped, other.is_unblocked)
    }
}
