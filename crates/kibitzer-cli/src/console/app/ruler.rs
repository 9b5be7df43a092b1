//! Times of rows, and the distance between two rows.

use std::fmt;
use std::time::Duration;

use super::App;
use crate::console::input::TimeColumn;
use crate::console::model::{ConsoleRow, RowContent};
use crate::filter::ShortDuration;

/// Distance between two rows, in time, listed rows and received bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RulerDistance {
    /// Numbers of the first and the last row, in ascending order.
    pub(crate) rows: (u64, u64),
    duration: Duration,
    /// Number of listed rows after the first one, including the last one.
    n_rows: usize,
    /// Number of bytes received after the first row, including those of the last one.
    n_bytes: u64,
}

impl fmt::Display for RulerDistance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((from, to), rows) = (self.rows, if self.n_rows == 1 { "row" } else { "rows" });
        let duration = ShortDuration(self.duration);
        write!(f, "ruler #{from} to #{to}: {duration}, {} {rows}, {} bytes", self.n_rows, self.n_bytes)
    }
}

impl App {
    /// Starts the ruler at the selected row, with a notice; removes it if it was started.
    pub(super) fn toggle_ruler(&mut self) {
        self.ruler_start = if self.ruler_start.is_some() { None } else { self.list.selected_number() };
        if let Some(start) = self.ruler_start {
            self.show_info(format!("the ruler starts at #{start}; select another line"));
        }
    }

    /// Shows these times in the list, with a notice.
    pub(super) fn set_time_column(&mut self, times: TimeColumn) {
        self.times = times;
        self.show_info(times.description());
        if times == TimeColumn::Utc && self.source.utc_start().is_none() {
            self.show_error("the recording contains no time of day");
        }
    }

    /// Returns the distance between the start of the ruler and the selected row; without a start, between a selected mark and the
    /// mark before it. `None` without two such rows.
    pub(crate) fn ruler_distance(&self) -> Option<RulerDistance> {
        let selected = self.model.rows.get(self.list.selected_number()?)?;
        let start = match self.ruler_start {
            None if is_mark(selected) => self.model.rows.iter_back_from(selected.number - 1).find(|row| is_mark(row)),
            start => self.model.rows.get(start?),
        }?;
        let (from, to) = if start.number <= selected.number { (start, selected) } else { (selected, start) };
        (from.number != to.number).then(|| RulerDistance {
            rows: (from.number, to.number),
            duration: to.at.saturating_sub(from.at),
            n_rows: self.list.n_listed_between(from.number, to.number),
            n_bytes: self.bytes_received_up_to(to).saturating_sub(self.bytes_received_up_to(from)),
        })
    }

    /// Returns the number of bytes received up to the end of a row, over all connections.
    fn bytes_received_up_to(&self, row: &ConsoleRow) -> u64 {
        let last = self.model.rows.iter_back_from(row.number).find_map(ConsoleRow::frame_range);
        last.map_or(row.base, |frame| frame.end)
    }

    /// Returns the times from which [`TimeColumn::Mark`] counts for rows with these ascending numbers: that of the start of the
    /// ruler, otherwise of the last mark up to each row, or zero.
    pub(crate) fn mark_times_for_rows(&self, row_numbers: &[u64]) -> Vec<Duration> {
        let start = self.ruler_start.and_then(|start| self.model.rows.get(start)).map(|start| start.at);
        let (mut searched, mut last) = (0, Duration::ZERO);
        let time_of_mark = |&number: &u64| {
            // Only the rows after the one before are searched: without a mark, all stored rows would be searched for each row.
            let mut new = self.model.rows.iter_back_from(number).take_while(|row| row.number > searched);
            last = new.find(|row| is_mark(row)).map_or(last, |mark| mark.at);
            searched = number;
            start.unwrap_or(last)
        };
        row_numbers.iter().map(time_of_mark).collect()
    }
}

const fn is_mark(row: &ConsoleRow) -> bool {
    matches!(row.content, RowContent::Mark(_))
}
