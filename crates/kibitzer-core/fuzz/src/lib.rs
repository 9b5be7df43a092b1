//! What the fuzz targets share: how a fuzz input chooses the framer's options, and how it cuts the stream into reads.

use kibitzer_core::message::Family;
use kibitzer_core::wire::{Limits, Timeseal};

/// Bytes in front of the stream: one of options, the others sizes of reads.
const HEADER_BYTES: usize = 8;

/// What the first bytes of a fuzz input say about the rest.
#[derive(Clone, Debug)]
pub struct Setup<'a> {
    /// Which pings to take out.
    pub timeseal: Timeseal,
    /// The limits; small ones in half of the inputs.
    pub limits: Limits,
    /// Whether the server breaks lines.
    pub wraps: bool,
    /// Whose bytes they are said to be.
    pub family: Family,
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
            limits: if options & 4 == 0 { Limits::default() } else { small_limits() },
            wraps: options & 8 == 0,
            family: [Family::Auto, Family::Fics, Family::Icc][usize::from(options >> 4 & 3) % 3],
            sizes,
            stream,
        })
    }

    /// The stream in reads of the chosen sizes, over and over; a size of 0 is an empty read.
    pub fn reads(&self) -> impl Iterator<Item = &'a [u8]> {
        let (mut rest, sizes) = (self.stream, self.sizes);
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

/// Limits that short inputs reach.
fn small_limits() -> Limits {
    Limits::default().line_bytes(50).wrapped_line_bytes(90).block_bytes(60).datagram_bytes(20)
}
