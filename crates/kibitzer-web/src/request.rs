//! What the HTTP server asks of the program that has the session.

use std::time::Duration;

use bytes::Bytes;
use kibitzer::GameId;
use serde_json::Value;
use tokio::sync::oneshot;

/// Sends the answer to a request; the page gets an error if it is dropped.
pub type AnswerSender<T> = oneshot::Sender<T>;

/// A request of the page to the program that has the session.
#[derive(Debug)]
#[non_exhaustive]
pub enum PageRequest {
    /// The numbers of the rows that match; the error is that of the filter.
    Rows {
        /// Filter expression; empty for all rows.
        filter: String,
        /// The rows to look at.
        range: std::ops::Range<u64>,
        /// How many of the newest to return.
        limit: usize,
        /// Where the answer goes.
        answer: AnswerSender<Result<Vec<u64>, String>>,
    },
    /// The frame of a row, as a JSON object.
    Row(u64, AnswerSender<Option<Value>>),
    /// The time line of a recording, as a JSON object; `None` for other sources.
    Timeline(AnswerSender<Option<Value>>),
    /// Rows as a file.
    Export {
        /// Form of the file, as in the console.
        form: String,
        /// Filter expression; empty for all rows.
        filter: String,
        /// Number of a game to which the rows are limited.
        game: Option<GameId>,
        /// Where the file goes; the error says why there is none.
        answer: AnswerSender<Result<ExportedFile, String>>,
    },
    /// Counters in the Prometheus text format.
    Metrics(AnswerSender<String>),
    /// A request of a program, as JSON. The answer is its reply, as JSON.
    Command(Bytes, AnswerSender<Vec<u8>>),
    /// Plays the recording.
    Control(Control, AnswerSender<()>),
}

/// An exported file.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExportedFile {
    /// Name of the file.
    pub name: String,
    /// Content of the file.
    pub content: Vec<u8>,
}

impl ExportedFile {
    /// Creates a file.
    pub const fn new(name: String, content: Vec<u8>) -> Self {
        Self { name, content }
    }
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
