//! What the framer is told about the stream.

/// Which timeseal pings the stream holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    /// The number of the version; `None` if none is spoken.
    pub const fn version(self) -> Option<u8> {
        match self {
            Self::Off => None,
            Self::V1 => Some(1),
            Self::V2 => Some(2),
        }
    }

    /// The version, or `off`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::V1 => "1",
            Self::V2 => "2",
        }
    }
}

/// How much the framer keeps of one thing before it stops keeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "units belong to names")]
pub struct Limits {
    pub(super) line_bytes: usize,
    pub(super) wrapped_line_bytes: usize,
    pub(super) block_bytes: u64,
    pub(super) datagram_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { line_bytes: 16 << 10, wrapped_line_bytes: 64 << 10, block_bytes: 4 << 20, datagram_bytes: 64 << 10 }
    }
}

impl Limits {
    /// Sets the longest line as received, in bytes. Default 16,384; what is longer is cut.
    #[must_use]
    pub const fn line_bytes(self, line_bytes: usize) -> Self {
        Self { line_bytes, ..self }
    }

    /// Sets the longest line after its wrapped pieces are joined, in bytes. Default 65,536.
    #[must_use]
    pub const fn wrapped_line_bytes(self, wrapped_line_bytes: usize) -> Self {
        Self { wrapped_line_bytes, ..self }
    }

    /// Sets the longest reply in block mode, in bytes; checked where a line ends. Default 4,194,304.
    #[must_use]
    pub const fn block_bytes(self, block_bytes: u64) -> Self {
        Self { block_bytes, ..self }
    }

    /// Sets the longest ICC level-2 unit, in bytes. Default 65,536.
    #[must_use]
    pub const fn datagram_bytes(self, datagram_bytes: usize) -> Self {
        Self { datagram_bytes, ..self }
    }
}
