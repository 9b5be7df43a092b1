//! The list of games.

use kibitzer::core::chess::Color;
use kibitzer::core::message::GameId;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::draw::{heading, line_at};
use super::theme::Theme;
use crate::console::model::Model;
use crate::console::model::card::Card;
use crate::output::{Shown, numbered_move};

/// Draws the games, those that go on first, so that the one whose board is shown is among them.
pub(super) fn draw(buffer: &mut Buffer, area: Rect, theme: Theme, model: &Model, shown: Option<GameId>) {
    let n_going_on = model.games.values().filter(|game| game.card.followed).count();
    let note = format!("{} known, {n_going_on} going on", model.games.len());
    let area = heading(buffer, area, theme, "games", &note);
    let mut games: Vec<_> = model.games.values().map(|game| &*game.card).collect();
    games.sort_by_key(|card| (!card.followed, card.id()));
    let at = games.iter().position(|card| Some(card.id()) == shown).unwrap_or(0);
    let height = usize::from(area.height);
    let top = at.saturating_sub(height.saturating_sub(1));
    for (row, card) in games.iter().skip(top).take(height).enumerate() {
        let line = line(theme, card);
        let line = if Some(card.id()) == shown { line.patch_style(theme.selected()) } else { line };
        line_at(buffer, area, row, &line);
    }
}

fn line(theme: Theme, card: &Card) -> Line<'static> {
    let [white, black] = Color::BOTH.map(|color| {
        let name = Shown(card.board.player(color).as_str()).in_cells().into_owned();
        name.chars().take(8).collect::<String>()
    });
    let mark = if card.board.relation().is_mine() { "*" } else { " " };
    let state = match (&card.ending, card.followed) {
        (Some(ending), _) => ending.split(' ').next().unwrap_or_default().to_owned(),
        (None, false) => "left".to_owned(),
        (None, true) => numbered_move(&card.board).unwrap_or_default(),
    };
    let style = if card.followed { theme.name() } else { theme.quiet() };
    Line::from(vec![
        Span::styled(format!("{mark}{:>3} ", card.id()), style),
        Span::raw(format!("{white}-{black} ")),
        Span::styled(state, theme.quiet()),
    ])
}
