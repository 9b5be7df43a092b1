//! Frames: the output of the framer.

use std::sync::Arc;

use super::block_code::CommandCode;
use crate::scan::Cursor;
use crate::text::{Handle, PlayerText};

/// A part of the stream with its kind, such as a line or a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame<'a> {
    /// Position of the frame's first byte in the stream, counted from 0. Every byte of the stream counts.
    ///
    /// A prompt, bell or blank before a tag is not part of the frame.
    pub offset: u64,
    /// Position after the frame's last byte.
    pub end: u64,
    /// Whether a bell precedes the line, after the line before.
    pub bell: bool,
    /// The class, with the bytes.
    pub kind: FrameKind<'a>,
}

/// The class of a frame, with the bytes that belong to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameKind<'a> {
    /// A whole line: cleaned, wrapped pieces joined, without line end. Tagged lines start at their tag.
    Line {
        /// The tag at the start of the line.
        tag: LineTag,
        /// The line.
        bytes: &'a [u8],
    },
    /// A line, or an unfinished ICC unit, that was longer than the limit.
    OverLong {
        /// Its first bytes, as many as the limit allows.
        bytes: &'a [u8],
        /// Its whole length in bytes.
        length: u64,
    },
    /// An ICC level-2 unit: the bytes between `^Y(` and `^Y)`.
    Datagram {
        /// The unit, its inner `^Y{` and `^Y}` included.
        bytes: &'a [u8],
    },
    /// A prompt, a mark, or another part of the stream that is not a line.
    Control(Control),
}

/// A part of the stream that carries the protocol rather than text.
///
/// No variant without an `Arc` allocates. Clones cost at most one reference count.
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
        /// The number that the client put before the command; 0 if it gave none, or gave 0.
        id: u64,
        /// The command that the reply answers.
        code: CommandCode,
    },
    /// End of a reply in block mode. Every [`BlockStart`](Self::BlockStart) has one.
    BlockEnd {
        /// The number that the client gave the command.
        id: u64,
        /// Whether the server ended the reply; `false` if a limit, another block, or the end of the stream cut it off.
        complete: bool,
    },
    /// A telnet command, 236 to 254; it was removed from the text around it.
    Telnet {
        /// The command byte; see [`telnet_command_name`](super::telnet_command_name).
        command: u8,
        /// The option byte, if the command has one.
        option: Option<u8>,
    },
    /// A timeseal ping, removed from the text around it. The client has to answer it at once: the server measures the time.
    Ping,
    /// Start of an ICC level-1 unit.
    UnitStart(Arc<Level1Header>),
    /// End of the innermost ICC level-1 unit. Every [`UnitStart`](Self::UnitStart) has exactly one: an end without a start is
    /// dropped, a missing end is added at the next command's start or at the end of the stream.
    UnitEnd,
    /// Control-Z: the server dropped the rest of an ICC command's output.
    Overflow,
}

/// Header of an ICC level-1 unit: its first line, which names the command whose output the unit encloses.
///
/// Source: ICC's description of its level-1 format.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Level1Header {
    /// Number of the command whose output follows.
    pub command: u32,
    /// The player who gave the command; `*` for this login.
    pub player: PlayerText,
    /// The tag that the client gave the command; `None` if it gave none.
    pub tag: Option<PlayerText>,
}

impl Level1Header {
    /// Parses the bytes between `^Y[` and the end of that line: a number, a name and an optional tag. `None` if the number or the
    /// name is missing.
    pub fn parse(header: &[u8]) -> Option<Self> {
        let mut at = Cursor::new(header);
        let command = at.number()?;
        let player = PlayerText::from_wire(at.skip_whitespace().word()?);
        Some(Self { command, player, tag: at.skip_whitespace().word().map(PlayerText::from_wire) })
    }
}

/// The tag that a line starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LineTag {
    /// No tag, or an unknown one.
    None,
    /// No tag: an indented line of a message that the server quotes, blanks included. All of it is a player's.
    PlayerText,
    /// `<12>`
    Style12,
    /// `<12>`, on a line that a continuation mark without text follows: the FICS 1.6 family cuts lines that are too long for
    /// a buffer.
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
    /// Returns whether the tag is part of the text, so that the line of a frame starts at the tag and not at blanks before it.
    pub(super) const fn is_written(self) -> bool {
        !matches!(self, Self::None | Self::PlayerText)
    }

    /// Returns the tag at the very start of a line; [`LineTag::None`] if it starts with no known tag.
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
