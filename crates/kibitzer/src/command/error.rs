//! Why a command has no answer.

use kibitzer_core::message::listing::ListingError;
use kibitzer_core::session::{RefusalReason, RequestError};
use kibitzer_core::text::{PlayerText, ServerText};
use thiserror::Error;

/// Why a reply does not hold the answer to its command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The server refuses, behind something else that it has to say.
    #[error("refused")]
    Refused {
        /// Why.
        reason: RefusalReason,
        /// In the server's words.
        text: ServerText,
    },
    /// The server says something else than it is known to say when it carries the command out. Most likely it did not.
    #[error("reply is not understood")]
    Unexpected {
        /// The first line of the reply that is neither board nor talk; empty if there is none.
        text: PlayerText,
    },
    /// The reply is no listing of the kind asked for, or not a whole one.
    #[error("listing is not understood")]
    Listing {
        /// What is wrong with it.
        #[source]
        source: ListingError,
        /// As in [`Unexpected`](Self::Unexpected).
        text: PlayerText,
    },
}

impl ReadError {
    /// What the server said instead.
    pub fn text(&self) -> &str {
        match self {
            Self::Refused { text, .. } => text.as_str(),
            Self::Unexpected { text } | Self::Listing { text, .. } => text.as_str(),
        }
    }
}

/// Why a command was not carried out, or is not known to have been.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AskError {
    /// There is no reply, or the server refuses: an illegal move, no such game, no such offer.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// There is a reply, without the answer in it.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl AskError {
    /// Why the server refuses, if it gave a reason that has a type of its own. Some refusals are variants of [`RequestError`].
    pub const fn refusal(&self) -> Option<RefusalReason> {
        match self {
            Self::Request(RequestError::Refused { reason, .. }) | Self::Read(ReadError::Refused { reason, .. }) => {
                Some(*reason)
            }
            _ => None,
        }
    }

    /// The server's words, if it said anything.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Request(RequestError::Refused { text, .. }) => Some(text.as_str()),
            Self::Request(_) => None,
            Self::Read(error) => Some(error.text()),
        }
    }
}
