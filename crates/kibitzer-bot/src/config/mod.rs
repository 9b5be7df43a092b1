//! The settings of a bot: one TOML file.

mod accept;
mod file;
mod matchmaking;
mod rules;
mod sentences;

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kibitzer::{ConfigError, Handle, Profile};
use kibitzer_core::session::Command;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

pub(crate) use accept::is_computer;
pub use accept::{AcceptRules, AcceptTerms, Computers, Preference};
pub(crate) use file::{ConfigFile, ParsedConfig};
pub use matchmaking::{MatchmakingRules, MatchmakingTerms};
pub(crate) use rules::format_range;
pub use rules::{AdjournedRules, DrawRule, OfferRules, RematchRules, ResignRule, ScoreAudience, SeekRules, TalkRules};
pub(crate) use sentences::{dial_sentence, first_word};

pub use crate::book::BookConfig;
use crate::engine::EngineConfig;

/// The JSON Schema (draft 7) of the file of a bot's settings, for editors: keys, types and ranges, with the descriptions of
/// `config/bot.toml`. It does not know which settings contradict each other; [`ConfigCheck`](crate::check::ConfigCheck) does.
pub const SCHEMA: &str = include_str!("../../schema/bot.json");

/// The settings of a bot.
///
/// `config/bot.toml` describes all of them. Everything but `[server]` and `[engine]` has defaults, which follow the rules of FICS
/// for computer players.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct BotConfig {
    /// The accounts to play with. `[server]` alone is one account. With `[[account]]`, each of these is one, and `[server]` has
    /// defaults for their keys.
    #[serde(skip)]
    pub accounts: Vec<Profile>,
    /// Probable mistakes in the file: a handle in `[server]` that no `[[account]]` plays with.
    #[serde(skip)]
    pub warning: Option<String>,
    /// The engine.
    pub engine: EngineConfig,
    /// The opening books. The first one with a move plays; the engine chooses every move if there is none.
    #[serde(rename = "book", deserialize_with = "deserialize_books")]
    pub books: Vec<BookConfig>,
    /// Commands that are sent after every login.
    pub login: LoginConfig,
    /// Which challenges to accept.
    pub accept: AcceptRules,
    /// Seeks to keep open while no game is played.
    pub seek: SeekRules,
    /// Answers to offers within a game, and own offers.
    pub offers: OfferRules,
    /// Adjourned games.
    pub adjourned: AdjournedRules,
    /// Another game against the same opponent.
    pub rematch: RematchRules,
    /// Challenges to other players; `None` to send none.
    pub matchmaking: Option<MatchmakingRules>,
    /// Greetings, answers, and the owner's commands.
    pub talk: TalkRules,
    /// Where to write the games.
    pub pgn: PgnConfig,
    /// Where to keep the memory of other players.
    pub state: StateConfig,
    /// How to stop.
    pub shutdown: ShutdownConfig,
}

/// `[login]`: what is sent after every login.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct LoginConfig {
    /// Commands that every account sends after each login, also after a lost connection: `+channel 1`, `tell mamer join 3`. One that
    /// the server refuses is reported.
    #[serde(deserialize_with = "deserialize_commands")]
    pub commands: Vec<String>,
}

/// `[state]`: where the bot remembers the games of the last 24 hours and the players who declined its challenges.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct StateConfig {
    /// Folder with a file for each account that has a handle, `HANDLE@HOST.json`. It is created if it does not exist. `None` to
    /// forget other players at the end.
    pub folder: Option<PathBuf>,
}

/// `[pgn]`: where the games are written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct PgnConfig {
    /// File to which every game is appended when it is over; `None` to write none. In the path, `{date}`, `{opponent}`, `{variant}` and
    /// `{account}` are replaced by letters, digits, `-` and `_`; missing folders are then created.
    #[serde(deserialize_with = "deserialize_path_pattern")]
    pub file: Option<PathBuf>,
    /// File that always contains the current game, replaced after every move; `None` to write none. Its path is like that of `file`.
    #[serde(deserialize_with = "deserialize_path_pattern")]
    pub live_file: Option<PathBuf>,
    /// Whether the comments of the bot's moves have the engine's score from White's side and its depth: `[%eval 0.35][%depth 12]`. The
    /// live file shows them during the game.
    pub evals: bool,
}

/// `[shutdown]`: what happens to a game when the bot is to stop.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ShutdownConfig {
    /// How long the game in progress may continue, at most 7 days. Then the bot offers to adjourn it, and leaves. Zero: the bot leaves
    /// at once.
    #[serde(deserialize_with = "deserialize_duration")]
    pub finish_game_within: Duration,
}

impl Default for ShutdownConfig {
    fn default() -> Self {
        Self { finish_game_within: Duration::from_mins(10) }
    }
}

impl BotConfig {
    /// Returns the settings of a bot that plays with this account and engine, with the default rules.
    pub fn new(account: Profile, engine: EngineConfig) -> Self {
        Self { accounts: vec![account], engine, ..Self::default() }
    }

    /// Returns the account if there is exactly one.
    pub(crate) fn only_account(&self) -> Option<&Profile> {
        if let [account] = &self.accounts[..] { Some(account) } else { None }
    }

    /// Returns the handle of the account, if there is one account with a handle.
    pub(crate) fn only_handle(&self) -> Option<Handle> {
        self.only_account()?.handle().cloned()
    }

    /// Reads the settings from a file like `config/bot.toml`.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Read`] if the file cannot be read; [`ConfigError`] with the line if a key is unknown or missing, a value is
    /// invalid or out of its range, or two accounts have the same handle on the same server. Of several mistakes the first one;
    /// [`ConfigCheck`](crate::check::ConfigCheck) finds all.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let ParsedConfig { config, errors, no_engine } = ConfigFile::read(path.as_ref())?.parse();
        errors.into_iter().chain(no_engine).next().map_or(Ok(config), Err)
    }

    /// Reads the settings of a bot whose program replaces the [engine](crate::Bot::engine): `[engine]` and its `command` may be
    /// missing.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn load_without_engine(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let ParsedConfig { config, errors, .. } = ConfigFile::read(path.as_ref())?.parse();
        errors.into_iter().next().map_or(Ok(config), Err)
    }
}

/// Words that are replaced in the path of a file of games.
pub(crate) const PATH_FIELDS: [&str; 4] = ["{date}", "{opponent}", "{variant}", "{account}"];

/// Returns the folder of a pattern, up to the first part with a field.
pub(crate) fn fixed_folder(pattern: &Path) -> PathBuf {
    let parts = pattern.parent().into_iter().flat_map(Path::components);
    parts.take_while(|part| !part.as_os_str().to_string_lossy().contains('{')).collect()
}

/// Reads a path with [`PATH_FIELDS`].
fn deserialize_path_pattern<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
    let path = String::deserialize(deserializer)?;
    let rest = PATH_FIELDS.iter().fold(path.clone(), |rest, field| rest.replace(field, ""));
    if rest.contains(['{', '}']) {
        let fields = PATH_FIELDS.join(", ");
        return Err(D::Error::custom(format_args!(
            "`{path}` has other words in braces than {fields}: write one of these"
        )));
    }
    Ok(Some(path.into()))
}

/// Reads one table, or a list of tables.
fn deserialize_books<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<BookConfig>, D::Error> {
    struct Books;

    impl<'de> Visitor<'de> for Books {
        type Value = Vec<BookConfig>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table `[book]`, or several `[[book]]`")
        }

        fn visit_map<A: MapAccess<'de>>(self, book: A) -> Result<Self::Value, A::Error> {
            Ok(vec![BookConfig::deserialize(MapAccessDeserializer::new(book))?])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, books: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(books))
        }
    }

    deserializer.deserialize_any(Books)
}

/// Reads a list of commands for the server.
fn deserialize_commands<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let commands = Vec::<String>::deserialize(deserializer)?;
    let refused = commands.iter().enumerate().find_map(|(n, command)| Some((n + 1, Command::new(command).err()?)));
    refused
        .map_or(Ok(commands), |(n, error)| Err(D::Error::custom(format_args!("command {n} cannot be sent: {error}"))))
}

/// Reads a duration such as `"10m"` or `"1h 30m"`.
fn deserialize_duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    humantime::parse_duration(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}
