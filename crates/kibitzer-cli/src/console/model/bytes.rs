//! The newest received bytes, addressed by stream position; the bytes of rows, and the search for rows by an expression or by bytes.

use std::collections::VecDeque;
use std::ops::Range;

use kibitzer_core::Event;
use memchr::memmem;

use super::{ConsoleRow, RowContent, SessionModel};
use crate::filter::{Expression, FilterError};

/// Capacity of the ring, in bytes.
pub(crate) const MAX_BYTES: usize = 8 << 20;
/// Prefix of a search for bytes.
const HEX: &str = "hex:";

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

/// A search in the rows, from the argument of `/find` or from a breakpoint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Search {
    /// An expression, which matches only listed rows.
    Expression(Expression),
    /// The expression of a breakpoint, which also matches rows that are not listed.
    Breakpoint(Expression),
    /// Bytes as received or sent, which may begin and end anywhere in a row, listed or not.
    Bytes(Vec<u8>),
}

impl Search {
    /// Parses an expression, or bytes such as `hex:0a0d3c`, with blanks anywhere between the digits.
    ///
    /// # Errors
    ///
    /// [`FilterError`] with the position of the first mistake.
    pub(crate) fn parse(text: &str) -> Result<Self, FilterError> {
        let Some(digits) = text.strip_prefix(HEX) else {
            return Expression::parse(text).map(Self::Expression);
        };
        let digits: Vec<_> = digits.chars().filter(|digit| *digit != ' ').collect();
        let byte = |pair: &[char]| match *pair {
            [high, low] => u8::try_from(high.to_digit(16)? << 4 | low.to_digit(16)?).ok(),
            _ => None,
        };
        let bytes: Option<Vec<_>> = digits.chunks(2).map(byte).collect();
        let bytes = bytes.filter(|bytes| !bytes.is_empty());
        bytes.map(Self::Bytes).ok_or_else(|| {
            FilterError::new(text, HEX.len(), "hex: needs pairs of hexadecimal digits, such as hex:0a0d3c")
        })
    }

    /// Returns whether a row matches. Bytes and breakpoints are found in any row, an expression only in rows that are listed
    /// (`is_listed`).
    pub(crate) fn accepts(&self, model: &SessionModel, row: &ConsoleRow, is_listed: bool) -> bool {
        match self {
            Self::Expression(expression) => is_listed && expression.accepts(&row.filter_subject()),
            Self::Breakpoint(expression) => expression.accepts(&row.filter_subject()),
            Self::Bytes(_) => self.match_range(model, row).is_some(),
        }
    }

    /// Returns the range of the first match in the bytes of a row; `None` without one, and for an expression. Of bytes that begin
    /// before the frame, the range contains only those in the frame; it may be empty.
    pub(crate) fn match_range(&self, model: &SessionModel, row: &ConsoleRow) -> Option<Range<usize>> {
        let Self::Bytes(bytes) = self else { return None };
        if let RowContent::Sent(sent) = &row.content {
            return memmem::find(&sent.bytes, bytes).map(|at| at..at + bytes.len());
        }
        let Range { start, end } = row.frame_range()?;
        let earlier = model.rows.iter_back_from(row.number.checked_sub(1)?).find_map(ConsoleRow::frame_range);
        let from = earlier.map_or(row.base, |frame| frame.end.max(row.base)).min(start);
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let (from, stored) = model.bytes.get(from.saturating_sub(length.saturating_sub(1)).max(row.base)..end);
        let position = from.saturating_add(u64::try_from(memmem::find(&stored.collect::<Vec<_>>(), bytes)?).ok()?);
        let in_frame = |position: u64| usize::try_from(position.saturating_sub(start)).ok();
        Some(in_frame(position)?..in_frame(position.saturating_add(length))?)
    }
}

impl SessionModel {
    /// Returns the bytes of a row: those of its frame as received, or of its line as sent; for a desync, those of the
    /// contradicting message. Empty for a row without bytes or with a secret line, and if some are no longer stored.
    pub(crate) fn row_bytes(&self, row: &ConsoleRow) -> Vec<u8> {
        if let RowContent::Sent(sent) = &row.content {
            return sent.bytes.clone();
        }
        let Some(frame) = self.message_row_or_self(row).frame_range() else { return Vec::new() };
        let (start, bytes) = self.bytes.get(frame.clone());
        if start == frame.start { bytes.collect() } else { Vec::new() }
    }

    /// Returns the stored bytes from `start`, the first position of a connection, up to `end`; before them the lines of the
    /// snapshot, if the console attached at that position.
    pub(crate) fn snapshot_and_connection_bytes(&self, start: u64, end: u64) -> Vec<u8> {
        let (position, lines) = &self.snapshot_lines;
        let lines = if *position == start { &lines[..] } else { &[] };
        lines.iter().copied().chain(self.bytes.get(start..end).1).collect()
    }

    /// Returns the row of the contradicting message, which follows the row of a desync. Returns `row` itself if it is no desync,
    /// or if no message follows it.
    pub(crate) fn message_row_or_self<'a>(&'a self, row: &'a ConsoleRow) -> &'a ConsoleRow {
        let is_desync = matches!(row.event(), Some(Event::Desync(_)));
        let message = self.rows.get(row.number + 1).filter(|next| is_desync && next.frame_range().is_some());
        message.unwrap_or(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::tests::model;

    #[test]
    fn bytes_are_found_in_the_row_that_contains_their_end() {
        let model = model(b"Foo shouts: one\n\r<sc>\n\rfics% Foo shouts: two\n\r");
        let found = |text: &str| -> Vec<(u64, usize)> {
            let search = Search::parse(text).unwrap();
            let places = model.rows.iter().map(|row| (row.number, search.match_range(&model, row)));
            places.filter_map(|(number, place)| Some((number, place?.start))).collect()
        };
        assert_eq!(found("hex:0a0d3c"), [(2, 0)], "the tag after a line end");
        assert_eq!(found("hex:6f6e65"), [(1, 12)]);
        assert_eq!(found("hex:46 6F 6f"), [(1, 0), (4, 0)]);
        assert_eq!(found("hex:65 0a 0d 3c 73 63"), [(2, 0)]);
        assert_eq!(found("hex:2520 46"), [(4, 0)], "across the prompt");
        assert_eq!(found("hex:ff"), []);
    }

    #[test]
    fn invalid_bytes_are_refused() {
        for text in ["hex:", "hex:0", "hex:0g", "hex:\u{e9}\u{e9}", "hex:00 1"] {
            assert!(Search::parse(text).unwrap_err().to_string().starts_with("hex: needs pairs"), "{text}");
        }
        assert!(matches!(Search::parse("kind:tell"), Ok(Search::Expression(_))));
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
