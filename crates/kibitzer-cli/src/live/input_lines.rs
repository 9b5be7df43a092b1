//! Lines of bounded length.

use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// Maximum length of a line of standard input, without its end. Servers accept much less.
pub(crate) const MAX_LINE_BYTES: usize = 64 << 10;

/// Error text for a line that is too long; it names the limit of standard input.
const OVER_LONG: &str = "a line of standard input is longer than 64 KiB";

/// Reads lines of bounded length.
#[derive(Debug)]
pub(crate) struct InputLines<R> {
    input: R,
    /// Maximum length of a line, without its end.
    max_bytes: usize,
    /// Bytes of the line that has not ended yet.
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is being skipped.
    skips: bool,
    /// Number of the line that was returned last, starting at 1; 0 before the first.
    pub(crate) number: u64,
}

impl<R: AsyncBufRead + Unpin> InputLines<R> {
    /// Creates a reader of lines with at most `max_bytes` bytes each, without the line end.
    pub(crate) const fn new(input: R, max_bytes: usize) -> Self {
        Self { input, max_bytes, line: Vec::new(), skips: false, number: 0 }
    }

    /// Waits for the next line and returns it without its end, LF or CR LF; `None` at the end of the input, which a failure to
    /// read counts as. A line that is too long is returned as an error once the limit is exceeded, and its rest is skipped.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: the bytes of a line that has not ended are kept.
    pub(crate) async fn next_line(&mut self) -> Option<Result<Vec<u8>, &'static str>> {
        loop {
            let room = (self.max_bytes + 1).saturating_sub(self.line.len()) as u64;
            // `nohup` makes standard input unreadable: that counts as its end.
            let n_read = (&mut self.input).take(room).read_until(b'\n', &mut self.line).await.unwrap_or(0);
            let has_ended = self.line.pop_if(|last| *last == b'\n').is_some();
            let is_cut = !has_ended && self.line.len() > self.max_bytes;
            if n_read == 0 && (self.line.is_empty() || self.skips) {
                return None;
            }
            let mut line = std::mem::take(&mut self.line);
            if self.skips {
                self.skips = !has_ended;
                continue;
            }
            self.number += 1;
            if is_cut {
                self.skips = true;
                return Some(Err(OVER_LONG));
            }
            line.pop_if(|last| *last == b'\r');
            return Some(Ok(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn lines_are_numbered_and_the_rest_of_a_long_one_is_skipped() {
        let (longest, long) = ("x".repeat(MAX_LINE_BYTES), "y".repeat(3 * MAX_LINE_BYTES));
        let text = format!("one\r\n\n{longest}\n{long}\nlast");
        for capacity in [1, 7, 8192] {
            let mut lines = InputLines::new(BufReader::with_capacity(capacity, text.as_bytes()), MAX_LINE_BYTES);
            let mut read = Vec::new();
            while let Some(line) = lines.next_line().await {
                read.push((lines.number, line.map(|line| String::from_utf8(line).unwrap())));
            }
            let want =
                [Ok("one".to_owned()), Ok(String::new()), Ok(longest.clone()), Err(OVER_LONG), Ok("last".to_owned())];
            assert!(read == (1..).zip(want).collect::<Vec<_>>(), "capacity {capacity}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_line_without_an_end_is_the_last() {
        let text = "y".repeat(MAX_LINE_BYTES + 2);
        let mut lines = InputLines::new(text.as_bytes(), MAX_LINE_BYTES);
        assert_eq!(lines.next_line().await, Some(Err(OVER_LONG)));
        assert_eq!(lines.next_line().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_read_loses_nothing() {
        let (mut writer, reader) = tokio::io::duplex(64);
        let mut lines = InputLines::new(BufReader::new(reader), MAX_LINE_BYTES);
        tokio::io::AsyncWriteExt::write_all(&mut writer, b"fin").await.unwrap();
        assert!(tokio::time::timeout(std::time::Duration::from_secs(1), lines.next_line()).await.is_err());
        tokio::io::AsyncWriteExt::write_all(&mut writer, b"ger\n").await.unwrap();
        assert_eq!(lines.next_line().await, Some(Ok(b"finger".to_vec())));
    }
}
