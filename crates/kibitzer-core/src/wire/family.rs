//! Families of servers.

use crate::by_name::by_name;

/// Which family of servers the bytes come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[expect(clippy::exhaustive_enums, reason = "there are two families, and not knowing")]
pub enum Family {
    /// Not known: what both families send is understood until the prompt or the datagram that ends the login shows the family.
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

by_name! {
    Family,
    /// No family has this name.
    FamilyError = "family is none of auto, fics and icc"
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
