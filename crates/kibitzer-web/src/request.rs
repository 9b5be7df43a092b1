//! What the HTTP server asks of the program that has the session.

use std::time::Duration;

use bytes::Bytes;
use kibitzer::GameId;
use serde_json::Value;
use tokio::sync::oneshot;

/// A request of the page to the program that has the session.
#[derive(Debug)]
#[non_exhaustive]
pub struct PageRequest {
    /// What the page asks for.
    pub query: PageQuery,
    /// Receives the answer, or a text for the viewer that says why there is none. The page gets an error if it is dropped.
    pub answer: oneshot::Sender<Result<Vec<u8>, String>>,
}

/// What the page asks the program for.
#[derive(Debug)]
#[non_exhaustive]
pub enum PageQuery {
    /// The rows that match, as [`Hub::rows_json`](crate::Hub::rows_json) returns them.
    Rows {
        /// Filter expression; empty for all rows.
        filter: String,
        /// The rows to look at.
        range: std::ops::Range<u64>,
        /// How many of the newest to return.
        limit: usize,
    },
    /// The frame of a row, as a JSON object.
    Row(u64),
    /// The time line of a recording, as a JSON object.
    Timeline,
    /// Rows as a file.
    Export {
        /// Form of the file, as in the console.
        form: String,
        /// Filter expression; empty for all rows.
        filter: String,
        /// Number of a game to which the rows are limited.
        game: Option<GameId>,
    },
    /// Counters in the Prometheus text format.
    Metrics,
    /// A request of a program, as JSON. The answer is its reply, as JSON.
    Command(Bytes),
    /// Plays the recording; the answer is empty.
    Control(Control),
}

/// A change of the replay of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "the words of the protocol")]
pub enum Control {
    /// Continue.
    Play,
    /// Stop.
    Pause,
    /// Stop after the next board.
    Step,
    /// Stop after the board before.
    Back,
    /// Go to this time.
    Seek(Duration),
    /// Play at this multiple of the recorded speed.
    Speed(f64),
}

impl Control {
    /// Reads the body of a command; `None` if it is not valid.
    pub(crate) fn parse(body: &Value) -> Option<Self> {
        let number = |key: &str| body.get(key)?.as_f64();
        Some(match body.get("control")?.as_str()? {
            "play" => Self::Play,
            "pause" => Self::Pause,
            "step" => Self::Step,
            "back" => Self::Back,
            "seek" => Self::Seek(Duration::try_from_secs_f64(number("t")?.max(0.0)).ok()?),
            "speed" => Self::Speed(number("rate").filter(|rate| rate.is_finite() && *rate > 0.0)?),
            _ => return None,
        })
    }
}
