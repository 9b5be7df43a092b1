//! Commands with typed arguments and typed answers.
//!
//! A command is a value that implements [`Ask`]: it knows its line, and it reads the reply to it. It does no I/O.
//!
//! ```
//! use kibitzer::command::{Ask, MatchOptions, MoveText};
//!
//! let challenge = MatchOptions::new("Newton".parse()?).time(3, 2).unrated();
//! assert_eq!(challenge.command()?.as_str(), "match Newton 3 2 unrated");
//! assert_eq!(MoveText::new("e7e8q")?.command()?.as_str(), "e7e8=q");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Refusals that are known are found by the session, before a reply is read. A reply that holds no answer all the same is a
//! [`ReadError`] with the server's words: most likely it refuses in words that are not known.

mod answer;
mod challenge;
mod error;
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

pub use challenge::{Challenged, MatchOptions};
pub use error::{AskError, ReadError};
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
pub use terms::{Clock, Target};

use kibitzer_core::session::{Command, CommandError, Reply};

/// A command, and how its reply is read.
pub trait Ask {
    /// What the server answers if it carries the command out.
    type Answer;

    /// The line to send.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if an argument cannot be part of a line, or the line gets too long. Nothing was sent.
    fn command(&self) -> Result<Command, CommandError>;

    /// Reads a reply that holds no refusal.
    ///
    /// Boards, talk and other things that came in between are passed over.
    ///
    /// # Errors
    ///
    /// [`ReadError`] if the answer is not in it.
    fn read(&self, reply: &Reply) -> Result<Self::Answer, ReadError>;
}
