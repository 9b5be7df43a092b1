//! Draws the screen. One file for each part.

mod bars;
mod board;
mod bytes;
mod desync;
mod draw;
mod event;
mod frame;
mod games;
mod layout;
mod list;
mod pages;
mod pointer;
mod theme;
mod timing;

use std::iter::repeat_n;
use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use self::draw::{Canvas, LimitedScroll};
use self::layout::{LayoutNeeds, ScreenAreas};
pub(super) use self::pointer::target_at;
pub(super) use self::theme::Theme;
#[cfg(test)]
pub(super) use self::theme::tests::contrast;
use crate::console::app::{App, DetailView};
use crate::console::input::OverlayPage;
use crate::output::TerminalSafe;

/// Draws the screen at a time of the session. Stores the height of the list, and limits the scroll offsets to their contents.
pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, theme: Theme, now: Duration) {
    let screen = frame.area();
    let attention = app.attention_text();
    let areas = screen_areas(app, screen);
    let theme = theme.with_choices(app.colors, app.pieces);
    frame.buffer_mut().set_style(screen, theme.base());
    let mut canvas = Canvas::new(frame.buffer_mut(), screen, theme);
    canvas.sub_canvas(areas.title).draw_line(0, &bars::title_row(theme, app, now));
    if let Some((page, scroll)) = app.overlay {
        let content = Rect {
            y: areas.title.bottom(),
            height: areas.status.y.saturating_sub(areas.title.bottom()),
            ..areas.title
        };
        let scroll = match page {
            OverlayPage::Help => pages::draw_help(canvas.sub_canvas(content), scroll),
            OverlayPage::Log => pages::draw_log(canvas.sub_canvas(content), scroll),
        };
        app.overlay = Some((page, scroll));
        canvas.sub_canvas(areas.status).draw_lines(bars::notice_row(theme, app.notice.as_ref()));
    } else {
        draw_panes(&mut canvas, &areas, app, now);
    }
    canvas
        .sub_canvas(areas.attention)
        .draw_lines(attention.map(|text| Line::styled(TerminalSafe(&text).in_cells().into_owned(), theme.accent())));
    let (lines, cursor) = bars::input_rows_and_cursor(theme, app, areas.input);
    canvas.sub_canvas(areas.input).draw_lines(lines);
    if theme.is_ascii() {
        draw::convert_to_ascii(frame.buffer_mut());
    }
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Divides the screen, depending on the present contents.
fn screen_areas(app: &App, screen: Rect) -> ScreenAreas {
    let needs = LayoutNeeds {
        view: app.view,
        alone: app.alone,
        lines_below_board: if app.source.has_bot() { board::ANALYSIS_LINES } else { 0 },
        is_board_wide: app.source.has_bot() || app.partner_of_shown_game().is_some(),
        has_attention: app.attention_text().is_some(),
        n_input_lines: app.input.text().split('\n').count(),
    };
    ScreenAreas::divide(screen, needs)
}

/// Draws everything between the title and the row of offers: list, boards, games, timing, detail views and status row.
fn draw_panes(canvas: &mut Canvas<'_>, areas: &ScreenAreas, app: &mut App, now: Duration) {
    let theme = canvas.theme;
    list::draw(canvas.sub_canvas(areas.list), app);
    let boards = app.shown_boards();
    let note = board_note(app, !boards.is_empty());
    board::draw_boards(canvas.sub_canvas(areas.board), &boards, app.partner_of_shown_game(), app.flip, note, now);
    games::draw(canvas.sub_canvas(areas.games), &app.model, app.shown_game());
    timing::draw(canvas.sub_canvas(areas.meters), &app.model, now);
    let divider = Line::styled("\u{2502}", theme.dimmed());
    canvas.sub_canvas(areas.divider).draw_lines(repeat_n(divider, areas.divider.height.into()));
    app.scroll = draw_views(canvas, &areas.views, app);
    let meters = if areas.meters.is_empty() {
        timing::summary_line(theme, &app.model, now, areas.status.width)
    } else {
        Line::default()
    };
    let ruler = app.ruler_text().map(|text| Line::styled(text, theme.accent()));
    canvas
        .sub_canvas(areas.status)
        .draw_line(0, &bars::notice_row(theme, app.notice.as_ref()).or(ruler).unwrap_or(meters));
}

/// Returns the note in the title of the first board: what to type without one (`is_shown` is false), that it is pinned, or of an
/// earlier time.
fn board_note(app: &App, is_shown: bool) -> &'static str {
    if !is_shown && app.source.is_live() {
        "games, observe N"
    } else if app.pinned_game.is_some() {
        "pinned, p unpins"
    } else if app.selected_older_row().is_some() {
        "as it was then"
    } else {
        ""
    }
}

/// Draws the detail views that fit. Returns the scroll offset of the chosen one, limited to its last line.
fn draw_views(canvas: &mut Canvas<'_>, views: &[(DetailView, Rect)], app: &App) -> LimitedScroll {
    let row = app.selected_row();
    let mut chosen_scroll = 0;
    for &(view, area) in views {
        // One free column separates the view from its neighbor.
        let canvas = canvas.sub_canvas(Rect { width: area.width.saturating_sub(1), ..area });
        // A view that is shown alone has the names of the others beside its own.
        let names = DetailView::ALL.into_iter().filter(|other| *other == view || views.len() == 1);
        let names: Vec<_> = names.map(|other| (other.into(), other == app.view)).collect();
        // Only the chosen view scrolls.
        let scroll = if view == app.view { app.scroll } else { 0 };
        let note = match (view, row) {
            (_, None) => String::new(),
            (DetailView::Bytes, Some(row)) => bytes::title_note(app, row),
            (DetailView::Frame, Some(row)) => format!("#{} at {}", row.number, list::format_session_time(row.at)),
            (DetailView::Event, Some(row)) => format!("#{} {}", row.number, row.kind_name()),
        };
        let canvas = canvas.draw_tabs(&names, &note);
        let scroll = match view {
            DetailView::Bytes => bytes::draw(canvas, app, row, scroll),
            DetailView::Frame => frame::draw(canvas, app, row, scroll),
            DetailView::Event => event::draw(canvas, app, row, scroll),
        };
        if view == app.view {
            chosen_scroll = scroll;
        }
    }
    chosen_scroll
}
