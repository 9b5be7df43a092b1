//! The two families of servers: the seam at which they differ.
//!
//! Code outside of this file asks the family of a connection or of the options, and never compares it. What only ICC has is
//! below `world/icc/`: units and datagrams, whose switches are the [`IccLevelSettings`], and the command that sets them.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use fastrand::Rng;

/// Family of servers that a [`Server`](crate::Server) imitates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ImitatedFamily {
    /// freechess.org and its relatives, with the texts of recorded servers.
    #[default]
    Fics,
    /// ICC, according to the description of its formats: level-1 units, level-2 datagrams, style 12 with 31 fields, style 10.
    /// There are no recordings; texts that are not described are those of the other family.
    Icc,
}

impl ImitatedFamily {
    pub(crate) const fn texts(self) -> &'static FamilyTexts {
        match self {
            Self::Fics => &FICS,
            Self::Icc => &ICC,
        }
    }

    /// Returns why a name is refused for its characters or its length; `None` if both are valid. ICC also requires a letter first;
    /// a few old names there have a hyphen. Does not check whether the name is in use.
    pub(crate) fn name_failure(self, name: &str) -> Option<LoginFailure> {
        let lengths = &self.texts().name_length;
        let has_valid_characters = match self {
            Self::Fics => name.bytes().all(|byte| byte.is_ascii_alphabetic()),
            Self::Icc => {
                name.starts_with(|first: char| first.is_ascii_alphabetic())
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            }
        };
        if !has_valid_characters {
            Some(LoginFailure::BadCharacters)
        } else if name.len() < *lengths.start() {
            Some(LoginFailure::NameTooShort)
        } else {
            (name.len() > *lengths.end()).then_some(LoginFailure::NameTooLong)
        }
    }

    /// Returns whether servers of this family have block mode, interface variables, timeseal, and a line at the start of a session.
    pub(crate) const fn has_fics_extensions(self) -> bool {
        matches!(self, Self::Fics)
    }

    /// Returns whether clients of this family can switch on level-1 units and level-2 datagrams.
    pub(crate) const fn has_levels(self) -> bool {
        matches!(self, Self::Icc)
    }

    /// Returns the format of boards at the start of a session.
    pub(crate) const fn default_board_form(self) -> BoardForm {
        match self {
            Self::Fics => BoardForm::Style12,
            Self::Icc => BoardForm::ShortStyle12,
        }
    }

    /// Returns whether servers of this family have a command. Interface variables are those of FICS, datagrams those of ICC.
    pub(crate) fn has_command(self, name: &str) -> bool {
        match name {
            "iset" | "ivariables" => self.has_fics_extensions(),
            "set-2" => self.has_levels(),
            _ => true,
        }
    }

    /// Splits a line at the first blank into name and password, which only ICC accepts on one line. Elsewhere the whole line is
    /// the name.
    pub(crate) fn split_login_line(self, line: &str) -> (&str, Option<&str>) {
        match line.split_once(' ').filter(|_| self == Self::Icc) {
            Some((name, password)) => (name, Some(password.trim())),
            None => (line, None),
        }
    }

    /// Returns an unused name for a guest: on ICC the first of `guest1`, `guest2` and so on, otherwise `Guest` and four random
    /// letters.
    pub(crate) fn unused_guest_name(self, random: &mut Rng, is_taken: impl Fn(&str) -> bool) -> String {
        let mut names = (1_u64..).map(|number| match self {
            Self::Icc => format!("guest{number}"),
            Self::Fics => "Guest".chars().chain((0..4).map(|_| random.uppercase())).collect(),
        });
        names.find(|name| !is_taken(name)).unwrap_or_default()
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
    guest_titles: "U",
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

/// Format of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum BoardForm {
    /// `<12>` and 33 fields, including the tag.
    #[default]
    Style12,
    /// Style 12 as ICC sends it: without the two fields after the flip.
    ShortStyle12,
    /// A block of lines: `<10>`, eight rows, two lines of fields, `>10<`.
    Style10,
}

/// Highest number of a datagram that a client can switch on.
const MAX_NUMBER: usize = 255;

/// Level settings of an ICC client.
#[derive(Clone, Debug, Default)]
pub(crate) struct IccLevelSettings {
    /// Bits of the level-1 setting.
    pub(crate) level_1: u8,
    datagrams: BTreeSet<u32>,
    pub(crate) is_wrap_off: bool,
    pub(crate) is_prompt_off: bool,
}

impl IccLevelSettings {
    /// Bit of level 1: output is in units.
    pub(crate) const UNITS: u8 = 1;
    /// Bit of level 1: replies are enclosed in `^Y<` and `^Y>`.
    pub(crate) const MARKS: u8 = 2;
    /// Bit of level 1: units have the tag of their command.
    pub(crate) const TAGS: u8 = 4;
    /// Bit of level 1: units have `%` in place of the name of another player.
    pub(crate) const SHORT_NAMES: u8 = 8;

    /// Applies a level setting that ICC clients send before the name: `level1=5`, or `level2settings=10001`, which replaces the
    /// whole set of datagrams. Returns `false` for any other line. An invalid value of `level1` changes nothing; digits after
    /// number [`MAX_NUMBER`] are ignored.
    ///
    /// Source: icc §1.
    pub(crate) fn apply_if_level_line(&mut self, line: &str) -> bool {
        if let Some(bits) = line.strip_prefix("level2settings=") {
            let on = bits.bytes().take(MAX_NUMBER + 1).enumerate().filter(|(_, bit)| *bit == b'1');
            self.datagrams = on.filter_map(|(number, _)| u32::try_from(number).ok()).collect();
            return true;
        }
        let level_1 = line.strip_prefix("level1=").map(str::parse);
        if let Some(Ok(level_1)) = level_1 {
            self.level_1 = level_1;
        }
        level_1.is_some()
    }

    /// Switches a datagram on or off; numbers above [`MAX_NUMBER`] are ignored.
    pub(crate) fn set_datagram(&mut self, number: u32, on: bool) {
        if !on {
            self.datagrams.remove(&number);
        } else if usize::try_from(number).is_ok_and(|number| number <= MAX_NUMBER) {
            self.datagrams.insert(number);
        }
    }

    /// Returns whether the client has switched this datagram on.
    pub(crate) fn is_datagram_on(&self, number: u32) -> bool {
        self.datagrams.contains(&number)
    }

    /// Returns whether a bit of the level-1 setting is set: [`UNITS`](Self::UNITS) and others.
    pub(crate) const fn has_level_1_bit(&self, bit: u8) -> bool {
        self.level_1 & bit != 0
    }

    /// Returns whether the client receives prompts: they are switched on, and level 1 does not include [`UNITS`](Self::UNITS).
    pub(crate) const fn receives_prompts(&self) -> bool {
        !self.is_prompt_off && !self.has_level_1_bit(Self::UNITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_the_name_set_levels() {
        let mut levels = IccLevelSettings::default();
        assert!(levels.apply_if_level_line("level1=5") && levels.apply_if_level_line("level2settings=1001"));
        assert!(
            levels.has_level_1_bit(IccLevelSettings::UNITS)
                && levels.has_level_1_bit(IccLevelSettings::TAGS)
                && !levels.receives_prompts()
        );
        assert!(
            !levels.has_level_1_bit(IccLevelSettings::MARKS) && !levels.has_level_1_bit(IccLevelSettings::SHORT_NAMES)
        );
        assert_eq!([0, 1, 2, 3, 4].map(|number| levels.is_datagram_on(number)), [true, false, false, true, false]);
        assert!(
            !levels.apply_if_level_line("guest")
                && levels.apply_if_level_line("level1=x")
                && levels.has_level_1_bit(IccLevelSettings::UNITS)
        );
        levels.set_datagram(256, true);
        levels.set_datagram(0, false);
        assert!(!levels.is_datagram_on(256) && !levels.is_datagram_on(0));
    }
}
