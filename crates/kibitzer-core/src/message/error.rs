//! Why a tagged line was refused.

use thiserror::Error;

/// Why a line that has a message's tag is not that message after all. The line goes on as text.
///
/// Fields are named as the server's help file names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The line does not start with the tag of the message.
    #[error("line has another tag")]
    Tag,
    /// The line ends before this field, or has no such key.
    #[error("field {0} is missing")]
    Missing(&'static str),
    /// The field holds something the server's documents do not list.
    #[error("field {0} is not valid")]
    Invalid(&'static str),
}
