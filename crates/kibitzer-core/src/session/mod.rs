//! A session: what to send and when, what came of it, and when to connect again.
//!
//! [`Session`] is the machine; it does no I/O and reads no clock. What it takes is in [`SessionOptions`], what it tells
//! are [`Event`](crate::Event)s and the [`Reply`] of each request.
//!
//! What a server understands is found out, not configured: the login string and version 2 of timeseal are tried where
//! they cannot do harm, block mode is used where a line without a number is refused, and where it is not, a command
//! that nobody knows is sent behind each command, so that its refusal shows where the reply ends.

mod command;
mod context;
mod dialect;
mod fence;
mod live;
mod login;
mod machine;
mod options;
mod recovery;
mod reply;
mod requests;
mod secret;
#[cfg(test)]
mod tests;
mod transmit;

pub use command::Command;
pub use fence::fence_word;
pub use machine::Session;
pub use machine::state::{Counters, Link, State};
pub use options::choices::{AdjournedGames, TimesealChoice};
pub use options::credentials::{Credentials, Password};
pub use options::{Reconnect, RequestLimits, SessionOptions, Timings};
pub use reply::Reply;
pub use requests::split::split_text;
pub use secret::{Secret, SecretDetector, SecretSource, hide_secrets, mask_text};
pub use transmit::{Transmit, TransmitKind};
