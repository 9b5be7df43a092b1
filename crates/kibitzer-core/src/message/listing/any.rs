//! Listings of every kind, by the command that they answer.

use std::any::Any;
use std::ops::ControlFlow;

use super::collect::UnreadLines;
use super::{
    BughouseList, ChannelList, ChannelMembers, Finger, GameDetails, GameList, GameObservers, GameRow, HelpText,
    History, HistoryRow, Journal, JournalRow, ListedMove, ListingCollector, MoveList, NameList, NameLists,
    ObserverLists, SoughtList, StoredGame, StoredGames, Variables, WhoList, WhoRow,
};
use crate::message::{GameId, Seek};
use crate::text::Line;

/// Declares a variant for each listing: its type, the names of its commands, their codes in block mode, their numbers in ICC's units.
macro_rules! listings {
    ($($(#[$doc:meta])* $variant:ident($kind:ident): [$($name:literal),+], [$($code:literal),+], [$($number:literal),*];)+) => {
        /// A listing of any kind.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum AnyListing {
            $($(#[$doc])* $variant($kind),)+
        }

        impl AnyListing {
            /// Returns the lines of the reply that could not be parsed.
            pub fn unread(&self) -> &[Line] {
                match self {
                    $(Self::$variant(listing) => &listing.unread,)+
                }
            }

            /// Returns the listing if its type is `L`.
            #[doc(hidden)]
            pub fn downcast_ref<L: Any>(&self) -> Option<&L> {
                let listing: &dyn Any = match self {
                    $(Self::$variant(listing) => listing,)+
                };
                listing.downcast_ref()
            }
        }

        $(impl UnreadLines for $kind {
            fn unread_mut(&mut self) -> &mut Vec<Line> {
                &mut self.unread
            }
        })+

        $(#[cfg(feature = "serde")]
        impl serde::Serialize for $kind {
            /// Writes the object of this listing as an [`AnyListing`].
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                AnyListing::$variant(self.clone()).serialize(serializer)
            }
        })+

        /// A [`ListingCollector`] for the listing of any command.
        #[derive(Clone, Debug)]
        pub(crate) enum AnyListingCollector {
            $($variant(ListingCollector<$kind>),)+
        }

        impl AnyListingCollector {
            /// Creates a collector for the reply to a command; `None` if it has no listing.
            pub(crate) fn new(command: AnsweredCommand<'_>) -> Option<Self> {
                match command {
                    AnsweredCommand::Name(list) if list.starts_with('=') => Self::new(AnsweredCommand::Name("showlist")),
                    $(AnsweredCommand::Name($($name)|+) | AnsweredCommand::BlockCode($($code)|+) => {
                        Some(Self::$variant(ListingCollector::default()))
                    })+
                    $($(AnsweredCommand::IccNumber($number) => Some(Self::$variant(ListingCollector::default())),)*)+
                    _ => None,
                }
            }

            /// Adds the line if it is part of the listing; see [`ListingCollector::add_line`].
            pub(crate) fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
                match self {
                    $(Self::$variant(collector) => collector.add_line(line),)+
                }
            }

            /// Stores a line of the reply that is not part of the listing; see [`ListingCollector::store_unread`].
            pub(crate) fn store_unread(&mut self, line: &[u8]) {
                match self {
                    $(Self::$variant(collector) => collector.store_unread(line),)+
                }
            }

            /// Returns the collected listing; `None` if it is incomplete or too long, or if no line was part of it.
            pub(crate) fn finish(self) -> Option<AnyListing> {
                match self {
                    $(Self::$variant(collector) => collector.finish().ok().map(AnyListing::$variant),)+
                }
            }
        }
    };
}

impl AnyListingCollector {
    /// Returns whether any line may be part of the listing, so that its lines do not show which reply they belong to.
    pub(crate) const fn accepts_any_line(&self) -> bool {
        matches!(self, Self::Help(_))
    }
}

listings! {
    /// Reply to `bugwho`.
    Bughouse(BughouseList): ["bugwho"], [22], [];
    /// Reply to `inchannel`.
    Channels(ChannelList): ["inchannel"], [53], [];
    /// Reply to `finger` and `statistics`.
    Finger(Finger): ["finger", "statistics"], [37, 126], [130];
    /// Reply to `games`.
    Games(GameList): ["games"], [43], [155];
    /// Reply to `ginfo`.
    GameDetails(GameDetails): ["ginfo"], [46], [];
    /// Reply to `help`.
    Help(HelpText): ["help"], [50], [];
    /// Reply to `history`.
    History(History): ["history"], [51], [129];
    /// Reply to `journal`.
    Journal(Journal): ["journal"], [60], [];
    /// Reply to `moves`, `oldmoves` and `smoves`.
    Moves(MoveList): ["moves", "oldmoves", "smoves"], [77, 81, 123], [150, 171];
    /// Reply to `showlist`, `handles` and `znotify`.
    Names(NameLists): ["showlist", "handles", "znotify"], [48, 111, 152], [];
    /// Reply to `allobservers`.
    Observers(ObserverLists): ["allobservers"], [14], [];
    /// Reply to `sought`.
    Sought(SoughtList): ["sought"], [157], [215];
    /// Reply to `stored`.
    Stored(StoredGames): ["stored"], [127], [210];
    /// Reply to `variables` and `ivariables`.
    Variables(Variables): ["variables", "ivariables"], [58, 143], [131];
    /// Reply to `who`.
    Who(WhoList): ["who"], [146], [106];
}

/// The command that a reply answers.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AnsweredCommand<'a> {
    /// The full name in lower case.
    Name(&'a str),
    /// The code in block mode. Source: FICS help file `block_codes`.
    BlockCode(u32),
    /// The number in a unit. Source: ICC's description of its level-1 format.
    IccNumber(u32),
}

impl AnyListing {
    /// Fills in values that the command has and the reply lacks: the topic of a help file, and the game of a list of moves that was
    /// requested by the number of the game, `moves 12`.
    pub(crate) fn complete_from(&mut self, command: &str) {
        if let Self::Help(help) = self {
            // Later words are no topic; they could be a password, in a line with a second command.
            command_words(command).nth(1).unwrap_or_default().clone_into(&mut help.topic);
        }
        if let Self::Moves(list) = self
            && let [verb, number] = command_words(command).collect::<Vec<_>>()[..]
            && verb.eq_ignore_ascii_case("moves")
        {
            list.game = list.game.or_else(|| number.parse().ok().map(GameId));
        }
    }
}

/// Returns the words of a command, without the signs before its name that servers ignore.
pub(crate) fn command_words(command: &str) -> impl Iterator<Item = &str> {
    command.trim_start_matches(['$', '/', ' ']).split(' ').filter(|word| !word.is_empty())
}

/// Iterates over the rows of a listing.
macro_rules! iterate_rows {
    ($($listing:ident.$rows:ident: $row:ident;)+) => {$(
        impl IntoIterator for $listing {
            type Item = $row;
            type IntoIter = std::vec::IntoIter<$row>;

            fn into_iter(self) -> Self::IntoIter {
                self.$rows.into_iter()
            }
        }

        #[expect(clippy::into_iter_without_iter, reason = "the field of the rows has it")]
        impl<'a> IntoIterator for &'a $listing {
            type Item = &'a $row;
            type IntoIter = std::slice::Iter<'a, $row>;

            fn into_iter(self) -> Self::IntoIter {
                self.$rows.iter()
            }
        }
    )+};
}

iterate_rows! {
    ChannelList.channels: ChannelMembers;
    GameList.games: GameRow;
    History.games: HistoryRow;
    Journal.games: JournalRow;
    MoveList.moves: ListedMove;
    NameLists.lists: NameList;
    ObserverLists.games: GameObservers;
    SoughtList.seeks: Seek;
    StoredGames.games: StoredGame;
    WhoList.players: WhoRow;
}
