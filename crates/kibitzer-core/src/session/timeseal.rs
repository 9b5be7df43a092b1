//! Which version of timeseal to speak.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

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
    pub(super) const fn versions(self) -> &'static [Timeseal] {
        match self {
            Self::Off => &[Timeseal::Off],
            Self::V1 => &[Timeseal::V1],
            Self::V2 => &[Timeseal::V2],
            Self::Auto => &[Timeseal::V2, Timeseal::V1, Timeseal::Off],
        }
    }
}

/// No choice of timeseal has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[error("timeseal is none of off, 1, 2 and auto")]
#[non_exhaustive]
pub struct TimesealError;

impl FromStr for TimesealChoice {
    type Err = TimesealError;

    /// Takes a name as [`as_str`](Self::as_str) has it.
    fn from_str(name: &str) -> Result<Self, TimesealError> {
        Self::ALL.iter().copied().find(|choice| choice.as_str() == name).ok_or(TimesealError)
    }
}

impl fmt::Display for TimesealChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for &choice in TimesealChoice::ALL {
            assert_eq!(choice.to_string().parse(), Ok(choice));
        }
        for name in ["", "3", "v2", "Auto"] {
            assert_eq!(name.parse::<TimesealChoice>(), Err(TimesealError), "{name}");
        }
    }
}
