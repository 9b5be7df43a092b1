//! Bytes to frames: telnet, timeseal pings, lines, prompts, wrapped lines, block mode, ICC units.
//!
//! [`Framer`] is the state machine for all of them. A [`Frame`] consists of its kind and its borrowed bytes, which the module
//! [`message`](crate::message) parses.

mod control;
mod fence;
mod frame;
mod framer;
mod line;
mod options;
mod prompt;
mod quote;
mod seal;
#[cfg(test)]
mod tests;
mod wrap;

pub(crate) use control::{TIMING_MARK, TIMING_MARK_REQUEST, telnet_command_name};
pub(crate) use fence::Fence;
pub use frame::{CommandCode, Control, Frame, FrameKind, Level1Header, LineTag};
pub(crate) use framer::FastFrame;
pub use framer::{Framer, StreamState};
pub use options::{Encoding, Family, Limits, Timeseal};
pub(crate) use quote::sender_in_heading;
pub use seal::{Unsealed, seal_hello, seal_line, seal_ping_answer, unseal};
