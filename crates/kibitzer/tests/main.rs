//! The client library, with scripted peers and the embedded server.
#![expect(clippy::unwrap_used, clippy::panic, reason = "the helpers of a test fail by panicking")]

#[macro_use]
#[path = "../../../tests/src/runtimes.rs"]
mod runtimes;

mod client;
mod common;
mod dial;
mod memory;
mod reconnect;
mod recording;
mod secrets;
mod tap;
mod values;
