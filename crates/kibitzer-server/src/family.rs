//! The two families of servers: their words and limits.

use std::ops::RangeInclusive;

use kibitzer_core::message;

/// Which family of servers a [`Server`](crate::Server) speaks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there are two families")]
pub enum Family {
    /// freechess.org and its relatives, in the words of the recorded servers.
    #[default]
    Fics,
    /// ICC, as its description of its formats has it: level-1 units, level-2 datagrams, style 12 with 31 fields, style 10. No
    /// words of it are recorded; what is not described is said as the other family says it.
    Icc,
}

impl Family {
    /// The name by which options choose it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fics => message::Family::Fics.as_str(),
            Self::Icc => message::Family::Icc.as_str(),
        }
    }

    /// The end of a line. Source: transport rule L1.
    pub(crate) const fn line_end(self) -> &'static [u8] {
        match self {
            Self::Fics => b"\n\r",
            Self::Icc => b"\r\n",
        }
    }

    pub(crate) const fn prompt(self) -> &'static str {
        match self {
            Self::Fics => "fics% ",
            Self::Icc => "aics% ",
        }
    }

    /// The first output on a connection; clients recognize the family by it.
    pub(crate) const fn banner(self) -> &'static str {
        match self {
            Self::Fics => concat!(
                "This is an embedded kibitzer server, version ",
                env!("CARGO_PKG_VERSION"),
                ".\nIt speaks as the servers of the FICS family do.\n\n"
            ),
            Self::Icc => concat!(
                "This is an embedded kibitzer server, version ",
                env!("CARGO_PKG_VERSION"),
                ".\nIt speaks in the manner of chessclub.com, with which it has nothing to do.\n\n"
            ),
        }
    }

    /// Shortest and longest name a player may have. Source: transport §7, icc §1.
    pub(crate) const fn name_length(self) -> RangeInclusive<usize> {
        match self {
            Self::Fics => 3..=17,
            Self::Icc => 2..=15,
        }
    }

    /// The rule for names, in words.
    pub(crate) const fn name_rule(self) -> &'static str {
        match self {
            Self::Fics => "3 to 17 letters",
            Self::Icc => "2 to 15 letters and digits, a letter first",
        }
    }

    /// Whether a name has only characters of names. A few old names on ICC have a hyphen.
    pub(crate) fn has_characters_of_name(self, name: &str) -> bool {
        match self {
            Self::Fics => name.bytes().all(|byte| byte.is_ascii_alphabetic()),
            Self::Icc => {
                name.starts_with(|first: char| first.is_ascii_alphabetic())
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            }
        }
    }

    pub(crate) fn is_name(self, name: &str) -> bool {
        self.name_length().contains(&name.len()) && self.has_characters_of_name(name)
    }

    pub(crate) fn unknown_command(self, name: &str) -> String {
        match self {
            Self::Fics => format!("{name}: Command not found.\n"),
            Self::Icc => format!("No such command ({name}).\n"),
        }
    }

    /// The titles of a guest.
    pub(crate) const fn guest_titles(self) -> &'static str {
        match self {
            Self::Fics => "(U)",
            Self::Icc => "",
        }
    }

    /// The first line after a login; ICC has none.
    pub(crate) fn session_line(self, display: &str) -> String {
        match self {
            Self::Fics => format!("**** Starting FICS session as {display} ****\n"),
            Self::Icc => String::new(),
        }
    }

    /// Whether this family has a command of the common ones.
    pub(crate) fn has_command(self, name: &str) -> bool {
        self == Self::Fics || !matches!(name, "iset" | "ivariables")
    }
}
