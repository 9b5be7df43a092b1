//! One line or frame, typed.

mod arrival;
mod challenge;
mod clock;
mod delta;
mod error;
mod examine;
mod fields;
mod game_end;
mod game_info;
mod game_start;
mod holding;
pub mod listing;
mod login;
mod observing;
mod offer;
mod partner;
mod pending;
mod player;
mod refused;
mod seek;
mod server_text;
mod talk;

pub use clock::ClockReading;
pub use delta::Delta;
pub use error::ParseError;
pub(crate) use login::guest_prompt;
pub use holding::Holding;
pub use player::{Confidence, GameId, Handle, Rating, Titles};
pub use server_text::ServerText;
