//! The two families of servers.

use crate::by_name::{named_enum, parse_by_name};

named_enum! {
    /// Family of a server, which determines the framing and the wording of its output.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
    #[expect(clippy::exhaustive_enums, reason = "there are two families, and an unknown one")]
    pub enum Family("Returns the name used in options and profiles.") {
        /// Not known yet. The framing of both families is recognized until the login is complete: the first command prompt, or
        /// the datagram that ends an ICC login, shows the family.
        #[default]
        Auto = "auto",
        /// FICS and its relatives.
        Fics = "fics",
        /// ICC. Reserves without the tag `<b1>`, and style 10 boards that start with `"10"`, are recognized too: ICC's help files
        /// show these forms.
        Icc = "icc",
    }
}

parse_by_name!(Family, "family is none of auto, fics and icc");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParseError;

    #[test]
    fn every_name_parses_to_its_value() {
        for &family in Family::ALL {
            assert_eq!(family.to_string().parse(), Ok(family));
        }
        for name in ["", "FICS", "kics"] {
            assert_eq!(name.parse::<Family>(), Err(ParseError::new("family is none of auto, fics and icc")), "{name}");
        }
    }
}
