//! Recorded sessions: the bytes of both directions, with the time of each piece.
//!
//! A transcript is JSON Lines. Each line is a piece: seconds since the start of the recording, direction from the view of the
//! client, bytes in hexadecimal.
//!
//! - A line of the login or with a password is marked as redacted, and its bytes are a placeholder. A password that the server
//!   echoed has one asterisk per byte: a password of the login until the session is set up, one in a command until its reply.
//! - A sent line has the number of its `request`, and who made it in `requested_by`: `user`, `program`, `set_up`, `restoration`
//!   or `probe`.
//!   Older recordings have neither.
//! - An empty piece from the server marks the end of a connection.
//! - `utc` is the time of day. That of later lines is counted from it; recordings of this crate have it in their first line.
//! - A line with the key `note` contains no bytes and is skipped; the stream of an attached session has such lines.
//!
//! ```json
//! {"t": 1.25, "dir": "rx", "hex": "666963732520", "utc": "2025-03-01T12:34:56.789Z"}
//! {"t": 1.5, "dir": "tx", "hex": "5b72656461637465645d0a", "redacted": true, "requested_by": "set_up"}
//! {"t": 9.1, "dir": "tx", "hex": "3132206461746526", "request": 12, "requested_by": "user"}
//! ```

mod reader;
mod recorder;
mod recordings;
mod utc;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use kibitzer_core::event::{Attribution, RequestId, RequestOrigin};
pub use reader::{TranscriptError, TranscriptReader};
pub(crate) use recorder::Recorder;
pub use recorder::Recording;
pub use recordings::RecordError;
pub(crate) use recordings::Recordings;
pub use utc::Utc;

/// One line of a transcript: bytes that were received or sent at once, with their time.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// Time since the start of the recording.
    #[serde(rename = "t", with = "seconds")]
    pub time: Duration,
    /// Time of day, computed from the last `utc` in the transcript; `None` if there was none before this record.
    pub utc: Option<Utc>,
    /// Direction of the bytes.
    #[serde(rename = "dir")]
    pub direction: Direction,
    /// The bytes; a placeholder if `redacted`. Empty received bytes mark the end of a connection.
    #[serde(rename = "hex", with = "hex")]
    pub bytes: Vec<u8>,
    /// Whether the bytes are a placeholder, because the sent line was part of the login or contained a password.
    #[serde(default)]
    pub redacted: bool,
    /// The request that a sent line belongs to; `None` for a line of the login, and in recordings before version 0.2.
    pub request: Option<RequestId>,
    /// Who made the request.
    pub requested_by: Option<RequestOrigin>,
}

impl Record {
    /// Returns what the record of a sent line states about its request, for
    /// [`EventReader::note_sent_line`](kibitzer_core::EventReader::note_sent_line).
    pub const fn attribution(&self) -> Attribution {
        Attribution::of_request(self.request, self.requested_by)
    }
}

/// Direction of bytes, from the view of the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::exhaustive_enums, reason = "a connection has two directions")]
pub enum Direction {
    /// `rx`: from the server.
    #[serde(rename = "rx")]
    Received,
    /// `tx`: to the server.
    #[serde(rename = "tx")]
    Sent,
}

/// The form of bytes in a transcript, for `#[serde(with)]`: two hexadecimal digits each, which are written in lower case.
pub(crate) mod hex {
    use std::borrow::Cow;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    /// Serializes bytes as a string of digits.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&encode(bytes))
    }

    /// Deserializes bytes from a string of digits.
    ///
    /// # Errors
    ///
    /// Those of the deserializer, and an error for an odd number of digits or any other character.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let digits = Cow::<str>::deserialize(deserializer)?;
        decode(&digits).ok_or_else(|| D::Error::custom("bytes are not pairs of hexadecimal digits"))
    }

    pub(super) fn encode(bytes: &[u8]) -> String {
        let digit = |nibble| char::from(if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 });
        bytes.iter().flat_map(|&byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }

    fn decode(digits: &str) -> Option<Vec<u8>> {
        let value = |digit| u8::try_from(char::from(digit).to_digit(16)?).ok();
        let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
        rest.is_empty().then_some(())?;
        pairs.iter().map(|&[high, low]| Some(value(high)? << 4 | value(low)?)).collect()
    }
}

/// The form of times in a transcript, for `#[serde(with)]`: seconds, written with microseconds.
pub(crate) mod seconds {
    use std::time::Duration;

    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    /// Serializes a time as floating-point seconds, rounded down to whole microseconds.
    ///
    /// # Errors
    ///
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        Duration::from_micros(u64::try_from(time.as_micros()).unwrap_or(u64::MAX)).as_secs_f64().serialize(serializer)
    }

    /// Deserializes a time from a number of seconds.
    ///
    /// # Errors
    ///
    /// Those of the deserializer, and an error for a number that is negative, not finite, or exceeds the range of [`Duration`].
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
