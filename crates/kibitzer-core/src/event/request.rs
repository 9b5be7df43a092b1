//! Errors of requests.

use std::time::Duration;

use strum::AsRefStr;
use thiserror::Error;

use super::{SessionEndReason, quoted_suffix};
use crate::message::Refusal;
use crate::message::listing::ListingError;
use crate::text::{PlayerText, ServerText};

/// Longest line that is sent, its number in block mode and its line feed included, in bytes.
///
/// Source: rule transport L6; servers cut or refuse longer ones.
const MAX_LINE_BYTES: usize = 1000;

/// Longest command after encoding, in bytes: [`MAX_LINE_BYTES`] less the number of block mode, a blank and the line feed.
pub(crate) const MAX_COMMAND_BYTES: usize = MAX_LINE_BYTES - "999 ".len() - "\n".len();

/// Reason why a text is not a valid command. No part of it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum CommandError {
    /// The text contains a line break, so the server would read two commands.
    #[error("line break inside a line")]
    LineBreak,
    /// The text contains a control character other than a line break. Servers drop some of them, refuse the line for others, and
    /// timeseal uses some itself.
    #[error("control character in a line")]
    Control,
    /// The text is longer than servers accept. A line may have [`Command::MAX_BYTES`](crate::session::Command::MAX_BYTES), the text of
    /// talk 320 bytes.
    #[error("line of {length} bytes is longer than {limit}")]
    #[non_exhaustive]
    TooLong {
        /// Length of the text after encoding, without line end, in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The text is empty, where a server gives an empty text another meaning.
    #[error("line is empty")]
    Empty,
    /// The name of a player is not an account name: a letter, then letters, digits and `-`, at most 32 in all.
    #[error("not the name of a player")]
    InvalidName,
}

impl CommandError {
    /// Creates the error of a text that is [too long](Self::TooLong).
    pub const fn too_long(length: usize, limit: usize) -> Self {
        Self::TooLong { length, limit }
    }
}

/// Part of a program that stops the session from reading while it is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::Display)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ReadingBlocker {
    /// A lossless subscription whose events are not received.
    #[strum(serialize = "a lossless subscription")]
    Subscription,
    /// An observer, such as a tap or a recording.
    #[strum(serialize = "an observer")]
    Observer,
}

/// Reason why a request failed: it was not sent, no reply arrived, the server refused it, or the reply does not answer it.
///
/// [`refusal_reason`](Self::refusal_reason) distinguishes refusals from the rest, [`text`](Self::text) returns the server's
/// words.
///
/// [`as_ref`](AsRef::as_ref) returns the name of the variant in snake case, such as `timed_out`.
#[derive(Clone, Debug, PartialEq, Eq, Error, AsRefStr)]
#[strum(serialize_all = "snake_case")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum RequestError {
    /// The command is not a valid line. Nothing was sent.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// The queue of requests is full. Nothing was sent.
    #[error("too many requests are waiting")]
    Busy,
    /// The session is not ready: it is being connected or set up. Nothing was sent, and nothing will be.
    #[error("not connected")]
    NotConnected,
    /// The time in which the command could be sent, [`RequestOptions::send_within`](crate::session::RequestOptions::send_within),
    /// has passed. Nothing was sent.
    #[error("expired before it was sent")]
    Expired,
    /// The game of the request, [`RequestOptions::only_during`](crate::session::RequestOptions::only_during), is over, no longer
    /// followed, or not known. Nothing was sent.
    #[error("game is over or not followed")]
    GameOver,
    /// The reply did not arrive in time. The command may have been executed.
    #[error("no reply within {0:?}")]
    TimedOut(Duration),
    /// The reply did not arrive in time, and the session read nothing for at least the second half of it: a part of the program had
    /// no room for events. It must not wait for a reply before it takes them. The command may have been executed.
    #[error("no reply within {after:?}: nothing was read, because {by} was full")]
    #[non_exhaustive]
    Blocked {
        /// The part of the program that had no room for events.
        by: ReadingBlocker,
        /// The time limit of the reply.
        after: Duration,
    },
    /// The connection ended before the reply. The command may have been executed.
    #[error("connection lost before the reply")]
    Lost,
    /// The reply exceeds the limits of a stored reply. The command was executed.
    #[error("reply is longer than {limit_bytes} bytes or {limit_events} events")]
    #[non_exhaustive]
    TooLong {
        /// The limit in bytes of text.
        limit_bytes: usize,
        /// The limit in events.
        limit_events: usize,
    },
    /// The reply was cut short, or cannot be separated from another one. The command was probably executed.
    #[error("reply is incomplete")]
    Incomplete,
    /// The server did not execute the command because it had no number: block mode was switched on by another command, such as
    /// one of an alias.
    #[error("server requires a number before the command")]
    Unnumbered,
    /// The server refused. No other variant stands for a refusal.
    #[error("refused{}", quoted_suffix(.text, ""))]
    #[non_exhaustive]
    Refused {
        /// Reason of the refusal.
        reason: Refusal,
        /// The server's text; empty if it refused with a code or by silence alone.
        text: ServerText,
    },
    /// The reply is not one that the server is known to send after executing the command. Most likely it was not executed.
    #[error("unexpected reply")]
    #[non_exhaustive]
    Unexpected {
        /// The first line of the reply that is neither board nor talk; empty if the reply has no such line.
        text: PlayerText,
    },
    /// The reply is not a listing of the requested kind, or not a complete one.
    #[error("invalid listing")]
    #[non_exhaustive]
    Listing {
        /// The reason that the listing was rejected.
        #[source]
        source: ListingError,
        /// As in [`Unexpected`](Self::Unexpected).
        text: PlayerText,
    },
    /// The session is over.
    #[error("session is over")]
    Ended(#[source] SessionEndReason),
}

impl RequestError {
    /// Creates a [refusal](Self::Refused); `text` is the server's.
    pub const fn refused(reason: Refusal, text: ServerText) -> Self {
        Self::Refused { reason, text }
    }

    /// Creates the error of an [unexpected](Self::Unexpected) reply with this first line.
    pub const fn unexpected(text: PlayerText) -> Self {
        Self::Unexpected { text }
    }

    /// Creates the error of an invalid [listing](Self::Listing) with this first line.
    pub const fn invalid_listing(source: ListingError, text: PlayerText) -> Self {
        Self::Listing { source, text }
    }

    /// Creates the error of a request whose reply was [not read](Self::Blocked) within the time limit `after`.
    pub const fn blocked(by: ReadingBlocker, after: Duration) -> Self {
        Self::Blocked { by, after }
    }

    /// Returns the reason of a [refusal](Self::Refused); `None` for every other error. A refusal in unknown words is
    /// [`Unexpected`](Self::Unexpected).
    pub const fn refusal_reason(&self) -> Option<Refusal> {
        match self {
            Self::Refused { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// Returns whether the error is a refusal with exactly this reason, including the game that the reason may contain.
    pub fn is_refused_for(&self, refusal: Refusal) -> bool {
        self.refusal_reason() == Some(refusal)
    }

    /// Returns the text that the server sent instead of an answer: that of a refusal, or of an unexpected reply or listing.
    /// `None` if the server sent none, and for all other errors.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Refused { text, .. } => Some(text.as_str()),
            Self::Unexpected { text } | Self::Listing { text, .. } => Some(text.as_str()),
            _ => None,
        }
        .filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::*;
    use crate::event::{CloseCause, DialError, LoginError, LostCause};

    #[test]
    fn refusals_and_unrecognized_replies_keep_the_text_of_the_server() {
        let reason = Refusal::IllegalMove;
        let refused = RequestError::Refused { reason, text: ServerText::from_wire(b"Illegal move.") };
        assert_eq!((refused.refusal_reason(), refused.text()), (Some(reason), Some("Illegal move.")));
        let text = PlayerText::from_wire(b"What?");
        let source = ListingError::NotThisReply;
        for error in [RequestError::Unexpected { text: text.clone() }, RequestError::Listing { source, text }] {
            assert_eq!((error.refusal_reason(), error.text()), (None, Some("What?")));
        }
        for error in [RequestError::Busy, RequestError::Unnumbered, RequestError::Ended(SessionEndReason::Quit)] {
            assert_eq!((error.refusal_reason(), error.text()), (None, None), "{error:?}");
        }
    }

    #[test]
    fn an_error_with_a_source_does_not_repeat_it() {
        let login = SessionEndReason::Login(LoginError::InvalidPassword);
        let errors: [&dyn Error; 5] = [
            &RequestError::invalid_listing(ListingError::NotThisReply, PlayerText::from_wire(b"")),
            &RequestError::Ended(login.clone()),
            &SessionEndReason::Dial(DialError::TimedOut),
            &SessionEndReason::lost(LostCause::Connection(CloseCause::Silent), 3),
            &login,
        ];
        for error in errors {
            assert!(!error.to_string().contains(&error.source().unwrap().to_string()), "{error:?}");
        }
    }
}
