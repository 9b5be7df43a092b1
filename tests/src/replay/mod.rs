//! Plays recorded sessions to a [`Session`](kibitzer_core::session::Session): the recording is the server, the session is the
//! client.
//!
//! The recordings were made by other clients, so the recorded server replies to lines that the session did not send, and does not
//! reply to some that it sends. The [`Mode`] determines how this is compensated.

mod audit;
mod play;
mod player;
mod recording;
mod stand_in;

pub use audit::Audit;
pub use play::{Mode, Play, PlayResult, Sent};
pub use recording::{LineRole, Recording, Step, StepKind};
pub use stand_in::StandIn;
