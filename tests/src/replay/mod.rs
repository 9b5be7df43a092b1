//! Recorded sessions played to the session machine: what was recorded is the server, and the machine is the client.
//!
//! The recordings were made by other clients, so their server answers lines that the machine did not send, and is silent about
//! some that it does. How much of that is made up for is a [`Mode`].

mod audit;
mod play;
mod player;
mod recording;
mod stand_in;

pub use audit::Audit;
pub use play::{Mode, Play, Played, Sent};
pub use recording::{Recording, Role, Step, What};
pub use stand_in::StandIn;
