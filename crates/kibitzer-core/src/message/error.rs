//! Why a tagged line was refused.

use thiserror::Error;

/// Why a line with a message's tag could not be parsed. The line is emitted as text.
///
/// Fields have the names of the server's help files.
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
