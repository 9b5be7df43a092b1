//! Delimitation of replies.

use crate::message::{CommandCode, Control, Message};
use crate::wire::Fence;

/// Method by which replies are matched to commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyMode {
    /// A fence follows each command.
    Fenced,
    /// A number precedes each command; block mode marks replies with it.
    Numbered,
    /// The number is the command's tag; ICC's units contain it.
    Tagged,
}

impl ReplyMode {
    /// Returns the mode that the answer to a fence reveals; `None` if the message is not the answer.
    pub(crate) fn revealed_by(fence: Fence, message: &Message, raw: &[u8]) -> Option<Self> {
        match message {
            Message::Control(Control::BlockStart { id: 0, code }) if *code == CommandCode::UNNUMBERED => {
                Some(Self::Numbered)
            }
            Message::Control(Control::UnitStart(header))
                if header.tag.as_ref().is_some_and(|tag| tag == fence.as_str()) =>
            {
                Some(Self::Tagged)
            }
            _ => fence.is_answered_by(raw).then_some(Self::Fenced),
        }
    }

    /// Returns the line that sends a command under a number; without numbers ([`Fenced`](Self::Fenced)), the command alone.
    pub(crate) fn line_for_command(self, number: u64, command: &str) -> String {
        match self {
            Self::Fenced => command.to_owned(),
            Self::Numbered => format!("{number} {command}"),
            Self::Tagged => format!("`{number}`{command}"),
        }
    }
}
