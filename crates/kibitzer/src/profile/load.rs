//! Profiles from files and the environment.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toml::de::{DeTable, DeValue};

use super::Profile;
use super::settings::{Setting, all_settings};
use super::values::RawValue;
use crate::address::AddressError;
use crate::password::PasswordSource;

/// Prefix of the names of environment variables.
const PREFIX: &str = "KIBITZER_";

/// Prefix of keys and tables of other programs in a file, which are ignored.
const FOREIGN_PREFIX: &str = "x-";

/// Normalized Damerau-Levenshtein similarity, from 0 to 1, that a suggested word has to exceed: the share of letters that are
/// right.
const MIN_SIMILARITY: f64 = 0.6;

/// Reason why a configuration was rejected.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read, or is not UTF-8.
    #[error("cannot read {path}", path = .path.display())]
    #[non_exhaustive]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is not TOML, a key is unknown, or a value is invalid.
    #[error("{path}, line {line}: {reason}", path = .path.display())]
    #[non_exhaustive]
    File {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// Key and reason.
        reason: String,
    },
    /// The file contains neither a host nor a URL.
    #[error("{path}: the key `host` or `url` is missing", path = .path.display())]
    #[non_exhaustive]
    NoHost {
        /// Path of the file.
        path: PathBuf,
    },
    /// A URL is not valid.
    #[error("{url}: the URL {reason}")]
    #[non_exhaustive]
    Url {
        /// The URL.
        url: String,
        /// The reason.
        reason: AddressError,
    },
    /// An environment variable has an invalid value.
    #[error("environment variable {name}: {reason}")]
    #[non_exhaustive]
    Variable {
        /// Name of the variable.
        name: String,
        /// Reason, without the value.
        reason: String,
    },
}

impl ConfigError {
    /// Creates the error of a file that cannot be [read](Self::Read).
    #[doc(hidden)]
    pub fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }

    /// Creates the error of an invalid [file](Self::File); `position` is the first rejected byte of its text.
    #[doc(hidden)]
    pub fn at_position(path: &Path, text: &str, position: usize, reason: String) -> Self {
        let before = text.get(..position).unwrap_or_default();
        Self::File { path: path.to_owned(), line: 1 + before.matches('\n').count(), reason }
    }
}

impl Profile {
    /// Reads a profile from a TOML file like those in `config/`. Missing keys have the values of [`Profile::new`].
    ///
    /// Unknown keys are errors, except for those that begin with `x-`: a file may contain tables of other programs
    /// (`[x-mybot]`), which are ignored.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], also if the file contains neither a host nor a URL.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let profile = Self::new("").file(path)?;
        if profile.host_name().is_empty() {
            return Err(ConfigError::NoHost { path: path.to_owned() });
        }
        Ok(profile)
    }

    /// Changes the settings that a file contains, by the rules of [`load`](Self::load). Settings without a key in the file keep
    /// their values, except for the password of another handle; a host is not required.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with key and line.
    pub fn file(self, path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        self.file_table(path, &[])
    }

    /// Changes the settings that a table of a file contains, like [`file`](Self::file), for programs whose file contains a
    /// profile besides other settings. `keys` leads to the table; an item of an array is selected by its index: `["account",
    /// "0"]`. Without keys it is the root of the file.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::env::temp_dir().join(format!("kibitzer-table-{}.toml", std::process::id()));
    /// # std::fs::write(&path, "[server]\nhost = \"chess.example\"\n")?;
    /// let profile = kibitzer::Profile::fics().file_table(&path, &["server"])?;
    /// assert_eq!(profile.host_name(), "chess.example");
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with key and line for an invalid setting; also if the file cannot be read, or has no such table.
    pub fn file_table(self, path: impl AsRef<Path>, keys: &[&str]) -> Result<Self, ConfigError> {
        let mut errors = Vec::new();
        let profile = self.file_table_with_errors(path.as_ref(), keys, &mut errors)?;
        errors.into_iter().next().map_or(Ok(profile), Err)
    }

    /// Changes settings as [`file_table`](Self::file_table) does, and adds an error for each one that is not valid, which is left as it was.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] if the file cannot be read, is not TOML, or has no such table.
    #[doc(hidden)]
    pub fn file_table_with_errors(
        mut self,
        path: &Path,
        keys: &[&str],
        errors: &mut Vec<ConfigError>,
    ) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::read(path, source))?;
        let error_at = |position, reason| ConfigError::at_position(path, &text, position, reason);
        let table = DeTable::parse(&text)
            .map_err(|error| error_at(error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
        let table = find_table(table.get_ref(), keys)
            .ok_or_else(|| error_at(0, format!("the table `{}` is missing", keys.join("."))))?;
        let settings = all_settings();
        let earlier = self.login.take_password();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if name.starts_with(FOREIGN_PREFIX) {
                continue;
            }
            let Some(setting) = settings.iter().find(|setting| setting.key == name) else {
                errors.push(error_at(key.span().start, unknown_key_message(name, value.get_ref(), &settings)));
                continue;
            };
            if let Err(reason) = (setting.apply)(&mut self, RawValue::Toml(value.get_ref())) {
                errors.push(error_at(value.span().start, format!("`{name}` {reason}")));
            }
        }
        self.login.restore_password(earlier);
        Ok(self)
    }

    /// Changes the settings for which an environment variable is set. Its name is `KIBITZER_` and the key of a file in upper
    /// case: `KIBITZER_CONNECT_TIMEOUT_MS`.
    ///
    /// Items of a list are separated by commas, pairs of names and values by semicolons: `KIBITZER_VARIABLES='gin=1; open=0'`.
    /// `KIBITZER_PASSWORD_FROM` has the form `file:/run/secrets/fics`, `env:NAME` or `command:pass,show,fics`.
    /// `KIBITZER_PASSWORD` contains the password itself; it is used if the profile has a handle, but no other password. The
    /// password of the profile is not used for another handle in `KIBITZER_HANDLE`. Variables with other names are ignored.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Variable`].
    pub fn environment(self) -> Result<Self, ConfigError> {
        // Bytes that are not UTF-8 become replacement characters, which no setting but a path accepts silently.
        self.environment_from(|name| Some(std::env::var_os(name)?.to_string_lossy().into_owned()))
    }

    /// Returns the names of all variables that [`environment`](Self::environment) reads.
    pub fn environment_variables() -> impl Iterator<Item = String> {
        all_settings().into_iter().map(|setting| setting.key).chain(["password"]).map(variable_name_of)
    }

    /// Changes settings like [`environment`](Self::environment), with `look_up` in place of the process's environment.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Variable`].
    pub fn environment_from(mut self, look_up: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let earlier = self.login.take_password();
        for setting in all_settings() {
            let name = variable_name_of(setting.key);
            if let Some(text) = look_up(&name) {
                let changed = (setting.apply)(&mut self, RawValue::Variable(&text));
                changed.map_err(|error| ConfigError::Variable { name, reason: error.to_string() })?;
            }
        }
        self.login.restore_password(earlier);
        let needs_secret = self.login.handle.is_some() && self.login.password.is_none();
        let variable = variable_name_of("password");
        if needs_secret && look_up(&variable).is_some() {
            self.login.password = Some(PasswordSource::Variable(variable));
        }
        Ok(self)
    }
}

/// Returns the table that a path of keys and indexes leads to; `None` if there is none.
fn find_table<'a, 'text>(root: &'a DeTable<'text>, keys: &[&str]) -> Option<&'a DeTable<'text>> {
    let mut keys = keys.iter();
    let Some(first) = keys.next() else { return Some(root) };
    let value = keys.try_fold(root.get(*first)?.get_ref(), |value, key| match value {
        DeValue::Table(table) => Some(table.get(*key)?.get_ref()),
        DeValue::Array(items) => Some(items.get(key.parse::<usize>().ok()?)?.get_ref()),
        _ => None,
    })?;
    value.as_table()
}

/// Returns the name of the environment variable of a setting.
pub(super) fn variable_name_of(key: &str) -> String {
    format!("{PREFIX}{}", key.to_ascii_uppercase())
}

/// Returns the error text for an unknown key, with the most similar known key. The value is left out, because it may be a
/// password.
fn unknown_key_message(key: &str, value: &DeValue<'_>, settings: &[Setting]) -> String {
    match most_similar_word(key, settings.iter().map(|setting| setting.key)) {
        Some(nearest) => format!("unknown key `{key}`, did you mean `{nearest}`?"),
        None if value.is_table() => {
            format!("unknown table `{key}`; tables of other programs begin with `{FOREIGN_PREFIX}`")
        }
        None => format!("unknown key `{key}`"),
    }
}

/// Returns the one of the `known` words that is most similar to a misspelled one; `None` if more than about two in five letters
/// of each are wrong. The case of `misspelled` is ignored, so `known` has to contain lower-case words.
pub fn most_similar_word<'a>(misspelled: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let misspelled = misspelled.to_lowercase();
    let similar = known.into_iter().map(|known| (strsim::normalized_damerau_levenshtein(known, &misspelled), known));
    let nearest = similar.max_by(|one, other| one.0.total_cmp(&other.0));
    nearest.filter(|(similarity, _)| *similarity > MIN_SIMILARITY).map(|(_, known)| known)
}
