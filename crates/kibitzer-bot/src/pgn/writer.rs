//! Files of games: games appended one by one, or a live file that is replaced as a whole.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use thiserror::Error;

/// Number of temporary files so far: several accounts of one process may write the same file.
static N_FILES: AtomicU64 = AtomicU64::new(0);

/// Writes games to a file.
///
/// The methods block while the file is written; the file is small, but a caller in a runtime may prefer a blocking thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnWriter {
    path: PathBuf,
}

/// Failure to open or write the file of games. The file is as it was before.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PgnError {
    /// The file, or the temporary file that replaces it, could not be created or opened.
    #[error("cannot open {path}", path = .path.display())]
    Open {
        /// The file of games.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Writing failed, for example because the disk is full.
    #[error("cannot write {path}", path = .path.display())]
    Write {
        /// The file of games.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl PgnWriter {
    /// Creates a writer for a file, which is created with the first game.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Appends a game. The file is locked meanwhile, so that several processes may append to it. Waits for the lock without a limit.
    ///
    /// # Errors
    ///
    /// [`PgnError`]. After a failed write the file is cut to its old length.
    pub fn append(&self, game: &impl Display) -> Result<(), PgnError> {
        let open = |source| PgnError::Open { path: self.path.clone(), source };
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path).map_err(open)?;
        file.lock().map_err(open)?;
        let length = file.metadata().map_err(open)?.len();
        let separator = if length == 0 { "" } else { "\n" };
        let written = file.write_all(format!("{separator}{game}").as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|source| {
            // The write error is reported; that the file cannot be cut either would add nothing.
            let _ = file.set_len(length);
            PgnError::Write { path: self.path.clone(), source }
        })
    }

    /// Replaces the file by these games, in one step: whoever reads it sees the old or the new file, never half of one. Does not wait
    /// until the new file is on the disk, as it is replaced soon.
    ///
    /// # Errors
    ///
    /// [`PgnError`]. The temporary file beside the old one is removed.
    pub fn replace(&self, games: &[impl Display]) -> Result<(), PgnError> {
        let temporary = self.temporary_path();
        let open = |source| PgnError::Open { path: self.path.clone(), source };
        let mut file = File::create(&temporary).map_err(open)?;
        let text = games.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let replaced = file.write_all(text.as_bytes()).and_then(|()| fs::rename(&temporary, &self.path));
        replaced.map_err(|source| {
            let _ = fs::remove_file(&temporary);
            PgnError::Write { path: self.path.clone(), source }
        })
    }

    /// Returns the path of the temporary file: in the same folder, so that it can be renamed, and hidden.
    fn temporary_path(&self) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let number = N_FILES.fetch_add(1, Ordering::Relaxed);
        self.path.with_file_name(format!(".{name}.{}.{number}.tmp", std::process::id()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_that_several_threads_replace_is_always_whole() {
        let path = std::env::temp_dir().join(format!("kibitzer-replace-{}.pgn", std::process::id()));
        let replace = |letter: &str| {
            let (writer, text) = (PgnWriter::new(&path), letter.repeat(200_000));
            for _ in 0..100 {
                writer.replace(&[&text]).unwrap();
                let read = fs::read_to_string(&path).unwrap();
                assert!(read.len() == text.len() && (read == text || !read.contains(letter)));
            }
        };
        std::thread::scope(|scope| ["a", "b"].map(|letter| scope.spawn(move || replace(letter))).map(drop));
        fs::remove_file(&path).unwrap();
    }
}
