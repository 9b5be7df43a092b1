//! The list of moves, with the time that each took.

use kibitzer_core::chess::Color;
use kibitzer_core::game::PlayedMove;
use kibitzer_core::message::ClockReading;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use crate::console::model::GameSnapshot;
use crate::output::TerminalSafe;

/// Width of the number of a move, and of White's and Black's move with their times.
pub(super) const PAIR_WIDTH: u16 = 33;

/// Returns lines with the newest moves that fit: a pair of White's and Black's move on each, in as many columns as fit. The moves of
/// a column stand below each other. Empty if the width is too small.
pub(super) fn move_lines(theme: Theme, snapshot: &GameSnapshot, width: u16, height: usize) -> Vec<Line<'static>> {
    let moves = &snapshot.moves;
    let first_ply = snapshot.board.ply().saturating_sub(u32::try_from(moves.len()).unwrap_or(u32::MAX));
    // A game known from a move of Black on begins with half a pair.
    let is_black_first = first_ply % 2 == 1;
    let (alone, pairs) = moves.split_at_checked(is_black_first.into()).unwrap_or_default();
    let alone = alone.iter().map(|black| vec![None, Some(black)]);
    let pairs = alone.chain(pairs.chunks(2).map(|pair| pair.iter().map(Some).collect()));
    let pairs: Vec<(u32, Vec<Option<&PlayedMove>>)> = (first_ply / 2 + 1..).zip(pairs).collect();
    let n_columns = usize::from(width / PAIR_WIDTH);
    let shown = pairs.get(pairs.len().saturating_sub(n_columns * height)..).unwrap_or_default();
    let mut lines = vec![Line::default(); height.min(shown.len())];
    for column in shown.chunks(height.max(1)) {
        for (line, (number, pair)) in lines.iter_mut().zip(column) {
            line.spans.push(Span::styled(format!("{number:>3}. "), theme.dimmed()));
            for &played in pair {
                let is_last = played.zip(moves.last()).is_some_and(|(played, last)| std::ptr::eq(played, last));
                let style = if is_last { theme.emphasized() } else { theme.base() };
                line.spans.extend(move_spans(played, style, theme.dimmed()));
            }
        }
    }
    lines
}

/// Returns a move and the time that it took, in 14 cells; dots for a move that is not known.
fn move_spans(played: Option<&PlayedMove>, style: Style, dimmed: Style) -> [Span<'static>; 2] {
    let san = played.map_or_else(|| "...".to_owned(), PlayedMove::to_string);
    let elapsed = played.and_then(PlayedMove::elapsed_ms).map(|ms| ClockReading::from_ms(ms.into()).to_string());
    let san = Span::styled(format!("{:<7}", TerminalSafe(&san).in_cells()), style);
    [san, Span::styled(format!("{:>6} ", elapsed.unwrap_or_default()), dimmed)]
}

/// Returns the last move of this login, with the time used and the time left on the clock.
pub(super) fn last_own_move_line(theme: Theme, snapshot: &GameSnapshot) -> Option<Line<'static>> {
    let own = snapshot.own_color()?;
    let is_answered = u32::from(snapshot.board.side_to_move() == own);
    let ply = snapshot.board.ply().checked_sub(is_answered + 1)?;
    let played = snapshot.moves.iter().nth_back(usize::try_from(is_answered).ok()?)?;
    let used = ClockReading::from_ms(played.elapsed_ms()?.into());
    let dots = if own == Color::White { "." } else { "..." };
    let numbered = format!("{}{dots} {played}", ply / 2 + 1);
    Some(Line::from(vec![
        Span::styled(format!("  {:<12} ", TerminalSafe(&numbered).in_cells()), theme.emphasized()),
        Span::raw(used.to_string()),
        Span::styled(format!(" / {}", played.clock()), theme.dimmed()),
    ]))
}
