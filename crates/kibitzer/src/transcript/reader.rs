//! Reading transcripts.

use std::io::{self, BufRead, Read};
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use thiserror::Error;

use super::{Record, Utc};

/// Limit of a line without its end: 64 MiB, enough for a piece of 32 MiB, because each byte is two hexadecimal digits.
const LINE_LIMIT_BYTES: usize = 64 << 20;

/// Why a line of a transcript cannot be read. Lines are counted from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// Reading the input failed. This is the last item.
    #[error("transcript line {line} cannot be read")]
    #[non_exhaustive]
    Io {
        /// Number of the line.
        line: u64,
        /// Error of the input.
        source: io::Error,
    },
    /// The line is longer than the limit. This is the last item.
    #[error("transcript line {line} is longer than {limit_bytes} bytes")]
    #[non_exhaustive]
    TooLong {
        /// Number of the line.
        line: u64,
        /// The limit in bytes.
        limit_bytes: usize,
    },
    /// The line is not a JSON object with valid `t`, `dir` and `hex`, or its `utc` is not valid.
    #[error("transcript line {line} is not an object with t, dir and hex")]
    #[non_exhaustive]
    Json {
        /// Number of the line.
        line: u64,
        /// Error of the JSON parser, whose own line number is always 1.
        source: serde_json::Error,
    },
    /// The transcript ends inside a line, as it does after a crash or on a full disk. This is the last item.
    #[error("transcript ends inside line {line}")]
    #[non_exhaustive]
    Torn {
        /// Number of the line.
        line: u64,
    },
}

impl TranscriptError {
    /// Creates the error of a transcript that ends [inside this line](Self::Torn).
    #[doc(hidden)]
    pub const fn torn(line: u64) -> Self {
        Self::Torn { line }
    }
}

/// Reads a transcript record by record, with one line in memory.
///
/// Skips empty lines and lines with the key `note`, and ignores unknown keys. An invalid line is an error, and the next call
/// continues after it, except after [`TranscriptError::Io`], [`TranscriptError::TooLong`] and [`TranscriptError::Torn`].
///
/// ```
/// use kibitzer::transcript::{Direction, TranscriptReader};
///
/// let recorded = br#"{"t": 0.5, "dir": "rx", "hex": "6c6f67696e3a20"}"#;
/// let records = TranscriptReader::new(&recorded[..]).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!((records[0].direction, &records[0].bytes[..]), (Direction::Received, &b"login: "[..]));
/// # Ok::<(), kibitzer::transcript::TranscriptError>(())
/// ```
#[derive(Debug)]
pub struct TranscriptReader<R> {
    input: R,
    limit_bytes: usize,
    /// The last line that was read, without its line end.
    line: Vec<u8>,
    /// Number of that line, from 1; 0 before the first read.
    number: u64,
    /// Whether that line has a line end. Only the last line of the input may lack one.
    is_whole: bool,
    /// Time of day at time 0, computed from the last `utc` in the transcript; `None` before the first one, and after time goes
    /// back.
    began: Option<Utc>,
    /// Time of the last record.
    time: Duration,
    /// Whether the iterator is exhausted: the input ended, cannot be read, or has a line that is too long.
    ended: bool,
}

impl<R: BufRead> TranscriptReader<R> {
    /// Creates a reader that starts at the current position of the input.
    pub const fn new(input: R) -> Self {
        Self {
            input,
            limit_bytes: LINE_LIMIT_BYTES,
            line: Vec::new(),
            number: 0,
            is_whole: true,
            began: None,
            time: Duration::ZERO,
            ended: false,
        }
    }

    /// Reads the next line into `line`; `None` at the end of the input. Any error is final.
    fn read_next_line(&mut self) -> Option<Result<(), TranscriptError>> {
        self.line.clear();
        self.number += 1;
        let (line, limit_bytes) = (self.number, self.limit_bytes);
        let take = u64::try_from(limit_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let read = self.input.by_ref().take(take).read_until(b'\n', &mut self.line);
        self.is_whole = self.line.pop_if(|last| *last == b'\n').is_some();
        let outcome = match read {
            Ok(0) => {
                self.ended = true;
                return None;
            }
            Ok(_) if self.is_whole || self.line.len() <= limit_bytes => Ok(()),
            Ok(_) => Err(TranscriptError::TooLong { line, limit_bytes }),
            Err(source) => Err(TranscriptError::Io { line, source }),
        };
        self.ended = outcome.is_err();
        Some(outcome)
    }
}

impl<R: BufRead> Iterator for TranscriptReader<R> {
    type Item = Result<Record, TranscriptError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            if let Err(error) = self.read_next_line()? {
                return Some(Err(error));
            }
            if self.line.trim_ascii().is_empty() {
                continue;
            }
            if let Some(record) = self.parse_line().transpose() {
                return Some(record);
            }
        }
        None
    }
}

impl<R> TranscriptReader<R> {
    /// Parses the current line as a record; `None` if it is a note. The `utc` of a note also sets the time of day of later
    /// records.
    fn parse_line(&mut self) -> Result<Option<Record>, TranscriptError> {
        let line = self.number;
        let source = match serde_json::from_slice::<Record>(&self.line) {
            Ok(mut record) => {
                record.utc = self.update_time_of_day(record.time, record.utc);
                return Ok(Some(record));
            }
            Err(source) => source,
        };
        if let Ok(NoteLine { t, utc, .. }) = serde_json::from_slice(&self.line) {
            if let (Some(time), Some(_)) = (t.and_then(|t| Duration::try_from_secs_f64(t).ok()), utc) {
                self.update_time_of_day(time, utc);
            }
            return Ok(None);
        }
        // Some file systems fill the part that was not written with zeros.
        let is_torn = !self.is_whole && (source.is_eof() || self.line.ends_with(b"\0"));
        Err(if is_torn { TranscriptError::Torn { line } } else { TranscriptError::Json { line, source } })
    }

    /// Moves on to the next line's `time`, and returns its time of day: the stated one, otherwise the one computed from the last
    /// stated one. `None` before the first stated one, and after the time has gone back.
    fn update_time_of_day(&mut self, time: Duration, stated: Option<Utc>) -> Option<Utc> {
        if let Some(stated) = stated {
            self.began = Some(stated.minus(time));
        } else if time < self.time {
            // Time goes back where another recording was appended, which has no time of day.
            self.began = None;
        }
        self.time = time;
        self.began.map(|began| began.plus(time))
    }
}

/// The JSON object of a line with the key `note`, which has no bytes.
#[derive(Deserialize)]
struct NoteLine {
    #[serde(rename = "note")]
    _kind: IgnoredAny,
    t: Option<f64>,
    utc: Option<Utc>,
}

#[cfg(test)]
mod tests;
