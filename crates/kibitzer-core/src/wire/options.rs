//! Options of the framer: family of the server, version of timeseal, and limits.

use crate::by_name::named_enum;
use crate::options::numeric_options;

named_enum! {
    /// Family of a server, which determines the framing and the wording of its output.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
    #[non_exhaustive]
    pub enum Family("Returns the name used in options and profiles.", "family is none of auto, fics and icc") {
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

impl Family {
    /// Returns whether the server is known to be ICC.
    pub(crate) const fn is_icc(self) -> bool {
        matches!(self, Self::Icc)
    }
}

/// Version of the timeseal protocol on a connection, which determines the form of its pings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Timeseal {
    /// No timeseal: `[G]` is text.
    #[default]
    Off,
    /// Version 1: a ping is a line `[G]`.
    V1,
    /// Version 2: a ping is `[G]` and NUL, anywhere in the stream.
    V2,
}

impl Timeseal {
    /// Returns the version number, 1 or 2; `None` for [`Off`](Self::Off).
    pub(crate) const fn version(self) -> Option<u8> {
        match self {
            Self::Off => None,
            Self::V1 => Some(1),
            Self::V2 => Some(2),
        }
    }
}

named_enum! {
    /// Character set of a server, beside the entities that all servers use.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
    #[non_exhaustive]
    pub enum Encoding("Returns the name used in options and profiles.", "encoding is none of auto, latin-1 and utf-8") {
        /// Valid sequences of UTF-8 are received as such, other bytes as ISO 8859-1. UTF-8 is sent if the server's greeting
        /// contains some, otherwise entities.
        #[default]
        Auto = "auto",
        /// Every byte is received as ISO 8859-1, and entities are sent. In the lines of messages ([`Received::raw`]), an entity
        /// stands for each byte that would begin a sequence of UTF-8.
        ///
        /// [`Received::raw`]: crate::message::Received::raw
        Latin1 = "latin-1",
        /// As `Auto`, but UTF-8 is sent to any server.
        Utf8 = "utf-8",
    }
}

numeric_options! {
    /// Limits of the framer's input.
    ///
    /// The part of a line that exceeds a limit is dropped. A datagram that exceeds its limit is emitted as an
    /// [`OverLong`](super::FrameKind::OverLong) line, and the rest of it is text. A block-mode reply that exceeds its limit is
    /// ended, and the rest of it is outside of any reply.
    #[expect(clippy::struct_field_names, reason = "names carry units")]
    pub struct Limits {
        /// Sets the maximum length of a received line, in bytes.
        pub(super) line_bytes: usize = 16_384, "line_bytes";
        /// Sets the maximum length of a line after its wrapped pieces are joined, in bytes.
        pub(super) wrapped_line_bytes: usize = 65_536, "wrapped_line_bytes";
        /// Sets the maximum length of a reply in block mode, in bytes; checked where a line ends.
        pub(super) block_bytes: u64 = 4_194_304, "block_bytes";
        /// Sets the maximum length of an ICC level-2 datagram, in bytes.
        pub(super) datagram_bytes: usize = 65_536, "datagram_bytes";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParseError;
    use crate::message::{GameId, GameResult, OfferKind};

    #[test]
    fn every_name_parses_to_its_value() {
        for &family in Family::ALL {
            assert_eq!(family.to_string().parse(), Ok(family));
        }
        for &kind in OfferKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        for &result in GameResult::ALL {
            assert_eq!(result.to_string().parse(), Ok(result));
        }
        assert_eq!(("-1".parse(), "one".parse::<GameId>().is_err()), (Ok(GameId(-1)), true));
        for name in ["", "FICS", "kics"] {
            assert_eq!(name.parse::<Family>(), Err(ParseError::new("family is none of auto, fics and icc")), "{name}");
        }
    }
}
