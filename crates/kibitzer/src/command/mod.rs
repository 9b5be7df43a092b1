//! Typed commands: they write their line and parse the reply.
//!
//! [`Client`](crate::Client) has a method for each of them; the list is in its [documentation](crate::Client#typed-commands). This module contains
//! the same commands as values, which implement [`Request`], and the types of their arguments and answers. A value does no
//! I/O: [`Client::request`](crate::Client::request) sends its line, and [`Request::parse_reply`] can parse a recorded reply.
//!
//! ```
//! use kibitzer::command::{self, GameTerms, MoveText, Request};
//!
//! let challenge = command::challenge("Newton".parse()?, GameTerms::new().time(3, 2).unrated());
//! assert_eq!(challenge.command()?.as_str(), "match Newton 3 2 unrated");
//! assert_eq!(MoveText::new("e7e8q")?.command()?.as_str(), "e7e8=q");
//! assert_eq!(command::takeback(2).command()?.as_str(), "takeback 2");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The session detects known refusals before a reply is parsed: [`RequestError::Refused`]. If a reply contains neither an
//! answer nor a known refusal, the error is [`RequestError::Unexpected`] with the server's text, most likely a refusal in
//! unknown words.
//!
//! A command of each family, and the line that it sends:
//!
//! ```
//! use kibitzer::command::{self, GameTerms, MoveText, OfferRef, Request, TalkCommand};
//!
//! // Information, with a listing as the answer.
//! assert_eq!(command::who().command()?.as_str(), "who");
//! // Observing and examining games.
//! assert_eq!(command::forward(2).command()?.as_str(), "forward 2");
//! // New games: seeks, challenges, adjourned games.
//! assert_eq!(command::seek(GameTerms::new().time(3, 2)).command()?.as_str(), "seek 3 2");
//! // Offers and their answers.
//! assert_eq!(command::accept(OfferRef::Number(7)).command()?.as_str(), "accept 7");
//! // Moves.
//! assert_eq!(MoveText::new("Nf3")?.command()?.as_str(), "Nf3");
//! // Talk.
//! assert_eq!(TalkCommand::kibitz("nice").command()?.as_str(), "kibitz nice");
//! // Variables of the account.
//! assert_eq!(command::set("open", "0").command()?.as_str(), "set open 0");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod in_game;
mod info;
mod list;
mod new_game;
mod offers;
mod reply;
mod talk;
#[cfg(test)]
mod testing;

pub use in_game::{ExamineStep, GameRef, MoveMade, MoveText, ObservedGame};
pub use list::*;
pub use new_game::GameTerms;
pub use offers::{OfferOutcome, OfferRef};
pub use talk::TalkCommand;

use std::fmt::Display;

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::session::{Command, Reply};

/// A command with the parser of its reply: the argument of [`Client::request`](crate::Client::request).
///
/// Implement it for a command of your own. Lines (`str`, `String`, [`Command`]) implement it, too; their answer is the whole
/// reply.
pub trait Request {
    /// The content of the reply to an executed command.
    type Answer;

    /// Returns the line to send.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if an argument cannot be part of a line, or the line is too long. Nothing is sent then.
    fn command(&self) -> Result<Command, CommandError>;

    /// Parses a reply that does not begin with a refusal; see [`Reply::into_result`].
    ///
    /// Boards, talk and other output that the command did not cause are skipped.
    ///
    /// # Errors
    ///
    /// [`RequestError::Unexpected`] or [`RequestError::Listing`] if the reply does not contain the answer;
    /// [`RequestError::Refused`] if a refusal follows other lines.
    fn parse_reply(&self, reply: Reply) -> Result<Self::Answer, RequestError>;
}

/// Implements [`Request`] for types of lines, with the whole reply as the answer.
macro_rules! line_requests {
    ($($line:ty: $command:expr;)+) => {$(
        impl Request for $line {
            type Answer = Reply;

            fn command(&self) -> Result<Command, CommandError> {
                let command: fn(&$line) -> Result<Command, CommandError> = $command;
                command(self)
            }

            fn parse_reply(&self, reply: Reply) -> Result<Reply, RequestError> {
                Ok(reply)
            }
        }
    )+};
}
line_requests! {
    str: Command::new;
    String: |line| Command::new(line);
    Command: |command| Ok(command.clone());
}

/// A command whose parser is a function.
struct TypedCommand<P> {
    line: String,
    parser: P,
}

impl<A, P: Fn(&Reply) -> Result<A, RequestError>> Request for TypedCommand<P> {
    type Answer = A;

    fn command(&self) -> Result<Command, CommandError> {
        Command::new(&self.line)
    }

    fn parse_reply(&self, reply: Reply) -> Result<A, RequestError> {
        (self.parser)(&reply)
    }
}

/// Creates a command from its line, which only [`Request::command`] checks, and the parser of its reply.
fn typed_command<A, P: Fn(&Reply) -> Result<A, RequestError>>(line: impl Into<String>, parser: P) -> TypedCommand<P> {
    TypedCommand { line: line.into(), parser }
}

/// Returns the line with a blank and this argument appended; with `None`, the line alone.
fn with_argument(line: &str, argument: Option<impl Display>) -> String {
    argument.map_or_else(|| line.to_owned(), |argument| format!("{line} {argument}"))
}
