//! A client library for internet chess servers (FICS, ICC and their relatives).
//!
//! - [`core`]: the protocol and the game state, without I/O.
//! - [`connect`]: a live connection. What the server says goes to the subscribers of a [`hub`](core::hub).
//! - [`EventDecoder`]: the bytes of a server to events, for a transport of your own.
//! - [`transcript`]: recorded sessions.

mod connection;
mod decoder;
mod options;
mod outgoing;
pub mod transcript;
mod writer;

pub use connection::{ConnectError, ConnectionLost, ReadTask, connect};
pub use decoder::EventDecoder;
pub use kibitzer_core as core;
pub use options::ConnectOptions;
pub use outgoing::{LineError, MAX_LINE_BYTES};
pub use writer::{LineWriter, SendError};

/// Builds the README's program with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
