//! The list of rows: filtering, selection and scrolling.

use std::collections::VecDeque;

use crate::console::model::{ConsoleRow, RowBuffer};
use crate::filter::Expression;

/// The list of rows: the numbers of those that the filter accepts, the selected one, and the scroll position.
#[derive(Debug, Default)]
pub(crate) struct RowList {
    pub(crate) filter: Option<Expression>,
    pub(crate) shows_protocol_details: bool,
    /// Numbers of the listed rows, ascending.
    listed: VecDeque<u64>,
    /// Number of the selected row, counted from 1; 0 without a selection.
    selected: u64,
    /// Whether the selection stays on its row; otherwise it follows the newest row.
    pub(crate) is_paused: bool,
    /// Number of the topmost visible row; 0 for an empty list.
    top: u64,
}

impl RowList {
    /// Returns whether a row belongs to the list. With a filter, these are the rows that match; without one, all rows, except for
    /// details of the protocol while those are hidden.
    pub(crate) fn includes(&self, row: &ConsoleRow) -> bool {
        // A filter such as `kind:prompt` may ask for details.
        match &self.filter {
            Some(filter) => filter.accepts(&row.filter_subject()),
            None => self.shows_protocol_details || !row.is_protocol_detail(),
        }
    }

    /// Adds the newest row if it [belongs to the list](Self::includes); the selection moves to it while it follows the newest
    /// row. Drops the rows before `oldest`. Returns whether the row was added.
    pub(crate) fn add_if_included(&mut self, row: &ConsoleRow, oldest: u64) -> bool {
        let is_listed = self.includes(row);
        if is_listed {
            self.listed.push_back(row.number);
            if !self.is_paused {
                self.selected = row.number;
            }
        }
        while self.listed.front().is_some_and(|&number| number < oldest) {
            self.listed.pop_front();
        }
        is_listed
    }

    /// Removes a row that no longer [belongs to the list](Self::includes), such as an answered line with the filter `unanswered`.
    pub(crate) fn remove_unless_included(&mut self, row: &ConsoleRow) {
        if let Ok(place) = self.listed.binary_search(&row.number)
            && !self.includes(row)
        {
            self.listed.remove(place);
            if !self.is_paused {
                self.follow_end();
            }
        }
    }

    /// Replaces the filter and rebuilds the list, see [`rebuild`](Self::rebuild). `None` lists all rows; details of the protocol only
    /// if they are switched on.
    pub(crate) fn set_filter(&mut self, filter: Option<Expression>, rows: &RowBuffer) {
        self.filter = filter;
        self.rebuild(rows);
    }

    /// Shows or hides the details of the protocol, and rebuilds the list, see [`rebuild`](Self::rebuild). Changes nothing visible while
    /// there is a filter.
    pub(crate) fn toggle_protocol_details(&mut self, rows: &RowBuffer) {
        self.shows_protocol_details = !self.shows_protocol_details;
        self.rebuild(rows);
    }

    /// Filters all rows again. A paused selection stays on its row or, if that is not listed, moves to the nearest listed row
    /// before it, otherwise to the first one. A selection that follows the newest row continues to do so.
    pub(crate) fn rebuild(&mut self, rows: &RowBuffer) {
        self.listed = rows.iter().filter(|row| self.includes(row)).map(|row| row.number).collect();
        if self.is_paused {
            self.selected = self.listed_at_or_before(self.selected).or(self.listed.front().copied()).unwrap_or(0);
        } else {
            self.follow_end();
        }
    }

    /// Returns the number of the selected row, which may be unlisted; `None` without a selection, as in an empty list.
    pub(crate) fn selected_number(&self) -> Option<u64> {
        (self.selected > 0).then_some(self.selected)
    }

    /// Returns the number of listed rows.
    pub(crate) fn n_listed(&self) -> usize {
        self.listed.len()
    }

    /// Returns the number of listed rows after the selected one.
    pub(crate) fn n_after_selected(&self) -> usize {
        self.listed.len() - self.listed.partition_point(|&number| number <= self.selected)
    }

    /// Selects a row, listed or not, and stops following.
    pub(crate) const fn select_and_stop_following(&mut self, number: u64) {
        self.selected = number;
        self.is_paused = true;
    }

    /// Moves the selection down by this number of listed rows, up if negative, at most to the first one; the list is then paused.
    /// Beyond the last row, the selection follows the newest one instead.
    pub(crate) fn move_selection_by(&mut self, places: isize) {
        let at = self.listed.partition_point(|&number| number < self.selected);
        let to = at.saturating_add_signed(places);
        match self.listed.get(to) {
            Some(&number) => self.select_and_stop_following(number),
            None => self.follow_end(),
        }
    }

    /// Selects the last listed row, and follows new ones.
    pub(crate) fn follow_end(&mut self) {
        self.selected = self.listed.back().copied().unwrap_or(0);
        self.is_paused = false;
    }

    /// Scrolls no more than necessary to show the selected row at this height, and returns the numbers of the visible rows.
    pub(crate) fn scroll_to_visible_rows(&mut self, height: usize) -> Vec<u64> {
        let place = |number| self.listed.partition_point(|&listed| listed < number);
        let selected = place(self.selected).min(self.listed.len().saturating_sub(1));
        let lowest = selected.saturating_sub(height.saturating_sub(1));
        // At the end of the list, fill the whole screen.
        let highest = selected.min(self.listed.len().saturating_sub(height));
        let top = if self.is_paused {
            place(self.top).clamp(lowest.min(highest), highest.max(lowest).min(selected))
        } else {
            lowest
        };
        self.top = self.listed.get(top).copied().unwrap_or(0);
        self.listed.iter().skip(top).take(height).copied().collect()
    }

    /// Returns this number if that row is listed, otherwise the number of the last listed row before it; `None` without one.
    pub(crate) fn listed_at_or_before(&self, number: u64) -> Option<u64> {
        let n = self.listed.partition_point(|&listed| listed <= number);
        self.listed.get(n.checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests;
