//! The newest rows, addressed by number, and the newest received bytes, addressed by stream position.

use std::collections::VecDeque;
use std::ops::Range;

use super::row::ConsoleRow;

/// Maximum number of rows.
pub(crate) const KEPT_ROWS: usize = 20_000;
/// Maximum memory of all rows, in bytes.
pub(crate) const KEPT_ROW_BYTES: usize = 32 << 20;
/// Capacity of the ring, in bytes.
pub(crate) const MAX_BYTES: usize = 8 << 20;

/// The newest rows, addressed by number.
#[derive(Debug, Default)]
pub(crate) struct RowBuffer {
    kept: VecDeque<ConsoleRow>,
    /// Approximate memory of the stored rows, in bytes.
    bytes: usize,
    /// Number of the newest row, counted from 1; 0 for an empty buffer.
    pub(crate) newest: u64,
}

impl RowBuffer {
    /// Returns the number of the next row.
    pub(crate) const fn next_number(&self) -> u64 {
        self.newest.saturating_add(1)
    }

    /// Returns the number of the oldest stored row.
    pub(crate) fn oldest_number(&self) -> u64 {
        self.kept.front().map_or(self.next_number(), |row| row.number)
    }

    /// Appends a row, whose number must be the [next one](Self::next_number), and drops the oldest ones beyond the limits. The
    /// newest row always stays.
    pub(crate) fn push(&mut self, row: ConsoleRow) {
        self.newest = row.number;
        self.bytes += row.memory_size();
        self.kept.push_back(row);
        while self.kept.len() > KEPT_ROWS || (self.bytes > KEPT_ROW_BYTES && self.kept.len() > 1) {
            let gone = self.kept.pop_front();
            self.bytes = self.bytes.saturating_sub(gone.map_or(0, |row| row.memory_size()));
        }
    }

    pub(crate) fn get(&self, number: u64) -> Option<&ConsoleRow> {
        self.kept.get(self.index_of(number)?)
    }

    pub(crate) fn get_mut(&mut self, number: u64) -> Option<&mut ConsoleRow> {
        let place = self.index_of(number)?;
        self.kept.get_mut(place)
    }

    /// Iterates over all rows, oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &ConsoleRow> {
        self.kept.iter()
    }

    /// Iterates from a row back to the oldest one; from the newest row if the number is higher. Empty for a dropped row.
    pub(crate) fn iter_back_from(&self, number: u64) -> impl Iterator<Item = &ConsoleRow> {
        let n = self.index_of(number.min(self.newest)).map_or(0, |place| place + 1);
        self.kept.iter().take(n).rev()
    }

    /// Returns the index in the buffer for a row number; `None` for a dropped row. A number after the newest has an index beyond
    /// the end.
    fn index_of(&self, number: u64) -> Option<usize> {
        usize::try_from(number.checked_sub(self.oldest_number())?).ok()
    }
}

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
    use std::time::Duration;

    use super::*;
    use crate::console::model::row::RowContent;
    use crate::filter::Facts;

    fn mark(number: u64, text: &str) -> ConsoleRow {
        let (at, facts) = (Duration::ZERO, Facts::default());
        ConsoleRow { number, at, base: 0, facts, is_housekeeping: false, content: RowContent::Mark(text.to_owned()) }
    }

    #[test]
    fn the_newest_rows_are_kept_and_found_by_number() {
        let mut rows = RowBuffer::default();
        assert_eq!((rows.oldest_number(), rows.newest, rows.get(1).is_some()), (1, 0, false));
        let newest = u64::try_from(KEPT_ROWS).unwrap() + 2;
        for number in 1..=newest {
            rows.push(mark(number, ""));
        }
        assert_eq!((rows.oldest_number(), rows.newest), (3, newest));
        assert!(rows.get(2).is_none() && rows.get(newest + 1).is_none());
        assert_eq!(rows.get(4).map(|row| row.number), Some(4));
        assert_eq!(rows.iter_back_from(4).map(|row| row.number).collect::<Vec<_>>(), [4, 3]);
        assert_eq!(rows.iter_back_from(newest + 99).count(), KEPT_ROWS);
    }

    #[test]
    fn long_rows_push_out_more() {
        let mut rows = RowBuffer::default();
        for number in 1..=10 {
            rows.push(mark(number, &"x".repeat(KEPT_ROW_BYTES * 4 / 10)));
        }
        assert_eq!(rows.iter().count(), 2);
        rows.push(mark(11, &"x".repeat(2 * KEPT_ROW_BYTES)));
        assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), [11], "the newest one stays");
    }

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
