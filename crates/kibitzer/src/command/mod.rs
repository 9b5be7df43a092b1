//! Commands with typed arguments and typed answers.
//!
//! A command is a value that implements [`Request`]: it knows its line, and it reads the reply to it. It does no I/O;
//! [`Client::request`](crate::Client::request) does. A line as it is typed is a command as well, whose answer is the reply.
//!
//! ```
//! use kibitzer::command::{Request, MatchOptions, MoveText};
//!
//! let challenge = MatchOptions::new("Newton".parse()?).time(3, 2).unrated();
//! assert_eq!(challenge.command()?.as_str(), "match Newton 3 2 unrated");
//! assert_eq!(MoveText::new("e7e8q")?.command()?.as_str(), "e7e8=q");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | command | type | reply | on a [`Client`](crate::Client) |
//! |---|---|---|---|
//! | `tell`, `say`, `kibitz` … | [`Talk`] | [`Told`] | `talk`, `tell` |
//! | `observe`, `unobserve` | [`Observe`], [`Unobserve`] | [`Observed`], games left | `observe`, `unobserve` |
//! | a move | [`MoveText`] | [`MoveMade`] | `make_move` |
//! | `seek`, `unseek` | [`SeekOptions`], [`Unseek`] | [`SeekAnswer`], nothing | `seek`, `unseek` |
//! | `play` | [`Play`] | [`Challenged`] | `request` |
//! | `match` | [`MatchOptions`] | [`Challenged`] | `challenge` |
//! | `resume`, `rematch` | [`Resume`], [`Rematch`] | [`Challenged`], of `resume` one for each opponent | `request` |
//! | `accept`, `decline` | [`Accept`], [`Decline`] | [`Accepted`], [`Closed`] | `accept`, `decline` |
//! | `withdraw` | [`Withdraw`] | [`Closed`] | `request` |
//! | `draw`, `abort`, `takeback` | [`Draw`], [`Abort`], [`Takeback`] | [`GameOffer`] | `draw`, `abort`, `takeback` |
//! | `adjourn` | [`Adjourn`] | [`GameOffer`] | `request` |
//! | `resign` | [`Resign`] | `GameEnded` | `resign` |
//! | `flag` | [`Flag`] | `GameEnded` | `request` |
//! | `games`, `who`, `sought` | [`Games`], [`Who`], [`Sought`] | a list | `games`, `who`, `sought` |
//! | `finger`, `history`, `moves` | [`Finger`], [`History`], [`Moves`] | a list | `finger`, `history`, `moves` |
//! | `stored`, `variables`, `inchannel`, `date` | [`Stored`], [`Variables`], [`InChannel`], [`Date`] | a list; [`ServerDate`] | `request` |
//! | `examine`, `forward`, `backward`, `revert` | [`Examine`], [`Forward`], [`Backward`], [`Revert`] | [`Examined`], [`Stepped`] | `request` |
//! | `unexamine` | [`Unexamine`] | nothing | `request` |
//! | `partner`, with a name or without | [`Partner`], [`EndPartnership`] | [`PartnerAnswer`], nothing | `request` |
//! | `set`, `style`, `iset` | [`Set`], [`Style`], [`Iset`] | the server's words; nothing; nothing | `request` |
//! | `ivariables` | [`InterfaceVariables`] | a list | `request` |
//!
//! Refusals that are known are found by the session, before a reply is read. A reply that holds no answer all the same is
//! [`RequestError::Unexpected`] with the server's words: most likely it refuses in words that are not known.

mod answer;
mod bare;
mod challenge;
mod examine;
mod game;
mod listing;
mod observe;
mod offer;
mod partner;
mod play;
mod seek;
mod setting;
mod talk;
mod terms;
#[cfg(test)]
mod testing;

pub use challenge::{Challenged, MatchOptions, Rematch, Resume};
pub use examine::{Backward, Examine, Examined, Forward, Revert, Stepped, Unexamine};
pub use game::{Abort, Adjourn, Draw, Flag, GameOffer, Resign, Takeback};
pub use listing::{
    Date, Finger, Games, History, InChannel, InterfaceVariables, Moves, ServerDate, Sought, Stored, Variables, Who,
};
pub use observe::{Observe, Observed, Unobserve};
pub use offer::{Accept, Accepted, Closed, Decline, OfferRef, Withdraw};
pub use partner::{EndPartnership, Partner, PartnerAnswer};
pub use play::{MoveMade, MoveText, MoveTextError};
pub use seek::{Play, SeekAnswer, SeekOptions, SeekRef, Unseek};
pub use setting::{Iset, Set, Style};
pub use talk::{Talk, Told};
pub use terms::{Clock, GameRef};

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::session::{Command, Reply};

/// A command, and how its reply is read: what [`Client::request`](crate::Client::request) takes.
pub trait Request {
    /// What the server answers if it carries the command out.
    type Answer;

    /// The line to send.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if an argument cannot be part of a line, or the line gets too long. Nothing was sent.
    fn command(&self) -> Result<Command, CommandError>;

    /// Reads a reply that does not begin with a refusal: see [`Reply::judge`].
    ///
    /// Boards, talk and other things that came in between are passed over.
    ///
    /// # Errors
    ///
    /// [`RequestError::Unexpected`] or [`RequestError::Listing`] if the answer is not in it; a refusal if one stands
    /// behind other lines.
    fn answer(&self, reply: Reply) -> Result<Self::Answer, RequestError>;
}

/// A line as it is typed; the answer is the whole reply.
impl Request for str {
    type Answer = Reply;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(self)
    }

    fn answer(&self, reply: Reply) -> Result<Reply, RequestError> {
        Ok(reply)
    }
}

/// As for `str`.
impl Request for String {
    type Answer = Reply;

    fn command(&self) -> Result<Command, CommandError> {
        self.as_str().command()
    }

    fn answer(&self, reply: Reply) -> Result<Reply, RequestError> {
        Ok(reply)
    }
}

/// A line that was checked already; the answer is the whole reply.
impl Request for Command {
    type Answer = Reply;

    fn command(&self) -> Result<Command, CommandError> {
        Ok(self.clone())
    }

    fn answer(&self, reply: Reply) -> Result<Reply, RequestError> {
        Ok(reply)
    }
}
