//! The byte cursor: selects a byte of the selected row, and the field that contains it.

use super::App;
use crate::console::model::{ConsoleRow, FrameField};

impl App {
    /// Returns the position of the byte cursor in the bytes of the selected row, if it is set for that row.
    pub(crate) fn byte_cursor(&self) -> Option<usize> {
        self.byte_cursor.filter(|(row, _)| self.list.selected_number() == Some(*row)).map(|(_, at)| at)
    }

    /// Returns the field that contains the byte cursor; `None` without a cursor, and between fields.
    pub(crate) fn field_at_cursor(&self) -> Option<FrameField> {
        let at = self.byte_cursor()?;
        self.model.fields_of_row(self.selected_row()?).into_iter().find(|field| field.in_frame.contains(&at))
    }

    /// Returns the selected row; `None` without a selection, and if the row is no longer stored.
    pub(crate) fn selected_row(&self) -> Option<&ConsoleRow> {
        self.model.rows.get(self.list.selected_number()?)
    }

    /// Moves the byte cursor forward by this number of bytes, backward if negative, at most to the first or last byte of the row;
    /// sets it to the first byte if it is not set. Shows an error if the row has no stored bytes.
    pub(super) fn move_byte_cursor(&mut self, by: isize) {
        let Some(last) = self.selected_row().and_then(|row| self.model.row_bytes(row).len().checked_sub(1)) else {
            return self.show_error("this line has no bytes here");
        };
        let at = self.byte_cursor().map_or(0, |at| at.saturating_add_signed(by));
        self.set_byte_cursor(at.min(last));
    }

    /// Moves the byte cursor to the start of the next field (`forward`), or to the nearest earlier start of a field; sets it to
    /// the first field if it is not set. Shows an error if there is no such field.
    pub(super) fn move_cursor_to_field(&mut self, forward: bool) {
        let (at, row) = (self.byte_cursor(), self.selected_row());
        let fields = row.map_or_else(Vec::new, |row| self.model.fields_of_row(row));
        let mut starts = fields.iter().map(|field| field.in_frame.start);
        let to = match at {
            None => starts.next(),
            Some(at) if forward => starts.find(|start| *start > at),
            Some(at) => starts.rfind(|start| *start < at),
        };
        match to {
            Some(to) => self.set_byte_cursor(to),
            None if fields.is_empty() => self.show_error("this line has no fields"),
            None => self.show_error("there is no further field"),
        }
    }

    /// Sets the byte cursor to a byte of the selected row, counted from 0, without a check that the row has it.
    pub(super) fn set_byte_cursor(&mut self, at: usize) {
        self.byte_cursor = self.list.selected_number().map(|row| (row, at));
    }
}
