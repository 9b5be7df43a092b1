//! The log page: the newest lines that the program has logged.

use std::iter::once;

use ratatui::text::Line;

use super::draw::{Canvas, LimitedScroll, wrap_text};
use crate::log::newest_lines_if_on;

/// Draws the log page, with its newest line at the bottom. `scroll` counts rows from there. Returns the scroll offset, limited to the oldest
/// kept line.
pub(super) fn draw(canvas: Canvas<'_>, scroll: usize) -> LimitedScroll {
    let mut canvas = canvas.draw_heading("log", "Esc goes back");
    let height = usize::from(canvas.area.height);
    // A line takes at least one row.
    let n_rows = scroll.saturating_add(height);
    let Some(lines) = newest_lines_if_on(n_rows) else {
        canvas.draw_lines(once(Line::raw("The log is off: start the program with --log LEVEL, such as --log debug.")));
        return 0;
    };
    let wrap = |line: &String| wrap_text(line, canvas.area.width).into_iter().rev();
    let newest_first: Vec<_> = lines.iter().flat_map(wrap).take(n_rows).collect();
    let scroll = scroll.min(newest_first.len().saturating_sub(height));
    let shown: Vec<_> = newest_first.into_iter().skip(scroll).take(height).collect();
    canvas.draw_lines(shown.into_iter().rev());
    scroll
}
