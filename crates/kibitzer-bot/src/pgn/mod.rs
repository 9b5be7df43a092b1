//! Games as PGN (portable game notation), bughouse matches as BPGN, and their files.
//!
//! The form is that of the FICS Games Database: `docs/pgn.md` describes tags and comments.

mod collector;
mod game;
mod notation;
#[cfg(test)]
mod tests;
mod writer;

pub use collector::PgnCollector;
pub use game::{PgnGame, PgnOrigin};
pub use writer::{GameFile, append_game, replace_games};
