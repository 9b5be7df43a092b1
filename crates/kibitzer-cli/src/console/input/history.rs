//! What the console keeps between runs: small files in the user's state directory, and the history of typed lines in one.

use std::collections::VecDeque;
use std::fs::{self, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

use kibitzer_core::session::SecretDetector;

use crate::log::open_for_owner;

/// Maximum number of lines; the oldest is dropped.
const KEPT_LINES: usize = 1_000;
/// Name of the history's file in the state directory.
const FILE: &str = "history";
/// Maximum number of bytes read from a file of the state directory; the rest is ignored.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Direction in which the history is browsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Browse {
    Older,
    Newer,
}

/// The entered lines, the oldest first, and the position while browsing them.
#[derive(Debug, Default)]
pub(crate) struct History {
    lines: VecDeque<String>,
    /// Number of lines from the draft back to the line shown; 0 while not browsing.
    back: usize,
    /// The line that was being typed when browsing started.
    draft: String,
    store: StateDirectory,
    pub(crate) detector: SecretDetector,
}

impl History {
    /// Loads the newest 1,000 lines of the stored history. Other lines, and those that must not be stored, are removed from the
    /// file.
    pub(crate) fn load_and_clean(store: StateDirectory) -> Self {
        let text = store.read_file(FILE);
        let mut history = Self { store, ..Self::default() };
        for line in text.lines() {
            history.push_if_allowed(line);
        }
        if history.lines.len() < text.lines().count() {
            history.store.overwrite_with_lines(FILE, history.lines.iter().cloned());
        }
        history
    }

    /// Adds a line to the history and its file, unless it contains a password or control characters, is blank, or repeats the
    /// last one. Ends browsing.
    pub(crate) fn add_unless_secret(&mut self, line: &str) {
        self.back = 0;
        if self.lines.back().is_none_or(|last| last != line) && self.push_if_allowed(line) {
            self.store.append_to(FILE, &format!("{line}\n"));
        }
    }

    /// Appends a line unless it is blank, contains control characters or a password; at the limit, drops the oldest. Returns
    /// whether the line was appended.
    fn push_if_allowed(&mut self, line: &str) -> bool {
        self.detector.learn_alias(line);
        let may_be_kept = !line.trim().is_empty() && !line.contains(char::is_control) && !self.detector.is_secret(line);
        if may_be_kept {
            if self.lines.len() >= KEPT_LINES {
                self.lines.pop_front();
            }
            self.lines.push_back(line.to_owned());
        }
        may_be_kept
    }

    /// Moves to the line before or after the one shown, and returns it; after the newest, the draft. `None` at the oldest line,
    /// and after the draft. Stores `typed` as the draft when browsing starts.
    pub(super) fn browse(&mut self, to: Browse, typed: &str) -> Option<&str> {
        let back = match to {
            Browse::Older => self.back + 1,
            Browse::Newer => self.back.checked_sub(1)?,
        };
        let from_end = self.lines.len().checked_sub(back)?;
        if self.back == 0 {
            typed.clone_into(&mut self.draft);
        }
        self.back = back;
        Some(self.lines.get(from_end).unwrap_or(&self.draft))
    }
}

/// Returns the folder that this variable names, otherwise the folder `in_home` of the home directory; `None` without one. Ignores
/// relative paths.
pub(crate) fn user_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let path = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    path(variable).or_else(|| path("HOME").map(|home| home.join(in_home)))
}

/// Directory of the console's files in the state directory of the user. Errors are ignored: without a usable directory, nothing
/// is kept between runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateDirectory {
    /// `None` without a home directory.
    folder: Option<PathBuf>,
}

impl StateDirectory {
    /// Returns `$XDG_STATE_HOME/kibitzer`, or `~/.local/state/kibitzer`; without a home directory, one that keeps nothing.
    pub(crate) fn for_user() -> Self {
        Self { folder: user_folder("XDG_STATE_HOME", ".local/state").map(|state| state.join("kibitzer")) }
    }

    /// Reads a file, up to 1 MiB of it; empty if it cannot be read.
    pub(crate) fn read_file(&self, name: &str) -> String {
        let mut bytes = Vec::new();
        let file = self.open_private(name, OpenOptions::new().read(true));
        let _ = file.and_then(|file| file.take(MAX_FILE_BYTES).read_to_end(&mut bytes));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Overwrites a file with these lines, or creates it; errors are ignored.
    pub(crate) fn overwrite_with_lines(&self, name: &str, lines: impl Iterator<Item = String>) {
        let text: String = lines.map(|line| line + "\n").collect();
        let file = self.open_or_create(name, OpenOptions::new().write(true));
        let _ = file.and_then(|mut file| file.set_len(0).and_then(|()| file.write_all(text.as_bytes())));
    }

    /// Appends text to a file, or creates it; errors are ignored.
    pub(crate) fn append_to(&self, name: &str, text: &str) {
        let _ = self
            .open_or_create(name, OpenOptions::new().append(true))
            .and_then(|mut file| file.write_all(text.as_bytes()));
    }

    /// Opens a file, creating it and the directory if needed.
    fn open_or_create(&self, name: &str, options: &mut OpenOptions) -> io::Result<fs::File> {
        if let Some(folder) = &self.folder {
            fs::create_dir_all(folder)?;
        }
        self.open_private(name, options.create(true))
    }

    /// Opens a file and sets mode 0600, because it may contain private talk. Fails on symbolic links and anything but regular
    /// files.
    fn open_private(&self, name: &str, options: &mut OpenOptions) -> io::Result<fs::File> {
        let folder = self.folder.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let file = open_for_owner(&folder.join(name), options)?;
        if !file.metadata()?.is_file() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        Ok(file)
    }
}

#[cfg(test)]
impl StateDirectory {
    /// Returns a state directory for one test, in the system's directory for temporary files; its name contains `name` and the
    /// process id. Deletes an existing directory of that name, and creates none.
    pub(crate) fn temporary(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("kibitzer-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Self { folder: Some(folder) }
    }

    pub(crate) fn remove(&self) {
        let _ = fs::remove_dir_all(self.path("").unwrap());
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join(name))
    }
}

#[cfg(test)]
mod tests;
