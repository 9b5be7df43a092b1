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
mod seek_text;
mod server_text;
mod talk;
mod user_info;

pub use clock::ClockReading;
pub use delta::Delta;
pub use error::ParseError;
pub(crate) use login::guest_prompt;
pub use game_info::GameInfo;
pub use holding::Holding;
pub use pending::{Pending, PendingDirection, PendingRemoved};
pub use player::{Confidence, GameId, Handle, Rating, Titles};
pub use seek::{Seek, SeeksCleared, SeeksRemoved};
pub use seek_text::SeekNotice;
pub use server_text::ServerText;
pub use user_info::{UserArrived, UserDeparted};
