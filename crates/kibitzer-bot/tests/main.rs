//! Bots and engines, with scripted engines and the embedded server.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "the helpers of a test fail by panicking"
)]

mod config;
mod engines;
mod play;
#[expect(clippy::duplicate_mod, reason = "the same tests with a server of the other family")]
mod play_icc;
mod schema;
