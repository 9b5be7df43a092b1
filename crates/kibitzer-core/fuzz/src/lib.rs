//! What the fuzz targets share: how a fuzz input chooses the framer's options, how it cuts the stream into reads, and a server
//! that answers.

mod peer;

use std::time::Duration;

use kibitzer_core::message::Family;
use kibitzer_core::wire::{Limits, Timeseal};

pub use peer::{Manner, Peer};

/// Bytes in front of the stream: one of options, the others sizes of reads.
const HEADER_BYTES: usize = 8;

/// What the first bytes of a fuzz input say about the rest.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// Which pings to take out.
    pub timeseal: Timeseal,
    /// How much is kept; little in half of the inputs.
    pub kept: Kept,
    /// Whether the server breaks lines.
    pub wraps: bool,
    /// Whose bytes they are said to be.
    pub family: Family,
    /// In whose manner a server answers.
    pub manner: Manner,
    sizes: &'a [u8],
    /// The bytes of the server.
    pub stream: &'a [u8],
}

impl<'a> Setup<'a> {
    /// Splits a fuzz input; `None` if it is too short to hold any stream.
    pub fn of(input: &'a [u8]) -> Option<Self> {
        let (header, stream) = input.split_at_checked(HEADER_BYTES)?;
        let (&options, sizes) = header.split_first()?;
        Some(Self {
            timeseal: [Timeseal::Off, Timeseal::V1, Timeseal::V2][usize::from(options & 3) % 3],
            kept: if options & 4 == 0 { Kept::MUCH } else { Kept::LITTLE },
            wraps: options & 8 == 0,
            family: [Family::Auto, Family::Fics, Family::Icc][usize::from(options >> 4 & 3) % 3],
            manner: if options & 64 == 0 { Manner::Fics } else { Manner::Icc },
            sizes,
            stream,
        })
    }

    /// The stream in reads of the chosen sizes, over and over; a size of 0 is an empty read.
    pub fn reads(&self) -> impl Iterator<Item = &'a [u8]> {
        self.cut(self.stream)
    }

    /// A part of the stream in reads of the chosen sizes.
    pub fn cut(&self, part: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
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
    /// A byte for a target's own options: the first of the sizes.
    pub fn choice(&self) -> u8 {
        self.sizes.first().copied().unwrap_or_default()
    }
}

/// Stands in front of everything in a script that is no byte of the server.
const SIGN: u8 = 0x1D;

/// What happens to a session, as a fuzz input scripts it: bytes of the server, or behind [`SIGN`] a letter.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// The server's bytes up to the next sign.
    Read(&'a [u8]),
    /// `x`: a server answers all that was sent and not answered.
    Answer,
    /// `t` and a byte: so much time passes; up to 22 minutes.
    Time(Duration),
    /// `r` and a line: somebody asks for it.
    Request(&'a [u8]),
    /// `a`: nobody waits for the last one any more.
    Abandon,
    /// `h`: nothing is read for now.
    Hold,
    /// `c`: the connection is closed.
    Close,
    /// `f`: a connection cannot be made.
    Fail,
    /// `q`: quit.
    Quit,
    /// `s`: shut down.
    Stop,
}

impl<'a> Step<'a> {
    /// The steps of a script. A sign with any other letter is a byte of the server.
    pub fn all(mut script: &'a [u8]) -> impl Iterator<Item = Self> {
        std::iter::from_fn(move || {
            let (step, rest) = Self::first(script)?;
            script = rest;
            Some(step)
        })
    }

    fn first(script: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let step = match *script {
            [] => return None,
            [SIGN, b'x', ref rest @ ..] => (Self::Answer, rest),
            [SIGN, b't', size, ref rest @ ..] => (Self::Time(Duration::from_millis(20 * u64::from(size).pow(2))), rest),
            [SIGN, b'r', ref rest @ ..] => {
                let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                (Self::Request(&rest[..end]), rest.get(end + 1..).unwrap_or_default())
            }
            [SIGN, b'a', ref rest @ ..] => (Self::Abandon, rest),
            [SIGN, b'h', ref rest @ ..] => (Self::Hold, rest),
            [SIGN, b'c', ref rest @ ..] => (Self::Close, rest),
            [SIGN, b'f', ref rest @ ..] => (Self::Fail, rest),
            [SIGN, b'q', ref rest @ ..] => (Self::Quit, rest),
            [SIGN, b's', ref rest @ ..] => (Self::Stop, rest),
            [_, ref rest @ ..] => {
                let end = 1 + rest.iter().position(|&byte| byte == SIGN).unwrap_or(rest.len());
                (Self::Read(&script[..end]), &script[end..])
            }
        };
        Some(step)
    }
}

/// How much a framer is told to keep, to hold against what it did; see [`Limits`].
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    /// Of a line as received.
    pub line_bytes: usize,
    /// Of a line whose pieces are joined.
    pub wrapped_line_bytes: usize,
    /// Of a reply in block mode.
    pub block_bytes: u64,
    /// Of an ICC level-2 unit.
    pub datagram_bytes: usize,
}

impl Kept {
    /// More than most inputs hold.
    const MUCH: Self =
        Self { line_bytes: 16 << 10, wrapped_line_bytes: 64 << 10, block_bytes: 4 << 20, datagram_bytes: 64 << 10 };
    /// So little that short inputs go beyond it.
    const LITTLE: Self = Self { line_bytes: 50, wrapped_line_bytes: 90, block_bytes: 60, datagram_bytes: 20 };

    /// The same for a framer.
    pub fn limits(self) -> Limits {
        Limits::default()
            .line_bytes(self.line_bytes)
            .wrapped_line_bytes(self.wrapped_line_bytes)
            .block_bytes(self.block_bytes)
            .datagram_bytes(self.datagram_bytes)
    }
}
