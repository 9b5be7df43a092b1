//! Bots for internet chess servers: runs an engine on a server, and the parts to write a bot of your own.
//!
//! - [`Bot`]: plays with an engine by the settings of one file.
//! - [`Policy`]: decides about challenges, offers and resignation.
//! - [`Engine`]: an engine that searches one position at a time.
//! - [`EngineConfig`]: an engine's settings, and the time for a move, from the clocks of the server.
//! - [`Book`]: an opening book.
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
//! [`guide`] continues with a policy of your own and a game.

mod book;
mod bot;
mod clock;
pub mod config;
pub mod engine;
pub mod policy;
mod verdict;

pub use book::{Book, BookConfig, BookSelection};
pub use bot::{Bot, BotError, BotSession, StartEngine, Stop};
pub use clock::{GameClocks, LagEstimate};
pub use config::BotConfig;
pub use engine::{Engine, EngineConfig, ExternalEngine, ScriptedEngine, WeakPlayer};
pub use policy::{Policy, SettingsPolicy};
pub use verdict::{BotAction, BotEvent, Verdict};

// rustdoc uses the first definition of a link; these override the page's relative links.
#[doc = "[bot events]: kibitzer::guide::events#events-of-a-bot"]
#[doc = "[console]: https://docs.rs/crate/kibitzer-cli"]
#[doc = "[pgn]: kibitzer::guide::pgn"]
#[doc = "[delivery modes]: kibitzer::guide::client#events-and-delivery-modes"]
#[doc = ""]
#[doc = include_str!("../docs/bots.md")]
pub mod guide {}

/// Builds the program of the crate's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
