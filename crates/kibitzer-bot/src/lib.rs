//! Bots for internet chess servers: runs an engine on a server, and the parts to write a bot of your own.
//!
//! - [`Bot`]: plays with an engine by the settings of one file.
//! - [`Policy`]: decides about challenges, offers and resignation.
//! - [`Engine`]: an engine that searches one position at a time.
//! - [`EngineConfig`]: an engine's settings, and the time for a move, from the clocks of the server.
//! - [`Book`]: an opening book.
//! - [`check`]: finds the mistakes in a file of settings.
//!
//! The games of a session and their PGN are part of the library: [`kibitzer::track`], [`kibitzer::pgn`].
//!
//! This bot logs in to an embedded server and leaves, with a weak player in place of an engine:
//!
//! ```
//! use std::time::Duration;
//!
//! use kibitzer::Profile;
//! use kibitzer_bot::{Bot, BotConfig, EngineConfig, Stop, WeakPlayer};
//! use kibitzer_server::{Server, ServerOptions};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::start(ServerOptions::new()).await?;
//! let profile = Profile::demo().ports([server.address().ok_or("no port")?.port()]);
//!
//! let config = BotConfig::new(profile.guest_as("MyBot".parse()?), EngineConfig::new(["stockfish"]));
//! let bot = Bot::new(config).engine(|| async { Ok(WeakPlayer::new(1, Duration::ZERO)) });
//! let stop = Stop::new();
//! stop.request_or_force(); // After the login, or the game in progress.
//! bot.on_event(|event| println!("{event}")).run(stop).await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`guide::kit`] continues with a policy and an engine of your own, and a game; [`guide`] describes the settings.

mod book;
mod bot;
pub mod check;
mod clock;
pub mod config;
pub mod engine;
pub mod policy;
pub mod statistics;
mod verdict;

pub use book::{Book, BookConfig, BookSelection};
pub use bot::{Bot, BotError, BotSession, StartEngine, Stop};
pub use clock::{GameClocks, LagEstimate};
pub use config::BotConfig;
pub use engine::{Engine, EngineConfig, ExternalEngine, ScriptedEngine, WeakPlayer};
pub use policy::{Policy, SettingsPolicy};
pub use statistics::Statistics;
pub use verdict::{BotAction, BotEvent, Verdict};

// rustdoc uses the first definition of a link; those of `rustdoc-links.md` override the pages' relative links.

#[doc = include_str!("../docs/rustdoc-links.md")]
#[doc = include_str!("../docs/bots.md")]
pub mod guide {
    #[doc = include_str!("../docs/rustdoc-links.md")]
    #[doc = include_str!("../docs/kit.md")]
    pub mod kit {}

    #[doc = include_str!("../docs/rustdoc-links.md")]
    #[doc = include_str!("../docs/migration.md")]
    pub mod migration {}

    #[doc = include_str!("../docs/rustdoc-links.md")]
    #[doc = include_str!("../docs/operating.md")]
    pub mod operating {}
}

/// Builds the program of the crate's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
