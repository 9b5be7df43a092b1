//! A client library for internet chess servers (FICS, ICC and their relatives).
//!
//! - [`core`]: the protocol and the game state, without I/O.
//! - [`transcript`]: recorded sessions.

pub mod transcript;

pub use kibitzer_core as core;
