//! Bots for internet chess servers: runs an engine on a server, and the parts to write a bot of your own.
//!
//! - [`Engine`]: an engine that searches one position at a time.
//! - [`GameTracker`]: the games of a session, with moves, clocks, takebacks and resumptions.

pub mod engine;
pub mod tracker;

pub use engine::{ConfiguredEngine, Engine, EngineCommand, Scripted, Uci, WeakPlayer};
pub use tracker::GameTracker;
