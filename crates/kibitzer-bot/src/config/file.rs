//! The file of the settings: reads it with all of its mistakes, and finds the places of its values.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use kibitzer::internal::most_similar_word;
use kibitzer::{ConfigError, Handle, Profile};
use kibitzer_core::session::FirstConnect;
use serde::Deserialize as _;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue, Deserializer};

use super::{BotConfig, rules};

/// The tables of a file. Those whose names begin with `x-` belong to other programs.
const TABLES: &str =
    "server account login engine book accept seek offers adjourned rematch matchmaking talk pgn state shutdown";

/// Keys of lichess-bot at the top of its file and in its table `engine`, as far as they are not keys of this file.
const LICHESS_KEYS: &str = "token url abort_time fake_think_time rate_limiting_delay move_overhead max_takebacks_accepted \
    quit_after_all_games_finish correspondence challenge greeting pgn_directory pgn_file_grouping \
    dir name interpreter interpreter_options working_dir debug polyglot draw_or_resign online_moves lichess_bot_tbs \
    engine_options homemade_options uci_options xboard_options silence_stderr";

/// A file of settings.
#[derive(Debug)]
pub(crate) struct ConfigFile {
    path: PathBuf,
    text: String,
    /// Positions of the values that [`parse`](Self::parse) left out, in this order.
    left_out: Vec<usize>,
}

/// The valid settings of a file, and its mistakes.
#[derive(Debug, Default)]
pub(crate) struct ParsedConfig {
    /// Default values stand for the settings that are not valid.
    pub(crate) config: BotConfig,
    pub(crate) errors: Vec<ConfigError>,
    /// The error if the file has no engine.
    pub(crate) no_engine: Option<ConfigError>,
}

impl ConfigFile {
    /// Reads the text of a file.
    pub(crate) fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::read(path, source))?;
        Ok(Self { path: path.to_owned(), text, left_out: Vec::new() })
    }

    /// Returns the tables without the values that were left out, so that the indexes are those of the settings.
    fn valid_tables(&self) -> DeTable<'_> {
        let mut tables = DeTable::parse_recoverable(&self.text).0.into_inner();
        for position in &self.left_out {
            remove_at(&mut tables, *position);
        }
        tables
    }

    /// Returns whether the file sets a key, as [`mistake_at`](Self::mistake_at) names it.
    pub(crate) fn contains(&self, key: &str) -> bool {
        find_value(&self.valid_tables(), key).1 == key.split('.').count()
    }

    /// Returns the text that the file sets for a key, as [`mistake_at`](Self::mistake_at) names it.
    pub(crate) fn text_at(&self, key: &str) -> Option<String> {
        let tables = self.valid_tables();
        let (value, n_found) = find_value(&tables, key);
        let value = value.filter(|_| n_found == key.split('.').count())?;
        value.get_ref().as_str().map(str::to_owned)
    }

    /// Creates the error about a key, such as `accept.terms.1.kinds`, where a number is an index. Its line is that of the innermost
    /// of these values that the file has.
    pub(crate) fn mistake_at(&self, key: &str, reason: impl fmt::Display) -> ConfigError {
        let tables = self.valid_tables();
        let names: Vec<_> = key.split('.').filter(|name| name.parse::<usize>().is_err()).collect();
        self.error(find_value(&tables, key).0.map(Spanned::span), format!("`{}`: {reason}", names.join(".")))
    }

    /// Returns the texts that a key has, in all of several tables, each with an error about it that has the reason passed to it.
    pub(crate) fn texts_at(&self, key: &str) -> Vec<(String, impl Fn(String) -> ConfigError + use<'_>)> {
        let tables = DeTable::parse_recoverable(&self.text).0;
        let values = rules::values_at(tables.get_ref(), key).into_iter();
        let texts = values.filter_map(|value| Some((value.get_ref().as_str()?.to_owned(), value.span())));
        let key = key.to_owned();
        let located = texts.map(|(text, span)| {
            let key = key.clone();
            (text, move |reason: String| self.error(Some(span.clone()), format!("`{key}`: {reason}")))
        });
        located.collect()
    }

    fn error(&self, span: Option<Range<usize>>, reason: String) -> ConfigError {
        ConfigError::at_position(&self.path, &self.text, span.map_or(0, |span| span.start), reason)
    }

    /// Parses the text as settings of a bot. If it is not TOML, the only error is that of its syntax.
    pub(crate) fn parse(&mut self) -> ParsedConfig {
        let (tables, not_toml) = DeTable::parse_recoverable(&self.text);
        if !not_toml.is_empty() {
            let errors = self.syntax_error(tables.get_ref(), &not_toml).into_iter().collect();
            return ParsedConfig { errors, ..ParsedConfig::default() };
        }
        let tables = tables.get_ref();
        let mut errors = self.unknown_tables(tables);
        if !tables.contains_key("server") {
            errors.push(self.error(None, "missing table `[server]`, with the `host` of the server".to_owned()));
        }
        let mut left_out = Vec::new();
        let mut config = self.deserialize(tables, &mut left_out, &mut errors);
        if let Err(error) = config.engine.require_known_limits() {
            errors.push(self.error(find_value(tables, "engine.nodes").0.map(Spanned::span), error.to_string()));
        }
        let no_engine = self.missing_engine(tables);
        if let Err(error) = self.read_accounts(tables, &mut config, &mut errors) {
            errors.push(error);
        }
        self.left_out = left_out;
        ParsedConfig { config, errors, no_engine }
    }

    /// Returns the error if the file has no engine, or no command of it. One that is not valid is another error.
    fn missing_engine(&self, tables: &DeTable<'_>) -> Option<ConfigError> {
        match tables.get("engine") {
            None => Some(self.error(None, "missing field `engine`".to_owned())),
            Some(engine) => {
                let command = engine.get_ref().get("command");
                let is_missing =
                    command.is_none_or(|command| command.get_ref().as_array().is_some_and(|list| list.is_empty()));
                (engine.get_ref().is_table() && is_missing)
                    .then(|| self.error(Some(engine.span()), "missing field `command`".to_owned()))
            }
        }
    }

    /// Returns the first error of the syntax, as others may follow from it; for a bracket that is not closed, at the bracket.
    fn syntax_error(&self, tables: &DeTable<'_>, errors: &[toml::de::Error]) -> Option<ConfigError> {
        let first = errors.first()?;
        let position = first.span().map_or(0, |span| span.start);
        let unclosed = errors.iter().find(|error| {
            error.message().starts_with("unclosed inline table") || error.message().starts_with("unclosed array")
        });
        let opened = unclosed.and_then(|error| Some((error, open_value(tables, position)?)));
        let (span, reason) = match opened {
            Some((unclosed, start)) => {
                (Some(start..start), format!("`{}`: {}", key_at(tables, start), unclosed.message()))
            }
            None => (first.span(), first.message().to_owned()),
        };
        Some(self.error(span, format!("{reason}; other mistakes are reported when this one is corrected")))
    }

    fn unknown_tables(&self, tables: &DeTable<'_>) -> Vec<ConfigError> {
        let is_known = |name: &str| TABLES.split(' ').any(|table| table == name) || name.starts_with("x-");
        let unknown = tables.iter().filter(|(name, _)| !is_known(name.get_ref()));
        let error = |(unknown, value): (&Spanned<Cow<'_, str>>, &Spanned<DeValue<'_>>)| {
            let name = unknown.get_ref();
            let what =
                if rules::values_of(value).iter().any(|item| item.get_ref().is_table()) { "table" } else { "key" };
            let nearest = most_similar_word(name, TABLES.split(' '));
            let nearest = nearest.map_or_else(String::new, |table| format!(", did you mean `{table}`?"));
            let advice = lichess_advice(name).map_or(nearest, str::to_owned);
            self.error(Some(unknown.span()), format!("unknown {what} `{name}`{advice}"))
        };
        unknown.map(error).collect()
    }

    /// Deserializes the tables of the bot, without the accounts. Adds an error for each value that is not valid, and leaves it out.
    fn deserialize(&self, tables: &DeTable<'_>, left_out: &mut Vec<usize>, errors: &mut Vec<ConfigError>) -> BotConfig {
        let mut rest = tables.clone();
        for (span, reason) in rules::out_of_range(tables) {
            // The other end of the range may have been removed with its key: nothing else is at this position then.
            if key_at(&rest, span.start) == key_at(tables, span.start) && remove_at(&mut rest, span.start) {
                left_out.push(span.start);
            }
            errors.push(self.error(Some(span), reason));
        }
        // Each round removes a value, or is the last one.
        loop {
            let document = Spanned::new(0..self.text.len(), rest.clone());
            let error = match BotConfig::deserialize(Deserializer::from(document)) {
                Ok(config) => return config,
                Err(error) => error,
            };
            let key = error.span().map(|span| key_at(tables, span.start)).filter(|key| !key.is_empty());
            let key = key.map_or_else(String::new, |key| format!("`{key}`: "));
            let unknown = error.span().filter(|_| error.message().starts_with("unknown field"));
            let advice = unknown.and_then(|span| lichess_advice(self.text.get(span)?)).unwrap_or_default();
            errors.push(self.error(error.span(), format!("{key}{}{advice}", plain_types(error.message()))));
            let Some(span) = error.span().filter(|span| remove_at(&mut rest, span.start)) else {
                return BotConfig::default();
            };
            left_out.push(span.start);
        }
    }

    /// Adds the accounts, and the warning about a handle of `[server]` that none of them has.
    fn read_accounts(
        &self,
        tables: &DeTable<'_>,
        config: &mut BotConfig,
        errors: &mut Vec<ConfigError>,
    ) -> Result<(), ConfigError> {
        if !tables.contains_key("server") {
            return Ok(());
        }
        let defaults = Profile::new("").session(|session| session.first_connect(FirstConnect::Retry));
        let server = defaults.file_table_with_errors(&self.path, &["server"], errors)?;
        let not_a_list = |span| self.error(Some(span), "accounts are written as `[[account]]`".to_owned());
        let accounts = tables.get("account").map(|accounts| {
            let list = accounts.get_ref().as_array();
            list.ok_or_else(|| not_a_list(accounts.span()))
        });
        for (index, account) in accounts.transpose()?.into_iter().flat_map(|list| list.iter()).enumerate() {
            let keys = ["account", &index.to_string()];
            let profile = server.clone().file_table_with_errors(&self.path, &keys, errors)?;
            if config.accounts.iter().any(|known| is_same_account(known, &profile)) {
                errors.push(self.error(Some(account.span()), "another account has the same handle".to_owned()));
            }
            config.accounts.push(profile);
        }
        if config.accounts.is_empty() {
            config.accounts.push(server.clone());
        }
        let is_unused = |handle: &&Handle| config.accounts.iter().all(|account| account.handle() != Some(*handle));
        let unused = server.handle().filter(is_unused);
        config.warning = unused.map(|handle| {
            format!("{}: the handle {handle} of [server] is not used: the accounts have others", self.path.display())
        });
        Ok(())
    }
}

/// Returns the end of the message about a key of lichess-bot; `None` for other keys.
fn lichess_advice(key: &str) -> Option<&'static str> {
    let is_known = LICHESS_KEYS.split_whitespace().any(|known| known == key);
    is_known.then_some(", a key of lichess-bot; migration.md has the one to write")
}

/// Replaces the name of an integer type in an error message.
fn plain_types(message: &str) -> String {
    match message.rsplit_once(", expected ") {
        Some((start, "u8" | "u16" | "u32" | "u64" | "usize" | "i32" | "i64")) => {
            format!("{start}, expected a whole number")
        }
        _ => message.to_owned(),
    }
}

/// Returns the start of the outermost value in the lines of a table that contains a position of the file.
fn open_value(table: &DeTable<'_>, position: usize) -> Option<usize> {
    table.values().find_map(|value| {
        let span = value.span();
        let inner = || rules::values_of(value).iter().find_map(|item| open_value(item.get_ref().as_table()?, position));
        if span.contains(&position) { Some(span.start) } else { inner() }
    })
}

/// Returns whether two accounts have the same handle on the same server.
fn is_same_account(one: &Profile, other: &Profile) -> bool {
    one.host_name() == other.host_name() && one.handle().is_some() && one.handle() == other.handle()
}

/// Returns the innermost value on the way to a key that the table has, and how many of the key's names lead to it. Of
/// several tables without an index, the first one counts.
fn find_value<'a, 'de>(table: &'a DeTable<'de>, key: &str) -> (Option<&'a Spanned<DeValue<'de>>>, usize) {
    let mut found: Option<&Spanned<DeValue<'_>>> = None;
    let mut n_found = 0;
    for name in key.split('.') {
        let index = name.parse::<usize>().ok();
        let value = match (found.map(Spanned::get_ref), index) {
            (None, _) => table.get(name),
            (Some(DeValue::Array(list)), Some(index)) => list.get(index),
            (Some(DeValue::Array(list)), None) => list.first().and_then(|item| item.get_ref().get(name)),
            // One table in place of a list of them.
            (Some(DeValue::Table(_)), Some(_)) => {
                n_found += 1;
                continue;
            }
            (Some(value), None) => value.get(name),
            (Some(_), Some(_)) => None,
        };
        let Some(value) = value else { break };
        found = Some(value);
        n_found += 1;
    }
    (found, n_found)
}

/// Removes the innermost entry, or table of a list, at a position of the file. Returns whether there was one.
fn remove_at(table: &mut DeTable<'_>, position: usize) -> bool {
    for (_, value) in table.iter_mut() {
        let is_removed = match value.get_mut() {
            DeValue::Table(inner) => remove_at(inner, position),
            DeValue::Array(list) => remove_item_at(list, position),
            _ => false,
        };
        if is_removed {
            return true;
        }
    }
    let is_there = |span: Range<usize>| span.contains(&position);
    let found = table.iter().find(|(key, value)| {
        let items = rules::values_of(value);
        is_there(key.span()) || is_there(value.span()) || items.iter().any(|item| is_there(item.span()))
    });
    let name = found.map(|(key, _)| key.get_ref().to_string());
    name.is_some_and(|name| table.remove(name.as_str()).is_some())
}

/// Removes the innermost entry of a table in a list at a position of the file, or the table. Returns whether there was one.
fn remove_item_at(list: &mut DeArray<'_>, position: usize) -> bool {
    let is_removed_from = |item: &mut Spanned<DeValue<'_>>| match item.get_mut() {
        DeValue::Table(inner) => remove_at(inner, position),
        _ => false,
    };
    if list.iter_mut().any(is_removed_from) {
        return true;
    }
    let is_there = |item: &Spanned<DeValue<'_>>| item.get_ref().is_table() && item.span().contains(&position);
    let Some(index) = list.iter().position(is_there) else { return false };
    let mut rest = DeArray::new();
    for (_, item) in list.iter().enumerate().filter(|(other, _)| *other != index) {
        rest.push(item.clone());
    }
    *list = rest;
    true
}

/// Returns the keys, with dots between them, that lead to the value at a position of the file; empty if no value is there.
fn key_at(table: &DeTable<'_>, position: usize) -> String {
    let found = table.iter().find_map(|(name, value)| {
        let items = rules::values_of(value);
        let inner = items.iter().find_map(|item| item.get_ref().as_table().map(|table| key_at(table, position)));
        let inner = inner.filter(|keys| !keys.is_empty()).map(|keys| format!("{}.{keys}", name.get_ref()));
        inner.or_else(|| value.span().contains(&position).then(|| name.get_ref().to_string()))
    });
    found.unwrap_or_default()
}
