//! Frames to messages: one file per kind of message, named as the servers' help files name it.
//!
//! [`Reader`] is the way in: bytes to [`Received`]. The parsers of single lines are there too, each a `parse` on its type.

mod arrival;
mod challenge;
mod challenge_update;
mod clock;
mod control;
mod datagram;
mod delta;
mod dispatch;
mod error;
mod examine;
mod farewell;
mod fields;
mod game_end;
mod game_end_reason;
mod game_info;
mod game_start;
mod game_update;
mod holding;
mod ivar;
pub mod listing;
mod login;
mod mark;
mod observing;
mod offer;
mod partner;
mod pending;
mod rating;
mod reader;
mod refused;
mod seek;
mod seek_text;
mod start_list;
mod style10;
mod style12;
mod talk;
mod template;
#[cfg(test)]
mod tests;
mod user_info;

pub use arrival::{Arrival, ArrivalKind, ArrivalReason};
pub use challenge::Challenge;
pub use challenge_update::{ChallengeChange, ChallengeUpdate};
pub use clock::ClockReading;
pub use control::Control;
pub(crate) use datagram::DatagramKind;
pub use datagram::{Datagram, UnitHeader};
pub use delta::Delta;
pub use error::ParseError;
pub use examine::{Examine, ExamineAction};
pub use farewell::{Farewell, KickedBy};
pub use game_end::GameEnded;
pub use game_end_reason::{GameEndReason, GameResult};
pub use game_info::GameInfo;
pub use game_start::{Creating, GameCreated};
pub use game_update::{GameAction, GameRole, GameUpdate, SentMove};
pub use holding::Holding;
pub use ivar::Ivar;
pub use login::{LoggedIn, LoginRefusal, NameKind, NameStatus};
pub use mark::{Mark, MarkShape};
pub use observing::{Focus, Observing, ObservingChange, ObservingRefusal};
pub use offer::{Offer, OfferAnswer, OfferKind};
pub use partner::Partner;
pub use pending::{Pending, PendingDirection, PendingRemoved};
pub use rating::{Confidence, GameId, Rating};
pub use reader::{Lent, LentMessage, Reader, Received};
pub use refused::Refusal;
pub use seek::{Seek, SeeksCleared, SeeksRemoved};
pub use seek_text::SeekNotice;
pub use start_list::{StartKind, StartList};
pub(crate) use style12::{BoardNumbers, DerivedMove};
pub use style12::{Relation, ReportedMove, Style12, Style12Error};
pub use talk::{Talk, TalkKind};
pub use template::Actor;
pub use user_info::{UserArrived, UserDeparted};

pub use crate::text::{Handle, HandleError, Titles};
pub use crate::wire::{CommandCode, Family};

use std::sync::Arc;

use crate::text::Line;

/// The typed content of one frame.
///
/// Everything a server is known to say has a variant; the rest is [`Text`](Self::Text). What a line says is decided by how
/// it starts, so nothing a player writes becomes more than text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Message {
    /// A board in style 12.
    Style12(Arc<Style12>),
    /// A board in style 10, in the same form. Its game number is not that of style 12.
    Style10(Arc<Style12>),
    /// The pieces in reserve in a crazyhouse or bughouse game.
    Holding(Holding),
    /// A move without its board.
    Delta(Delta),
    /// The types of the players of a game and its terms, as `<g1>` has them.
    GameInfo(Box<GameInfo>),
    /// A game is about to begin, without its number.
    Creating(Box<Creating>),
    /// A game begins or goes on.
    GameCreated(GameCreated),
    /// A game is over.
    GameEnded(GameEnded),
    /// A game is observed from now on, or not any more.
    Observing(Observing),
    /// Another of the observed games is the primary one.
    Focus(Focus),
    /// Something happened in an examined game.
    Examine(Examine),
    /// Something a player said.
    Talk(Talk),
    /// A player came or left.
    Arrival(Arrival),
    /// A player came, as `<wa>` has it.
    UserArrived(Box<UserArrived>),
    /// A player left, as `<wd>` has it.
    UserDeparted(UserDeparted),
    /// An offer to play, made to this login or by it.
    Challenge(Box<Challenge>),
    /// What became of an offer to play.
    ChallengeUpdate(ChallengeUpdate),
    /// An offer inside a game, or its answer.
    Offer(Offer),
    /// Bughouse partners come and go.
    Partner(Partner),
    /// An offer in the list of pending ones.
    Pending(Pending),
    /// Offers left the list of pending ones.
    PendingRemoved(PendingRemoved),
    /// An ad in the seek list.
    Seek(Box<Seek>),
    /// Ads left the seek list.
    SeeksRemoved(SeeksRemoved),
    /// The seek list starts anew.
    SeeksCleared(SeeksCleared),
    /// What the server says of this login's own ads.
    SeekNotice(SeekNotice),
    /// A command was not carried out.
    Refused(Refusal),
    /// A game is not observed, or not left, and why.
    ObservingRefused(ObservingRefusal),
    /// What the server knows of the name that was typed at the login prompt.
    NameStatus(NameStatus),
    /// The login is complete.
    LoggedIn(LoggedIn),
    /// The login is not possible so.
    LoginRefused(LoginRefusal),
    /// The server ends this session for another, or for good.
    Kicked(KickedBy),
    /// The session or the server is about to end.
    Farewell(Farewell),
    /// A prompt, a mark, or another part of the stream that is not a line.
    Control(Control),
    /// What an ICC datagram tells of a game's board.
    GameUpdate(GameUpdate),
    /// An examiner drew on a board.
    Mark(Mark),
    /// An ICC level-2 unit that no other message stands for.
    Datagram(Datagram),
    /// A line over the length limit.
    OverLong(Arc<OverLong>),
    /// A line that is none of the above.
    Text(Line),
}

/// A line over the length limit, which was cut.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OverLong {
    /// The first bytes of the line.
    pub line: Line,
    /// The whole length of the line, in bytes.
    pub length: u64,
}
