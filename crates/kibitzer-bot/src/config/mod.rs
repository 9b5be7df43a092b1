//! The settings of a bot: one TOML file.

mod rules;
mod sentences;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kibitzer::{ConfigError, Profile, most_similar_word};
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};
use toml::de::DeTable;

pub(crate) use rules::contains_player;
pub use rules::{
    AcceptRules, AdjournedRules, Bounds, DrawRule, MatchmakingRules, OfferRules, RematchRules, ResignRule, Rules,
    SeekRules, TalkRules,
};

pub use crate::book::BookConfig;
use crate::clock::TimeBudget;
use crate::engine::{EngineCommand, EngineProtocol};

/// The settings of a bot.
///
/// `config/bot.toml` describes all of them. Everything but `[server]` and `[engine]` has defaults, which follow the rules of FICS
/// for computer players.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BotConfig {
    /// The accounts to play with: one from `[server]`, or one for each `[[account]]`, whose keys override those of `[server]`.
    pub accounts: Vec<Profile>,
    /// The engine.
    pub engine: EngineConfig,
    /// The opening book; `None` to let the engine choose every move.
    pub book: Option<BookConfig>,
    /// Which games to play, and how.
    pub rules: Rules,
    /// Where to write the games.
    pub pgn: PgnConfig,
    /// How to stop.
    pub shutdown: ShutdownConfig,
}

/// `[engine]`: the program and how it is used.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EngineConfig {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The protocol that it speaks.
    #[serde(default)]
    pub protocol: EngineProtocol,
    /// Options to set when it starts, by name.
    #[serde(default, deserialize_with = "deserialize_option_values")]
    pub options: Vec<(String, String)>,
    /// Whether the engine thinks in the opponent's time, if it can.
    #[serde(default)]
    pub ponder: bool,
    /// Time lost between the server's clock and the engine, deducted from every move in addition to the measured lag.
    #[serde(default = "default_move_overhead_ms")]
    pub move_overhead_ms: u64,
    /// How often the engine is started again within one game after a failure. Then the bot aborts or resigns the game.
    #[serde(default = "default_restarts_per_game")]
    pub restarts_per_game: u32,
    /// Nodes per move; unlimited if absent.
    pub nodes: Option<u64>,
    /// Depth in plies; unlimited if absent.
    pub depth: Option<u32>,
    /// Time per move in an untimed game.
    #[serde(default = "default_untimed_move_ms")]
    pub untimed_move_ms: u64,
}

/// `[pgn]`: where the games are written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct PgnConfig {
    /// File to which every game is appended when it is over; `None` to write none.
    pub file: Option<PathBuf>,
    /// File that always contains the current game, replaced after every move; `None` to write none.
    pub live_file: Option<PathBuf>,
}

/// `[shutdown]`: what happens to a game when the bot is to stop.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ShutdownConfig {
    /// How long the game in progress may continue. Then the bot offers to adjourn it, and leaves. Zero: the bot leaves at once.
    #[serde(deserialize_with = "deserialize_duration")]
    pub finish_game_within: Duration,
}

impl Default for ShutdownConfig {
    fn default() -> Self {
        Self { finish_game_within: Duration::from_mins(10) }
    }
}

/// The file as written; `[server]` and `[[account]]` are read by [`Profile`].
#[derive(Deserialize)]
struct ConfigFile {
    #[serde(rename = "server")]
    _server: IgnoredAny,
    #[serde(default, rename = "account")]
    accounts: Vec<IgnoredAny>,
    engine: EngineConfig,
    book: Option<BookConfig>,
    #[serde(default)]
    accept: AcceptRules,
    #[serde(default)]
    seek: SeekRules,
    #[serde(default)]
    offers: OfferRules,
    #[serde(default)]
    adjourned: AdjournedRules,
    #[serde(default)]
    rematch: RematchRules,
    matchmaking: Option<MatchmakingRules>,
    #[serde(default)]
    talk: TalkRules,
    #[serde(default)]
    pgn: PgnConfig,
    #[serde(default)]
    shutdown: ShutdownConfig,
}

/// The tables of a file. Those whose names begin with `x-` belong to other programs.
const TABLES: [&str; 13] = [
    "server",
    "account",
    "engine",
    "book",
    "accept",
    "seek",
    "offers",
    "adjourned",
    "rematch",
    "matchmaking",
    "talk",
    "pgn",
    "shutdown",
];

impl BotConfig {
    /// Returns the settings of a bot that plays with this account and engine, with the default rules.
    pub fn new(account: Profile, engine: EngineCommand) -> Self {
        Self {
            accounts: vec![account],
            engine: EngineConfig::new(engine),
            book: None,
            rules: Rules::default(),
            pgn: PgnConfig::default(),
            shutdown: ShutdownConfig::default(),
        }
    }

    /// Reads the settings from a file like `config/bot.toml`.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with the line, if a key is unknown or missing or a value is invalid.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let text =
            std::fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        let error_at = |span: Option<Range<usize>>, reason: String| {
            let before = span.and_then(|span| text.get(..span.start)).unwrap_or_default();
            ConfigError::File { path: path.to_owned(), line: 1 + before.matches('\n').count(), reason }
        };
        let not_toml = |error: toml::de::Error| error_at(error.span(), error.message().to_owned());
        let tables = DeTable::parse(&text).map_err(not_toml)?;
        let is_known = |name: &str| TABLES.contains(&name) || name.starts_with("x-");
        if let Some(unknown) = tables.get_ref().keys().find(|name| !is_known(name.get_ref())) {
            let name = unknown.get_ref();
            let nearest = most_similar_word(name, TABLES);
            let nearest = nearest.map_or_else(String::new, |table| format!(", did you mean `{table}`?"));
            return Err(error_at(Some(unknown.span()), format!("unknown table `{name}`{nearest}")));
        }
        let file: ConfigFile = toml::from_str(&text).map_err(not_toml)?;
        let server = Profile::new("").file_table(path, &["server"])?;
        let accounts = match file.accounts.len() {
            0 => vec![server],
            n => (0..n)
                .map(|index| server.clone().file_table(path, &["account", &index.to_string()]))
                .collect::<Result<_, _>>()?,
        };
        let ConfigFile {
            engine, book, accept, seek, offers, adjourned, rematch, matchmaking, talk, pgn, shutdown, ..
        } = file;
        let rules = Rules { accept, seek, offers, adjourned, rematch, matchmaking, talk };
        Ok(Self { accounts, engine, book, rules, pgn, shutdown })
    }
}

impl EngineConfig {
    /// Returns the settings from which the limits of a search are computed.
    pub(crate) fn time_budget(&self) -> TimeBudget {
        TimeBudget {
            move_overhead: Duration::from_millis(self.move_overhead_ms),
            untimed_move: Duration::from_millis(self.untimed_move_ms),
            nodes: self.nodes,
            depth: self.depth,
        }
    }

    /// Returns the command that starts the engine, with its protocol and options.
    pub fn start_command(&self) -> EngineCommand {
        let mut command = EngineCommand::new(&self.command);
        command.protocol = self.protocol;
        command.options.clone_from(&self.options);
        command
    }

    /// Returns the default settings of an engine.
    pub fn new(command: EngineCommand) -> Self {
        Self {
            command: command.command,
            protocol: command.protocol,
            options: command.options,
            ponder: false,
            move_overhead_ms: default_move_overhead_ms(),
            restarts_per_game: default_restarts_per_game(),
            nodes: None,
            depth: None,
            untimed_move_ms: default_untimed_move_ms(),
        }
    }
}

/// Reads the values of options: texts, numbers and truth values.
fn deserialize_option_values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    let values = toml::Table::deserialize(deserializer)?;
    let text = |(name, value)| match value {
        toml::Value::String(text) => Ok((name, text)),
        toml::Value::Integer(number) => Ok((name, number.to_string())),
        toml::Value::Boolean(truth) => Ok((name, truth.to_string())),
        _ => Err(D::Error::custom(format_args!("the option `{name}` is not a text, a whole number, true or false"))),
    };
    values.into_iter().map(text).collect()
}

const fn default_move_overhead_ms() -> u64 {
    150
}

const fn default_restarts_per_game() -> u32 {
    2
}

const fn default_untimed_move_ms() -> u64 {
    5_000
}

/// Reads a duration such as `"10m"` or `"1h 30m"`.
fn deserialize_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    humantime::parse_duration(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}
