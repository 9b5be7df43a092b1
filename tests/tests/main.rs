//! Tests across the crates.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "the helpers of a test fail by panicking"
)]

mod commands;
mod commands_everywhere;
mod exported_bot;
mod families;
mod faults;
mod forged;
mod games;
mod glossary;
mod golden;
mod layers;
mod live;
mod log;
mod logins;
mod moves;
mod pgn;
mod restored;
mod resume;
mod rules;
mod rules_reader;
mod session_transcripts;
mod timeseal;
mod tracker;
mod transcripts;
mod websocket;
