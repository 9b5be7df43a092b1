//! A small chess server of the FICS family that runs inside a program: for demos, for tests, for writing a bot without a
//! network.
//!
//! It speaks to its clients as the recorded servers do, form by form, so that what works here works there.

#![allow(
    dead_code,
    unused_imports,
    clippy::allow_attributes,
    reason = "the world that plays by these rules comes with the commands"
)]

mod calendar;
mod chess;
mod play;
#[cfg(test)]
mod recorded;
