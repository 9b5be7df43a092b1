//! The two families of servers, and the texts and limits in which they differ.

use std::ops::RangeInclusive;

/// Family of servers that a [`Server`](crate::Server) imitates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there are two families")]
pub enum Family {
    /// freechess.org and its relatives, with the texts of recorded servers.
    #[default]
    Fics,
    /// ICC, according to the description of its formats: level-1 units, level-2 datagrams, style 12 with 31 fields, style 10.
    /// There are no recordings; texts that are not described are those of the other family.
    Icc,
}

impl Family {
    pub(crate) const fn texts(self) -> &'static FamilyTexts {
        match self {
            Self::Fics => &FICS,
            Self::Icc => &ICC,
        }
    }

    /// Returns whether a name has only characters that this family permits; ICC also requires a letter first. A few old names on
    /// ICC have a hyphen.
    fn has_valid_characters(self, name: &str) -> bool {
        match self {
            Self::Fics => name.bytes().all(|byte| byte.is_ascii_alphabetic()),
            Self::Icc => {
                name.starts_with(|first: char| first.is_ascii_alphabetic())
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            }
        }
    }

    /// Returns why a name is refused for its characters or its length; `None` if both are valid. Does not check whether the name
    /// is in use.
    pub(crate) fn name_failure(self, name: &str) -> Option<LoginFailure> {
        let lengths = &self.texts().name_length;
        if !self.has_valid_characters(name) {
            Some(LoginFailure::BadCharacters)
        } else if name.len() < *lengths.start() {
            Some(LoginFailure::NameTooShort)
        } else {
            (name.len() > *lengths.end()).then_some(LoginFailure::NameTooLong)
        }
    }

    /// Formats the reply to a command that the server does not know, with a newline.
    pub(crate) fn unknown_command_text(self, name: &str) -> String {
        match self {
            Self::Fics => format!("{name}: Command not found.\n"),
            Self::Icc => format!("No such command ({name}).\n"),
        }
    }
}

/// Why a login failed, with ICC's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoginFailure {
    NameTooLong = 2,
    NameTooShort = 3,
    BadCharacters = 4,
    NotRegistered = 6,
    GuestsRefused = 7,
    InvalidPassword = 11,
    Banned = 12,
    NameInUse = 14,
    Full = 19,
}

impl LoginFailure {
    /// Formats the text that refuses the login. The text for a name in use has no line end before it, as recorded.
    pub(crate) fn refusal_text(self, name: &str, texts: &FamilyTexts) -> String {
        let FamilyTexts { name_length, min_name_length: min, name_characters: characters, .. } = texts;
        let max = name_length.end();
        match self {
            Self::NameTooLong => format!("\nSorry, names may be at most {max} characters long.  Try again.\n"),
            Self::NameTooShort => format!("\nA name should be at least {min} characters long!  Try again.\n"),
            Self::BadCharacters => format!("\nSorry, names can only consist of {characters}.  Try again.\n"),
            Self::NotRegistered => format!("\n\"{name}\" is not a registered name.\n"),
            Self::GuestsRefused => "\nSorry, guest connections have been prevented from your site.\n".to_owned(),
            Self::InvalidPassword => "\n**** Invalid password! ****\n\n".to_owned(),
            Self::Banned => format!("\nPlayer \"{name}\" is banned.\n"),
            Self::NameInUse => format!("Sorry, {name} is already logged in. Try again.\n"),
            Self::Full => "\nSorry, the server is full.  Please try again later.\n".to_owned(),
        }
    }
}

/// Texts and limits in which the families differ.
#[derive(Debug)]
pub(crate) struct FamilyTexts {
    /// End of each line of output. Source: transport rule L1.
    pub(crate) line_end: &'static [u8],
    pub(crate) prompt: &'static str,
    /// First output on a connection; clients recognize the family by it.
    pub(crate) banner: &'static str,
    /// Length of a player's name. Source: transport §7, icc §1.
    pub(crate) name_length: RangeInclusive<usize>,
    /// Minimum length in words, for refusals of a name.
    pub(crate) min_name_length: &'static str,
    /// Permitted characters, for refusals of a name.
    pub(crate) name_characters: &'static str,
    /// Rule for names in the errors of [`Account::parse_list`](crate::Account::parse_list).
    pub(crate) name_rule: &'static str,
    pub(crate) guest_titles: &'static str,
    /// First line after a login; `@` is the player's name with titles. ICC has none.
    pub(crate) session_line: &'static str,
}

const FICS: FamilyTexts = FamilyTexts {
    line_end: b"\n\r",
    prompt: "fics% ",
    banner: concat!(
        "This is an embedded kibitzer server, version ",
        env!("CARGO_PKG_VERSION"),
        ".\nIt speaks as the servers of the FICS family do.\n\n"
    ),
    name_length: 3..=17,
    min_name_length: "three",
    name_characters: "lower and upper case letters",
    name_rule: "3 to 17 letters",
    guest_titles: "(U)",
    session_line: "**** Starting FICS session as @ ****\n",
};

const ICC: FamilyTexts = FamilyTexts {
    line_end: b"\r\n",
    prompt: "aics% ",
    banner: concat!(
        "This is an embedded kibitzer server, version ",
        env!("CARGO_PKG_VERSION"),
        ".\nIt speaks in the manner of chessclub.com, with which it has nothing to do.\n\n"
    ),
    name_length: 2..=15,
    min_name_length: "two",
    name_characters: "letters and digits",
    name_rule: "2 to 15 letters and digits, a letter first",
    guest_titles: "",
    session_line: "",
};
