//! Small things all parts of the screen are drawn with.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::theme::Theme;

/// Draws the title of a part in its first row; what is left of it.
pub(super) fn draw_heading(buffer: &mut Buffer, area: Rect, theme: Theme, title: &str, note: &str) -> Rect {
    draw_tabs(buffer, area, theme, &[(title, true)], note)
}

/// Draws a title of several names in the first row of a part, of which some are chosen; what is left of the part.
pub(super) fn draw_tabs(buffer: &mut Buffer, area: Rect, theme: Theme, names: &[(&str, bool)], note: &str) -> Rect {
    if area.is_empty() {
        return area;
    }
    let mut spans = vec![Span::styled("\u{2500} ", theme.quiet())];
    for &(name, is_chosen) in names {
        spans.push(Span::styled(name.to_owned(), if is_chosen { theme.title() } else { theme.quiet() }));
        spans.push(Span::raw(" "));
    }
    // Several names end where the note begins.
    let gap = if names.len() > 1 { "\u{2500} " } else { "" };
    spans.push(Span::styled(format!("{gap}{note}{}", if note.is_empty() { "" } else { " " }), theme.quiet()));
    spans.push(Span::styled("\u{2500}".repeat(area.width.into()), theme.quiet()));
    draw_line(buffer, area, 0, &Line::from(spans));
    Rect { y: area.y + 1, height: area.height - 1, ..area }
}

/// Draws a line in a row of a part, counted from 0; a row that the part does not have is not drawn.
pub(super) fn draw_line(buffer: &mut Buffer, area: Rect, row: usize, line: &Line<'_>) {
    if let Some(row) = u16::try_from(row).ok().filter(|row| *row < area.height) {
        buffer.set_line(area.x, area.y + row, line, area.width);
    }
}

/// Draws lines from the top of a part.
pub(super) fn draw_lines<'a>(buffer: &mut Buffer, area: Rect, lines: impl IntoIterator<Item = Line<'a>>) {
    for (row, line) in lines.into_iter().take(area.height.into()).enumerate() {
        draw_line(buffer, area, row, &line);
    }
}

/// Text in lines of so many characters, from the line `skipped` on, as many as are asked for. Wide characters may make a
/// line too wide, and are then cut.
pub(super) fn wrap_text(text: &str, width: u16, skipped: usize, n: usize, style: Style) -> Vec<Line<'static>> {
    let width = usize::from(width.max(1));
    let mut rest = text.chars().skip(skipped.saturating_mul(width));
    let mut lines = Vec::new();
    while lines.len() < n {
        let line: String = rest.by_ref().take(width).collect();
        if line.is_empty() {
            break;
        }
        lines.push(Line::styled(line, style));
    }
    lines
}

/// Numbers as a curve of one row, the largest of them at full height.
pub(super) fn sparkline(numbers: impl IntoIterator<Item = u64>) -> String {
    const STEPS: [char; 9] =
        [' ', '\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];
    let numbers: Vec<_> = numbers.into_iter().collect();
    let largest = numbers.iter().copied().max().unwrap_or(0).max(1);
    let step = |number: u64| (u128::from(number) * 8).div_ceil(u128::from(largest));
    numbers.into_iter().filter_map(|number| STEPS.get(usize::try_from(step(number)).ok()?)).collect()
}

/// A count in four characters or so.
pub(super) fn short_count(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}M", number / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_as_high_as_its_largest_number() {
        assert_eq!(sparkline([0, 1, 50, 100]), " \u{2581}\u{2584}\u{2588}");
        assert_eq!(sparkline([0, 0]), "  ");
        assert_eq!(sparkline([u64::MAX]), "\u{2588}");
        assert_eq!(sparkline([]), "");
    }

    #[test]
    fn long_text_is_broken_and_found_again() {
        let lines = |skipped, n| {
            wrap_text("abcdefgh", 3, skipped, n, Style::new()).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(lines(0, 9), ["abc", "def", "gh"]);
        assert_eq!(lines(1, 1), ["def"]);
        assert_eq!(lines(9, 9), [""; 0]);
    }
}
