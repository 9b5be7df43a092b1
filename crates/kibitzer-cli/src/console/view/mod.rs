//! Draws the screen, and finds what the mouse points at. Each part of the screen has a file.

mod bars;
mod board;
mod boards;
mod desync;
mod draw;
mod event;
mod frame;
mod help;
mod layout;
mod lists;
mod moves;
mod talk;
mod theme;
mod timing;

use std::iter::{once, repeat_n};
use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use self::draw::{Canvas, LimitedScroll, wrap_text};
#[cfg(feature = "web")]
pub(crate) use self::frame::{frame_properties, row_text};
use self::layout::{LayoutNeeds, ScreenAreas};
pub(super) use self::theme::Theme;
#[cfg(test)]
pub(super) use self::theme::tests::{contrast, is_square};
use crate::console::app::{App, DetailView, MouseTarget, OverlayPage, Pane};
use crate::log::newest_lines_if_on;
use crate::output::{TerminalSafe, format_session_time};

/// Draws the screen at a time of the session. Stores the height of the list, and limits the scroll offsets to their contents.
pub(super) fn draw(frame: &mut Frame<'_>, app: &mut App, theme: Theme, now: Duration) {
    let screen = frame.area();
    let attention = app.attention_text();
    let areas = screen_areas(app, screen);
    let theme = theme.with_choices(app.preferences.colors, app.preferences.pieces);
    frame.buffer_mut().set_style(screen, theme.base());
    let mut canvas = Canvas::new(frame.buffer_mut(), screen, theme);
    canvas.sub_canvas(areas.title).draw_line(0, &bars::title_row(theme, app, now));
    if let Some((page, scroll)) = app.screen.page {
        let content = Rect {
            y: areas.title.bottom(),
            height: areas.status.y.saturating_sub(areas.title.bottom()),
            ..areas.title
        };
        let scroll = match page {
            OverlayPage::Help => help::draw(canvas.sub_canvas(content), scroll),
            OverlayPage::Server => help::draw_server_commands(canvas.sub_canvas(content), scroll),
            OverlayPage::Log => draw_log(canvas.sub_canvas(content), scroll),
        };
        app.screen.page = Some((page, scroll));
        canvas.sub_canvas(areas.status).draw_lines(bars::notice_row(theme, app.screen.notice.as_ref()));
    } else {
        draw_panes(&mut canvas, &areas, app, now);
    }
    canvas
        .sub_canvas(areas.attention)
        .draw_lines(attention.map(|text| Line::styled(TerminalSafe(&text).in_cells().into_owned(), theme.accent())));
    let (lines, cursor) = bars::input_rows_and_cursor(theme, app, areas.input);
    canvas.sub_canvas(areas.input).draw_lines(lines);
    if theme.is_ascii {
        draw::convert_to_ascii(frame.buffer_mut());
    }
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Divides the screen, depending on the present contents.
fn screen_areas(app: &App, screen: Rect) -> ScreenAreas {
    let needs = LayoutNeeds {
        view: app.screen.view,
        alone: app.screen.alone,
        n_games: app.model.games.len(),
        lines_below_board: if app.playback.source.has_bot() { board::ANALYSIS_LINES } else { 1 },
        is_board_wide: app.playback.source.has_bot() || app.partner_of_shown_game().is_some(),
        // Beside the board pane the row stays free, so that squares keep their size when it is the user's move.
        has_attention: app.screen.alone == Some(Pane::Board) || app.attention_text().is_some(),
        n_input_lines: app.input.editor.text().split('\n').count(),
    };
    ScreenAreas::divide(screen, needs)
}

/// Draws everything between the title and the row of offers: list, boards, games, timing, detail views and status row.
fn draw_panes(canvas: &mut Canvas<'_>, areas: &ScreenAreas, app: &mut App, now: Duration) {
    let theme = canvas.theme;
    if app.shows_talk() {
        talk::draw(canvas.sub_canvas(areas.list), app);
    } else {
        lists::draw_rows(canvas.sub_canvas(areas.list), app);
    }
    boards::draw_boards(canvas.sub_canvas(areas.board), app, now);
    lists::draw_games(canvas.sub_canvas(areas.games), &app.model, app.shown_game());
    timing::draw(canvas.sub_canvas(areas.meters), &app.model, now);
    let divider = Line::styled("\u{2502}", theme.dimmed());
    canvas.sub_canvas(areas.divider).draw_lines(repeat_n(divider, areas.divider.height.into()));
    app.screen.scroll = draw_views(canvas, &areas.views, app);
    let meters = if areas.meters.is_empty() {
        timing::delays_and_rates_line(theme, &app.model, now, areas.status.width)
    } else {
        Line::default()
    };
    let notice = bars::notice_row(theme, app.screen.notice.as_ref());
    canvas.sub_canvas(areas.status).draw_line(0, &notice.unwrap_or(meters));
}

/// Draws the detail views in their areas. Returns the scroll offset of the chosen one, limited to its last line.
fn draw_views(canvas: &mut Canvas<'_>, views: &[(DetailView, Rect)], app: &App) -> LimitedScroll {
    let model = &app.model;
    let row = app.selected_row();
    let mut chosen_scroll = 0;
    for &(view, area) in views {
        // One free column separates the view from its neighbor.
        let canvas = canvas.sub_canvas(Rect { width: area.width.saturating_sub(1), ..area });
        // A view that is shown alone has the names of the others beside its own.
        let names = DetailView::ALL.into_iter().filter(|other| *other == view || views.len() == 1);
        let names: Vec<_> = names.map(|other| (other.into(), other == app.screen.view)).collect();
        let Some(row) = row else {
            canvas.draw_tabs(&names, "");
            continue;
        };
        let note = match view {
            DetailView::Bytes => frame::bytes_note(model, row),
            DetailView::Frame => format!("#{} at {}", row.number, format_session_time(row.at)),
            DetailView::Event => format!("#{} {}", row.number, row.kind_name()),
        };
        let canvas = canvas.draw_tabs(&names, &note);
        // Only the chosen view scrolls.
        let scroll = if view == app.screen.view { app.screen.scroll } else { 0 };
        let scroll = match view {
            DetailView::Bytes => frame::draw_bytes(canvas, model, row, app.playback.search.as_ref(), scroll),
            DetailView::Frame => frame::draw_frame(canvas, model, row, scroll),
            DetailView::Event => event::draw(canvas, model, row, scroll),
        };
        if view == app.screen.view {
            chosen_scroll = scroll;
        }
    }
    chosen_scroll
}

/// Returns the part of the screen that reacts to the mouse at a position; `None` if nothing does. Scrolls the list as drawing
/// would.
pub(super) fn target_at(app: &mut App, screen: Rect, position: Position) -> Option<MouseTarget> {
    let areas = screen_areas(app, screen);
    // Rows below the heading of a part.
    let row_of = |area: Rect| position.y.checked_sub(area.y + 1).map(usize::from);
    if areas.input.contains(position) {
        return Some(MouseTarget::Input);
    }
    if app.screen.page.is_some() {
        return Some(MouseTarget::Page);
    }
    if areas.list.contains(position) && app.shows_talk() {
        return Some(MouseTarget::List(None));
    }
    if areas.list.contains(position) {
        let rows = app.list.scroll_to_visible_rows(areas.list.height.saturating_sub(1).into());
        return Some(MouseTarget::List(row_of(areas.list).and_then(|row| rows.get(row).copied())));
    }
    if areas.games.contains(position) {
        let listed = lists::visible_games(&app.model, app.shown_game(), areas.games.height.saturating_sub(1));
        return listed.get(row_of(areas.games)?).map(|game| MouseTarget::Game(game.id()));
    }
    if areas.board.contains(position) {
        let shown = app.shown_boards();
        let cells = boards::areas_of_games(areas.board, app, shown.len());
        let at = cells.into_iter().position(|cell| cell.contains(position))?;
        return shown.get(at).map(|game| MouseTarget::Game(game.id()));
    }
    let &(view, area) = areas.views.iter().find(|(_, area)| area.contains(position))?;
    if areas.views.len() > 1 {
        return Some(MouseTarget::ViewName(view));
    }
    let tab = (position.y == area.y).then(|| tab_at(position.x - area.x)).flatten();
    Some(tab.map_or(MouseTarget::View(view), MouseTarget::ViewName))
}

/// Returns the view whose name is at a column of the heading.
fn tab_at(column: u16) -> Option<DetailView> {
    let mut start = 2;
    DetailView::ALL.into_iter().find(|view| {
        let name = start..start + <&str>::from(view).len();
        start = name.end + 1;
        name.contains(&column.into())
    })
}

/// Draws the log page, with its newest line at the bottom. `scroll` counts rows from there. Returns the scroll offset, limited to the oldest
/// kept line.
fn draw_log(canvas: Canvas<'_>, rows_from_end: usize) -> LimitedScroll {
    let mut canvas = canvas.draw_heading("log", "Esc goes back");
    let height = usize::from(canvas.area.height);
    // A line takes at least one row.
    let n_rows = rows_from_end.saturating_add(height);
    let Some(lines) = newest_lines_if_on(n_rows) else {
        canvas.draw_lines(once(Line::raw("The log is off: start the program with --log LEVEL, such as --log debug.")));
        return 0;
    };
    let wrap = |line: &String| wrap_text(line, canvas.area.width).into_iter().rev();
    let newest_first: Vec<_> = lines.iter().flat_map(wrap).take(n_rows).collect();
    let rows_from_end = rows_from_end.min(newest_first.len().saturating_sub(height));
    let shown: Vec<_> = newest_first.into_iter().skip(rows_from_end).take(height).collect();
    canvas.draw_lines(shown.into_iter().rev());
    rows_from_end
}
