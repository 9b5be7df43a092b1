//! A session: what to send and when, what came of it, and when to connect again.
//!
//! [`Session`] is the machine; it does no I/O and reads no clock. What it takes is in [`SessionOptions`], what it tells
//! are [`Event`](crate::Event)s and the [`Reply`] of each request.
//!
//! What a server understands is found out, not configured: the login string and version 2 of timeseal are tried where
//! they cannot do harm, block mode is used where a line without a number is refused, and where it is not, a command
//! that nobody knows is sent behind each command, so that its refusal shows where the reply ends.

mod adjourned;
mod backoff;
mod command;
mod context;
mod counters;
mod credentials;
mod fence;
mod ladder;
mod line_gate;
mod link;
mod live;
mod liveness;
mod login;
mod machine;
mod memory;
mod options;
mod pacing;
mod pending;
mod prompt;
mod random;
mod reply;
mod requests;
mod restore;
mod resync;
mod secret;
mod setting;
mod setup;
mod split;
mod style;
#[cfg(test)]
mod tests;
mod timeseal;
mod transmit;
mod units;

pub use adjourned::{AdjournedGames, AdjournedGamesError};
pub use command::Command;
pub use counters::Counters;
pub use credentials::{Credentials, Password};
pub use fence::fence_word;
pub use link::{Link, State};
pub use machine::Session;
pub use options::{Reconnect, RequestLimits, SessionOptions, Timings};
pub use reply::Reply;
pub use secret::{Secret, SecretDetector, SecretSource, hide_secrets, mask_text};
pub use split::split_text;
pub use timeseal::{TimesealChoice, TimesealError};
pub use transmit::{Transmit, TransmitKind};
