//! Draws the screen. One file for each part.

mod bars;
mod board;
mod bytes;
mod draw;
mod event;
mod frame;
mod games;
mod help;
mod layout;
mod list;
mod theme;
mod timing;

use std::time::Duration;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use self::layout::{DetailAreas, ScreenAreas};
pub(super) use self::theme::Theme;
use crate::console::app::{App, DetailView};
use crate::console::input::keys::Focus;
use crate::console::model::row::Row;

/// Draws the console at a time of the session. Stores the height of the list and limits the scroll offset.
pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, theme: Theme, now: Duration) {
    let areas = ScreenAreas::new(frame.area());
    let buffer = frame.buffer_mut();
    draw::draw_line(buffer, areas.title, 0, &bars::title(theme, app, now));
    if app.focus == Focus::Help {
        let content =
            Rect { y: areas.title.bottom(), height: areas.input.y.saturating_sub(areas.title.bottom()), ..areas.title };
        app.scroll = app.scroll.min(help::draw(buffer, content, theme, app.scroll));
    } else {
        draw_body(buffer, &areas, app, theme, now);
    }
    let (line, column) = bars::input(theme, app, areas.input.width);
    draw::draw_line(buffer, areas.input, 0, &line);
    if let Some(column) = column {
        frame.set_cursor_position(bars::cursor(areas.input, column));
    }
}

fn draw_body(buffer: &mut Buffer, areas: &ScreenAreas, app: &mut App, theme: Theme, now: Duration) {
    list::draw(buffer, areas.list, theme, app);
    let snapshot = app.snapshot(now);
    board::draw(buffer, areas.board, theme, snapshot.as_ref(), app.flip, board_note(app, snapshot.is_some()));
    games::draw(buffer, areas.games, theme, &app.model, app.game());
    timing::draw(buffer, areas.meters, theme, &app.model, now);
    draw_divider(buffer, areas.divider, theme);
    app.scroll = draw_views(buffer, &areas.views, theme, app);
    let meters = if areas.meters.is_empty() {
        timing::line(theme, &app.model, now, areas.status.width)
    } else {
        Line::default()
    };
    let status = bars::notice(theme, app.notice.as_ref()).unwrap_or(meters);
    draw::draw_line(buffer, areas.status, 0, &status);
}

/// Returns the note in the board's title.
fn board_note(app: &App, is_shown: bool) -> &'static str {
    if !is_shown && app.source.is_live() {
        "games, observe N"
    } else if app.list.follows() || app.list.n_below() == 0 {
        ""
    } else {
        "as it was then"
    }
}

/// Draws the detail views that fit. Returns the scroll offset of the chosen one.
fn draw_views(buffer: &mut Buffer, views: &DetailAreas, theme: Theme, app: &App) -> usize {
    let row = app.list.selected().and_then(|number| app.model.rows.get(number));
    match *views {
        DetailAreas::One(area) => {
            let names = DetailView::ALL.map(|view| (view.name(), view == app.view));
            draw_view(buffer, area, theme, app, app.view, &names, row)
        }
        DetailAreas::All { bytes, frame, event } => {
            let all = [(bytes, DetailView::Bytes), (frame, DetailView::Frame), (event, DetailView::Event)];
            let drawn = all.map(|(area, view)| {
                (view, draw_view(buffer, area, theme, app, view, &[(view.name(), view == app.view)], row))
            });
            drawn.iter().find(|(view, _)| *view == app.view).map_or(0, |(_, scroll)| *scroll)
        }
    }
}

/// Draws a detail view. Returns its scroll offset, limited to its last line.
fn draw_view(
    buffer: &mut Buffer,
    area: Rect,
    theme: Theme,
    app: &App,
    view: DetailView,
    names: &[(&str, bool)],
    row: Option<&Row>,
) -> usize {
    let note = match view {
        DetailView::Bytes => bytes::note(&app.model, row),
        DetailView::Frame => frame::note(row),
        DetailView::Event => event::note(row),
    };
    // One free column separates the view from its neighbor.
    let area = Rect { width: area.width.saturating_sub(1), ..area };
    let area = draw::draw_tabs(buffer, area, theme, names, &note);
    // Only the chosen view scrolls.
    let scroll = if view == app.view { app.scroll } else { 0 };
    match view {
        DetailView::Bytes => bytes::draw(buffer, area, theme, &app.model, row, scroll),
        DetailView::Frame => frame::draw(buffer, area, theme, row, scroll),
        DetailView::Event => event::draw(buffer, area, theme, row, scroll),
    }
}

fn draw_divider(buffer: &mut Buffer, area: Rect, theme: Theme) {
    for row in 0..area.height {
        draw::draw_line(buffer, area, row.into(), &Line::styled("\u{2502}", theme.dimmed()));
    }
}
