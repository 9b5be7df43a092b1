//! Files of games: games appended one by one, or a live file that is replaced as a whole.

use std::fmt::Display;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Number of temporary files so far: several accounts of one process may write the same file.
static N_FILES: AtomicU64 = AtomicU64::new(0);

/// Appends a game, or anything that is displayed as one, to a file, after an empty line unless the file is empty. Creates a
/// missing file.
///
/// The file is locked meanwhile, so that several processes may append to it. Blocks while it waits for the lock, without a limit,
/// and while it writes.
///
/// # Errors
///
/// The error of the operating system, with the path. After a failed write the file is cut to its old length.
pub fn append_game(path: &Path, game: &impl Display) -> io::Result<()> {
    let open = |error| error_with_path("open", path, &error);
    let mut file = OpenOptions::new().append(true).create(true).open(path).map_err(open)?;
    file.lock().map_err(open)?;
    let length = file.metadata().map_err(open)?.len();
    let separator = if length == 0 { "" } else { "\n" };
    let written = file.write_all(format!("{separator}{game}").as_bytes()).and_then(|()| file.sync_data());
    written.map_err(|error| {
        // The write error is reported; that the file cannot be cut either would add nothing.
        let _ = file.set_len(length);
        error_with_path("write", path, &error)
    })
}

/// Replaces a file by these games, in one step: whoever reads it sees the old or the new file, never half of one. Does not wait
/// until the new file is on the disk, as it is replaced soon. Blocks while it writes.
///
/// # Errors
///
/// The error of the operating system, with the path. The temporary file beside the old one, which is hidden, is removed.
pub fn replace_games(path: &Path, games: &[impl Display]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = N_FILES.fetch_add(1, Ordering::Relaxed);
    // In the same folder, so that it can be renamed.
    let temporary = path.with_file_name(format!(".{name}.{}.{number}.tmp", std::process::id()));
    let mut file = File::create(&temporary).map_err(|error| error_with_path("open", path, &error))?;
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
