//! Checks the files and folders that the settings name, and the passwords.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::Findings;
use crate::book::Book;
use crate::config::{BotConfig, fixed_folder};

/// How the bot uses a file or folder of the settings.
#[derive(Clone, Copy)]
enum FileUse {
    /// Reads the file, which is not a folder, device or pipe.
    Read,
    /// Creates the file, which must not exist.
    Create,
    /// Appends to the file, and creates it if it does not exist. The path may have fields, and folders are then created.
    Append,
    /// Replaces the file. Its path may have fields, as for `Append`.
    Replace,
    /// Works in the folder.
    WorkIn,
    /// Creates the folder if it does not exist, and files in it.
    WriteInto,
}

/// The settings that are paths, except for those of accounts, books, passwords and sockets.
const PATHS: &[(&str, FileUse)] = &[
    ("engine.directory", FileUse::WorkIn),
    ("engine.stderr_file", FileUse::Append),
    ("pgn.file", FileUse::Append),
    ("pgn.live_file", FileUse::Replace),
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
    check_record_folder(config, findings);
    check_account_files(config, findings);
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

/// Warns if the games can be appended to their file, but the record of the unfinished ones cannot be written next to it.
fn check_record_folder(config: &BotConfig, findings: &mut Findings<'_>) {
    // Only a bot with one account, which has a handle, keeps the record.
    let file = config.only_handle().and(config.pgn.file.as_deref());
    let file = file.filter(|file| file.is_file() && FileUse::Append.check(file).is_ok());
    if let Some(Err(reason)) = file.map(|file| try_folder(&parent(file))) {
        findings.warn("pgn.file", format!("unfinished games are not kept for the next start: {reason}"));
    }
}

/// Checks the files of every account, whether its own table or `[server]` sets them.
fn check_account_files(config: &BotConfig, findings: &mut Findings<'_>) {
    let mut created = Vec::new();
    for index in 0..config.accounts.len() {
        let ca_file = findings.account_key(index, "ca_file");
        let record_file = findings.account_key(index, "record_file");
        if let Some(path) = findings.file.text_at(&ca_file)
            && let Err(reason) = FileUse::Read.check(Path::new(&path))
        {
            findings.error(&ca_file, format!("{path}: {reason}"));
        }
        let Some(path) = findings.file.text_at(&record_file) else { continue };
        if created.contains(&path) {
            findings
                .error(&record_file, format!("{path}: another account creates it too; write a name for each account"));
        } else if let Err(reason) = FileUse::Create.check(Path::new(&path)) {
            findings.error(&record_file, format!("{path}: {reason}"));
        }
        created.push(path);
    }
}

impl FileUse {
    /// Fails with the reason, and what to do, if the path cannot be used in this way. Leaves no new file.
    fn check(self, path: &Path) -> io::Result<()> {
        match self {
            // Only the metadata: opening a pipe would block.
            Self::Read if fs::metadata(path)?.is_file() => fs::File::open(path).map(drop),
            Self::Read => Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file; write the path of one")),
            Self::Create if path.exists() => Err(io::Error::new(ErrorKind::AlreadyExists, "exists; write a new name")),
            Self::WorkIn if path.is_dir() => Ok(()),
            Self::WorkIn => Err(io::Error::new(ErrorKind::NotADirectory, "not a folder; write one that exists")),
            Self::WriteInto => try_folder(&existing_part(path)),
            // A device, or a pipe, which would block.
            Self::Append | Self::Replace if path.exists() && !path.is_file() && !path.is_dir() => Ok(()),
            Self::Append | Self::Replace if path.to_string_lossy().contains('{') => {
                try_folder(&existing_part(&fixed_folder(path)))
            }
            Self::Append if path.exists() => OpenOptions::new().append(true).open(path).map(drop),
            Self::Replace if path.is_dir() => Err(ErrorKind::IsADirectory.into()),
            Self::Create | Self::Append | Self::Replace => try_folder(&parent(path)),
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
