//! Helpers of the tests across crates: recorded sessions, an independent parser that checks the library (oracle), and the text of
//! golden files.
#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::exhaustive_structs,
    reason = "a helper of tests fails by panicking, and its types are for one workspace"
)]

mod forged;
mod golden;
pub mod live;
mod oracle;
mod replay;
mod reported;
mod rerun;
mod runtimes;
mod transcript;

pub use forged::FORGED;
pub use golden::{blessing, golden, kind_of, render};
pub use oracle::{CleanedText, holdings_in, lines_of, positions_in};
pub use replay::{Audit, LineRole, Mode, Play, PlayResult, Recording, Sent, StandIn, Step, StepKind};
pub use reported::{HoldingFacts, MoveFacts, PositionFacts};
pub use rerun::rerun;
pub use transcript::{Transcript, events_of};

/// Builds the program of the project's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
