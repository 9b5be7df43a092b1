//! Typed commands: they write their line and parse the reply.
//!
//! [`Client`](crate::Client) has a method for each of them; the list is in its [documentation](crate::Client#typed-commands). This module contains
//! the same commands as values, which implement [`Request`], and the types of their arguments and answers. A value does no
//! I/O: [`Client::request`](crate::Client::request) sends its line, and [`Request::parse_reply`] can parse a recorded reply.
//!
//! ```
//! use kibitzer::command::{self, GameTerms, MoveText, Request};
//!
//! let challenge = command::challenge("Newton", GameTerms::new().time(3, 2).unrated());
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

pub use in_game::{ExamineStep, GameRef, IntoGameRef, MoveMade, MoveText, ObservedGame};
pub use info::ServerClocks;
pub use list::*;
pub use new_game::GameTerms;
pub use offers::{OfferOutcome, OfferRef};
pub use talk::TalkCommand;

use std::fmt;
use std::sync::Arc;

use kibitzer_core::event::{CommandError, RequestError};
use kibitzer_core::message::Handle;
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

impl<R: Request + ?Sized> Request for &R {
    type Answer = R::Answer;

    fn command(&self) -> Result<Command, CommandError> {
        (**self).command()
    }

    fn parse_reply(&self, reply: Reply) -> Result<R::Answer, RequestError> {
        (**self).parse_reply(reply)
    }
}

/// A command of this module, with the type of its answer. It owns its line and arguments.
///
/// An argument that cannot be part of a line, such as an invalid name, is an error of [`Request::command`].
pub struct TypedCommand<A> {
    line: Result<Command, CommandError>,
    parser: Arc<ReplyParser<A>>,
}

/// Parses the answer in a reply.
type ReplyParser<A> = dyn Fn(&Reply) -> Result<A, RequestError> + Send + Sync;

impl<A> Clone for TypedCommand<A> {
    fn clone(&self) -> Self {
        Self { line: self.line.clone(), parser: Arc::clone(&self.parser) }
    }
}

impl<A> fmt::Debug for TypedCommand<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TypedCommand").field(&self.line).finish()
    }
}

impl<A> Request for TypedCommand<A> {
    type Answer = A;

    fn command(&self) -> Result<Command, CommandError> {
        self.line.clone()
    }

    fn parse_reply(&self, reply: Reply) -> Result<A, RequestError> {
        (self.parser)(&reply)
    }
}

/// Creates a command from its line and the parser of its reply.
fn typed_command<A>(
    line: impl AsRef<str>,
    parser: impl Fn(&Reply) -> Result<A, RequestError> + Send + Sync + 'static,
) -> TypedCommand<A> {
    TypedCommand { line: Command::new(line.as_ref()), parser: Arc::new(parser) }
}

/// Creates a command from an argument, the line that it makes, and the parser of the reply, which receives the argument, too.
fn command_about<A, T: Send + Sync + 'static>(
    argument: Result<T, CommandError>,
    line: impl FnOnce(&T) -> String,
    parser: impl Fn(&Reply, &T) -> Result<A, RequestError> + Send + Sync + 'static,
) -> TypedCommand<A> {
    let line = argument.as_ref().map_err(Clone::clone).and_then(|argument| Command::new(&line(argument)));
    let parser = move |reply: &Reply| parser(reply, argument.as_ref().map_err(|&error| error)?);
    TypedCommand { line, parser: Arc::new(parser) }
}

/// A player as an argument: a [`Handle`], or a typed name.
///
/// ```
/// use kibitzer::command::{self, Request};
///
/// assert_eq!(command::finger("Newton").command()?.as_str(), "finger Newton");
/// assert!(command::finger("New ton").command().is_err());
/// # Ok::<(), kibitzer::event::CommandError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name a player",
    label = "not a player",
    note = "pass a `Handle`, a `&Handle`, or a name such as `\"Newton\"`; a name in a list of games may be cut: see `ListedName::full`"
)]
pub trait IntoHandle {
    /// Returns the name of the player.
    ///
    /// # Errors
    ///
    /// [`CommandError::InvalidName`] if no account can have the name.
    fn into_handle(self) -> Result<Handle, CommandError>;
}

impl IntoHandle for Handle {
    /// Returns the handle. Fails if it is a made-up name of an examined game, or empty.
    fn into_handle(self) -> Result<Handle, CommandError> {
        // A made-up name may contain anything but blanks.
        self.as_str().into_handle().map(|_| self)
    }
}

impl IntoHandle for &Handle {
    fn into_handle(self) -> Result<Handle, CommandError> {
        self.clone().into_handle()
    }
}

impl IntoHandle for &str {
    fn into_handle(self) -> Result<Handle, CommandError> {
        self.parse().map_err(|_| CommandError::InvalidName)
    }
}

impl IntoHandle for &String {
    fn into_handle(self) -> Result<Handle, CommandError> {
        self.as_str().into_handle()
    }
}

impl IntoHandle for String {
    fn into_handle(self) -> Result<Handle, CommandError> {
        self.as_str().into_handle()
    }
}

/// Returns the line with a blank and this argument appended; with `None`, the line alone.
fn with_argument(line: &str, argument: Option<impl fmt::Display>) -> String {
    argument.map_or_else(|| line.to_owned(), |argument| format!("{line} {argument}"))
}
