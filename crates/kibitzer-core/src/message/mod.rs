//! Parsing of frames to messages: one file per kind of message, named as in the servers' help files.
//!
//! [`MessageReader`](crate::MessageReader) parses bytes to [`Received`] messages. The types of tagged lines also have a `parse`
//! function for a single line;
//! sentences are rows of one table (`sentences.rs`, refusals in `refused.rs`), and [`Message::parse_untagged`] parses one. "This
//! login" is the account or guest that the session is logged in as.
//!
//! The name of a parser shows its input and its effect:
//!
//! | name | input and effect | if the input does not fit |
//! |---|---|---|
//! | `parse`, `parse_x` | a complete line, word, value, or the rest of a cursor passed by value; all of it has to fit | `None` |
//! | `parse_text` | a complete line in the form for people, where [`parse`](Seek::parse) accepts the tagged form | `None` |
//! | `read`, `read_x` | the bytes at a cursor, which it consumes | `None`; unless documented, the cursor may have moved |
//! | `read_x_into`, `set_x` | stores the values in its `&mut` argument | `None` or an unchanged value, as documented |
//! | `skip_x` | consumes without returning a value | `None` |
//! | `from_x` | a code, letter or word that is already isolated | a fallback such as `Other`, or `None` |
//! | `overwrite_from_x` | a line whose values replace those of `self`, to reuse its memory | as documented |

mod attribution;
mod by_game;
mod clock_notice;
mod confirmation;
mod dispatch;
mod fields;
mod frame_parser;
mod game_end;
mod game_info;
mod game_kind;
mod game_notice;
mod holding;
mod icc;
mod ivar;
pub mod listing;
mod offers;
mod other_boards;
mod pending;
mod presence;
mod rating_change;
pub(crate) mod reader;
mod received;
mod refused;
mod seek;
mod sentences;
mod style12;
mod talk;
pub(crate) mod template;
#[cfg(test)]
mod tests;

pub use attribution::{Attribution, RequestId, RequestOrigin};
pub(crate) use by_game::{GameMap, GameMapIter};
pub use clock_notice::{ClockAction, ClockNotice};
pub use confirmation::{Delivered, ListChange, ListChangeKind};
pub use fields::{ClockReading, GameId, Rating};
pub use game_end::{GameEndReason, GameEnded, GameResult};
pub use game_info::GameInfo;
pub use game_kind::GameKind;
pub use game_notice::{
    ExamineAction, ExamineNotice, FollowChange, GameCreated, GameNotification, ObservingUpdate, OwnGameStarting,
    PrimaryGameChange,
};
pub use holding::Holding;
pub use icc::{BoardMark, Datagram, GameUpdate};
pub(crate) use icc::{DatagramKind, DatagramMove, GameUpdateKind, IccGameStart, IccGameStartReason, MyGameRole};
pub use ivar::Ivar;
pub use offers::{Challenge, ChallengeChange, ChallengeUpdate, OfferAnswer, OfferKind, OfferNotice, PartnershipUpdate};
pub use other_boards::DeltaBoard;
pub use pending::{PendingOffer, PendingOffersRemoved};
pub(crate) use presence::RATINGS;
pub use presence::{
    Farewell, KickedBy, LoggedIn, LoginRefusal, NameKind, NameStatus, PresenceChange, PresenceChangeKind,
    PresenceReportReason, UserArrived,
};
pub use rating_change::{RatingChange, RatingForecast};
pub use received::{Parsed, Received};
pub use refused::Refusal;
pub use seek::{Seek, SeekNotice, SeeksCleared, SeeksRemoved};
pub(crate) use style12::DerivedMove;
pub use style12::{BoardNumbers, Relation, ReportedMove, Style12, Style12Error};
pub use talk::{Talk, TalkKind};
pub use template::MeOrOther;

pub use crate::text::{Handle, Line, PlayerText, ServerText, Titles};
pub use crate::wire::{CommandCode, Control, Family, Level1Header};

use std::sync::Arc;

/// Declares [`Message`] from a row for each typed line: its variant, its type, and whether games or other players may have caused it.
macro_rules! messages {
    ($($(#[$doc:meta])* $variant:ident($value:ty) $by_others:expr,)+) => {
        /// The typed content of one frame.
        ///
        /// A line of a known form has a variant of its own; any other line is [`Text`](Self::Text). The form depends on the start
        /// of the line, which players cannot write, so that their words never become anything but talk or text.
        ///
        /// The size is 16 bytes, and a clone copies no text: it increments at most one reference count.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Message {
            /// A board in style 12.
            Style12(Arc<Style12>),
            /// A board in style 10, converted to style 12. Its game number differs from that of style 12, because style 10 counts
            /// games from 0.
            Style10(Arc<Style12>),
            /// A line of chat: a tell, shout, kibitz, channel tell, announcement or message.
            Talk(Arc<Talk>),
            $($(#[$doc])* $variant(Parsed<$value>),)+
            /// A prompt, a mark, or another part of the stream that is not a line.
            Control(Control),
            /// The first bytes of a line over the length limit.
            OverLong(Arc<OverLongLine>),
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

            /// Returns whether a game or another player may have caused the message, rather than a command of this login.
            pub(crate) fn may_be_unrequested(&self) -> bool {
                match self {
                    Self::Style12(board) => !board.relation().is_isolated(),
                    Self::Style10(_) | Self::Talk(_) => true,
                    $(Self::$variant(parsed) => {
                        let is_by_others: fn(&$value) -> bool = $by_others;
                        is_by_others(parsed)
                    })+
                    Self::Control(_) | Self::OverLong(_) | Self::Text(_) => false,
                }
            }

            /// Stores the line that the message was parsed from. Boards and talk that have a line already keep it; other typed
            /// messages replace theirs, unless clones exist. Text, over-long lines and control messages do not change.
            fn set_line_if_missing(&mut self, line: &[u8]) {
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
                Self::$variant(Parsed::without_line(value))
            }
        })+
    };
}

messages! {
    /// The pieces in reserve in a crazyhouse or bughouse game.
    Holding(Holding) |_| true,
    /// A move without its board.
    Delta(DeltaBoard) |_| true,
    /// The terms of a game: the `<g1>` line, or the line above the board of an observed game, which is part of a reply.
    GameInfo(GameInfo) |it| it.private.is_some() || it.start.is_some(),
    /// A game of this login is about to start; the line does not have its number.
    Creating(OwnGameStarting) |_| false,
    /// A game started, or an adjourned game was resumed.
    GameCreated(GameCreated) |_| true,
    /// A game ended, was adjourned, or was aborted.
    GameEnded(GameEnded) |_| true,
    /// This login started or stopped observing a game.
    Observing(ObservingUpdate) |_| false,
    /// The primary game changed: the one that commands without a game number refer to.
    Focus(PrimaryGameChange) |_| false,
    /// An event of an examined game, other than a board.
    Examine(ExamineNotice) |_| false,
    /// The clocks of a game were stopped or changed, or a player lags.
    Clock(ClockNotice) |it| matches!(it.action, ClockAction::TimeReceived | ClockAction::TimeAdded | ClockAction::Lagged),
    /// A player on this login's list `gnotify` starts a game.
    GameNotification(GameNotification) |_| true,
    /// This login's rating after its game.
    RatingChange(RatingChange) |_| false,
    /// The effect of a challenge on this login's rating.
    RatingForecast(RatingForecast) |_| false,
    /// A player logged in or out; not the `<wa>` line.
    Arrival(PresenceChange) |_| true,
    /// A player logged in: the `<wa>` line, with status, titles and ratings.
    UserArrived(UserArrived) |_| true,
    /// An offer to play, received or sent by this login.
    Challenge(Challenge) |it| it.actor == MeOrOther::Other,
    /// A change of an offer to play, an answer to it, or its end.
    ChallengeUpdate(ChallengeUpdate) |it| it.actor == MeOrOther::Other,
    /// An offer inside a game, or its answer.
    Offer(OfferNotice) |it| it.actor == MeOrOther::Other,
    /// An offer, an answer or a change that concerns this login's bughouse partnership.
    Partner(PartnershipUpdate) |_| false,
    /// An offer was added to the list of pending offers, or is listed there.
    Pending(PendingOffer) |_| true,
    /// Offers were removed from the list of pending offers.
    PendingRemoved(PendingOffersRemoved) |_| true,
    /// A seek ad, new or listed.
    Seek(Seek) |_| true,
    /// Seek ads were removed.
    SeeksRemoved(SeeksRemoved) |_| true,
    /// All seek ads were removed; a new list may follow.
    SeeksCleared(SeeksCleared) |_| true,
    /// A server notice about the seek ads of this login.
    SeekNotice(SeekNotice) |_| false,
    /// The server delivered talk of this login.
    Delivered(Delivered) |_| false,
    /// The outcome of a change to one of this login's lists.
    ListChange(ListChange) |_| false,
    /// This login follows the games of another player from now on, or of none.
    Following(FollowChange) |_| false,
    /// The server did not execute a command.
    Refused(Refusal) |_| false,
    /// Whether the name sent at the login prompt belongs to an account.
    NameStatus(NameStatus) |_| false,
    /// The login is complete.
    LoggedIn(LoggedIn) |_| false,
    /// The server refused or delayed the login.
    LoginRefused(LoginRefusal) |_| false,
    /// The server disconnects this login because of a second login, or on the order of an administrator.
    Kicked(KickedBy) |_| false,
    /// The connection is about to end, or an announced shutdown was canceled.
    Farewell(Farewell) |_| false,
    /// A change of a game, from an ICC datagram.
    GameUpdate(GameUpdate) |_| false,
    /// An examiner drew a circle or an arrow on a board, or erased one.
    Mark(BoardMark) |_| false,
    /// An ICC datagram that is equivalent to no other message.
    Datagram(Datagram) |_| false,
}

impl Message {
    /// Parses a complete line without a tag, as received after the login; `None` if no parser accepts it: a reader returns it as
    /// [`Text`](Self::Text). The message is one of talk or a sentence of the server.
    #[doc(hidden)]
    pub fn parse_untagged(line: &[u8]) -> Option<Self> {
        Talk::parse(line).map(Self::from).or_else(|| dispatch::parse_sentence(line))
    }
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

/// A line over the length limit: its first bytes, and its length. The other bytes were discarded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverLongLine {
    /// The first bytes of the line.
    pub line: Line,
    /// The length of the complete line as received, in bytes.
    pub length: u64,
}
