//! Notices about the clocks of a game and the lag of its players.

use super::template::Captures;
use super::{GameId, Handle, Message};
use crate::by_name::named_enum;

/// A notice about time in a game: `Game clock paused.`, `Foo has added 5 seconds to your clock.`, `Game 5: Foo has lagged for 30
/// seconds.`
///
/// Not every server sends a board after it.
///
/// Source: FICS help files `pause` and `moretime`; transcripts of two servers; lines that other clients of freechess.org act on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClockNotice {
    /// The number of the game; `None` in most lines about the game of this login.
    pub game: Option<GameId>,
    /// The event.
    pub action: ClockAction,
    /// The player who added time, or who lags; `None` if the line does not name the player.
    pub by: Option<Handle>,
    /// The player whose clock received time; `None` if the line does not name the player.
    pub to: Option<Handle>,
    /// The seconds that were added, or the length of the lag.
    pub seconds: Option<u32>,
}

named_enum! {
    /// The event that a [`ClockNotice`] reports.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ClockAction("Returns the name in JSON.", "no action on the clocks has this name") {
        /// The clocks stopped by agreement.
        Paused = "paused",
        /// The clocks run again.
        Resumed = "resumed",
        /// The opponent added time to this login's clock.
        TimeReceived = "time_received",
        /// This login added time to the opponent's clock.
        TimeGiven = "time_given",
        /// A player of an observed game added time to the opponent's clock.
        TimeAdded = "time_added",
        /// A player has not been heard of for some seconds.
        Lagged = "lagged",
        /// This login may abort the game as a courtesy to a player who lags.
        MayAbort = "may_abort",
        /// This login may adjourn the game as a courtesy to a player who lags.
        MayAdjourn = "may_adjourn",
    }
}

impl ClockAction {
    /// Creates the notice from the parts of its sentence. In lines of this login's own action, the only name is the receiver's.
    pub(super) fn to_message(self, found: Captures<'_>) -> Message {
        let (by, to) = match self {
            Self::TimeGiven => (None, found.name),
            _ => (found.name, found.second_name),
        };
        ClockNotice { game: found.game, action: self, by, to, seconds: found.number }.into()
    }
}
