//! Prompts, marks and other parts of the stream that are not lines.

use std::sync::Arc;

use super::{CommandCode, Handle, UnitHeader};

/// A part of the stream that carries the protocol rather than text.
///
/// No variant without an `Arc` allocates. Clones cost at most one reference count.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Control {
    /// The server waits for a command.
    Prompt,
    /// The server waits for a name.
    LoginPrompt,
    /// The server waits for a password.
    PasswordPrompt,
    /// The server offers to log in a guest under this name.
    GuestPrompt(Arc<Handle>),
    /// Start of a reply in block mode.
    BlockStart {
        /// The number that the client put before the command.
        id: u64,
        /// The command that the reply answers.
        code: CommandCode,
    },
    /// End of a reply in block mode.
    BlockEnd {
        /// The number that the client gave the command.
        id: u64,
        /// Whether the server ended the reply; `false` if a limit, another block, or the end of the stream cut it off.
        complete: bool,
    },
    /// A telnet command.
    Telnet {
        /// The command byte; see [`telnet_command_name`](crate::wire::telnet_command_name).
        command: u8,
        /// The option byte, if the command has one.
        option: Option<u8>,
    },
    /// A timeseal ping, which the client has to answer: the server measures the time until then.
    Ping,
    /// Start of an ICC level-1 unit.
    UnitStart(Arc<UnitHeader>),
    /// End of the innermost ICC level-1 unit.
    UnitEnd,
    /// The server dropped the rest of an ICC command's output.
    Overflow,
}
