//! Rows of the session in other forms: recordings, JSON, text, PGN, tests.

mod games;
mod recording;

use std::fs::OpenOptions;
use std::io::{self, Write as _};
use std::path::Path;

use clap::ValueEnum;
use kibitzer::json;
use kibitzer::transcript::Utc;

pub(crate) use games::{bot_test_of_game, pgn_of_rows};
pub(crate) use recording::recording_of_rows;

use crate::console::model::{ConsoleRow, RowContent};
use crate::output::Stamp;

/// Format of an exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportForm {
    /// JSON Lines of a recording that can be decoded and replayed alone
    Recording,
    /// The JSON Lines of `kibitzer decode`
    Json,
    /// Games
    Pgn,
    /// The lines of the list
    Text,
    /// Test of a bot that plays the game shown
    Test,
}

/// Rows that an exported file contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportedRows {
    /// The listed rows; in the form `recording`, all rows if there is no filter
    #[default]
    Rows,
    /// The listed rows between the ends of the ruler, inclusive
    Marks,
    /// All rows about the game shown
    Game,
}

/// Returns a row as one line of the output of `kibitzer decode`, without its end. Rows that are neither events nor sent lines
/// have the key `text`.
pub(crate) fn row_json(row: &ConsoleRow, utc_start: Option<Utc>) -> Vec<u8> {
    let members = Stamp { time: row.at, utc: utc_start.map(|start| start.plus(row.at)) }.json_members();
    let mut out = Vec::new();
    match &row.content {
        RowContent::Event(event) => event.write_json(&members, &mut out),
        RowContent::Sent(sent) => sent.to_event().write_json(&members, &mut out),
        _ => {
            out = format!("{{\"event\":\"{}\",\"offset\":null{members},\"text\":", row.kind_name()).into_bytes();
            // Writing text to memory cannot fail.
            let _ = json::write(&mut out, &row.summary_line());
            out.push(b'}');
        }
    }
    out
}

/// Returns a row as a line of text, with its line end: its time in seconds, its kind and its summary.
pub(crate) fn row_text(row: &ConsoleRow) -> String {
    format!("{:>10}.{:03} {:<15} {}\n", row.at.as_secs(), row.at.subsec_millis(), row.kind_name(), row.summary_line())
}

/// Writes a new file that on Unix only its owner can read. An incomplete file is removed.
///
/// # Errors
///
/// The file exists, or cannot be created or written.
pub(crate) fn write_new_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(content).and_then(|()| file.sync_all()).inspect_err(|_| {
        // The first error is the one to report.
        let _ = std::fs::remove_file(path);
    })
}
