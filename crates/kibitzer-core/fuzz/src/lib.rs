//! Parts that the fuzz targets share: the options and read sizes that a fuzz input chooses, scripts of steps, and a server that
//! replies.

mod peer;

use std::time::Duration;

use kibitzer_core::message::Family;
use kibitzer_core::wire::{Limits, Timeseal};

pub use peer::Peer;

/// Number of bytes before the stream: one with options, the others sizes of reads.
const HEADER_BYTES: usize = 8;

/// A parsed fuzz input: options, sizes of reads, and a byte stream.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// Version of timeseal of the stream.
    pub timeseal: Timeseal,
    /// Limits of the framer; low in half of the inputs.
    pub limits: LimitValues,
    /// Whether the server wraps lines.
    pub wraps: bool,
    /// Family that the reader or session is set to.
    pub family: Family,
    /// Family of the [`Peer`]: FICS or ICC.
    pub peer_family: Family,
    sizes: &'a [u8],
    /// The bytes that the server sends; for a session, a script of [`Step`]s.
    pub stream: &'a [u8],
}

impl<'a> Setup<'a> {
    /// Parses a fuzz input; `None` if it is shorter than the header.
    pub fn parse(input: &'a [u8]) -> Option<Self> {
        let (header, stream) = input.split_at_checked(HEADER_BYTES)?;
        let (&options, sizes) = header.split_first()?;
        Some(Self {
            timeseal: [Timeseal::Off, Timeseal::V1, Timeseal::V2][usize::from(options & 3) % 3],
            limits: if options & 4 == 0 { LimitValues::HIGH } else { LimitValues::LOW },
            wraps: options & 8 == 0,
            family: [Family::Auto, Family::Fics, Family::Icc][usize::from(options >> 4 & 3) % 3],
            peer_family: if options & 64 == 0 { Family::Fics } else { Family::Icc },
            sizes,
            stream,
        })
    }

    /// Splits the stream into reads; see [`split_into_reads`](Self::split_into_reads).
    pub fn reads(&self) -> impl Iterator<Item = &'a [u8]> {
        self.split_into_reads(self.stream)
    }

    /// Splits a part of the stream into reads of the chosen sizes, which are repeated; a size of 0 is an empty read.
    pub fn split_into_reads(&self, part: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let (mut rest, sizes) = (part, self.sizes);
        let all_empty = sizes.iter().all(|&size| size == 0);
        let mut sizes = sizes.iter().cycle();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let size = if all_empty { 1 } else { usize::from(*sizes.next()?) };
            let (read, later) = rest.split_at(size.min(rest.len()));
            rest = later;
            Some(read)
        })
    }
}

impl Setup<'_> {
    /// Returns the byte that a target uses for its own options: the first of the read sizes.
    pub fn target_options(&self) -> u8 {
        self.sizes.first().copied().unwrap_or_default()
    }
}

/// Byte before every step of a script that is not a read.
const STEP_MARK: u8 = 0x1D;

/// One step of a script for a session: bytes of the server, or [`STEP_MARK`] and a letter.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Bytes of the server, up to the next mark.
    Read(&'a [u8]),
    /// `x`: the [`Peer`] replies to all lines without a reply.
    Answer,
    /// `t` and a byte: this time passes, at most 22 minutes.
    Time(Duration),
    /// `r` and a line: the line is requested.
    Request(&'a [u8]),
    /// `a`: the last request is abandoned.
    Abandon,
    /// `h`: reading is paused.
    Hold,
    /// `c`: the connection is closed.
    Close,
    /// `f`: connecting fails.
    Fail,
    /// `q`: the session quits.
    Quit,
    /// `s`: the session is shut down.
    Stop,
}

impl<'a> Step<'a> {
    /// Iterates over the steps of a script. A mark with any other letter is a byte of the server.
    pub fn parse_script(mut script: &'a [u8]) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let (step, rest) = Self::split_first(script)?;
            script = rest;
            Some(step)
        })
    }

    /// Splits the first step from the rest of the script.
    fn split_first(script: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let step = match *script {
            [] => return None,
            [STEP_MARK, b'x', ref rest @ ..] => (Self::Answer, rest),
            [STEP_MARK, b't', size, ref rest @ ..] => {
                (Self::Time(Duration::from_millis(20 * u64::from(size).pow(2))), rest)
            }
            [STEP_MARK, b'r', ref rest @ ..] => {
                let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                (Self::Request(&rest[..end]), rest.get(end + 1..).unwrap_or_default())
            }
            [STEP_MARK, b'a', ref rest @ ..] => (Self::Abandon, rest),
            [STEP_MARK, b'h', ref rest @ ..] => (Self::Hold, rest),
            [STEP_MARK, b'c', ref rest @ ..] => (Self::Close, rest),
            [STEP_MARK, b'f', ref rest @ ..] => (Self::Fail, rest),
            [STEP_MARK, b'q', ref rest @ ..] => (Self::Quit, rest),
            [STEP_MARK, b's', ref rest @ ..] => (Self::Stop, rest),
            [_, ref rest @ ..] => {
                let end = 1 + rest.iter().position(|&byte| byte == STEP_MARK).unwrap_or(rest.len());
                (Self::Read(&script[..end]), &script[end..])
            }
        };
        Some(step)
    }
}

/// Limits of a framer with readable values, to compare them with its frames; see [`Limits`].
#[derive(Clone, Copy, Debug)]
pub struct LimitValues {
    /// Limit of a line as received.
    pub line_bytes: usize,
    /// Limit of a line whose pieces are joined.
    pub wrapped_line_bytes: usize,
    /// Limit of a reply in block mode.
    pub block_bytes: u64,
    /// Limit of an ICC level-2 unit.
    pub datagram_bytes: usize,
}

impl LimitValues {
    /// Limits above the length of most inputs.
    const HIGH: Self =
        Self { line_bytes: 16 << 10, wrapped_line_bytes: 64 << 10, block_bytes: 4 << 20, datagram_bytes: 64 << 10 };
    /// Limits that short inputs exceed.
    pub const LOW: Self = Self { line_bytes: 50, wrapped_line_bytes: 90, block_bytes: 60, datagram_bytes: 20 };

    /// Converts to the options of a framer.
    pub fn to_limits(self) -> Limits {
        Limits::default()
            .line_bytes(self.line_bytes)
            .wrapped_line_bytes(self.wrapped_line_bytes)
            .block_bytes(self.block_bytes)
            .datagram_bytes(self.datagram_bytes)
    }
}
