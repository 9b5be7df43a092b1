//! Listings of every kind, by the command that they answer.

use std::ops::ControlFlow;

use super::{
    ChannelList, Collector, Finger, GameList, History, Listing as _, MoveList, SoughtList, StoredGames, Variables,
    WhoList,
};

/// Declares a variant for each listing: its type, the names of its commands, their codes in block mode, their numbers in ICC's units.
macro_rules! listings {
    ($($(#[$doc:meta])* $variant:ident($kind:ident): [$($name:literal),+], [$($code:literal),+], [$($number:literal),*];)+) => {
        /// The listing in a reply.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum AnyListing {
            $($(#[$doc])* $variant($kind),)+
        }

        impl AnyListing {
            /// Parses the lines of a reply as the listing of its command: by the code in block mode, else by the command's name.
            /// `None` if the command has no listing, or the lines are not a complete one.
            pub(crate) fn parse<'a>(code: Option<u32>, name: &str, lines: impl Iterator<Item = &'a [u8]>) -> Option<Self> {
                match (code, name) {
                    $((Some($($code)|+), _) | (None, $($name)|+) => $kind::parse(lines).ok().map(Self::$variant),)+
                    _ => None,
                }
            }
        }

        /// A [`Collector`] of the listing that one reply may contain.
        #[derive(Clone, Debug)]
        pub(crate) enum AnyCollector {
            $($variant(Collector<$kind>),)+
        }

        impl AnyCollector {
            /// Creates the collector for the reply in block mode to this command; `None` if it has no listing.
            ///
            /// Source: FICS help file `block_codes`.
            pub(crate) fn for_block_code(code: u32) -> Option<Self> {
                match code {
                    $($($code)|+ => Some(Self::$variant(Collector::default())),)+
                    _ => None,
                }
            }

            /// Creates the collector for the ICC unit of this command; `None` if it has no listing.
            ///
            /// Source: ICC's description of its level-1 format.
            pub(crate) fn for_icc_command(number: u32) -> Option<Self> {
                match number {
                    $($($number => Some(Self::$variant(Collector::default())),)*)+
                    _ => None,
                }
            }

            /// Adds the line if it is part of the listing; see [`Collector::add_line`].
            pub(crate) fn add_line(&mut self, line: &[u8]) -> Option<ControlFlow<()>> {
                match self {
                    $(Self::$variant(collector) => collector.add_line(line),)+
                }
            }

            /// Returns the listing; `None` if it is incomplete, too long, or absent from the reply.
            pub(crate) fn finish(self) -> Option<AnyListing> {
                match self {
                    $(Self::$variant(collector) => collector.finish().ok().map(AnyListing::$variant),)+
                }
            }
        }
    };
}

listings! {
    /// Reply to `inchannel`.
    Channels(ChannelList): ["inchannel"], [53], [];
    /// Reply to `finger` and `statistics`.
    Finger(Finger): ["finger", "statistics"], [37, 126], [130];
    /// Reply to `games`.
    Games(GameList): ["games"], [43], [155];
    /// Reply to `history`.
    History(History): ["history"], [51], [129];
    /// Reply to `moves`, `oldmoves` and `smoves`.
    Moves(MoveList): ["moves", "oldmoves", "smoves"], [77, 81, 123], [150, 171];
    /// Reply to `sought`.
    Sought(SoughtList): ["sought"], [157], [215];
    /// Reply to `stored`.
    Stored(StoredGames): ["stored"], [127], [210];
    /// Reply to `variables` and `ivariables`.
    Variables(Variables): ["variables", "ivariables"], [58, 143], [131];
    /// Reply to `who`.
    Who(WhoList): ["who"], [146], [106];
}
