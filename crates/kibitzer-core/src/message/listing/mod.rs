//! Replies that are tables. A typed command returns its listing; [`Event::Listing`](crate::Event::Listing) has any as an [`AnyListing`].
//!
//! | command | listing | for each row or part |
//! |---|---|---|
//! | `finger` | [`Finger`] | [`OnlineStatus`], [`FingerGame`] with a [`GameActivity`], [`FingerRating`], [`FingerNote`], [`NamedValue`] |
//! | `who` | [`WhoList`] | [`WhoRow`] with a [`WhoStatus`] |
//! | `games` | [`GameList`] | [`GameRow`] with a [`GameRowState`], [`ListedPlayer`], [`ListedTerms`] |
//! | `sought` | [`SoughtList`] | [`Seek`](super::Seek) |
//! | `moves` | [`MoveList`] | [`ListedMove`] |
//! | `history`, `journal` | [`History`], [`Journal`] | [`HistoryRow`], [`JournalRow`] |
//! | `stored` | [`StoredGames`] | [`StoredGame`] with [`StoredDetails`] |
//! | `inchannel` | [`ChannelList`] | [`ChannelMembers`] |
//! | `showlist`, `handles`, `znotify` | [`NameLists`] | [`NameList`] |
//! | `allobservers` | [`ObserverLists`] | [`GameObservers`] |
//! | `variables`, `ivariables` | [`Variables`] | [`NamedValue`] |
//! | `ginfo`, `bugwho`, `help` | [`GameDetails`], [`BughouseList`], [`HelpText`] | |
//!
//! Every listing implements [`Listing`]: [`parse`](Listing::parse) parses a complete reply. An [`EventReader`](crate::EventReader)
//! collects the lines of a listing from a live stream, in which boards and tells may occur between them, and emits the listing as an
//! event.
//!
//! A method `try_add_x` stores the values of a line of kind x; it returns `None`, without a change, for any other line.

mod any;
mod collect;
mod details;
mod finger;
mod games;
mod moves;
mod names;
mod past_games;
mod players;
mod variables;

pub use any::AnyListing;
pub(crate) use any::{AnsweredCommand, AnyListingCollector, command_words};
use collect::ListingCollector;
pub use collect::{ListedName, ListedPlayer, ListedTerms, Listing, ListingError, NamedValue};
pub use details::{BughouseList, GameDetails, HelpText};
pub use finger::{Finger, FingerGame, FingerNote, FingerRating, GameActivity, OnlineStatus};
pub use games::{GameList, GameRow, GameRowState, SoughtList};
pub use moves::{ListedMove, MoveList};
pub use names::{GameObservers, NameList, NameLists, ObserverLists};
pub use past_games::{History, HistoryRow, Journal, JournalRow, StoredDetails, StoredGame, StoredGames};
pub use players::{ChannelList, ChannelMembers, WhoList, WhoRow};
pub use variables::Variables;

pub use super::presence::WhoStatus;
