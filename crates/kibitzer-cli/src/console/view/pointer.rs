//! Finds what is at a position of the screen, for the mouse.

use ratatui::layout::{Position, Rect};

use super::{board, games, screen_areas};
use crate::console::app::{App, DetailView, MouseTarget};

/// Returns what reacts to the mouse at a position; `None` if nothing does.
pub(in crate::console) fn target_at(app: &mut App, screen: Rect, position: Position) -> Option<MouseTarget> {
    let areas = screen_areas(app, screen);
    // Rows below the heading of a part.
    let row_of = |area: Rect| position.y.checked_sub(area.y + 1).map(usize::from);
    if areas.input.contains(position) {
        return Some(MouseTarget::Input);
    }
    if app.overlay.is_some() {
        return Some(MouseTarget::Page);
    }
    if areas.list.contains(position) {
        let rows = app.list.scroll_to_visible_rows(areas.list.height.saturating_sub(1).into());
        return Some(MouseTarget::List(row_of(areas.list).and_then(|row| rows.get(row).copied())));
    }
    if areas.games.contains(position) {
        let listed = games::visible_games(&app.model, app.shown_game(), areas.games.height.saturating_sub(1));
        return listed.get(row_of(areas.games)?).map(|game| MouseTarget::Game(game.id()));
    }
    if areas.board.contains(position) {
        let shown = app.shown_boards();
        let at = board::board_areas(areas.board, shown.len()).into_iter().position(|cell| cell.contains(position))?;
        return shown.get(at).map(|game| MouseTarget::Game(game.id()));
    }
    let &(view, area) = areas.views.iter().find(|(_, area)| area.contains(position))?;
    if areas.views.len() > 1 {
        return Some(MouseTarget::View(view, true));
    }
    let tab = (position.y == area.y).then(|| tab_at(position.x - area.x)).flatten();
    Some(MouseTarget::View(tab.unwrap_or(view), tab.is_some()))
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
