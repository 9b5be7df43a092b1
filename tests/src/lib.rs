//! Helpers of the tests across crates.
