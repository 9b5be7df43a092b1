//! List of games.

use kibitzer::core::chess::Color;
use kibitzer::core::message::GameId;
use ratatui::text::{Line, Span};

use super::draw::Canvas;
use super::theme::Theme;
use crate::console::model::{GameSnapshot, SessionModel};
use crate::output::{TerminalSafe, numbered_move};

/// Draws the games, those in progress first, scrolled so that the shown one is visible.
pub(super) fn draw(canvas: Canvas<'_>, model: &SessionModel, shown: Option<GameId>) {
    let n_going_on = model.games.values().filter(|game| game.followed).count();
    let note = format!("{} known, {n_going_on} going on", model.games.len());
    let mut canvas = canvas.draw_heading("games", &note);
    let theme = canvas.theme;
    for (row, snapshot) in visible_games(model, shown, canvas.area.height).into_iter().enumerate() {
        let line = game_line(theme, snapshot);
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

/// Returns the row of a game in the list of games: number, players and state.
fn game_line(theme: Theme, snapshot: &GameSnapshot) -> Line<'static> {
    let [white, black] = Color::BOTH.map(|color| {
        let name = TerminalSafe(snapshot.board.player(color).as_str()).in_cells().into_owned();
        name.chars().take(8).collect::<String>()
    });
    let mark = if snapshot.board.relation().is_mine() { "*" } else { " " };
    let state = match (&snapshot.ending, snapshot.followed) {
        (Some(ending), _) => ending.split(' ').next().unwrap_or_default().to_owned(),
        (None, false) => "left".to_owned(),
        (None, true) => numbered_move(&snapshot.board).unwrap_or_default(),
    };
    let style = if snapshot.followed { theme.emphasized() } else { theme.dimmed() };
    Line::from(vec![
        Span::styled(format!("{mark}{:>3} ", snapshot.id()), style),
        Span::raw(format!("{white}-{black} ")),
        Span::styled(state, theme.dimmed()),
    ])
}
