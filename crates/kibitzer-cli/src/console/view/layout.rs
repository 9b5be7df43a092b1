//! Layout of the screen.

use ratatui::layout::Rect;

/// Minimum size at which all three detail views are shown at once, and the squares of the board are large.
const LARGE: (u16, u16) = (120, 40);
/// Below this width, there is no board beside the list.
const NARROW: u16 = 64;

/// Areas of the screen. Parts that do not fit have an empty area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScreenAreas {
    pub(super) title: Rect,
    pub(super) board: Rect,
    pub(super) games: Rect,
    pub(super) meters: Rect,
    /// The vertical line between the sides.
    pub(super) divider: Rect,
    pub(super) list: Rect,
    pub(super) views: DetailAreas,
    pub(super) status: Rect,
    pub(super) input: Rect,
}

/// Areas of the detail views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DetailAreas {
    /// One view at a time.
    One(Rect),
    /// Side by side.
    All { bytes: Rect, frame: Rect, event: Rect },
}

impl ScreenAreas {
    pub(super) fn new(screen: Rect) -> Self {
        let (title, rest) = split_top(screen, 1);
        let (rest, input) = split_bottom(rest, 1);
        let (content, status) = split_bottom(rest, 1);
        let is_large = screen.width >= LARGE.0 && screen.height >= LARGE.1;
        let left_width = match screen.width {
            ..NARROW => 0,
            _ if is_large => 40,
            _ => 27,
        };
        let (left, rest) = split_left(content, left_width);
        let (divider, right) = split_left(rest, u16::from(left_width > 0));
        let (board, below) = split_top(left, if is_large { 24 } else { 15 });
        let (games, meters) = split_bottom(below, if is_large { 9 } else { 0 });
        let (list, views) =
            split_top(right, right.height.saturating_mul(if is_large { 2 } else { 1 }) / if is_large { 5 } else { 2 });
        let views = if is_large { DetailAreas::all(views) } else { DetailAreas::One(views) };
        Self { title, board, games, meters, divider, list, views, status, input }
    }
}

impl DetailAreas {
    fn all(area: Rect) -> Self {
        let (left, event) = split_left(area, 76.min(area.width / 3 * 2));
        let (frame, bytes) = split_top(left, 9);
        Self::All { bytes, frame, event }
    }
}

fn split_top(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    let rest = Rect { y: area.y + height, height: area.height - height, ..area };
    (Rect { height, ..area }, rest)
}

fn split_bottom(area: Rect, height: u16) -> (Rect, Rect) {
    split_top(area, area.height.saturating_sub(height))
}

fn split_left(area: Rect, width: u16) -> (Rect, Rect) {
    let width = width.min(area.width);
    let rest = Rect { x: area.x + width, width: area.width - width, ..area };
    (Rect { width, ..area }, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_any_screen_are_on_it_and_apart() {
        for (width, height) in [(80, 24), (160, 50), (120, 40), (63, 20), (10, 3), (1, 1), (0, 0), (300, 100)] {
            let screen = Rect::new(0, 0, width, height);
            let areas = ScreenAreas::new(screen);
            let mut parts = vec![
                areas.title,
                areas.board,
                areas.games,
                areas.meters,
                areas.divider,
                areas.list,
                areas.status,
                areas.input,
            ];
            match areas.views {
                DetailAreas::One(view) => parts.push(view),
                DetailAreas::All { bytes, frame, event } => parts.extend([bytes, frame, event]),
            }
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
