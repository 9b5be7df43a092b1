//! Chess server that runs inside a program: for demos, tests and writing a bot without a network.
//!
//! Its output has the form of recorded servers' output, so that a client that works here works there: logins and refusals,
//! telnet, prompts, wrapped lines, block mode, interface variables, timeseal, talk, seeks, challenges, games of chess, Chess960,
//! crazyhouse and bughouse, simuls, observed and examined games. [Faults](Fault) of connections can be injected.
//!
//! - [`Server`] runs it: on a port of this machine, or [in process](Server::connect) without any socket.
//! - [`ServerOptions`] configures it, with the [`Account`]s of its registered players.
//! - [`ServerControl`] is the operator's interface: connections, [faults](Fault), announcements, shutdown.
//!
//! One task owns the state, which has no sockets and reads no clock; one task serves each client, with an outbox of limited size,
//! and applies the connection's [faults](Fault) between outbox and stream. Time is that of the tokio runtime, so that a test can
//! pause it. The same seed and the same input at the same times give the same bytes.
//!
//! ```
//! use kibitzer_server::{Account, ConnectionTarget, Fault, FaultPoint, Server, ServerOptions};
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let newton = Account::new("Newton".parse()?, "apple").rating("blitz", 2100);
//! let server = Server::start(ServerOptions::new().in_process().account(newton)).await?;
//! // The next connection breaks in the middle of its first board.
//! server.control().inject(ConnectionTarget::Next, FaultPoint::NextBoard, Fault::Cut).await?;
//! let stream = server.connect().await?;
//! # drop(stream);
//! server.shutdown().await;
//! # Ok(()) }
//! ```

mod account;
mod calendar;
mod chess;
mod family;
mod fault;
mod lobby;
mod options;
mod play;
mod population;
mod rating;
mod server;
#[cfg(test)]
mod testing;
mod wire;
mod world;

pub use account::Account;
pub use family::ImitatedFamily;
pub use fault::{Fault, FaultParseError, FaultPoint, FiredFault, LoginObstacle};
pub use lobby::ConnectionTarget;
pub use options::{Feature, ServerOptions};
pub use population::PopulationOptions;
pub use server::{FiredFaults, Server, ServerControl};

/// Builds the program of the crate's README with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
