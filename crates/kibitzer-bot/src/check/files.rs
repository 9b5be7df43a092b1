//! Checks the files and folders that the settings name, and the passwords.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Findings;
use crate::book::Book;
use crate::config::{BotConfig, fixed_folder};

/// What the bot does with a file or folder of the settings.
#[derive(Clone, Copy)]
enum FileUse {
    /// Reads the file.
    Read,
    /// Creates the file, which must not exist.
    Create,
    /// Appends to the file, or replaces it. The path may have fields, and folders are then created.
    Write,
    /// Works in the folder.
    WorkIn,
    /// Creates the folder if it does not exist, and files in it.
    WriteInto,
}

/// The settings that are paths, except for books, passwords and sockets.
const PATHS: &[(&str, FileUse)] = &[
    ("server.ca_file", FileUse::Read),
    ("server.record_file", FileUse::Create),
    ("account.ca_file", FileUse::Read),
    ("account.record_file", FileUse::Create),
    ("engine.directory", FileUse::WorkIn),
    ("engine.stderr_file", FileUse::Write),
    ("pgn.file", FileUse::Write),
    ("pgn.live_file", FileUse::Write),
    ("state.folder", FileUse::WriteInto),
];

/// Checks that the paths of the settings can be used, that books are sorted, and that passwords can be read.
///
/// # Cancel safety
///
/// Cancel safe.
pub(super) async fn check(config: &BotConfig, findings: &mut Findings<'_>) {
    for (key, file_use) in PATHS {
        for (path, error) in findings.file.texts_at(key) {
            if let Err(reason) = file_use.check(Path::new(&path)) {
                findings.problems.push(super::as_error(error(format!("{path}: {reason}"))));
            }
        }
    }
    for (index, book) in config.books.iter().enumerate() {
        if let Err(error) = Book::check(book.clone()) {
            findings.error(&format!("book.{index}.file"), format!("{error}; write the path of a Polyglot book"));
        }
    }
    for (index, account) in config.accounts.iter().enumerate() {
        if let Err(error) = account.check_password().await {
            findings.error(&findings.account_key(index, "password_from"), error);
        }
    }
}

impl FileUse {
    /// Fails with the reason, and what to do, if the path cannot be used in this way. Leaves no new file.
    fn check(self, path: &Path) -> io::Result<()> {
        match self {
            Self::Read => fs::File::open(path).map(drop),
            Self::Create if path.exists() => Err(io::Error::new(ErrorKind::AlreadyExists, "exists; write a new name")),
            Self::WorkIn if path.is_dir() => Ok(()),
            Self::WorkIn => Err(io::Error::new(ErrorKind::NotADirectory, "not a folder; write one that exists")),
            Self::WriteInto => try_folder(&existing_part(path)),
            // A device, or a pipe, which would block.
            Self::Write if path.exists() && !path.is_file() && !path.is_dir() => Ok(()),
            Self::Write if path.to_string_lossy().contains('{') => try_folder(&existing_part(&fixed_folder(path))),
            Self::Write if path.exists() => {
                OpenOptions::new().append(true).open(path)?;
                try_folder(&parent(path))
            }
            Self::Create | Self::Write => try_folder(&parent(path)),
        }
    }
}

/// Returns the folder of a file; `.` without one.
fn parent(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or_else(|| Path::new(".")).to_owned()
}

/// Returns the innermost folder on a path that exists.
fn existing_part(folder: &Path) -> PathBuf {
    let existing = folder.ancestors().find(|part| part.exists());
    existing.unwrap_or_else(|| Path::new(".")).to_owned()
}

/// Creates a file in a folder and removes it.
fn try_folder(folder: &Path) -> io::Result<()> {
    let failed = |error: io::Error| {
        let reason = format!("cannot write in the folder {}: {error}; create it, or permit it", folder.display());
        io::Error::new(error.kind(), reason)
    };
    let probe = folder.join(format!(".kibitzer-check-{}", std::process::id()));
    OpenOptions::new().write(true).create_new(true).open(&probe).map_err(failed)?;
    fs::remove_file(probe)
}
