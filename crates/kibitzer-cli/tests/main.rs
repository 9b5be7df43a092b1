//! The binary `kibitzer`, as a user starts it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail by panicking"
)]

mod attach;
mod bot;
mod common;
mod connect;
mod decode;
mod demo;
mod diff;
mod events;
mod examples;
#[cfg(all(unix, feature = "nats"))]
mod fleet;
mod help;
mod log;
mod metrics;
#[cfg(feature = "nats")]
mod nats;
mod page;
mod pgn;
mod program;
mod prompt;
mod record;
mod replay;
mod schema;
mod serve;
mod terminal;
