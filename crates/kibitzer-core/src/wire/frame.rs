//! Frames, the output of the framer, and the codes of replies in block mode.

use std::fmt;
use std::sync::Arc;

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
        /// The command byte, 236 to 254.
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
    #[doc(hidden)]
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

/// Code of a reply in block mode: the number of the command, or of an error.
///
/// An alias has the code of the command that it expands to. The reply to wrong usage of a command has no error code, but the
/// command's own code and a text.
///
/// Source: FICS help file `block_codes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(clippy::exhaustive_structs, reason = "a number with a name")]
pub struct CommandCode(pub u32);

impl CommandCode {
    /// A move, which is not sent with a command name.
    pub const GAME_MOVE: Self = Self(1);
    /// No command has this name. This is the lowest error code.
    pub const UNKNOWN_COMMAND: Self = Self(512);
    /// A parameter is invalid or missing.
    pub const BAD_PARAMETERS: Self = Self(513);
    /// The name is an abbreviation of several commands.
    pub const AMBIGUOUS_COMMAND: Self = Self(514);
    /// The command is reserved for administrators or registered players.
    pub const INSUFFICIENT_RIGHTS: Self = Self(515);
    /// The command was replaced by another one.
    pub(crate) const OBSOLETE_COMMAND: Self = Self(516);
    /// The command no longer exists.
    pub(crate) const REMOVED_COMMAND: Self = Self(517);
    /// The command needs a game, and there is none to which it could apply.
    pub const NOT_PLAYING: Self = Self(518);
    /// The line had no number before the command. The reply has number 0.
    pub const UNNUMBERED: Self = Self(519);
    /// The line has too many bytes.
    pub const LINE_TOO_LONG: Self = Self(520);

    /// Returns the name of the command, or a description of the error; `None` for a code that the server's help file does not
    /// list.
    pub fn name(self) -> Option<&'static str> {
        let at = NAMES.binary_search_by_key(&self.0, |&(code, _)| code).ok()?;
        NAMES.get(at).map(|&(_, name)| name)
    }

    /// Returns whether the code is that of an error, so that the command was not executed.
    pub(crate) const fn is_error(self) -> bool {
        self.0 >= Self::UNKNOWN_COMMAND.0
    }
}

/// Writes the number, as on the wire.
impl fmt::Display for CommandCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Names of the codes, sorted by number. 129 is not assigned; codes of administrators' commands, from 300 on, are not published.
#[rustfmt::skip] // several to a line, or the table fills pages
const NAMES: &[(u32, &str)] = &[
    (0, "null"), (1, "game_move"), (10, "abort"), (11, "accept"), (12, "addlist"), (13, "adjourn"),
    (14, "allobservers"), (15, "assess"), (16, "backward"), (17, "bell"), (18, "best"), (19, "bname"), (20, "boards"),
    (21, "bsetup"), (22, "bugwho"), (23, "cbest"), (24, "clearmessages"), (25, "clrsquare"), (26, "convert_bcf"),
    (27, "convert_elo"), (28, "convert_uscf"), (29, "copygame"), (30, "crank"), (31, "cshout"), (32, "date"),
    (33, "decline"), (34, "draw"), (35, "eco"), (36, "examine"), (37, "finger"), (38, "flag"), (39, "flip"),
    (40, "fmessage"), (41, "follow"), (42, "forward"), (43, "games"), (44, "getgi"), (45, "getpi"), (46, "ginfo"),
    (47, "goboard"), (48, "handles"), (49, "hbest"), (50, "help"), (51, "history"), (52, "hrank"), (53, "inchannel"),
    (54, "index"), (55, "info"), (56, "iset"), (57, "it"), (58, "ivariables"), (59, "jkill"), (60, "journal"),
    (61, "jsave"), (62, "kibitz"), (63, "limits"), (64, "line"), (65, "llogons"), (66, "logons"), (67, "mailhelp"),
    (68, "mailmess"), (69, "mailmoves"), (70, "mailoldmoves"), (71, "mailsource"), (72, "mailstored"), (73, "match"),
    (74, "messages"), (75, "mexamine"), (76, "moretime"), (77, "moves"), (78, "news"), (79, "next"), (80, "observe"),
    (81, "oldmoves"), (82, "oldstored"), (83, "open"), (84, "partner"), (85, "password"), (86, "pause"),
    (87, "pending"), (88, "pfollow"), (89, "pobserve"), (90, "prefresh"), (91, "primary"), (92, "promote"),
    (93, "pstat"), (94, "ptell"), (95, "ptime"), (96, "qtell"), (97, "quit"), (98, "rank"), (99, "rcopygame"),
    (100, "rfollow"), (101, "refresh"), (102, "rematch"), (103, "resign"), (104, "resume"), (105, "revert"),
    (106, "robserve"), (107, "say"), (108, "servers"), (109, "set"), (110, "shout"), (111, "showlist"),
    (112, "simabort"), (113, "simallabort"), (114, "simadjourn"), (115, "simalladjourn"), (116, "simgames"),
    (117, "simmatch"), (118, "simnext"), (119, "simobserve"), (120, "simopen"), (121, "simpass"), (122, "simprev"),
    (123, "smoves"), (124, "smposition"), (125, "sposition"), (126, "statistics"), (127, "stored"), (128, "style"),
    (130, "switch"), (131, "takeback"), (132, "tell"), (133, "time"), (134, "tomove"), (135, "tournset"),
    (136, "unalias"), (137, "unexamine"), (138, "unobserve"), (139, "unpause"), (140, "uptime"), (141, "uscf"),
    (142, "ustat"), (143, "variables"), (144, "whenshut"), (145, "whisper"), (146, "who"), (147, "withdraw"),
    (148, "wname"), (149, "xkibitz"), (150, "xtell"), (151, "xwhisper"), (152, "znotify"), (153, "reply"),
    (154, "summon"), (155, "seek"), (156, "unseek"), (157, "sought"), (158, "play"), (159, "alias"), (160, "newbies"),
    (161, "sr"), (162, "ca"), (163, "tm"), (164, "getgame"), (165, "ccnewse"), (166, "ccnewsf"), (167, "ccnewsi"),
    (168, "ccnewsp"), (169, "ccnewst"), (170, "csnewse"), (171, "csnewsf"), (172, "csnewsi"), (173, "csnewsp"),
    (174, "csnewst"), (175, "ctnewse"), (176, "ctnewsf"), (177, "ctnewsi"), (178, "ctnewsp"), (179, "ctnewst"),
    (180, "cnews"), (181, "snews"), (182, "tnews"), (183, "rmatch"), (184, "rstat"), (185, "crstat"), (186, "hrstat"),
    (187, "gstat"), (190, "ping"),
    (CommandCode::UNKNOWN_COMMAND.0, "unknown command"), (CommandCode::BAD_PARAMETERS.0, "bad parameters"),
    (CommandCode::AMBIGUOUS_COMMAND.0, "ambiguous command"),
    (CommandCode::INSUFFICIENT_RIGHTS.0, "insufficient rights"), (CommandCode::OBSOLETE_COMMAND.0, "obsolete command"),
    (CommandCode::REMOVED_COMMAND.0, "command removed"), (CommandCode::NOT_PLAYING.0, "not playing a game"),
    (CommandCode::UNNUMBERED.0, "no sequence number given"), (CommandCode::LINE_TOO_LONG.0, "line too long"),
];

#[cfg(test)]
mod tests;
