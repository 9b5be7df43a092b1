//! Settings of an engine.

use std::path::PathBuf;
use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::EngineError;

/// Protocol that an engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EngineProtocol {
    /// Universal Chess Interface.
    #[default]
    Uci,
    /// Chess Engine Communication Protocol, also called xboard or winboard protocol, version 2.
    Cecp,
}

/// `[engine]`: the program of an engine, and how it is used.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct EngineConfig {
    /// Program and arguments; in the file, a text is a program without arguments. They are passed to the operating system as they
    /// are, never to a shell.
    #[serde(deserialize_with = "deserialize_command")]
    pub command: Vec<String>,
    /// Protocol of the program.
    pub protocol: EngineProtocol,
    /// Names and values of options, set in this order when the engine starts. The value of a button is empty.
    #[serde(deserialize_with = "deserialize_option_values")]
    pub options: Vec<(String, String)>,
    /// Working directory of the program; `None` for that of the bot. A relative program with a `/` is searched from the bot's.
    pub directory: Option<PathBuf>,
    /// Names and values of environment variables, in addition to those of the bot that the engine inherits.
    #[serde(deserialize_with = "deserialize_option_values")]
    pub environment: Vec<(String, String)>,
    /// File to which each line of the standard error is appended, of any number; `None` for the log, which has the first 500 lines.
    pub stderr_file: Option<PathBuf>,
    /// Time within which the engine must complete its handshake, and confirm each command that has a reply. 30 s by default.
    #[serde(skip)]
    pub reply_timeout: Duration,
    /// Whether the engine thinks in the opponent's time, if it can.
    pub ponder: bool,
    /// Time lost between the server's clock and the engine, deducted from every move in addition to the measured lag: at most a
    /// minute, 150 ms by default.
    pub move_overhead_ms: u64,
    /// How often the engine is started again within one game after a failure: at most 100, 2 by default. Then the bot aborts or resigns
    /// the game.
    pub restarts_per_game: u32,
    /// Fixed time per move, in games with clocks as well: 10 ms to a day; `None` if the engine decides by the clocks.
    pub move_time_ms: Option<u64>,
    /// Nodes per move: 1 to 1,000,000,000,000; unlimited if `None`. CECP has no such limit.
    pub nodes: Option<u64>,
    /// Depth in plies: 1 to 1,000; unlimited if `None`.
    pub depth: Option<u32>,
    /// Time per move in an untimed game without [`move_time_ms`](Self::move_time_ms): 10 ms to a day, 5 s by default.
    pub untimed_move_ms: u64,
    /// Shortest time from a board to the bot's move: at most a minute, 0 by default. A fiftieth of the remaining time at most is spent
    /// on it, and none in the last second.
    pub min_move_ms: u64,
    /// Largest share of the remaining time for one move, besides its increment: 1 to 50 %, 33 % by default.
    pub max_clock_percent: u32,
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            command: Vec::new(),
            protocol: EngineProtocol::Uci,
            options: Vec::new(),
            directory: None,
            environment: Vec::new(),
            stderr_file: None,
            reply_timeout: Duration::from_secs(30),
            ponder: false,
            move_overhead_ms: 150,
            restarts_per_game: 2,
            move_time_ms: None,
            nodes: None,
            depth: None,
            untimed_move_ms: 5_000,
            min_move_ms: 0,
            max_clock_percent: 33,
        }
    }
}

impl EngineConfig {
    /// Returns the default settings of a UCI engine, with this program and these arguments.
    pub fn new(command: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { command: command.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Fails with [`EngineError::Option`] if the protocol has no equivalent of a limit.
    pub(crate) fn require_known_limits(&self) -> Result<(), EngineError> {
        let is_known = self.protocol != EngineProtocol::Cecp || self.nodes.is_none();
        let problem = "CECP has no limit on nodes; write `depth` or `move_time_ms` instead".to_owned();
        is_known.then_some(()).ok_or_else(|| EngineError::Option { name: "nodes".to_owned(), problem })
    }
}

/// Reads a program and its arguments: a list, or a text for a program without arguments.
fn deserialize_command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    match toml::Value::deserialize(deserializer)? {
        toml::Value::String(program) => Ok(vec![program]),
        list => {
            list.try_into().map_err(|_| D::Error::custom("a command is a list of texts: the program and its arguments"))
        }
    }
}

/// Reads the values of options or environment variables: texts, numbers and truth values.
fn deserialize_option_values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    let values = toml::Table::deserialize(deserializer)?;
    let text = |(name, value)| match value {
        toml::Value::String(text) => Ok((name, text)),
        toml::Value::Integer(number) => Ok((name, number.to_string())),
        toml::Value::Boolean(truth) => Ok((name, truth.to_string())),
        _ => Err(D::Error::custom(format_args!("`{name}` is not a text, a whole number, true or false"))),
    };
    values.into_iter().map(text).collect()
}
