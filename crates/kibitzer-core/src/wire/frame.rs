//! Frames, the output of the framer.

use std::sync::Arc;

use super::block_code::CommandCode;
use crate::scan::Cursor;
use crate::text::{Handle, PlayerText};

/// A unit cut from the byte stream, such as a line or a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame<'a> {
    /// Stream position of the frame's first byte: the number of bytes received before it.
    ///
    /// A prompt or bell before a line, and blanks before its tag, do not belong to the frame.
    pub offset: u64,
    /// Stream position after the frame's last byte, line end included.
    pub end: u64,
    /// Whether a bell was received since the previous line; always `false` for other frames than lines.
    pub bell: bool,
    /// Kind of the frame, with its contents.
    pub kind: FrameKind<'a>,
}

/// Kind of a frame, with its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameKind<'a> {
    /// A complete line without control bytes and line end. The pieces of a wrapped line are joined.
    Line {
        /// The tag at the start of the line.
        tag: LineTag,
        /// The line, from its tag on if it has one.
        bytes: &'a [u8],
    },
    /// A line, or an unfinished ICC unit, that exceeded its limit.
    OverLong {
        /// The first bytes, up to the limit.
        bytes: &'a [u8],
        /// Length before it was cut, in bytes: that of the joined line without control bytes, or of the received part of the
        /// unit.
        length: u64,
    },
    /// An ICC level-2 unit: the bytes between `^Y(` and `^Y)`.
    Datagram {
        /// The bytes between the brackets, including any `^Y{` and `^Y}`.
        bytes: &'a [u8],
    },
    /// A prompt, a mark, or another part of the stream that is not a line.
    Control(Control),
}

/// A frame that is not a line or datagram: a prompt, a mark, a ping or a telnet command.
///
/// Clones are cheap: they allocate nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Control {
    /// The server waits for a command: `fics% `.
    Prompt,
    /// The server waits for a name: `login: `.
    LoginPrompt,
    /// The server waits for a password: `password: `.
    PasswordPrompt,
    /// The server offers to log in a guest under this name: `Press return to enter the server as "GuestABCD":`.
    GuestPrompt(Arc<Handle>),
    /// Start of a reply in block mode; its lines follow.
    BlockStart {
        /// The number that the client sent before the command; 0 if it sent none.
        id: u64,
        /// The command that the reply answers, or the error.
        code: CommandCode,
    },
    /// End of a reply in block mode. Every [`BlockStart`](Self::BlockStart) has one.
    BlockEnd {
        /// The number of the block's start.
        id: u64,
        /// Whether the server ended the reply; `false` if a limit, the start of another block, or the end of the stream cut it
        /// off.
        complete: bool,
    },
    /// A telnet command, removed from the text around it.
    Telnet {
        /// The command byte, 236 to 254; see [`telnet_command_name`](super::telnet_command_name).
        command: u8,
        /// The option byte, if the command has one.
        option: Option<u8>,
    },
    /// A timeseal ping, removed from the text around it. The client has to answer it at once, because the server measures the
    /// time.
    Ping,
    /// Start of an ICC level-1 unit.
    UnitStart(Arc<Level1Header>),
    /// End of the innermost ICC level-1 unit. Every [`UnitStart`](Self::UnitStart) has exactly one: the framer drops an end
    /// without a start, and adds a missing end before the next unit or at the end of the stream.
    UnitEnd,
    /// Control-Z: the server dropped the rest of an ICC command's output.
    Overflow,
}

/// Header of an ICC level-1 unit: its first line, which identifies the command whose output the unit encloses.
///
/// Source: ICC's description of its level-1 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Level1Header {
    /// ICC's number of the command.
    pub command: u32,
    /// The player who gave the command; `*` for this login.
    pub player: PlayerText,
    /// The tag that the client sent with the command; `None` if it sent none.
    pub tag: Option<PlayerText>,
}

impl Level1Header {
    /// Parses the bytes between `^Y[` and the end of that line: a number, a name and an optional tag. `None` if the number or the
    /// name is missing.
    pub fn parse(header: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(header);
        let command = at.number()?;
        let player = PlayerText::from_wire(at.skip_whitespace().word_here()?);
        Some(Self { command, player, tag: at.skip_whitespace().word_here().map(PlayerText::from_wire) })
    }
}

/// The tag that a line starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineTag {
    /// No tag, or an unknown one.
    None,
    /// No tag: an indented line of a quoted message. All of it is text of a player, even if it looks like a tag.
    PlayerText,
    /// `<12>`
    Style12,
    /// `<12>`, on a line that the server cut off: it is followed by a continuation mark without text. The FICS 1.6 family cuts
    /// lines that exceed a buffer.
    CutStyle12,
    /// `<10>`: the first line of a style 10 board.
    Style10,
    /// `<b1>`
    Holding,
    /// `<d1>`
    Delta,
    /// `<s>`
    Seek,
    /// `<sn>`
    NewSeek,
    /// `<sr>`
    SeeksRemoved,
    /// `<sc>`
    SeeksCleared,
    /// `<pt>`
    PendingTo,
    /// `<pf>`
    PendingFrom,
    /// `<pr>`
    PendingRemoved,
    /// `<g1>`
    GameInfo,
    /// `<wa>`
    UserArrived,
    /// `<wd>`
    UserDeparted,
}

impl LineTag {
    /// Returns whether the line contains this tag, so that its frame starts at the tag and not at blanks before it.
    pub(super) const fn is_literal(self) -> bool {
        !matches!(self, Self::None | Self::PlayerText)
    }

    /// Returns the tag at the very start of `line`; [`LineTag::None`] if there is no known tag, also if blanks precede it.
    #[inline]
    pub(crate) fn of(line: &[u8]) -> Self {
        match line {
            [b'<', b'1', b'2', b'>', ..] => Self::Style12,
            [b'<', b'b', b'1', b'>', ..] => Self::Holding,
            [b'<', b'd', b'1', b'>', ..] => Self::Delta,
            [b'<', b's', b'>', ..] => Self::Seek,
            [b'<', b's', b'n', b'>', ..] => Self::NewSeek,
            [b'<', b's', b'r', b'>', ..] => Self::SeeksRemoved,
            [b'<', b's', b'c', b'>', ..] => Self::SeeksCleared,
            [b'<', b'p', b't', b'>', ..] => Self::PendingTo,
            [b'<', b'p', b'f', b'>', ..] => Self::PendingFrom,
            [b'<', b'p', b'r', b'>', ..] => Self::PendingRemoved,
            [b'<', b'g', b'1', b'>', ..] => Self::GameInfo,
            [b'<', b'w', b'a', b'>', ..] => Self::UserArrived,
            [b'<', b'w', b'd', b'>', ..] => Self::UserDeparted,
            [b'<', b'1', b'0', b'>', ..] => Self::Style10,
            _ => Self::None,
        }
    }
}
