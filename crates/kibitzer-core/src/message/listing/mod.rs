//! Replies that are tables.
//!
//! Every listing implements [`Listing`]: [`parse`](Listing::parse) parses a whole reply. An
//! [`EventReader`](crate::EventReader) picks the lines of a listing out of a live stream, where boards and tells come between them,
//! and emits it as an event.

mod any;
mod collect;
mod finger;
mod finger_ratings;
mod games;
mod history;
mod inchannel;
mod moves;
mod parts;
mod sought;
mod stored;
mod variables;
mod who;

pub(crate) use any::AnyCollector;
pub use any::AnyListing;
use collect::Collector;
pub use collect::{Listing, ListingError};
pub use finger::{Finger, FingerGame, GameActivity, OnlineStatus};
pub use finger_ratings::FingerRating;
pub use games::{GameList, GameRow, GameRowState};
pub use history::{History, HistoryOutcome, HistoryRow};
pub use inchannel::{ChannelList, ChannelMembers};
pub use moves::{ListedMove, MoveList};
pub use parts::{GameTerms, ListedField, ListedPlayer, RowCount};
pub use sought::SoughtList;
pub use stored::{StoredDetails, StoredGame, StoredGames};
pub use variables::Variables;
pub use who::{WhoEntry, WhoList, WhoStatus};
