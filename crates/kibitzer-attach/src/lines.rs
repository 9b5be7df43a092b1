//! Lines of limited length from a socket.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};

/// Reads lines of limited length.
#[derive(Debug)]
pub(crate) struct LineReader<R> {
    input: BufReader<R>,
    /// The received part of the next line.
    line: Vec<u8>,
    limit_bytes: usize,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    /// Creates a reader of lines of at most this many bytes, without their line ends.
    pub(crate) fn new(input: R, limit_bytes: usize) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), limit_bytes }
    }

    /// Waits for the next line and returns it without its end; `None` at the end of the input. An incomplete last line is lost.
    ///
    /// # Errors
    ///
    /// Errors of the input, and [`io::ErrorKind::InvalidData`] for a line over the limit.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: received bytes are kept.
    pub(crate) async fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let room = (self.limit_bytes + 1).saturating_sub(self.line.len());
        let mut input = (&mut self.input).take(u64::try_from(room).unwrap_or(u64::MAX));
        input.read_until(b'\n', &mut self.line).await?;
        match self.line.pop_if(|last| *last == b'\n') {
            Some(_) => Ok(Some(std::mem::take(&mut self.line))),
            None if self.line.len() > self.limit_bytes => {
                Err(io::Error::new(io::ErrorKind::InvalidData, "a line is too long"))
            }
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn lines_are_complete_at_any_read_boundary() {
        let (mut writer, reader) = duplex(3);
        let mut lines = LineReader::new(reader, 10);
        let writing = async {
            writer.write_all(b"one\n\nthree, \n4567890123").await.unwrap();
            drop(writer);
        };
        let reading = async {
            let mut all = Vec::new();
            while let Some(line) = lines.next().await.unwrap() {
                all.push(String::from_utf8(line).unwrap());
            }
            all
        };
        let ((), all) = tokio::join!(writing, reading);
        assert_eq!(all, ["one", "", "three, "]);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_is_refused() {
        let mut lines = LineReader::new(&b"0123456789\n01234567890\n"[..], 10);
        assert!(lines.next().await.unwrap().is_some());
        assert_eq!(lines.next().await.unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
