//! Options of the framer: the version of timeseal, and limits.

use crate::options::numeric_options;

/// Version of timeseal that a connection speaks, and so the form of the pings in its stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
#[expect(clippy::exhaustive_enums, reason = "a protocol is spoken or it is not; there are two")]
pub enum Timeseal {
    /// None: `[G]` is text.
    #[default]
    Off,
    /// Version 1: `[G]` alone on a line.
    V1,
    /// Version 2: `[G]` and NUL, anywhere.
    V2,
}

impl Timeseal {
    /// Returns the number of the version; `None` for [`Off`](Self::Off).
    pub const fn version(self) -> Option<u8> {
        match self {
            Self::Off => None,
            Self::V1 => Some(1),
            Self::V2 => Some(2),
        }
    }

    /// Returns the number of the version as text, or `off`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::V1 => "1",
            Self::V2 => "2",
        }
    }
}

numeric_options! {
    /// Limits of received data. The part of a line or datagram that exceeds its limit is dropped.
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
