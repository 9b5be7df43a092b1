//! The protocol of internet chess servers (FICS, ICC and their relatives), from bytes to game state.

pub mod chess;
pub mod message;
mod scan;
pub mod text;
pub mod wire;
