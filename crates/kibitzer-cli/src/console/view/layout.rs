//! Layout of the screen.

use ratatui::layout::Constraint::{Fill, Length, Max, Min};
use ratatui::layout::{Layout, Rect};

use crate::console::app::{DetailView, Pane};

/// Minimum width and height of a screen that shows all three detail views at once, and large squares.
const LARGE: (u16, u16) = (120, 40);
/// Minimum width of a screen that shows the board beside the list.
pub(super) const NARROW: u16 = 64;

/// Minimum width of a screen that shows a second board, or analysis, beside the board.
const WIDE: u16 = 160;

/// Minimum height of the list of games of a large screen, with its heading.
const LEAST_GAMES: u16 = 4;

/// Areas of the screen. Parts that do not fit have an empty area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScreenAreas {
    pub(super) title: Rect,
    pub(super) board: Rect,
    pub(super) games: Rect,
    /// The delays and rates.
    pub(super) meters: Rect,
    /// The vertical line between the board and the list.
    pub(super) divider: Rect,
    pub(super) list: Rect,
    /// The detail views that are shown: the chosen one, or all of them side by side.
    pub(super) views: Vec<(DetailView, Rect)>,
    pub(super) status: Rect,
    /// Row for the offer or move that requires an answer of the user.
    pub(super) attention: Rect,
    pub(super) input: Rect,
}

/// Properties of the contents that determine the layout of the screen, besides its size.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayoutNeeds {
    /// The detail view that is chosen.
    pub(super) view: DetailView,
    /// The pane that fills the screen; `None` shows all panes.
    pub(super) alone: Option<Pane>,
    /// Number of games in the list of games.
    pub(super) n_games: usize,
    /// Height of what is below the board and the last move: the engine's analysis, if a bot plays in the session, or a second line
    /// about the game.
    pub(super) lines_below_board: u16,
    /// Whether a wide screen leaves room beside the board, for a second board or the engine's analysis.
    pub(super) is_board_wide: bool,
    /// Whether an offer or a move requires a row of its own.
    pub(super) has_attention: bool,
    pub(super) n_input_lines: usize,
}

impl ScreenAreas {
    /// Divides the screen into its parts. Several lines of input use up to a third of it.
    pub(super) fn divide(screen: Rect, needs: LayoutNeeds) -> Self {
        let input_height = u16::try_from(needs.n_input_lines).unwrap_or(u16::MAX).min(screen.height / 3).max(1);
        let is_large = screen.width >= LARGE.0 && screen.height >= LARGE.1;
        let has_left = matches!(needs.alone, None | Some(Pane::Talk));
        let left_width = match (needs.alone, screen.width) {
            (Some(Pane::Board | Pane::Grid), width) => width,
            (Some(Pane::List | Pane::View), _) | (_, ..NARROW) => 0,
            (_, WIDE..) if is_large && needs.is_board_wide => 80,
            _ if is_large => 40,
            _ => 27,
        };
        let attention_height = u16::from(needs.has_attention);
        let heights = [Length(1), Fill(1), Length(1), Length(attention_height), Length(input_height)];
        let [title, content, status, attention, input] = Layout::vertical(heights).areas(screen);
        let [left, divider, right] =
            Layout::horizontal([Length(left_width), Length(u16::from(left_width > 0 && has_left)), Fill(1)])
                .areas(content);
        let listed = u16::try_from(needs.n_games).unwrap_or(u16::MAX).saturating_add(1);
        let heights = match (has_left, is_large) {
            (false, _) => [Length(content.height), Fill(1), Length(0)],
            // The board pane has room for moves below the board.
            (true, true) => [Min(24 + needs.lines_below_board), Max(listed.max(LEAST_GAMES)), Length(9)],
            (true, false) => [Length(15 + needs.lines_below_board), Fill(1), Length(0)],
        };
        let [board, games, meters] = Layout::vertical(heights).areas(left);
        let list_height = match needs.alone {
            Some(Pane::List | Pane::Talk) => right.height,
            Some(_) => 0,
            None if is_large => right.height * 2 / 5,
            // The boards of a desync need one row more than half.
            None => right.height.saturating_sub(1) / 2,
        };
        let [list, views] = Layout::vertical([Length(list_height), Fill(1)]).areas(right);
        let views = if is_large {
            let [left, event] = Layout::horizontal([Length(76.min(views.width / 3 * 2)), Fill(1)]).areas(views);
            let [frame, bytes] = Layout::vertical([Length(9), Fill(1)]).areas(left);
            vec![(DetailView::Bytes, bytes), (DetailView::Frame, frame), (DetailView::Event, event)]
        } else {
            vec![(needs.view, views)]
        };
        Self { title, board, games, meters, divider, list, views, status, attention, input }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_any_screen_are_on_it_and_apart() {
        for (width, height) in [(80, 24), (160, 50), (120, 40), (63, 20), (10, 3), (1, 1), (0, 0), (300, 100)] {
            let panes = [Pane::List, Pane::View, Pane::Board, Pane::Grid, Pane::Talk];
            for alone in panes.map(Some).into_iter().chain([None]) {
                let screen = Rect::new(0, 0, width, height);
                let needs = LayoutNeeds {
                    view: DetailView::Event,
                    alone,
                    n_games: usize::from(width % 5) * 7,
                    lines_below_board: height % 3,
                    is_board_wide: height % 2 == 0,
                    has_attention: width % 2 == 0,
                    n_input_lines: usize::from(width % 7),
                };
                let areas = ScreenAreas::divide(screen, needs);
                let mut parts = vec![
                    areas.attention,
                    areas.title,
                    areas.board,
                    areas.games,
                    areas.meters,
                    areas.divider,
                    areas.list,
                    areas.status,
                    areas.input,
                ];
                parts.extend(areas.views.iter().map(|(_, area)| *area));
                let covered: u32 = parts.iter().map(|part| part.area()).sum();
                assert_eq!(covered, screen.area(), "{width}x{height}");
                for (n, part) in parts.iter().enumerate().filter(|(_, part)| part.area() > 0) {
                    assert_eq!(part.intersection(screen), *part);
                    assert!(
                        parts[..n].iter().all(|other| !other.intersects(*part) || other.area() == 0),
                        "{width}x{height}"
                    );
                }
            }
        }
    }
}
