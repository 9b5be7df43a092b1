//! Bots on the embedded server.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod between;
mod challenges;
mod engines;
mod games;
mod hostile;
mod offers;
mod probe;
mod recovery;
mod startup;
mod table;
