//! A small chess server of the FICS family that runs inside a program: for demos, for tests, for writing a bot without a
//! network.
//!
//! It speaks to its clients as the recorded servers do, form by form, so that what works here works there.

pub mod chess;
