//! Times of rows, and the distance between two rows.

use std::time::Duration;

use clap::ValueEnum as _;

use super::App;
use crate::console::input::TimeColumn;
use crate::console::model::{ConsoleRow, RowContent};
use crate::filter::ShortDuration;

impl App {
    /// Starts the ruler at the selected row, with a notice; removes it if it was started.
    pub(super) fn toggle_ruler(&mut self) {
        self.ruler_start = if self.ruler_start.is_some() { None } else { self.list.selected_number() };
        if let Some(start) = self.ruler_start {
            self.show_info(format!("the ruler starts at #{start}; select another line"));
        }
    }

    /// Shows these times in the list, with a notice; with an error for times of day that the recording does not contain.
    pub(super) fn set_time_column(&mut self, times: TimeColumn) {
        self.times = times;
        let about = times.to_possible_value().and_then(|value| value.get_help().map(ToString::to_string));
        self.show_info(about.unwrap_or_default());
        if times == TimeColumn::Utc && self.source.utc_start().is_none() {
            self.show_error("the recording contains no time of day");
        }
    }

    /// Returns the rows between which the ruler measures, in ascending order: its start and the selected row; without a start, a
    /// selected mark and the mark before it. `None` without two such rows.
    pub(super) fn ruler_ends(&self) -> Option<[&ConsoleRow; 2]> {
        let selected = self.selected_row()?;
        let start = match self.ruler_start {
            None if is_mark(selected) => self.model.rows.iter_back_from(selected.number - 1).find(|row| is_mark(row)),
            start => self.model.rows.get(start?),
        }?;
        let mut ends = [start, selected];
        ends.sort_by_key(|row| row.number);
        (start.number != selected.number).then_some(ends)
    }

    /// Returns the distance between the ends of the ruler as text: in time, listed rows and received bytes, without the first row
    /// and its bytes. `None` without two ends.
    pub(crate) fn ruler_text(&self) -> Option<String> {
        let [from, to] = self.ruler_ends()?;
        let duration = ShortDuration(to.at.saturating_sub(from.at));
        let n_rows = self.list.n_listed_between(from.number, to.number);
        let rows = if n_rows == 1 { "row" } else { "rows" };
        let n_bytes = self.bytes_received_up_to(to).saturating_sub(self.bytes_received_up_to(from));
        Some(format!("ruler #{} to #{}: {duration}, {n_rows} {rows}, {n_bytes} bytes", from.number, to.number))
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
