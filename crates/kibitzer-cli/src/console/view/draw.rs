//! Drawing helpers shared by all parts of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_truncate::UnicodeTruncateStr as _;

use super::theme::Theme;

/// A scroll offset, limited to the contents that were drawn, for the next frame.
pub(super) type LimitedScroll = usize;

/// An area of the screen that is drawn on, and the styles to draw with.
pub(super) struct Canvas<'a> {
    buffer: &'a mut Buffer,
    pub(super) area: Rect,
    pub(super) theme: Theme,
}

impl<'a> Canvas<'a> {
    /// Creates a canvas for an area of the screen.
    pub(super) const fn new(buffer: &'a mut Buffer, area: Rect, theme: Theme) -> Self {
        Self { buffer, area, theme }
    }

    /// Returns a canvas for another area of the same screen.
    pub(super) const fn sub_canvas(&mut self, area: Rect) -> Canvas<'_> {
        Canvas { buffer: self.buffer, area, theme: self.theme }
    }

    /// Draws a title and a note in the first row. Returns the canvas below it.
    pub(super) fn draw_heading(self, title: &str, note: &str) -> Self {
        self.draw_tabs(&[(title, true)], note)
    }

    /// Draws titles, of which those with `true` are highlighted, and a note in the first row. Returns the canvas below it.
    pub(super) fn draw_tabs(mut self, names: &[(&str, bool)], note: &str) -> Self {
        if self.area.is_empty() {
            return self;
        }
        let dimmed = self.theme.dimmed();
        let mut spans = vec![Span::styled("\u{2500} ", dimmed)];
        for &(name, is_chosen) in names {
            spans.push(Span::styled(name.to_owned(), if is_chosen { self.theme.title() } else { dimmed }));
            spans.push(Span::raw(" "));
        }
        // Separates several titles from the note.
        let gap = if names.len() > 1 { "\u{2500} " } else { "" };
        spans.push(Span::styled(format!("{gap}{note}{}", if note.is_empty() { "" } else { " " }), dimmed));
        spans.push(Span::styled("\u{2500}".repeat(self.area.width.into()), dimmed));
        self.draw_line(0, &Line::from(spans));
        self.area = Rect { y: self.area.y + 1, height: self.area.height - 1, ..self.area };
        self
    }

    /// Draws a line in a row, counted from 0; rows outside of the canvas are ignored.
    pub(super) fn draw_line(&mut self, row: usize, line: &Line<'_>) {
        if let Some(row) = u16::try_from(row).ok().filter(|row| *row < self.area.height) {
            self.buffer.set_line(self.area.x, self.area.y + row, line, self.area.width);
        }
    }

    /// Draws lines from the top, as many as fit.
    pub(super) fn draw_lines<'b>(&mut self, lines: impl IntoIterator<Item = Line<'b>>) {
        for (row, line) in lines.into_iter().take(self.area.height.into()).enumerate() {
            self.draw_line(row, &line);
        }
    }

    /// Highlights a row of the canvas, counted from 0, as the selected one.
    pub(super) fn highlight_row(&mut self, row: usize) {
        let y = self.area.y + u16::try_from(row).unwrap_or(0);
        self.buffer.set_style(Rect { y, height: 1, ..self.area }, self.theme.selected());
    }
}

/// Wraps text into lines of `width` characters, also inside of words. Lines of wide characters may be cut when drawn.
pub(super) fn wrap_text(text: &str, width: u16) -> Vec<Line<'static>> {
    wrap_spans(&[(text, Style::new())], width)
}

/// Wraps text in several styles; see [`wrap_text`].
pub(super) fn wrap_spans(parts: &[(&str, Style)], width: u16) -> Vec<Line<'static>> {
    let characters = parts.iter().flat_map(|(text, style)| text.chars().map(move |character| (character, *style)));
    let characters: Vec<_> = characters.collect();
    let line = |line: &[(char, Style)]| {
        let runs = line.chunk_by(|(_, one), (_, other)| one == other);
        let span = |run: &[(char, Style)]| {
            let style = run.first().map_or_else(Style::new, |(_, style)| *style);
            Span::styled(run.iter().map(|(character, _)| *character).collect::<String>(), style)
        };
        runs.map(span).collect::<Line<'_>>()
    };
    characters.chunks(usize::from(width.max(1))).map(line).collect()
}

/// Wraps text into rows of at most `cells` cells, at blanks where there are some. A row has at least one character.
pub(super) fn wrap_words(text: &str, cells: usize) -> Vec<&str> {
    let mut rows = Vec::new();
    let mut rest = text;
    loop {
        let fits = rest.unicode_truncate(cells).0.len();
        if fits == rest.len() {
            rows.extend(Some(rest).filter(|rest| rows.is_empty() || !rest.is_empty()));
            return rows;
        }
        let blank = rest.get(..=fits).unwrap_or(rest.get(..fits).unwrap_or_default()).rfind(' ').filter(|at| *at > 0);
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let (row, after) = rest.split_at_checked(blank.unwrap_or(fits.max(first))).unwrap_or((rest, ""));
        rows.push(row);
        rest = after.trim_start_matches(' ');
    }
}

/// Returns numbers as a sparkline, one character each, scaled to the largest.
pub(super) fn sparkline(numbers: impl IntoIterator<Item = u64>) -> String {
    const STEPS: [char; 9] =
        [' ', '\u{2581}', '\u{2582}', '\u{2583}', '\u{2584}', '\u{2585}', '\u{2586}', '\u{2587}', '\u{2588}'];
    let numbers: Vec<_> = numbers.into_iter().collect();
    let largest = numbers.iter().copied().max().unwrap_or(0).max(1);
    let step = |number: u64| (u128::from(number) * 8).div_ceil(u128::from(largest));
    numbers.into_iter().filter_map(|number| STEPS.get(usize::try_from(step(number)).ok()?)).collect()
}

/// Formats a count in up to five characters: from 10,000 on in thousands (`k`), from ten million on in millions (`M`).
pub(super) fn short_count(number: u64) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..10_000_000 => format!("{}k", number / 1_000),
        _ => format!("{}M", number / 1_000_000),
    }
}

/// Replaces every non-ASCII character of the screen with a similar ASCII character, or with `?` if no character is similar.
pub(super) fn convert_to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let character = cell.symbol().chars().next().map_or(' ', ascii_lookalike);
            cell.set_char(character);
        }
    }
}

/// Returns an ASCII character that looks similar; `?` if there is none.
const fn ascii_lookalike(character: char) -> char {
    match character {
        '\u{2502}' => '|',
        '\u{253c}' => '+',
        '\u{25b8}' => '>',
        '\u{d7}' => 'x',
        '\u{b7}' => '.',
        '\u{b5}' => 'u',
        '\u{2581}' | '\u{2582}' => '_',
        '\u{2500}' | '\u{2583}' | '\u{2584}' => '-',
        '\u{2585}' | '\u{2586}' => '=',
        '\u{2587}' | '\u{2588}' => '#',
        _ => '?',
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
    fn words_are_wrapped_at_blanks_and_within_cells() {
        assert_eq!(wrap_words("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrap_words("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap_words("abcdefgh ij", 3), ["abc", "def", "gh", "ij"]);
        assert_eq!(wrap_words("", 5), [""]);
        assert_eq!(wrap_words("a\u{4e16}b\u{754c}", 1), ["a", "\u{4e16}", "b", "\u{754c}"]);
        assert_eq!(wrap_words("abc", 0), ["a", "b", "c"]);
    }

    #[test]
    fn long_text_is_broken() {
        let lines = |width| wrap_text("abcdefgh", width).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(lines(3), ["abc", "def", "gh"]);
        assert_eq!(lines(8), ["abcdefgh"]);
        assert_eq!(lines(0).len(), 8);
    }
}
