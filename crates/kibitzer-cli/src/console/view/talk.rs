//! The talk pane.

use ratatui::text::{Line, Span};

use super::draw::{Canvas, wrap_words};
use super::lists::time_text;
use crate::console::app::{App, TalkTab, talk_text};

/// Width of the column of times, with the blank after it.
const TIME_CELLS: usize = 10;

/// Draws the tabs and the lines of the chosen one, the newest at the bottom, wrapped. Limits the scroll offset, and
/// keeps a scrolled tab in its place when lines arrive. Marks the tab as read unless it is scrolled.
pub(super) fn draw(canvas: Canvas<'_>, app: &mut App) {
    if app.talk.rows_from_end == 0 {
        app.talk.mark_read(app.talk.tab);
    }
    let tabs: Vec<_> = app.talk.tabs().map(|(tab, unread)| (label(tab, unread), tab == app.talk.tab)).collect();
    let mut names: &[_] = &tabs.iter().map(|(label, is_chosen)| (label.as_str(), *is_chosen)).collect::<Vec<_>>();
    let width = usize::from(canvas.area.width);
    // The chosen tab and all after it must fit, as far as that is possible.
    while names.iter().map(|(name, _)| name.len() + 1).sum::<usize>() + 2 > width
        && let [(_, false), rest @ ..] = names
    {
        names = rest;
    }
    let note = match width {
        ..48 => "",
        48..70 => "F9 answers",
        _ => "Tab next, F9 answers, F7 closes",
    };
    let mut canvas = canvas.draw_tabs(names, note);
    let height = usize::from(canvas.area.height);
    app.screen.list_height = height.max(1);
    let theme = canvas.theme;
    let cells = width.saturating_sub(TIME_CELLS).max(1);
    let wrap = |row| {
        let time = time_text(app, row, std::time::Duration::ZERO, canvas.area.width);
        let style = theme.row_kind(row.kind_name());
        let text = talk_text(row);
        let lines = wrap_words(&text, cells).into_iter().enumerate().map(|(number, part)| {
            let time = if number == 0 { time.as_str() } else { "" };
            let time = Span::styled(format!("{time:>9} "), theme.dimmed());
            Line::from(vec![time, Span::styled(part.to_owned(), style)])
        });
        lines.collect::<Vec<_>>().into_iter().rev()
    };
    let rows_back = || app.talk.rows_back(app.talk.tab, &app.model.rows);
    let n_new = || rows_back().take_while(|row| row.number > app.talk.newest_drawn).flat_map(&wrap).count();
    let n_below = match app.talk.rows_from_end {
        0 => 0,
        n => n.saturating_add(n_new()),
    };
    let newest_first: Vec<_> = rows_back().flat_map(&wrap).take(n_below.saturating_add(height)).collect();
    let rows_from_end = n_below.min(newest_first.len().saturating_sub(height));
    let shown: Vec<_> = newest_first.into_iter().skip(rows_from_end).take(height).collect();
    if shown.is_empty() {
        canvas.draw_line(0, &Line::styled("nobody has said anything here yet", theme.dimmed()));
    }
    canvas.draw_lines(shown.into_iter().rev());
    app.talk.rows_from_end = rows_from_end;
    app.talk.newest_drawn = app.model.rows.newest;
}

/// Returns the label of a tab, with its number of unread lines.
fn label(tab: TalkTab, unread: u64) -> String {
    let name = match tab {
        TalkTab::All => "all".to_owned(),
        TalkTab::Tells => "tells".to_owned(),
        TalkTab::Channel(channel) => channel.to_string(),
        TalkTab::Kibitzes => "kibitzes".to_owned(),
        TalkTab::Shouts => "shouts".to_owned(),
    };
    if unread == 0 { name } else { format!("{name}({unread})") }
}
