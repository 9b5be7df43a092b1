//! What the user prefers: colors, pieces, times, the bell, and filter expressions with a name.

use std::collections::BTreeMap;

use clap::ValueEnum;
use thiserror::Error;

use crate::console::input::StateDirectory;
use crate::filter::{Expression, FilterError};

/// File of the named filters; one line each: `name = expression`.
const FILTERS_FILE: &str = "filters";
/// Maximum number of the user's names in the file.
const KEPT_NAMES: usize = 100;

/// Filters that every console has: name and expression.
pub(crate) const PRESETS: [(&str, &str); 4] = [
    (
        "chat",
        "kind:tell,say,partner_tell,message,shout,it_shout,c_shout,announcement,channel_tell,kibitz,whisper,qtell \
         or kind:sent \"^[^a-z]*(t(e(ll?)?)?|say|ptell|x?(tell|kibitz|whisper)|shout|cshout) \"",
    ),
    ("mine", "mine"),
    ("sent", "kind:sent"),
    (
        "wrong",
        "kind:desync,missed,fault,over_long,overflow,lost,refused,login_refused,kicked,disconnected or unanswered",
    ),
];

/// The choices of the user; only the named filters are stored across runs.
#[derive(Debug)]
pub(crate) struct Preferences {
    /// `None` keeps the colors of the environment.
    pub(crate) colors: Option<ColorTheme>,
    /// `None` keeps the pieces of the theme.
    pub(crate) pieces: Option<PieceSet>,
    /// Kind of time that the list shows for each row.
    pub(crate) times: TimeColumn,
    /// Whether the terminal's bell rings for a new offer, and when it is the user's move.
    pub(crate) bell: Switch,
    /// Whether the console uses the mouse.
    pub(crate) mouse: Switch,
    pub(crate) filters: NamedFilters,
}

/// Argument of commands that switch something on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

/// Colors for a dark or a light background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorTheme {
    Dark,
    Light,
}

/// Set of characters that stand for the pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PieceSet {
    /// The letters of FEN: capitals for White.
    Ascii,
    /// Capital letters in the color of the side.
    Letters,
    /// Chess symbols, filled in the color of the side.
    Filled,
}

/// Kind of time that the list shows for each row. The help texts are shown to the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimeColumn {
    /// times since the start of the session
    #[default]
    Session,
    /// times of day, UTC
    Utc,
    /// times since the line before
    Previous,
    /// times since the last mark
    Mark,
}

impl TimeColumn {
    /// Returns the kind of time that the key `t` shows after this one; after the last, the first.
    pub(crate) fn next(self) -> Self {
        Self::value_variants().iter().cycle().nth(self as usize + 1).copied().unwrap_or_default()
    }
}

/// The named expressions of a profile, by name.
pub(crate) type ProfileFilters = BTreeMap<String, Expression>;

/// Named expressions. The user's own, stored across runs, take precedence over those of the profile, and these over the
/// [presets](PRESETS).
#[derive(Debug, Default)]
pub(crate) struct NamedFilters {
    named: BTreeMap<String, Expression>,
    /// The expressions of the profile. They are never written back: rewriting its file would lose comments and order, and others
    /// may share it.
    pub(crate) profile: ProfileFilters,
    presets: BTreeMap<&'static str, Expression>,
    store: StateDirectory,
}

impl NamedFilters {
    /// Loads the stored expressions, at most 100; invalid lines are ignored.
    pub(crate) fn load(store: StateDirectory) -> Self {
        let text = store.read_file(FILTERS_FILE);
        let stored = text.lines().filter_map(|line| line.split_once('=')).map(|(name, source)| (name.trim(), source));
        let valid = stored.filter(|(name, _)| is_filter_name(name));
        let named = valid.filter_map(|(name, source)| Some((name.to_owned(), Expression::parse(source).ok()?)));
        let named = named.take(KEPT_NAMES).collect();
        let presets = PRESETS.into_iter().filter_map(|(name, source)| Some((name, Expression::parse(source).ok()?)));
        Self { named, profile: ProfileFilters::default(), presets: presets.collect(), store }
    }

    /// Returns the expression with this name: the user's own, otherwise that of the profile, otherwise the preset.
    pub(crate) fn get(&self, name: &str) -> Option<&Expression> {
        self.named.get(name).or_else(|| self.profile.get(name)).or_else(|| self.presets.get(name))
    }

    /// Returns the names of the user, then those of the profile, then those of the presets; a name in several comes twice.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.named.keys().chain(self.profile.keys()).map(String::as_str);
        named.chain(self.presets.keys().copied())
    }

    /// Returns the name of the preset with this expression; otherwise the text of the expression.
    pub(crate) fn name_or_text(&self, filter: &Expression) -> String {
        let preset = self.presets.iter().find(|(_, preset)| *preset == filter);
        preset.map_or_else(|| filter.to_string(), |(name, _)| (*name).to_owned())
    }

    /// Names an expression and saves the file. Returns `false`, and changes nothing, at the limit of names.
    pub(crate) fn try_set(&mut self, name: &str, filter: Expression) -> bool {
        if self.named.len() >= KEPT_NAMES && !self.named.contains_key(name) {
            return false;
        }
        self.named.insert(name.to_owned(), filter);
        self.save();
        true
    }

    /// Removes a name of the user and saves the file. Returns whether the name existed. An expression of the profile with this
    /// name applies again.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let was_there = self.named.remove(name).is_some();
        if was_there {
            self.save();
        }
        was_there
    }

    /// Writes the user's own names to the file; errors are ignored.
    fn save(&self) {
        let lines = self.named.iter().map(|(name, filter)| format!("{name} = {filter}"));
        self.store.overwrite_with_lines(FILTERS_FILE, lines);
    }
}

/// Why a named expression of a profile is not valid.
#[derive(Debug, Error)]
pub(crate) enum ProfileFilterError {
    #[error("filter {0} of the profile: a name is letters, digits, - and _")]
    Name(String),
    #[error("filter {name} of the profile: {error}")]
    Expression { name: String, error: FilterError },
}

/// Parses the named expressions of a profile: the expression by name.
///
/// # Errors
///
/// [`ProfileFilterError`] for the first invalid name or expression.
pub(crate) fn parse_profile_filters(filters: &BTreeMap<String, String>) -> Result<ProfileFilters, ProfileFilterError> {
    let read = |(name, source): (&String, &String)| {
        let name = name.clone();
        if !is_filter_name(&name) {
            return Err(ProfileFilterError::Name(name));
        }
        match Expression::parse(source) {
            Ok(filter) => Ok((name, filter)),
            Err(error) => Err(ProfileFilterError::Expression { name, error }),
        }
    };
    filters.iter().map(read).collect()
}

/// Returns whether a word is a valid filter name: letters, digits, `-`, `_`.
pub(crate) fn is_filter_name(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

#[cfg(test)]
mod tests;
