//! Bots for internet chess servers: runs an engine on a server, and the parts to write a bot of your own.
//!
//! - [`Engine`]: an engine that searches one position at a time.
//! - [`PgnGame`], [`PgnWriter`]: games as PGN, and their files.
//! - [`GameTracker`]: the games of a session, with moves, clocks, takebacks and resumptions.
//! - [`TimeBudget`]: the time for a move, from the clocks of the server.
//! - [`Book`]: an opening book.

mod book;
mod clock;
pub mod engine;
pub mod pgn;
pub mod tracker;

pub use book::{Book, BookOptions, BookSelection};
pub use clock::{Clock, LagEstimate, TimeBudget};
pub use engine::{ConfiguredEngine, Engine, EngineCommand, Scripted, Uci, WeakPlayer};
pub use pgn::{PgnGame, PgnWriter};
pub use tracker::GameTracker;
