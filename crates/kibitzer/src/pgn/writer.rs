//! Files of games: games appended one by one, or a live file that is replaced as a whole.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Minimum time between two synchronizations of a [`GameFile`] with the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

/// A file to which games are appended. It is opened and locked for each game, so that several processes may append to it.
#[derive(Debug)]
pub struct GameFile {
    path: PathBuf,
    /// Time of the last synchronization in [`append`](Self::append).
    synced_at: Option<Instant>,
    /// Whether all appended games are synchronized.
    is_synced: bool,
}

impl GameFile {
    /// Names a file, which need not exist. Does not open it.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), synced_at: None, is_synced: true }
    }

    /// Appends a game, or anything that is displayed as one, after an empty line unless the file is empty. Creates a missing file.
    /// Synchronizes the file with the disk, unless that was done in the last second; call [`sync`](Self::sync) after the last game.
    ///
    /// Blocks while it waits for the lock, without a limit, and while it writes.
    ///
    /// # Errors
    ///
    /// The error of the operating system, with the path. After a failed write the file is cut to its old length.
    pub fn append(&mut self, game: &impl Display) -> io::Result<()> {
        let open = |error| error_with_path("open", &self.path, &error);
        let mut file = OpenOptions::new().append(true).create(true).open(&self.path).map_err(open)?;
        file.lock().map_err(open)?;
        let length = file.metadata().map_err(open)?.len();
        let separator = if length == 0 { "" } else { "\n" };
        let is_due = self.synced_at.is_none_or(|at| at.elapsed() >= SYNC_INTERVAL);
        let written = file.write_all(format!("{separator}{game}").as_bytes());
        written.and_then(|()| if is_due { file.sync_data() } else { Ok(()) }).map_err(|error| {
            // The write error is reported; that the file cannot be cut either would add nothing.
            let _ = file.set_len(length);
            error_with_path("write", &self.path, &error)
        })?;
        self.is_synced = is_due;
        self.synced_at = if is_due { Some(Instant::now()) } else { self.synced_at };
        Ok(())
    }

    /// Synchronizes the file with the disk, unless all appended games are. Blocks meanwhile.
    ///
    /// # Errors
    ///
    /// The error of the operating system, with the path.
    pub fn sync(&mut self) -> io::Result<()> {
        if !std::mem::replace(&mut self.is_synced, true) {
            let file = OpenOptions::new().append(true).open(&self.path);
            file.and_then(|file| file.sync_data()).map_err(|error| error_with_path("write", &self.path, &error))?;
        }
        Ok(())
    }
}

impl Drop for GameFile {
    /// Synchronizes the file, so that an earlier error costs no game that was written.
    fn drop(&mut self) {
        // The first error is reported already.
        let _ = self.sync();
    }
}

/// Appends a game to a file as [`GameFile::append`] does, and synchronizes the file with the disk.
///
/// # Errors
///
/// As [`GameFile::append`].
pub fn append_game(path: &Path, game: &impl Display) -> io::Result<()> {
    GameFile::new(path).append(game)
}

/// Replaces a file by these games, in one step: whoever reads it sees the old or the new file, never half of one. Does not wait
/// until the new file is on the disk, as it is replaced soon. Blocks while it writes.
///
/// # Errors
///
/// The error of the operating system, with the path. The temporary file beside the old one, which is hidden and has an unpredictable
/// name, is removed.
pub fn replace_games(path: &Path, games: &[impl Display]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // In the same folder, so that it can be renamed.
    let temporary = path.with_file_name(format!(".{name}.{:016x}.tmp", RandomState::new().hash_one(())));
    let mut file = File::create_new(&temporary).map_err(|error| error_with_path("open", path, &error))?;
    let text = games.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    file.write_all(text.as_bytes()).and_then(|()| fs::rename(&temporary, path)).map_err(|error| {
        let _ = fs::remove_file(&temporary);
        error_with_path("write", path, &error)
    })
}

/// Returns the error with the failed operation and the path in its text.
fn error_with_path(operation: &str, path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot {operation} {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_synchronized_at_the_first_game_and_then_at_most_once_a_second() {
        let path = std::env::temp_dir().join(format!("kibitzer-append-{}.pgn", std::process::id()));
        let mut file = GameFile::new(&path);
        let mut synced = Vec::new();
        for game in ["a", "b", "c"] {
            file.append(&game).unwrap();
            synced.push(file.is_synced);
            // A time that does not pass during the test.
            file.synced_at = file.synced_at.and_then(|at| at.checked_add(Duration::from_hours(1)));
        }
        file.sync().unwrap();
        synced.push(file.is_synced);
        file.synced_at = Instant::now().checked_sub(SYNC_INTERVAL);
        file.append(&"d").unwrap();
        synced.push(file.is_synced);
        assert_eq!(synced, [true, false, false, true, true]);
        assert_eq!(fs::read_to_string(&path).unwrap(), "a\nb\nc\nd");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn file_that_several_threads_replace_is_always_whole() {
        let path = std::env::temp_dir().join(format!("kibitzer-replace-{}.pgn", std::process::id()));
        let replace = |letter: &str| {
            let text = letter.repeat(200_000);
            for _ in 0..100 {
                replace_games(&path, &[&text]).unwrap();
                let read = fs::read_to_string(&path).unwrap();
                assert!(read.len() == text.len() && (read == text || !read.contains(letter)));
            }
        };
        std::thread::scope(|scope| ["a", "b"].map(|letter| scope.spawn(move || replace(letter))).map(drop));
        fs::remove_file(&path).unwrap();
    }
}
