//! Families of servers.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Which family of servers the bytes come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there are two families, and not knowing")]
pub enum Family {
    /// Not known: what both families send is understood, what only a damaged copy of one family's page has is not.
    #[default]
    Auto,
    /// FICS and its relatives.
    Fics,
    /// ICC. Holdings without their tag and style 10 blocks that start with `"10"` are understood, as its help pages have them.
    Icc,
}

impl Family {
    /// Every one, and [`Auto`](Self::Auto) in front.
    pub const ALL: &[Self] = &[Self::Auto, Self::Fics, Self::Icc];

    /// The name by which options and profiles choose it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Fics => "fics",
            Self::Icc => "icc",
        }
    }
}

/// No family has this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Error)]
#[error("family is none of auto, fics and icc")]
#[non_exhaustive]
pub struct FamilyError;

impl FromStr for Family {
    type Err = FamilyError;

    /// Takes a name as [`as_str`](Self::as_str) has it.
    fn from_str(name: &str) -> Result<Self, FamilyError> {
        Self::ALL.iter().copied().find(|family| family.as_str() == name).ok_or(FamilyError)
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for &family in Family::ALL {
            assert_eq!(family.to_string().parse(), Ok(family));
        }
        for name in ["", "FICS", "kics"] {
            assert_eq!(name.parse::<Family>(), Err(FamilyError), "{name}");
        }
    }
}
