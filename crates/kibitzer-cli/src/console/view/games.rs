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
    let n_going_on = model.games.values().filter(|game| game.snapshot.followed).count();
    let note = format!("{} known, {n_going_on} going on", model.games.len());
    let mut canvas = canvas.heading("games", &note);
    let theme = canvas.theme;
    for (row, snapshot) in visible(model, shown, canvas.area.height).into_iter().enumerate() {
        let line = line(theme, snapshot);
        canvas.line(row, &line);
        if Some(snapshot.id()) == shown {
            canvas.select(row);
        }
    }
}

/// Returns the games that are listed at this height.
pub(super) fn visible(model: &SessionModel, shown: Option<GameId>, height: u16) -> Vec<&GameSnapshot> {
    let mut games: Vec<_> = model.games.values().map(|game| &*game.snapshot).collect();
    games.sort_by_key(|snapshot| (!snapshot.followed, snapshot.id()));
    let at = games.iter().position(|snapshot| Some(snapshot.id()) == shown).unwrap_or(0);
    let height = usize::from(height);
    let top = at.saturating_sub(height.saturating_sub(1));
    games.into_iter().skip(top).take(height).collect()
}

fn line(theme: Theme, snapshot: &GameSnapshot) -> Line<'static> {
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
    let style = if snapshot.followed { theme.name() } else { theme.dimmed() };
    Line::from(vec![
        Span::styled(format!("{mark}{:>3} ", snapshot.id()), style),
        Span::raw(format!("{white}-{black} ")),
        Span::styled(state, theme.dimmed()),
    ])
}
