//! A small chess server of the FICS family that runs inside a program: for demos, for tests, for writing a bot without a
//! network.
//!
//! It speaks to its clients as the recorded servers do, form by form, so that what works here works there.

mod account;
mod calendar;
mod chess;
mod command;
mod fault;
mod options;
mod play;
mod population;
mod random;
#[cfg(test)]
mod recorded;
mod server;
mod wire;
mod world;

pub use account::{Account, Accounts, AccountsError};
pub use fault::{At, Fault};
pub use options::{Feature, ServerOptions};
pub use population::{Pastime, PopulationOptions};
pub use server::{Connected, Connector, Control, ControlError, Server, Target};
pub use world::{ConnectionId, LoginRefusal};
