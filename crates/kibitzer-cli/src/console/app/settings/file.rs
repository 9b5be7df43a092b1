//! Where the settings file is, and how it is read and replaced.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use kibitzer::ConfigError;

use super::ConsoleSettings;
use crate::console::input::user_folder;
use crate::failure::Failure;
use crate::log::open_for_owner;

/// Environment variable with the path of the file.
const PATH_VARIABLE: &str = "KIBITZER_CONSOLE_SETTINGS";
/// Name of the file below the user's folder for configurations.
const DEFAULT_FILE: &str = "kibitzer/console.toml";
/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Options for the settings file of the console.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct SettingsArgs {
    /// Settings of the console [default: `kibitzer/console.toml` in `$XDG_CONFIG_HOME` or `~/.config`, if it exists]
    #[arg(long, value_name = "FILE")]
    console_settings: Option<PathBuf>,
}

impl SettingsArgs {
    /// Returns the arguments that name a file.
    #[cfg(test)]
    pub(super) fn of_file(path: &Path) -> Self {
        Self { console_settings: Some(path.to_owned()) }
    }

    /// Reads the settings from the file of the argument, otherwise of the environment, otherwise from the user's file, which may be
    /// missing.
    ///
    /// # Errors
    ///
    /// [`Failure`] that names the file, the line and the key.
    pub(crate) fn load(&self) -> Result<ConsoleSettings, Failure> {
        let variable = || env::var_os(PATH_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
        let named = self.console_settings.clone().or_else(variable);
        let is_named = named.is_some();
        let path = named.or_else(|| Some(user_folder("XDG_CONFIG_HOME", ".config")?.join(DEFAULT_FILE)));
        let settings = ConsoleSettings { path: path.clone(), ..ConsoleSettings::default() };
        let Some(path) = path.filter(|path| is_named || path.exists()) else { return Ok(settings) };
        let text = read_limited(&path).map_err(|error| Failure::caused_by(ConfigError::read(&path, error)))?;
        settings.with_file(&path, &text).map_err(Failure::caused_by)
    }
}

/// Reads a regular file of at most 1 MiB, perhaps through symbolic links.
fn read_limited(path: &Path) -> io::Result<String> {
    let file = open_for_owner(&fs::canonicalize(path)?, OpenOptions::new().read(true))?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "it has to be a regular file of at most 1 MiB"));
    }
    let mut text = String::new();
    file.take(MAX_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

impl ConsoleSettings {
    /// Writes the file, and its folder if that is missing. A reader never finds half of it.
    pub(super) fn write(&self) -> io::Result<&Path> {
        let path = self.path.as_deref().ok_or(io::ErrorKind::NotFound)?;
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = target.parent().unwrap_or(Path::new(""));
        if !folder.as_os_str().is_empty() {
            fs::create_dir_all(folder)?;
        }
        let new = target.with_extension(format!("new{}", std::process::id()));
        let written = fs::write(&new, self.to_file()).and_then(|()| fs::rename(&new, &target));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written.map(|()| path)
    }
}
