//! Differences between FICS with its relatives and ICC, at login, set-up and reply.
//!
//! | | FICS | ICC ([`icc`]) |
//! |---|---|---|
//! | before the name | login string: `%b` and a digit for each ivar | `level1=5`, and `level2settings=` with a digit for each datagram |
//! | name | alone; the server asks for the password | with the password on the same line |
//! | refusal of a login | a line of text | a datagram with a number |
//! | proof of the login | a fence | a fence that is its own tag |
//! | granted by the login | nothing: `ivariables` lists the ivars that are on | all that the levels ask for |
//! | set-up | `iset` of the other ivars, variables | variables; `set-2` if the levels were not understood |
//! | replies ([`ReplyMode`]) | numbered blocks, or between fences | units with the number as tag, or between fences |
//!
//! A session starts with the configured family, or as FICS, and changes to ICC when the server shows that it is one. Restoration
//! is the same on both.

mod icc;

use zeroize::Zeroizing;

use super::options::{Credentials, SessionOptions};
use crate::event::LoginError;
use crate::message::{CommandCode, Control, Family, Ivar, Message};
use crate::scan::find;
use crate::wire::Fence;

pub(super) use icc::parse_login_refusal as parse_coded_login_refusal;

/// Number of positions in the login string. FatICS requires at least 32 and reads no more.
const IVAR_POSITIONS: u8 = 35;

/// Variables of FICS that make boards readable for a program and keep lines whole and unpaged.
///
/// Source: FICS help file `variables`.
const FICS_VARIABLES: [&str; 5] = ["style 12", "bell 0", "ptime 0", "width 240", "height 240"];

/// Family of the server that a session is connected to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    Fics,
    Icc,
}

/// Refusal of a login by a numbered datagram instead of a line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CodedLoginRefusal {
    /// The server is full and has put the login in its queue.
    Queued,
    Failed(LoginError),
}

impl Dialect {
    /// Returns the dialect of a family; FICS for one that is not known yet.
    pub(super) fn new(family: Family) -> Self {
        if family == Family::Icc { Self::Icc } else { Self::Fics }
    }

    /// Dialect of the lines before the name while it is not known whether the server understands timeseal: only the answer to
    /// FICS's login string reveals that.
    pub(super) const UNPROVEN_TIMESEAL: Self = Self::Fics;

    /// Returns ICC if a line of the greeting names its host, otherwise this dialect.
    pub(super) fn after_greeting_line(self, line: &[u8]) -> Self {
        if find(line, b"chessclub.com").is_some() { Self::Icc } else { self }
    }

    /// Returns ICC if the answer to the fence has ICC's form or words, otherwise this dialect.
    pub(super) fn after_proof(self, mode: ReplyMode, fence: Fence, raw: &[u8]) -> Self {
        if mode == ReplyMode::Tagged || fence.is_answered_by_icc(raw) { Self::Icc } else { self }
    }

    pub(super) const fn family(self) -> Family {
        match self {
            Self::Fics => Family::Fics,
            Self::Icc => Family::Icc,
        }
    }

    /// Returns the lines that request features before the name is sent. The server answers each with another login prompt.
    pub(super) fn lines_before_name(self, options: &SessionOptions) -> Vec<String> {
        match self {
            Self::Fics => vec![login_string(options)],
            Self::Icc => icc::level_request_lines(options).into(),
        }
    }

    /// Returns whether the server may process a line before the name without another login prompt. It is not known whether ICC
    /// prompts after each.
    pub(super) fn may_skip_prompt_before_name(self) -> bool {
        self == Self::Icc
    }

    /// Returns whether a guest has to send an empty line although the server's request for it may not be recognized. Neither
    /// ICC's wording is known, nor whether the line ends.
    pub(super) fn has_unknown_guest_prompt(self) -> bool {
        self == Self::Icc
    }

    /// Returns the name and the password as one line; `None` for guests, for servers other than ICC, and for a password with a
    /// blank.
    ///
    /// Only then does ICC report the result of the login in datagrams. Source: ICC's description of its formats.
    pub(super) fn name_and_password_line(self, credentials: &Credentials) -> Option<Zeroizing<Vec<u8>>> {
        match (self, credentials) {
            (Self::Icc, Credentials::Account { handle, password }) if !password.as_bytes().contains(&b' ') => {
                Some(Zeroizing::new([handle.as_str().as_bytes(), b" ", password.as_bytes()].concat()))
            }
            _ => None,
        }
    }

    /// Returns the line that sends a fence to prove the login; on ICC the fence is also its tag.
    pub(super) fn login_proof_line(self, fence: Fence) -> String {
        let word = fence.as_str();
        match self {
            Self::Fics => word.to_owned(),
            Self::Icc => format!("`{word}`{word}"),
        }
    }

    /// Returns whether servers of this dialect are expected to have ivars, which `iset` sets and `ivariables` lists.
    pub(super) fn has_ivars(self) -> bool {
        self == Self::Fics
    }

    /// Returns the ivars that the lines before the name turn on if the server understands those lines; empty on FICS, where
    /// `ivariables` has to confirm them instead.
    pub(super) fn ivars_granted_before_name(self, options: &SessionOptions) -> Vec<Ivar> {
        match self {
            Self::Fics => Vec::new(),
            Self::Icc => icc::ivars_granted_by_datagrams(options),
        }
    }

    /// Returns the variables to set after the login, each with its value.
    pub(super) fn variables_to_set(self, options: &SessionOptions) -> Vec<&'static str> {
        match self {
            Self::Fics => FICS_VARIABLES.to_vec(),
            Self::Icc => icc::variables_to_set(options),
        }
    }

    /// Returns a command for each datagram to request, for a server that did not understand the lines before the name; empty on
    /// FICS.
    pub(super) fn datagram_request_commands(self, options: &SessionOptions) -> Vec<String> {
        match self {
            Self::Fics => Vec::new(),
            Self::Icc => icc::wanted_datagrams(options).map(|number| format!("set-2 {number} 1")).collect(),
        }
    }
}

/// Returns the line before the name that sets ivars: `%b` and a digit for each.
///
/// Source: FICS help file `ivariables` for the order of the digits, FatICS for their number.
fn login_string(options: &SessionOptions) -> String {
    let is_on = |number: u8| {
        options.ivars.iter().any(|&ivar| ivar.login_string_position() == Some(number) && is_in_login_string(ivar))
    };
    let digits = (0..IVAR_POSITIONS).map(|number| if is_on(number) { '1' } else { '0' });
    "%b".chars().chain(digits).collect()
}

/// Returns whether an ivar may be set before the login.
pub(super) fn is_in_login_string(ivar: Ivar) -> bool {
    // The server sends its list of seeks only if `seekinfo` is set after the login, and `lock` would prevent that.
    ivar.login_string_position().is_some() && !matches!(ivar, Ivar::SeekInfo | Ivar::Lock)
}

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
