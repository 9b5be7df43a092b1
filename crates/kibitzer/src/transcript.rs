//! Recorded sessions: what both sides sent, in the pieces in which it came, with the time of each.
//!
//! A transcript is JSON Lines. Each line is one piece: seconds since the recording began, the direction as this side saw
//! it, the bytes in hexadecimal. A line that held a name or a password is marked, and its bytes
//! stand for it. A password that the server sent back has an asterisk for each of its bytes: one of the login as long as
//! that takes, one in a command up to the reply. An empty piece from the server says that the connection ended. A line with the key `note` is about something
//! else than bytes, as in the stream of [an exposed session](crate::Attached); readers of bytes skip it. A line of either kind may
//! have the time of day as `utc`, from which that of later lines is counted; in a recording by this crate the first line has it.
//!
//! ```json
//! {"t": 1.25, "dir": "rx", "hex": "666963732520", "utc": "2025-03-01T12:34:56.789Z"}
//! {"t": 1.5, "dir": "tx", "hex": "5b72656461637465645d0a", "redacted": true}
//! ```

pub(crate) mod line;
mod reader;
mod recorder;
mod recording;
mod utc;

use std::time::Duration;

use serde::Deserialize;

pub(crate) use reader::decode_hex;
pub use reader::{TranscriptError, TranscriptReader};
pub use recorder::{RecordError, Recorder};
pub use recording::Recording;
pub use utc::{Utc, UtcError};

/// One piece of a recorded session.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// When it came, counted from the beginning of the recording.
    pub time: Duration,
    /// The time of day, if the recording says it.
    pub utc: Option<Utc>,
    /// Which way it went.
    pub direction: Direction,
    /// The bytes; if they were redacted, what stands for them.
    pub bytes: Vec<u8>,
    /// Whether something else went over the line: a name or a password at the login.
    pub redacted: bool,
}

/// Which way bytes went, as the side that recorded them saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[expect(clippy::exhaustive_enums, reason = "a connection has two directions")]
pub enum Direction {
    /// `rx`: from the server.
    #[serde(rename = "rx")]
    Received,
    /// `tx`: to the server.
    #[serde(rename = "tx")]
    Sent,
}

impl Direction {
    /// The word a transcript has for it.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Received => "rx",
            Self::Sent => "tx",
        }
    }
}
