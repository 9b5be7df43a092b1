//! Replies that are tables.
//!
//! Every listing implements [`Listing`]: [`parse`](Listing::parse) parses a complete reply. An [`EventReader`](crate::EventReader)
//! collects the lines of a listing from a live stream, in which boards and tells may occur between them, and emits the listing as an
//! event.
//!
//! A method `try_add_x` stores the values of a line of kind x; it returns `None`, without a change, for any other line.

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

pub use any::AnyListing;
pub(crate) use any::{AnsweredCommand, AnyListingCollector, command_words};
use collect::ListingCollector;
pub use collect::{Listing, ListingError, UnreadLines};
pub use finger::{Finger, FingerGame, GameActivity, OnlineStatus};
pub use finger_ratings::FingerRating;
pub use games::{GameList, GameRow, GameRowState};
pub use history::{History, HistoryRow};
pub use inchannel::{ChannelList, ChannelMembers};
pub use moves::{ListedMove, MoveList};
pub use parts::{GameTerms, ListedPlayer};
pub use sought::SoughtList;
pub use stored::{StoredDetails, StoredGame, StoredGames};
pub use variables::Variables;
pub use who::{WhoList, WhoStatus};
