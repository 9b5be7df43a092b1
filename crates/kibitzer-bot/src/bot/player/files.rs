//! The record of the unfinished games of an account, from which those are written that were cut off when the process was killed; and the
//! paths of files of games.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

use super::output::Output;
use crate::config::fixed_folder;

/// How long a game that was cut off may be resumed before it is written as it was.
const RESUMPTION_TIME: Duration = Duration::from_mins(1);

/// Largest record of unfinished games that is read.
const MAX_RECORD_BYTES: u64 = 16 << 20;

/// Number of games that are kept to be appended later; the oldest of more is dropped.
const MAX_KEPT_GAMES: usize = 64;

/// Characters that are kept of a value in a path.
const MAX_VALUE_CHARS: usize = 40;

/// The record of the unfinished games, and those of an earlier process.
#[derive(Debug, Default)]
pub(super) struct GameFiles {
    /// The record; `None` without a file of games, for a guest without a name, and after it could not be read or written.
    pub(super) record: Option<PathBuf>,
    /// Games as PGN that an earlier process has not finished, and games that could not be appended.
    pub(super) cut_off: Vec<String>,
    /// When they are written.
    pub(super) write_at: Option<Instant>,
}

impl GameFiles {
    /// Reads the games that an earlier process of the account has not finished on a server.
    pub(super) fn open(host: &str, out: &Output) -> Self {
        // Not beside a device or a pipe.
        let pattern = out.config.pgn.file.as_ref().filter(|path| path.is_file() || !path.exists());
        let (Some(pattern), Some(account)) = (pattern, out.config.only_handle()) else { return Self::default() };
        let folder = fixed_folder(pattern);
        if pattern.to_string_lossy().contains('{') {
            out.ok_or_report(None, ignore_missing(fs::create_dir_all(&folder), "create", &folder));
        }
        let [account, host] = [account.as_str(), host].map(path_value);
        let record = folder.join(format!("unfinished-{account}-{host}.pgn"));
        // It may contain games: it is neither replaced nor removed.
        let Some(text) = out.ok_or_report(None, read_record(&record)) else { return Self::default() };
        let cut_off = text.split("\n\n[Event ").enumerate().filter(|(_, game)| !game.trim().is_empty());
        let cut_off = cut_off.map(|(n, game)| format!("{}{}\n", if n > 0 { "[Event " } else { "" }, game.trim_end()));
        Self { cut_off: cut_off.collect(), record: Some(record), write_at: None }
    }

    /// Keeps a game that could not be appended; drops the oldest one of more than [`MAX_KEPT_GAMES`].
    pub(super) fn keep(&mut self, game: String) {
        if self.cut_off.len() >= MAX_KEPT_GAMES {
            self.cut_off.remove(0);
        }
        self.cut_off.push(game);
    }

    /// Gives the games that were cut off time to be resumed, from the first login on.
    pub(super) fn expect_resumption(&mut self, now: Instant) {
        if !self.cut_off.is_empty() && self.write_at.is_none() {
            self.write_at = Some(now + RESUMPTION_TIME);
        }
    }
}

/// Returns a name of the server as part of a file name: letters, digits, `-`, and `_` for all others; at most 40 characters. It is no
/// path of its own.
pub(super) fn path_value(name: &str) -> String {
    let part = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    let value: String = name.chars().take(MAX_VALUE_CHARS).map(part).collect();
    if value.is_empty() { "_".to_owned() } else { value }
}

/// Reads the record of unfinished games; empty if there is none. Fails if it is larger than [`MAX_RECORD_BYTES`].
fn read_record(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let mut read = fs::File::open(path).and_then(|file| file.take(MAX_RECORD_BYTES + 1).read_to_string(&mut text));
    if text.len() as u64 > MAX_RECORD_BYTES {
        read = Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 16 MiB"));
    }
    ignore_missing(read.map(drop), "read", path).map(|()| text)
}

/// Returns the error of an operation, with the path, unless there is no such file.
pub(super) fn ignore_missing(result: io::Result<()>, operation: &str, path: &Path) -> io::Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(io::Error::new(error.kind(), format!("cannot {operation} {}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_of_a_path_is_never_a_path_of_its_own() {
        let cases = [
            ("Alekhin", "Alekhin"),
            ("../../etc/passwd", "______etc_passwd"),
            ("..", "__"),
            ("", "_"),
            ("a\\b:c\0d{account}", "a_b_c_d_account_"),
            ("wild/5", "wild_5"),
            ("\u{e9}", "_"),
        ];
        for (name, want) in cases {
            assert_eq!(path_value(name), want, "{name}");
        }
        assert_eq!(path_value(&"x".repeat(1000)).len(), MAX_VALUE_CHARS);
    }

    #[test]
    fn record_that_is_too_large_is_an_error() {
        let path = std::env::temp_dir().join(format!("kibitzer-record-{}.pgn", std::process::id()));
        let file = fs::File::create(&path).unwrap();
        for (extra, want) in [(0, None), (1, Some(io::ErrorKind::FileTooLarge))] {
            file.set_len(MAX_RECORD_BYTES + extra).unwrap();
            assert_eq!(read_record(&path).err().map(|error| error.kind()), want);
        }
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn record_is_in_the_folder_that_has_no_fields() {
        let cases = [
            ("games.pgn", ""),
            ("{date}.pgn", ""),
            ("a/b/{date}.pgn", "a/b"),
            ("a/{account}/b/c.pgn", "a"),
            ("/x.pgn", "/"),
        ];
        for (pattern, want) in cases {
            assert_eq!(fixed_folder(Path::new(pattern)), Path::new(want), "{pattern}");
        }
    }
}
