//! The embedded server as seen by its clients: bytes in, bytes out, on a paused clock.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "the helpers of a test fail by panicking"
)]

mod faults;
mod games;
mod icc;
mod login;
mod peer;
mod recorded;
mod talk;
