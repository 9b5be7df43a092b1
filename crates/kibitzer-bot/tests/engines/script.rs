//! An engine that is a shell script in a temporary directory.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use kibitzer_bot::engine::{EngineConfig, SearchLimits, SearchPosition};
use kibitzer_core::chess::Color;

/// A directory with a script and the log of the lines that the script received. It is removed at the end of the test.
pub(crate) struct Script {
    folder: PathBuf,
}

impl Script {
    /// Writes a script that runs `body`, with its directory as the working directory.
    pub(crate) fn new(body: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kibitzer-engine-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("engine.sh"), body).unwrap();
        Self { folder }
    }

    /// Writes a script that logs each line, and runs the first of the `case` clauses that matches it. The clauses of a quiet
    /// engine follow.
    pub(crate) fn answering(clauses: &str) -> Self {
        Self::new(&format!(
            r#"n=0
            while IFS= read -r line; do
                printf '%s\n' "$line" >> log
                case "$line" in
                    {clauses}
                    uci) echo 'id name Script 1'; echo 'id author A. Uthor'; echo uciok;;
                    isready) echo readyok;;
                    quit) exit;;
                esac
            done"#
        ))
    }

    pub(crate) fn command(&self) -> EngineConfig {
        EngineConfig::new(["sh", "-c", "cd \"$0\" && . ./engine.sh", self.folder.to_str().unwrap()])
    }

    /// The lines that the engine has received.
    pub(crate) fn log(&self) -> Vec<String> {
        self.file("log").lines().map(str::to_owned).collect()
    }

    /// The content of a file that the engine wrote; empty if there is none.
    pub(crate) fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.folder));
    }
}

/// The position after these moves.
pub(crate) fn position(moves: &[&str]) -> SearchPosition {
    let side = if moves.len().is_multiple_of(2) { Color::White } else { Color::Black };
    SearchPosition::new(None, moves.iter().map(|text| (*text).to_owned()).collect(), side)
}

pub(crate) fn within(milliseconds: u64) -> SearchLimits {
    SearchLimits::deadline(Duration::from_millis(milliseconds))
}

/// Limits that no test reaches.
pub(crate) fn patient() -> SearchLimits {
    within(60_000)
}
