//! Profiles out of files and the environment.

use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize as _;
use thiserror::Error;

use super::environment::{Environment, VariableError, variable_of};
use super::settings::Settings;
use super::{Profile, Secret};
use crate::password::PasswordSource;

/// What is wrong with a configuration.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("cannot read {path}", path = .path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A key is unknown, or its value is none that it takes.
    #[error("{path}, line {line}: {reason}", path = .path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The file does not say which host.
    #[error("{path}: the key host is missing", path = .path.display())]
    NoHost {
        /// Which file.
        path: PathBuf,
    },
    /// An environment variable has a value that it does not take.
    #[error("environment variable {name}: {reason}")]
    Variable {
        /// Which variable.
        name: String,
        /// What is wrong.
        reason: String,
    },
}

impl Profile {
    /// Reads a file like those in `config/`: TOML; unknown keys are errors. What it does not say is as in [`Profile::new`].
    ///
    /// # Errors
    ///
    /// [`ConfigError`]; the file has to name a host.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let profile = Self::new("").file(path)?;
        if profile.host.is_empty() {
            return Err(ConfigError::NoHost { path: path.to_owned() });
        }
        Ok(profile)
    }

    /// Lays a file over this profile: what it does not say stays.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], with the line.
    pub fn file(mut self, path: impl AsRef<Path>) -> Result<Self, ConfigError> {
        let path = path.as_ref();
        let text =
            std::fs::read_to_string(path).map_err(|source| ConfigError::Read { path: path.to_owned(), source })?;
        let settings: Settings = toml::from_str(&text).map_err(|error| ConfigError::File {
            path: path.to_owned(),
            line: line_of(&text, error.span().map_or(0, |span| span.start)),
            reason: error.message().to_owned(),
        })?;
        settings.apply(&mut self);
        Ok(self)
    }

    /// Lays the environment over this profile: every key of a file is a variable, in upper case behind `KIBITZER_`, such as
    /// `KIBITZER_CONNECT_TIMEOUT_MS`. Lists have commas between; `KIBITZER_PASSWORD_FROM` is like `file:/run/secrets/fics` or
    /// `command:pass,show,fics`.
    ///
    /// `KIBITZER_PASSWORD` has the password if a handle is known by then and no other source of a password is. Variables of
    /// other names are left alone.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Variable`].
    pub fn environment(self) -> Result<Self, ConfigError> {
        // What is no text fits no key, and is told as such.
        self.environment_from(|name| Some(std::env::var_os(name)?.to_string_lossy().into_owned()))
    }

    /// As [`environment`](Self::environment), with this look-up of a variable.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Variable`].
    pub fn environment_from(mut self, look_up: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let settings = Settings::deserialize(Environment(&look_up))
            .map_err(|VariableError { name, reason }| ConfigError::Variable { name, reason })?;
        settings.apply(&mut self);
        let wants_secret = self.login.handle.is_some() && self.login.secret.is_none();
        let variable = variable_of("password");
        if wants_secret && look_up(&variable).is_some() {
            self.login.secret = Some(Secret::Source(PasswordSource::Variable(variable)));
        }
        Ok(self)
    }
}

/// The line of a position in a text, from 1.
fn line_of(text: &str, position: usize) -> usize {
    1 + text.bytes().take(position).filter(|&byte| byte == b'\n').count()
}
