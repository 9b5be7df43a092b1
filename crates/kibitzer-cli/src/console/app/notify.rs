//! Notifications about rows that match the user's rule, at a limited rate.

use std::time::{Duration, Instant};

use unicode_truncate::UnicodeTruncateStr as _;

use crate::console::model::ConsoleRow;
use crate::filter::Expression;

/// Minimum time between two notifications.
const PAUSE: Duration = Duration::from_secs(5);
/// Maximum width of the text of a row, in cells.
const MAX_CELLS: usize = 120;

/// The rule, and the rows that wait for the next notification.
#[derive(Debug, Default)]
pub(crate) struct Notifier {
    /// Rows that match cause a notification; `None` for none.
    pub(crate) rule: Option<Expression>,
    /// Time of the last notification.
    last: Option<Instant>,
    /// Text of the newest row that waits, safe for the terminal.
    newest: String,
    n_waiting: u64,
    /// Whether the title of the window shows a notification.
    pub(super) is_title_shown: bool,
}

impl Notifier {
    /// Queues a notification about a row if it matches the rule. The rows that wait share one.
    pub(super) fn record(&mut self, row: &ConsoleRow) {
        if self.rule.as_ref().is_some_and(|rule| rule.accepts(&row.filter_subject())) {
            row.summary_line().unicode_truncate(MAX_CELLS).0.clone_into(&mut self.newest);
            self.n_waiting += 1;
        }
    }

    /// Returns the text of the notification that is due: the newest row and the number of earlier ones. `None` without a row that
    /// waits, and less than five seconds after the last notification.
    pub(super) fn take_due(&mut self, now: Instant) -> Option<String> {
        let is_early = self.last.is_some_and(|last| now.saturating_duration_since(last) < PAUSE);
        let n_earlier = self.n_waiting.checked_sub(1).filter(|_| !is_early)?;
        self.last = Some(now);
        self.n_waiting = 0;
        self.is_title_shown = true;
        let newest = std::mem::take(&mut self.newest);
        Some(if n_earlier == 0 { newest } else { format!("{newest} (+{n_earlier})") })
    }
}
