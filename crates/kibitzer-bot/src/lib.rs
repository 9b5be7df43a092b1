//! Bots for internet chess servers: runs an engine on a server, and the parts to write a bot of your own.
//!
//! - [`Engine`]: an engine that searches one position at a time.

pub mod engine;

pub use engine::{ConfiguredEngine, Engine, EngineCommand, Scripted, Uci, WeakPlayer};
