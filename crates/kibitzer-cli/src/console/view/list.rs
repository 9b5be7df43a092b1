//! The list of rows.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::draw::{draw_heading, draw_line, short_count};
use super::theme::Theme;
use crate::console::app::App;
use crate::console::model::row::Row;

/// Width of the kind column, on narrow and wide screens; longer kinds are cut.
const KIND_CELLS: [usize; 2] = [12, 15];

/// Draws the rows around the selected one.
pub(super) fn draw(buffer: &mut Buffer, area: Rect, theme: Theme, app: &mut App) {
    let note = note(app);
    let area = draw_heading(buffer, area, theme, "stream", &note);
    app.page = usize::from(area.height).max(1);
    let selected = app.list.selected();
    for (place, number) in app.list.visible_rows(area.height.into()).into_iter().enumerate() {
        let Some(row) = app.model.rows.get(number) else { continue };
        let line = line(theme, row, area.width, selected == Some(number));
        draw_line(buffer, area, place, &line);
        if selected == Some(number) {
            let y = area.y + u16::try_from(place).unwrap_or(0);
            buffer.set_style(Rect { y, height: 1, ..area }, theme.selected());
        }
    }
}

fn note(app: &App) -> String {
    let total = app.model.rows.newest();
    let listed = match (app.list.filter(), app.list.shows_protocol_details()) {
        (Some(filter), _) => format!("{} of {total} match {filter}", app.list.len()),
        (None, true) => format!("{total}"),
        (None, false) => format!("{} of {total}, no prompts", app.list.len()),
    };
    match app.list.n_below() {
        0 => listed,
        n => format!("+{} below, {listed}", short_count(u64::try_from(n).unwrap_or(u64::MAX))),
    }
}

fn line(theme: Theme, row: &Row, width: u16, is_selected: bool) -> Line<'static> {
    let [narrow, wide] = KIND_CELLS;
    let cells = if width < 80 { narrow } else { wide };
    let kind: String = row.kind().chars().take(cells).collect();
    let room = usize::from(width).saturating_sub(10 + cells + 1);
    let text = row.summary_within(room);
    let style = if row.is_protocol_detail() { theme.dimmed() } else { theme.kind(row.kind()) };
    Line::from(vec![
        Span::styled(format!("{}{:>8} ", if is_selected { "\u{25b8}" } else { " " }, clock(row.at)), theme.dimmed()),
        Span::styled(format!("{kind:<cells$} "), style),
        Span::raw(text),
    ])
}

/// Formats a time of the session: `m:ss.mmm`.
pub(super) fn clock(at: Duration) -> String {
    let seconds = at.as_secs();
    format!("{}:{:02}.{:03}", seconds / 60, seconds % 60, at.subsec_millis())
}
