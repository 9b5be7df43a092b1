//! Options with a fixed set of values.

use crate::by_name::{named_enum, parse_by_name};
use crate::wire::Timeseal;

named_enum! {
    /// Choice of the timeseal version that a session uses.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[expect(clippy::exhaustive_enums, reason = "a version is fixed, or the server decides")]
    pub enum TimesealChoice("Returns the name in options and profiles.") {
        /// No timeseal.
        #[default]
        Off = "off",
        /// Version 1; the login fails if the server does not speak it.
        V1 = "1",
        /// Version 2; the login fails if the server does not speak it.
        V2 = "2",
        /// Version 2 if the server speaks it, else 1, else none.
        Auto = "auto",
    }
}

parse_by_name!(TimesealChoice, "timeseal is none of off, 1, 2 and auto");

impl TimesealChoice {
    /// Returns the versions to try, best first.
    pub(crate) const fn versions_to_try(self) -> &'static [Timeseal] {
        match self {
            Self::Off => &[Timeseal::Off],
            Self::V1 => &[Timeseal::V1],
            Self::V2 => &[Timeseal::V2],
            Self::Auto => &[Timeseal::V2, Timeseal::V1, Timeseal::Off],
        }
    }
}

named_enum! {
    /// Handling of the account's adjourned games.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum AdjournedGames("Returns the name in options and profiles.") {
        /// Reports them after the login.
        #[default]
        Report = "report",
        /// Reports them, and challenges each opponent who is logged in, or logs in later, to resume the game.
        Resume = "resume",
    }
}

parse_by_name!(AdjournedGames, "adjourned_games is neither report nor resume");

named_enum! {
    /// Handling of a connection or login that fails before the session was ever ready.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum FirstConnect("Returns the name in options and profiles.") {
        /// Ends the session.
        #[default]
        Fail = "fail",
        /// Connects again, as after a lost connection.
        Retry = "retry",
    }
}

parse_by_name!(FirstConnect, "first_connect is neither fail nor retry");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParseError;

    #[test]
    fn names_are_parsed_as_they_are_printed() {
        for &choice in TimesealChoice::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        for name in ["", "3", "v2", "Auto"] {
            assert_eq!(
                name.parse::<TimesealChoice>(),
                Err(ParseError::new("timeseal is none of off, 1, 2 and auto")),
                "{name}"
            );
        }
    }
}
