//! Copies parts of the selected row, and writes rows to files.

use std::path::Path;

use kibitzer_core::text::decode_received;
use ratatui::crossterm::event::KeyCode;

use super::App;
use super::screen::TerminalRequest;
use crate::console::export::{ExportError, ExportForm, ExportedRows, export_rows, row_json, write_new_file};
use crate::console::model::{ConsoleRow, RowContent};
use crate::output::{TerminalSafe, hex_digits};

/// Maximum size of copied text in bytes. In base64, the escape sequence then has 100,000 bytes, the limit of several terminals.
const MAX_COPIED_BYTES: usize = 74_994;
/// Second keys of `y` with their meanings, shown in the status row.
pub(super) const COPY_KEYS: &str = "copy: y line  f frame  h hex  p position (FEN)  j JSON";

impl App {
    /// Requests a copy to the clipboard of the part of the selected row that `key`, the second key of `y`, names, and shows a
    /// notice. Shows an error for any other key, and if the row lacks the part or it is too long.
    pub(super) fn copy_part_for_key(&mut self, key: KeyCode) {
        let Some((name, text)) = key.as_char().and_then(|key| self.text_to_copy(key)) else {
            return self.screen.show_error(format!("nothing copied; {COPY_KEYS}"));
        };
        if text.len() > MAX_COPIED_BYTES {
            return self
                .screen
                .show_error(format!("{} bytes are too many for the clipboard; /export writes a file", text.len()));
        }
        self.screen.show_info(format!("{name} copied: {} bytes, if the terminal permits it", text.len()));
        self.screen.request(TerminalRequest::Copy(text));
    }

    /// Returns the part of the selected row that a key names, as its name and its text. `None` for any other key, without a
    /// selection, and if the row lacks the part.
    fn text_to_copy(&self, key: char) -> Option<(&'static str, String)> {
        let row = self.selected_row()?;
        let (name, text) = match key {
            'y' => ("line", row.summary_line()),
            'f' => match &row.content {
                RowContent::Event(event) => {
                    ("frame", TerminalSafe(&decode_received(event.raw())).in_cells().into_owned())
                }
                _ => return None,
            },
            'h' => ("hexadecimal bytes", hex_digits(&self.model.row_bytes(row), " ")),
            'p' => {
                let snapshot = self.snapshots_at_selection(&[self.shown_game()?]).pop()?;
                ("FEN", snapshot.board.fen().with_hands(snapshot.hands).to_string())
            }
            'j' => ("JSON", String::from_utf8(row_json(row, self.playback.source.utc_start())).ok()?),
            _ => return None,
        };
        (!text.is_empty()).then_some((name, text))
    }

    /// Writes rows to a new file, and shows its size, or why it was not written, for example because the file exists.
    pub(super) fn export_to_new_file(&mut self, form: ExportForm, which: ExportedRows, file: &str) {
        let written = self.export_content(form, which).and_then(|content| {
            let written = write_new_file(Path::new(file), content.as_bytes());
            written.map_err(|error| ExportError::Write(file.to_owned(), error))?;
            Ok(content.len())
        });
        match written {
            Ok(n_bytes) => self.screen.show_info(format!("{file} written: {n_bytes} bytes")),
            Err(error) => self.screen.show_error(error.to_string()),
        }
    }

    /// Returns the content of an exported file, or the error to show, for example because there are no rows. A test is always
    /// made of the rows of the shown game, whatever `which` is.
    fn export_content(&self, form: ExportForm, which: ExportedRows) -> Result<String, ExportError> {
        let utc_start = self.playback.source.utc_start();
        let which = if form == ExportForm::Test { ExportedRows::Game } else { which };
        let shown = self.shown_game().filter(|_| which == ExportedRows::Game);
        let is_listed = |row: &&ConsoleRow| {
            (form == ExportForm::Recording && self.list.filter.is_none()) || self.list.includes(row)
        };
        let rows = self.model.rows.iter();
        let rows: Vec<_> = match which {
            ExportedRows::Rows => rows.filter(is_listed).collect(),
            ExportedRows::Game => rows.filter(|row| shown.is_some() && row.game() == shown).collect(),
        };
        let reader = || self.playback.source.new_event_reader();
        export_rows(
            &self.model,
            &rows,
            form,
            shown,
            (reader, utc_start),
            shown.and_then(|game| self.row_of_board(game)),
        )
    }
}
