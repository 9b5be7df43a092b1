//! The embedded server as its clients know it: bytes in, bytes out, on a clock that only runs while nobody works.
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
