//! Which version of timeseal to speak.

use crate::by_name::parse_by_name;
use crate::wire::Timeseal;

/// Which version of timeseal to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a version is spoken or it is not, or the server decides")]
pub enum TimesealChoice {
    /// None.
    #[default]
    Off,
    /// Version 1; a server without it is refused.
    V1,
    /// Version 2; a server without it is refused.
    V2,
    /// Version 2 if the server understands it, else 1, else none.
    Auto,
}

impl TimesealChoice {
    /// Every one.
    pub const ALL: &[Self] = &[Self::Off, Self::V1, Self::V2, Self::Auto];

    /// The name by which profiles choose it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => Timeseal::Off.as_str(),
            Self::V1 => Timeseal::V1.as_str(),
            Self::V2 => Timeseal::V2.as_str(),
            Self::Auto => "auto",
        }
    }

    /// The versions to try, best first.
    pub(crate) const fn versions(self) -> &'static [Timeseal] {
        match self {
            Self::Off => &[Timeseal::Off],
            Self::V1 => &[Timeseal::V1],
            Self::V2 => &[Timeseal::V2],
            Self::Auto => &[Timeseal::V2, Timeseal::V1, Timeseal::Off],
        }
    }
}

impl std::fmt::Display for TimesealChoice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

parse_by_name!(TimesealChoice, "timeseal is none of off, 1, 2 and auto");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnknownName;

    #[test]
    fn names_are_read_as_they_are_written() {
        for &choice in TimesealChoice::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        for name in ["", "3", "v2", "Auto"] {
            assert_eq!(
                name.parse::<TimesealChoice>(),
                Err(UnknownName::new("timeseal is none of off, 1, 2 and auto")),
                "{name}"
            );
        }
    }
}
