//! The last bytes received from the server, addressed by stream position.

use std::collections::VecDeque;
use std::ops::Range;

/// Capacity of the ring, in bytes.
pub(crate) const MAX_BYTES: usize = 8 << 20;

/// Ring buffer of the newest bytes of a stream, addressed by stream position.
#[derive(Debug, Default)]
pub(crate) struct ByteRing {
    kept: VecDeque<u8>,
    /// Stream position after the newest byte: the number of all bytes so far.
    pub(crate) end: u64,
}

impl ByteRing {
    /// Appends bytes, and drops the oldest beyond the capacity.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.end = self.end.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let newest = bytes.get(bytes.len().saturating_sub(MAX_BYTES)..).unwrap_or(bytes);
        let excess = (self.kept.len() + newest.len()).saturating_sub(MAX_BYTES);
        self.kept.drain(..excess.min(self.kept.len()));
        self.kept.extend(newest);
    }

    /// Returns the stream position of the oldest stored byte.
    fn oldest_position(&self) -> u64 {
        self.end.saturating_sub(u64::try_from(self.kept.len()).unwrap_or(u64::MAX))
    }

    /// Returns the stored bytes of a range of stream positions, and the position of the first of them, which is later than the
    /// start of the range if the oldest bytes were dropped.
    pub(crate) fn get(&self, range: Range<u64>) -> (u64, impl Iterator<Item = u8>) {
        let start = range.start.max(self.oldest_position());
        let place =
            |position: u64| usize::try_from(position.saturating_sub(self.oldest_position())).unwrap_or(usize::MAX);
        let (from, to) = (place(start).min(self.kept.len()), place(range.end).min(self.kept.len()));
        (start, self.kept.range(from..to.max(from)).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(ring: &ByteRing, range: Range<u64>) -> (u64, Vec<u8>) {
        let (start, bytes) = ring.get(range);
        (start, bytes.collect())
    }

    #[test]
    fn the_newest_bytes_are_kept_and_found_by_position() {
        let capacity = MAX_BYTES as u64;
        let mut ring = ByteRing::default();
        ring.push(b"abcdef");
        assert_eq!(kept(&ring, 2..4), (2, b"cd".to_vec()));
        assert_eq!(kept(&ring, 4..9), (4, b"ef".to_vec()));
        ring.push(&vec![b'-'; MAX_BYTES - 8]);
        assert_eq!(kept(&ring, 0..2), (0, b"ab".to_vec()));
        ring.push(b"ghij");
        assert_eq!(kept(&ring, 0..4), (2, b"cd".to_vec()), "ab are gone");
        assert_eq!(kept(&ring, capacity + 1..capacity + 2), (capacity + 1, b"j".to_vec()));
        ring.push(&[&vec![b'-'; MAX_BYTES - 6][..], b"01234567"].concat());
        assert_eq!(kept(&ring, 2 * capacity + 2..u64::MAX), (2 * capacity + 2, b"67".to_vec()));
        assert_eq!(kept(&ring, 0..4), (capacity + 4, Vec::new()));
    }
}
