//! Sessions: the state machine that decides what to send and when, and when to connect again.
//!
//! [`Session`] does no I/O and reads no clock. [`SessionOptions`] configure it; its output are [`Event`](crate::Event)s and the
//! [`Reply`] of each request.
//!
//! The session detects what a server understands. It tries the login string and version 2 of timeseal where they do no harm. It
//! uses block mode if the server refuses a line without a number; otherwise it sends an unknown command after each command, whose
//! refusal marks the end of the reply.

mod command;
mod custom_prompt;
mod dialect;
mod live;
mod login;
mod machine;
mod options;
mod output;
mod recovery;
mod reply;
mod requests;
mod secret;
#[cfg(test)]
mod tests;

pub use command::{Command, RequestOptions};
pub use machine::Session;
pub use machine::state::{DriverAction, SessionCounters, SessionState};
pub use options::{
    AdjournedGames, Credentials, FirstConnect, Password, Reconnect, RequestLimits, SessionOptions, TimesealChoice,
    Timings,
};
pub use output::{Transmit, TransmitKind};
pub use reply::Reply;
pub use requests::talk::split_text;
pub use secret::{Secret, SecretDetector, mask_secrets_in_line, mask_secrets_in_stream, mask_text_keeping_controls};
