//! Frames: the output of the framer.

/// A classified slice of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Frame<'a> {
    /// Position of the frame's first byte in the stream, counted from 0. Every byte of the stream counts.
    ///
    /// A prompt, bell or blank before a tag is not part of the frame.
    pub offset: u64,
    /// Position after the frame's last byte.
    pub end: u64,
    /// Whether the server rang the bell since the line before.
    pub bell: bool,
    /// The class, with the bytes.
    pub kind: FrameKind<'a>,
}

/// The class of a frame, with the bytes that belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The server waits for a command: `fics% `.
    Prompt,
    /// The server waits for a name: `login: `.
    LoginPrompt,
    /// The server waits for a password: `password: `.
    PasswordPrompt,
    /// The server offers a guest name: `Press return to enter the server as "GuestABCD":`.
    GuestPrompt {
        /// The guest's name.
        name: &'a [u8],
    },
    /// A reply in block mode begins; its lines follow as frames of their own.
    BlockStart {
        /// The number the client gave its command; 0 if it gave none, or gave 0.
        id: u64,
        /// The command code (help file `block_codes`).
        code: u32,
    },
    /// The reply is over. Every [`BlockStart`](Self::BlockStart) has one.
    BlockEnd {
        /// The number of the block that ends.
        id: u64,
        /// Whether the server ended it. Otherwise another block, the block limit or the end of the stream did.
        complete: bool,
    },
    /// A telnet command; it was removed from the text around it.
    Telnet {
        /// The command byte, 236 to 254.
        command: u8,
        /// The option of a command that has one.
        option: Option<u8>,
    },
    /// A timeseal ping; it was removed from the text around it. The client has to answer it at once.
    Ping,
    /// An ICC level-2 unit: the bytes between `^Y(` and `^Y)`.
    Datagram {
        /// The unit, its inner `^Y{` and `^Y}` included.
        bytes: &'a [u8],
    },
    /// An ICC level-1 unit begins: the bytes between `^Y[` and the end of that line.
    UnitStart {
        /// Command number, player and, if the client gave one, tag.
        header: &'a [u8],
    },
    /// The innermost ICC level-1 unit ends. Every [`UnitStart`](Self::UnitStart) has exactly one: an end without a
    /// start is dropped, a missing end is added at the next command's start or at the end of the stream.
    UnitEnd,
    /// Control-Z: the server dropped the rest of an ICC command's output.
    Overflow,
}

/// The tag a line starts with.
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
    /// Whether the line starts with it, rather than with the line's first byte.
    pub(super) const fn is_written(self) -> bool {
        !matches!(self, Self::None | Self::PlayerText)
    }

    /// Reads the tag at the very start of a line.
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
