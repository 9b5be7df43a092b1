//! Parsing of frames to messages: one file per kind of message, named as in the servers' help files.
//!
//! [`Reader`] parses bytes to [`Received`] messages. Every message type also has a `parse` function for a single line.

mod arrival;
mod by_game;
mod challenge;
mod challenge_update;
mod clock;
mod datagram;
mod delta;
mod dispatch;
mod examine;
mod farewell;
mod fields;
mod game_end;
mod game_end_reason;
mod game_info;
mod game_kind;
mod game_start;
mod game_update;
mod holding;
mod ivar;
mod line_parser;
pub mod listing;
mod login;
mod mark;
mod observing;
mod offer;
mod parsed;
mod partner;
mod pending;
mod rating;
mod reader;
mod received;
mod refused;
mod seek;
mod seek_text;
mod spare;
mod start_list;
mod style10;
mod style12;
mod talk;
mod template;
#[cfg(test)]
mod tests;
mod user_info;

pub use arrival::{Arrival, ArrivalKind, ArrivalReason};
pub(crate) use by_game::GameMap;
pub use challenge::Challenge;
pub use challenge_update::{ChallengeChange, ChallengeUpdate};
pub use clock::ClockReading;
pub use datagram::Datagram;
pub(crate) use datagram::DatagramKind;
pub use delta::Delta;
pub use examine::{Examine, ExamineAction};
pub use farewell::{Farewell, KickedBy};
pub use game_end::GameEnded;
pub use game_end_reason::{GameEndReason, GameResult};
pub use game_info::GameInfo;
pub use game_kind::GameKind;
pub use game_start::{Creating, GameCreated};
pub use game_update::{GameAction, GameRole, GameUpdate, SentMove};
pub use holding::Holding;
pub use ivar::Ivar;
pub use login::{LoggedIn, LoginRefusal, NameKind, NameStatus};
pub use mark::Mark;
pub use observing::{Focus, Observing, ObservingChange, ObservingRefusal};
pub use offer::{Offer, OfferAnswer, OfferKind};
pub use parsed::Parsed;
pub use partner::Partner;
pub use pending::{Pending, PendingDirection, PendingRemoved};
pub use rating::{Confidence, GameId, Rating};
pub use reader::Reader;
pub use received::Received;
pub use refused::Refusal;
pub use seek::{Seek, SeeksCleared, SeeksRemoved};
pub use seek_text::SeekNotice;
pub use start_list::{StartKind, StartList};
pub(crate) use style12::{BoardNumbers, DerivedMove};
pub use style12::{Relation, ReportedMove, Style12, Style12Error};
pub use talk::{Talk, TalkKind};
pub use template::MeOrOther;
pub use user_info::UserArrived;

pub use crate::text::{Handle, Titles};
pub use crate::wire::{CommandCode, Control, Family, Level1Header};

use std::sync::Arc;

use crate::text::Line;

/// Declares [`Message`]: each typed line has a row with its variant and its type.
macro_rules! messages {
    ($($(#[$doc:meta])* $variant:ident($value:ty),)+) => {
        /// The typed content of one frame.
        ///
        /// Every line that a server is known to send has a variant; the rest is [`Text`](Self::Text). The start of a line
        /// decides how it is parsed, so nothing that a player writes becomes more than text.
        ///
        /// A message has 16 bytes, and a clone costs at most one reference count.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Message {
            /// A board in style 12.
            Style12(Arc<Style12>),
            /// A board in style 10, converted to style 12. Its game number is not that of style 12: style 10 counts games from 0.
            Style10(Arc<Style12>),
            /// A line of chat: a tell, shout, kibitz, channel tell, announcement or message.
            Talk(Arc<Talk>),
            $($(#[$doc])* $variant(Parsed<$value>),)+
            /// A prompt, a mark, or another part of the stream that is not a line.
            Control(Control),
            /// A line over the length limit, of which only the first bytes are stored.
            OverLong(Arc<OverLong>),
            /// Any other line, as received.
            Text(Line),
        }

        impl Message {
            /// Returns the line that the message was parsed from; empty for [`Control`](Self::Control). See [`Received::raw`].
            pub fn raw(&self) -> &[u8] {
                match self {
                    Self::Style12(board) | Self::Style10(board) => board.line().unwrap_or_default(),
                    Self::Talk(talk) => talk.line(),
                    $(Self::$variant(parsed) => parsed.raw(),)+
                    Self::Control(_) => &[],
                    Self::OverLong(over_long) => over_long.line.as_bytes(),
                    Self::Text(line) => line.as_bytes(),
                }
            }

            /// Stores the line that the message was parsed from. Boards and talk that have a line already keep it; text,
            /// over-long lines and control messages are unchanged.
            fn set_line(&mut self, line: &[u8]) {
                match self {
                    Self::Style12(board) | Self::Style10(board) if board.line().is_none() => {
                        Arc::make_mut(board).set_line(line);
                    }
                    Self::Talk(talk) if talk.line().is_empty() => Arc::make_mut(talk).set_line(line),
                    $(Self::$variant(parsed) => parsed.set_line(line),)+
                    _ => {}
                }
            }
        }

        $(impl From<$value> for Message {
            fn from(value: $value) -> Self {
                Self::$variant(Parsed::new(value))
            }
        })+
    };
}

messages! {
    /// The pieces in reserve in a crazyhouse or bughouse game.
    Holding(Holding),
    /// A move without its board.
    Delta(Delta),
    /// The types of the players of a game and its terms, as `<g1>` has them.
    GameInfo(GameInfo),
    /// A game of this login is about to start; the line does not have its number.
    Creating(Creating),
    /// A game started, or an adjourned game was resumed.
    GameCreated(GameCreated),
    /// A game ended, was adjourned, or was aborted.
    GameEnded(GameEnded),
    /// This login started or stopped observing a game.
    Observing(Observing),
    /// The game that commands without a game number refer to has changed.
    Focus(Focus),
    /// An event in an examined game other than a board.
    Examine(Examine),
    /// A player logged in or out; not the `<wa>` line.
    Arrival(Arrival),
    /// A player logged in: the `<wa>` line, with status, titles and ratings.
    UserArrived(UserArrived),
    /// An offer to play, made to this login or by it.
    Challenge(Challenge),
    /// A change of an offer to play, an answer to it, or its end.
    ChallengeUpdate(ChallengeUpdate),
    /// An offer inside a game, or its answer.
    Offer(Offer),
    /// An offer, an answer or a change that concerns this login's bughouse partnership.
    Partner(Partner),
    /// An offer in the list of pending ones.
    Pending(Pending),
    /// Offers left the list of pending ones.
    PendingRemoved(PendingRemoved),
    /// An ad in the seek list.
    Seek(Seek),
    /// Ads left the seek list.
    SeeksRemoved(SeeksRemoved),
    /// The seek list is empty; a full list may follow.
    SeeksCleared(SeeksCleared),
    /// A server notice about the seek ads of this login.
    SeekNotice(SeekNotice),
    /// The server did not execute a command.
    Refused(Refusal),
    /// Why the server did not start or stop observing a game.
    ObservingRefused(ObservingRefusal),
    /// Whether the name typed at the login prompt belongs to an account.
    NameStatus(NameStatus),
    /// The login is complete.
    LoggedIn(LoggedIn),
    /// The server refused or delayed the login.
    LoginRefused(LoginRefusal),
    /// This login was thrown out by a second login or by an administrator.
    Kicked(KickedBy),
    /// The session or the server is about to end.
    Farewell(Farewell),
    /// A change of a game's board, from an ICC datagram.
    GameUpdate(GameUpdate),
    /// An examiner drew a circle or an arrow on a board, or erased one.
    Mark(Mark),
    /// An ICC level-2 unit that was not converted to another message.
    Datagram(Datagram),
}

impl Default for Message {
    fn default() -> Self {
        Self::Control(Control::Prompt)
    }
}

impl From<Talk> for Message {
    fn from(talk: Talk) -> Self {
        Self::Talk(Arc::new(talk))
    }
}

/// A line over the length limit, which was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverLong {
    /// The first bytes of the line.
    pub line: Line,
    /// The length of the whole line before it was cut, in bytes.
    pub length: u64,
}
