//! The list of rows, and the list of games.

use std::time::Duration;

use kibitzer_core::chess::Color;
use kibitzer_core::message::GameId;
use ratatui::text::{Line, Span};

use super::draw::{Canvas, short_count};
use super::theme::Theme;
use crate::console::app::{App, TimeColumn};
use crate::console::model::{ConsoleRow, GameSnapshot, RowBuffer, RowContent, SessionModel};
use crate::output::{TerminalSafe, format_session_time, numbered_move};

/// Minimum width of a list that shows milliseconds in times of day.
const NARROW: u16 = 48;

/// Draws the visible rows and the title. Scrolls so that the selected row is visible, and stores the height for paging.
pub(super) fn draw_rows(canvas: Canvas<'_>, app: &mut App) {
    let mut canvas = canvas.draw_heading("stream", &title_note(app));
    let area = canvas.area;
    app.screen.list_height = usize::from(area.height).max(1);
    let selected = app.list.selected_number();
    let visible = app.list.scroll_to_visible_rows(area.height.into());
    let marks = match app.preferences.times {
        TimeColumn::Mark => mark_times(&app.model.rows, &visible),
        _ => Vec::new(),
    };
    let kinds = visible.iter().filter_map(|number| app.model.rows.get(*number)).map(|row| row.kind_name().len());
    // Longer kinds are rare.
    let kind_cells = kinds.max().unwrap_or(0).max(if area.width < 80 { 12 } else { 15 });
    for (place, number) in visible.into_iter().enumerate() {
        let Some(row) = app.model.rows.get(number) else { continue };
        let time = time_text(app, row, marks.get(place).copied().unwrap_or_default(), area.width);
        let line = row_line(&canvas, app, row, &time, kind_cells);
        canvas.draw_line(place, &line);
        if selected == Some(number) {
            canvas.highlight_row(place);
        }
    }
}

/// Returns the times from which [`TimeColumn::Mark`] counts for rows with these ascending numbers: that of the last mark up to each
/// row, or zero.
fn mark_times(rows: &RowBuffer, numbers: &[u64]) -> Vec<Duration> {
    let mut searched = 0;
    let mut last = Duration::ZERO;
    let time_of_mark = |&number: &u64| {
        // Only the rows after the one before are searched: without a mark, all stored rows would be searched for each row.
        let mut new = rows.iter_back_from(number).take_while(|row| row.number > searched);
        last = new.find(|row| matches!(row.content, RowContent::Mark(_))).map_or(last, |mark| mark.at);
        searched = number;
        last
    };
    numbers.iter().map(time_of_mark).collect()
}

/// Returns the note in the title: the number of rows, of listed ones and of those below the selected one; the filter, and how far
/// the list is scrolled sideways.
fn title_note(app: &App) -> String {
    let total = app.model.rows.newest;
    let listed = match (&app.list.filter, app.list.shows_protocol_details) {
        (Some(filter), _) => {
            format!("{} of {total} match {}", app.list.n_listed(), app.preferences.filters.name_or_text(filter))
        }
        (None, true) => format!("{total}"),
        (None, false) => format!("{} of {total}, no prompts", app.list.n_listed()),
    };
    let listed = match app.screen.columns_left {
        0 => listed,
        columns => format!("from column {}, h goes back, {listed}", columns + 1),
    };
    match app.list.n_after_selected() {
        0 => listed,
        n => format!("+{} below, {listed}", short_count(u64::try_from(n).unwrap_or(u64::MAX))),
    }
}

/// Returns the time of a row for the time column; `mark` is the time from which [`TimeColumn::Mark`] counts.
pub(super) fn time_text(app: &App, row: &ConsoleRow, mark: Duration, width: u16) -> String {
    let since = |start: Duration| match row.at.checked_sub(start) {
        Some(time) => format!("+{}", format_session_time(time)),
        None => format!("-{}", format_session_time(start.saturating_sub(row.at))),
    };
    match (app.preferences.times, app.playback.source.utc_start()) {
        (TimeColumn::Utc, Some(start)) => {
            let utc = start.plus(row.at).to_string();
            let time = utc.split_once('T').map_or("", |(_, time)| time.trim_end_matches('Z'));
            let seconds = time.split_once('.').map_or("", |(seconds, _)| seconds);
            if width < NARROW { seconds } else { time }.to_owned()
        }
        (TimeColumn::Previous, _) => {
            let previous = app.list.listed_at_or_before(row.number - 1).and_then(|number| app.model.rows.get(number));
            since(previous.map_or(Duration::ZERO, |previous| previous.at))
        }
        (TimeColumn::Mark, _) => since(mark),
        (TimeColumn::Session | TimeColumn::Utc, _) => format_session_time(row.at),
    }
}

/// Returns a row of the list: time, kind in a column of `cells`, and summary; the start of the summary may be scrolled out of the screen.
fn row_line(canvas: &Canvas<'_>, app: &App, row: &ConsoleRow, time: &str, cells: usize) -> Line<'static> {
    let (theme, width) = (canvas.theme, canvas.area.width);
    let mark = if app.list.selected_number() == Some(row.number) { "\u{25b8}" } else { " " };
    let kind = row.kind_name();
    let room = usize::from(width).saturating_sub(2 + time.len().max(8) + cells + 1);
    let text = match app.screen.columns_left {
        0 => row.summary_within(room),
        _ => row.summary_line().chars().skip(app.screen.columns_left).collect(),
    };
    let style = if row.is_protocol_detail() { theme.dimmed() } else { theme.row_kind(row.kind_name()) };
    Line::from(vec![
        Span::styled(format!("{mark}{time:>8} "), theme.dimmed()),
        Span::styled(format!("{kind:<cells$} "), style),
        Span::raw(text),
    ])
}

/// Draws the games, those in progress first, scrolled so that the shown one is visible.
pub(super) fn draw_games(canvas: Canvas<'_>, model: &SessionModel, shown: Option<GameId>) {
    let n_going_on = model.games.values().filter(|game| game.followed).count();
    let note = format!("{} known, {n_going_on} going on", model.games.len());
    let mut canvas = canvas.draw_heading("games", &note);
    let theme = canvas.theme;
    for (row, snapshot) in visible_games(model, shown, canvas.area.height).into_iter().enumerate() {
        let line = game_line(theme, snapshot, canvas.area.width.into());
        canvas.draw_line(row, &line);
        if Some(snapshot.id()) == shown {
            canvas.highlight_row(row);
        }
    }
}

/// Returns the games that the list shows at this height: those in progress first, then by number, scrolled so that `shown` is
/// among them.
pub(super) fn visible_games(model: &SessionModel, shown: Option<GameId>, height: u16) -> Vec<&GameSnapshot> {
    let mut games: Vec<_> = model.games.values().map(|game| &**game).collect();
    games.sort_by_key(|snapshot| (!snapshot.followed, snapshot.id()));
    let at = games.iter().position(|snapshot| Some(snapshot.id()) == shown).unwrap_or(0);
    let height = usize::from(height);
    let top = at.saturating_sub(height.saturating_sub(1));
    games.into_iter().skip(top).take(height).collect()
}

/// Returns the row of a game in the list of games: number, players and state. Names are cut only if all does not fit, to no less than
/// eight characters.
fn game_line(theme: Theme, snapshot: &GameSnapshot, width: usize) -> Line<'static> {
    let mark = if snapshot.board.relation().is_mine() { "*" } else { " " };
    let state = match (&snapshot.ending, snapshot.followed) {
        (Some(ending), _) => ending.result.to_string(),
        (None, false) => "left".to_owned(),
        (None, true) => numbered_move(&snapshot.board).unwrap_or_default(),
    };
    let names = Color::BOTH.map(|color| TerminalSafe(snapshot.board.player(color).as_str()).in_cells().into_owned());
    let [n_white, n_black] = names.each_ref().map(|name| name.chars().count());
    // Number, hyphen and blank take seven cells.
    let room = width.saturating_sub(7 + state.len()).max(16);
    let [white, black] = names;
    let white: String = white.chars().take(room - n_black.min(room / 2)).collect();
    let black: String = black.chars().take(room - n_white.min(room / 2)).collect();
    let style = if snapshot.followed { theme.emphasized() } else { theme.dimmed() };
    Line::from(vec![
        Span::styled(format!("{mark}{:>3} ", snapshot.id()), style),
        Span::raw(format!("{white}-{black} ")),
        Span::styled(state, theme.dimmed()),
    ])
}
