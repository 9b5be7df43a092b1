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
    Io {
        /// Number of the line.
        line: u64,
        /// Error of the input.
        source: io::Error,
    },
    /// The line is longer than the limit. This is the last item.
    #[error("transcript line {line} is longer than {limit_bytes} bytes")]
    TooLong {
        /// Number of the line.
        line: u64,
        /// The limit in bytes.
        limit_bytes: usize,
    },
    /// The line is not a JSON object with valid `t`, `dir` and `hex`, or its `utc` is not valid.
    #[error("transcript line {line} is not an object with t, dir and hex")]
    Json {
        /// Number of the line.
        line: u64,
        /// Error of the JSON parser, whose own line number is always 1.
        source: serde_json::Error,
    },
    /// The transcript ends inside a line, as it does after a crash or on a full disk. This is the last item.
    #[error("transcript ends inside line {line}")]
    Torn {
        /// Number of the line.
        line: u64,
    },
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
mod tests {
    use super::super::Direction;
    use super::*;
    use crate::core::text::error_chain;

    fn read(text: &str, limit_bytes: usize) -> Vec<Result<Record, String>> {
        let records = TranscriptReader { limit_bytes, ..TranscriptReader::new(text.as_bytes()) };
        records.map(|record| record.map_err(|error| error_chain(&error))).collect()
    }

    fn record(ms: u64, direction: Direction, bytes: &[u8]) -> Record {
        Record { time: Duration::from_millis(ms), utc: None, direction, bytes: bytes.to_vec(), redacted: false }
    }

    #[test]
    fn records_have_the_time_direction_and_bytes_of_their_lines() {
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
    fn an_invalid_line_is_reported_by_its_number_and_skipped() {
        let good = r#"{"t":0,"dir":"rx","hex":"41"}"#;
        let cases = [
            ("no JSON", "{", "EOF while parsing"),
            ("no bytes", r#"{"t":0,"dir":"rx"}"#, "missing field `hex`"),
            ("an unknown direction", r#"{"t":0,"dir":"up","hex":""}"#, "unknown variant `up`"),
            ("not UTF-8 escapes", r#"{"t":0,"dir":"rx","hex":"\ud800"}"#, "end of hex escape"),
            ("half a byte", r#"{"t":0,"dir":"rx","hex":"414"}"#, "not pairs of hexadecimal digits"),
            ("not a digit", r#"{"t":0,"dir":"rx","hex":"4g"}"#, "not pairs of hexadecimal digits"),
            ("before the start", r#"{"t":-1,"dir":"rx","hex":""}"#, "value is negative"),
            ("never", r#"{"t":1e300,"dir":"rx","hex":""}"#, "value is either too big or NaN"),
        ];
        for (name, line, want) in cases {
            let text = format!("{good}\n\n{line}\n{good}\n");
            let byte = || Ok(record(0, Direction::Received, b"A"));
            let [first, Err(error), last] = &read(&text, 1000)[..] else { panic!("{name}") };
            assert_eq!([first, last], [&byte(), &byte()], "{name}");
            assert!(error.starts_with("transcript line 3 is not an object with t, dir and hex: "), "{name}: {error}");
            assert!(error.contains(want), "{name}: {error}");
        }
    }

    #[test]
    fn a_recording_can_end_anywhere_in_its_last_line() {
        let whole = concat!(r#"{"t":0,"dir":"rx","hex":"41"}"#, "\n");
        let last = r#"{"t": 12.5, "dir": "tx", "hex": "5b5d0a", "redacted": true, "utc": "2025-01-02T03:04:05.678Z"}"#;
        let note = r#"{"t": 1.5, "note": "life", "event": "connected"}"#;
        let torn = |line| Err(format!("transcript ends inside line {line}"));
        let first = || Ok(record(0, Direction::Received, b"A"));
        for last in [last, note] {
            for length in 1..last.len() {
                let text = format!("{whole}{}", last.get(..length).unwrap());
                assert_eq!(read(&text, 1000), [first(), torn(2)], "{text}");
            }
            assert!(read(&format!("{whole}{last}"), 1000).iter().all(Result::is_ok), "only the line end is missing");
        }
        assert_eq!(read(&format!("{whole}\0\0\0"), 1000), [first(), torn(2)]);
        assert_eq!(read(last.get(..9).unwrap(), 1000), [torn(1)]);
        for wrong in ["{\"t\": 12\n", "{\"name\": 1}", "{]"] {
            let [Err(error)] = &read(wrong, 1000)[..] else { panic!("{wrong}") };
            assert!(error.starts_with("transcript line 1 is not an object"), "{wrong}: {error}");
        }
    }

    #[test]
    fn times_of_day_are_counted_from_the_last_stated_one() {
        let text = concat!(
            r#"{"t":1,"dir":"rx","hex":""}"#,
            "\n",
            r#"{"t":1.5,"note":"hello","utc":"2025-01-02T03:04:05.500Z"}"#,
            "\n",
            r#"{"t":2.25,"dir":"rx","hex":""}"#,
            "\n",
            r#"{"t":0.5,"dir":"tx","hex":"","utc":"2025-06-01T00:00:00.000Z"}"#,
            "\n",
            r#"{"t":0.625,"dir":"rx","hex":""}"#,
            "\n",
            r#"{"t":0.5,"dir":"rx","hex":""}"#,
            "\n",
            r#"{"t":0.5,"dir":"rx","hex":"","utc":"yesterday"}"#,
        );
        let times: Vec<_> = read(text, 1000)
            .into_iter()
            .map(|record| record.map(|record| record.utc.map_or_else(String::new, |utc| utc.to_string())))
            .collect();
        let want = ["", "2025-01-02T03:04:06.250Z", "2025-06-01T00:00:00.000Z", "2025-06-01T00:00:00.125Z", ""];
        assert_eq!(times[..5], want.map(|text| Ok(text.to_owned())));
        let [Err(error)] = &times[5..] else { panic!("{times:?}") };
        assert!(error.starts_with("transcript line 7 ") && error.contains("not a UTC time"), "{error}");
    }

    #[test]
    fn a_line_over_the_limit_is_the_last_item() {
        let line = r#"{"t":0,"dir":"rx","hex":"41"}"#;
        let (text, limit) = (format!("{line}\n{line} \n{line}"), line.len());
        let too_long = format!("transcript line 2 is longer than {limit} bytes");
        assert_eq!(read(&text, limit), [Ok(record(0, Direction::Received, b"A")), Err(too_long)]);
        assert_eq!(read(line, limit).len(), 1, "a last line without its end");
        assert_eq!(read(&format!("{line}\n"), limit).len(), 1, "a last line with its end");
    }

    #[test]
    fn an_error_of_the_input_is_the_last_item() {
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
