//! Reading transcripts.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use thiserror::Error;

use super::{Direction, Record};

/// Longest line a [`TranscriptReader`] takes unless told otherwise: 64 MiB, which is 32 MiB received at once.
const LINE_LIMIT_BYTES: usize = 64 << 20;

/// Why a transcript could not be read on. Lines are counted from 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// The input failed.
    #[error("transcript line {line} cannot be read")]
    Io {
        /// The line it was about to read.
        line: u64,
        /// What went wrong.
        source: io::Error,
    },
    /// The line is longer than the limit.
    #[error("transcript line {line} is longer than {limit_bytes} bytes")]
    TooLong {
        /// Which line.
        line: u64,
        /// The limit in bytes.
        limit_bytes: usize,
    },
    /// The line is no JSON object with `t`, `dir` and `hex`.
    #[error("transcript line {line} is no object with t, dir and hex")]
    Json {
        /// Which line.
        line: u64,
        /// What the JSON parser says; its own line number is always 1.
        source: serde_json::Error,
    },
    /// The time is negative or too large.
    #[error("transcript line {line} has a time out of range")]
    Time {
        /// Which line.
        line: u64,
    },
    /// The bytes are no pairs of hexadecimal digits.
    #[error("transcript line {line} has bytes that are not hexadecimal")]
    Hex {
        /// Which line.
        line: u64,
    },
}

/// Reads a transcript record by record, keeping one line in memory.
///
/// Empty lines and lines with the key `note` are skipped, unknown keys ignored. A line that is wrong gives an error, and the next call goes on behind it;
/// after [`TranscriptError::Io`] and [`TranscriptError::TooLong`] there is nothing more.
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
    line: Vec<u8>,
    /// Number of the line in `line`.
    number: u64,
    ended: bool,
}

impl<R: BufRead> TranscriptReader<R> {
    /// Reads from here on.
    pub const fn new(input: R) -> Self {
        Self { input, limit_bytes: LINE_LIMIT_BYTES, line: Vec::new(), number: 0, ended: false }
    }

    /// Sets the longest line to take, in bytes, its end not counted. Default 64 MiB.
    #[must_use]
    pub fn with_line_limit(self, limit_bytes: usize) -> Self {
        Self { limit_bytes, ..self }
    }

    /// Takes in the next line; `None` at the end.
    fn read_line(&mut self) -> Option<Result<(), TranscriptError>> {
        self.line.clear();
        self.number += 1;
        let (line, limit_bytes) = (self.number, self.limit_bytes);
        let take = u64::try_from(limit_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let read = self.input.by_ref().take(take).read_until(b'\n', &mut self.line);
        let is_whole = self.line.pop_if(|last| *last == b'\n').is_some();
        let outcome = match read {
            Ok(0) => {
                self.ended = true;
                return None;
            }
            Ok(_) if is_whole || self.line.len() <= limit_bytes => Ok(()),
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
            if let Err(error) = self.read_line()? {
                return Some(Err(error));
            }
            if self.line.trim_ascii().is_empty() {
                continue;
            }
            let record = Record::parse(&self.line, self.number);
            if record.is_ok() || !is_note(&self.line) {
                return Some(record);
            }
        }
        None
    }
}

/// A line as JSON has it.
#[derive(Deserialize)]
struct Wire<'a> {
    t: f64,
    dir: Direction,
    #[serde(borrow)]
    hex: Cow<'a, str>,
    #[serde(default)]
    redacted: bool,
}

/// Whether a line tells something else than bytes.
fn is_note(line: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Note {
        #[serde(rename = "note")]
        _note: IgnoredAny,
    }
    serde_json::from_slice::<Note>(line).is_ok()
}

impl Record {
    fn parse(text: &[u8], line: u64) -> Result<Self, TranscriptError> {
        let wire: Wire<'_> = serde_json::from_slice(text).map_err(|source| TranscriptError::Json { line, source })?;
        Ok(Self {
            time: Duration::try_from_secs_f64(wire.t).map_err(|_| TranscriptError::Time { line })?,
            direction: wire.dir,
            bytes: decode_hex(&wire.hex).ok_or(TranscriptError::Hex { line })?,
            redacted: wire.redacted,
        })
    }
}

/// Reads pairs of hexadecimal digits.
pub(crate) fn decode_hex(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    rest.is_empty().then_some(())?;
    pairs.iter().map(|&[high, low]| Some(hex_digit(high)? << 4 | hex_digit(low)?)).collect()
}

const fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, limit_bytes: usize) -> Vec<Result<Record, String>> {
        let records = TranscriptReader::new(text.as_bytes()).with_line_limit(limit_bytes);
        records.map(|record| record.map_err(|error| error.to_string())).collect()
    }

    fn record(ms: u64, direction: Direction, bytes: &[u8]) -> Record {
        Record { time: Duration::from_millis(ms), direction, bytes: bytes.to_vec(), redacted: false }
    }

    #[test]
    fn records_come_in_their_order_and_direction() {
        let text = concat!(
            r#"{"t": 0.25, "dir": "rx", "hex": "6c6F0aff"}"#,
            "\r\n\n  \n",
            r#"{"hex":"","note":{"a":[1]},"dir":"tx","t":1}"#,
            "\n",
            r#"{"t":2,"dir":"rx","hex":"\u0034\u0031"}"#,
            "\n",
            r#"{"t":2.5,"note":"lost","text":"server is silent"}"#,
            "\n",
            r#"{"t":3,"dir":"tx","hex":"3f","redacted":true}"#,
        );
        let want = [
            Ok(record(250, Direction::Received, b"lo\n\xff")),
            Ok(record(1000, Direction::Sent, b"")),
            Ok(record(2000, Direction::Received, b"A")),
            Ok(Record { redacted: true, ..record(3000, Direction::Sent, b"?") }),
        ];
        assert_eq!(read(text, 1000), want);
        assert_eq!(read("", 1000), []);
    }

    #[test]
    fn a_wrong_line_is_told_by_its_number_and_skipped() {
        let good = r#"{"t":0,"dir":"rx","hex":"41"}"#;
        let cases = [
            ("no JSON", "{", "transcript line 3 is no object with t, dir and hex"),
            ("no bytes", r#"{"t":0,"dir":"rx"}"#, "transcript line 3 is no object with t, dir and hex"),
            ("a third way", r#"{"t":0,"dir":"up","hex":""}"#, "transcript line 3 is no object with t, dir and hex"),
            (
                "not UTF-8 escapes",
                r#"{"t":0,"dir":"rx","hex":"\ud800"}"#,
                "transcript line 3 is no object with t, dir and hex",
            ),
            (
                "half a byte",
                r#"{"t":0,"dir":"rx","hex":"414"}"#,
                "transcript line 3 has bytes that are not hexadecimal",
            ),
            ("no digit", r#"{"t":0,"dir":"rx","hex":"4g"}"#, "transcript line 3 has bytes that are not hexadecimal"),
            ("before the start", r#"{"t":-1,"dir":"rx","hex":""}"#, "transcript line 3 has a time out of range"),
            ("never", r#"{"t":1e300,"dir":"rx","hex":""}"#, "transcript line 3 has a time out of range"),
        ];
        for (name, line, want) in cases {
            let text = format!("{good}\n\n{line}\n{good}\n");
            let byte = || Ok(record(0, Direction::Received, b"A"));
            assert_eq!(read(&text, 1000), [byte(), Err(want.to_owned()), byte()], "{name}");
        }
    }

    #[test]
    fn a_line_over_the_limit_ends_it() {
        let line = r#"{"t":0,"dir":"rx","hex":"41"}"#;
        let (text, limit) = (format!("{line}\n{line} \n{line}"), line.len());
        let too_long = format!("transcript line 2 is longer than {limit} bytes");
        assert_eq!(read(&text, limit), [Ok(record(0, Direction::Received, b"A")), Err(too_long)]);
        assert_eq!(read(line, limit).len(), 1, "a last line without its end");
        assert_eq!(read(&format!("{line}\n"), limit).len(), 1, "a last line with its end");
    }

    #[test]
    fn a_failing_input_ends_it() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let mut records = TranscriptReader::new(io::BufReader::new(Broken));
        let error = records.next().unwrap().unwrap_err();
        assert_eq!(error.to_string(), "transcript line 1 cannot be read");
        assert!(records.next().is_none());
    }
}
