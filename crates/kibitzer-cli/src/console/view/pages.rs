//! The pages that cover the panes: help, and the log of the program.

use std::iter::once;

use ratatui::text::{Line, Span};

use super::draw::{Canvas, LimitedScroll, wrap_text};
use super::theme::Theme;
use crate::console::app::{COMMANDS, KEY_GROUPS, KeyGroup, PAGE_KEY_GROUPS};
use crate::console::input::EDITING_KEYS;
use crate::log::newest_lines_if_on;

/// Draws the help page. Returns the scroll offset, limited to the last line.
pub(super) fn draw_help(canvas: Canvas<'_>, scroll: usize) -> LimitedScroll {
    let mut canvas = canvas.draw_heading("help", "Esc goes back");
    let lines = help_lines(canvas.theme);
    let scroll = scroll.min(lines.len().saturating_sub(canvas.area.height.into()));
    canvas.draw_lines(lines.into_iter().skip(scroll));
    scroll
}

/// Draws the log page, with its newest line at the bottom. `scroll` counts rows from there. Returns the scroll offset, limited to the oldest
/// kept line.
pub(super) fn draw_log(canvas: Canvas<'_>, rows_from_end: usize) -> LimitedScroll {
    let mut canvas = canvas.draw_heading("log", "Esc goes back");
    let height = usize::from(canvas.area.height);
    // A line takes at least one row.
    let n_rows = rows_from_end.saturating_add(height);
    let Some(lines) = newest_lines_if_on(n_rows) else {
        canvas.draw_lines(once(Line::raw("The log is off: start the program with --log LEVEL, such as --log debug.")));
        return 0;
    };
    let wrap = |line: &String| wrap_text(line, canvas.area.width).into_iter().rev();
    let newest_first: Vec<_> = lines.iter().flat_map(wrap).take(n_rows).collect();
    let rows_from_end = rows_from_end.min(newest_first.len().saturating_sub(height));
    let shown: Vec<_> = newest_first.into_iter().skip(rows_from_end).take(height).collect();
    canvas.draw_lines(shown.into_iter().rev());
    rows_from_end
}

/// Returns all lines of the help page.
fn help_lines(theme: Theme) -> Vec<Line<'static>> {
    let entry = |name: String, about: &'static str| {
        Line::from(vec![Span::styled(format!("  {name:<24} "), theme.emphasized()), Span::raw(about)])
    };
    let title = |text| Line::styled(text, theme.title());
    let mut lines = Vec::new();
    let of_group = |group: &KeyGroup| {
        let heading = (!group.title.is_empty()).then(|| title(group.title));
        heading.into_iter().chain(group.help_lines().map(|(keys, about)| entry(keys, about))).collect::<Vec<_>>()
    };
    lines.extend(KEY_GROUPS.iter().flat_map(of_group));
    lines.extend(EDITING_KEYS.map(|(keys, about)| entry(keys.to_owned(), about)));
    lines.extend(PAGE_KEY_GROUPS.iter().flat_map(of_group));
    lines.push(title("Commands"));
    let commands = COMMANDS.iter();
    lines.extend(commands.map(|command| entry(format!("{} {}", command.word, command.arguments), command.help)));
    lines.push(title("Expressions: all terms must match; - negates a term"));
    lines.extend(EXPRESSIONS.map(|(term, about)| entry(term.to_owned(), about)));
    lines
}

/// Terms of filter expressions and their meanings, for the help page.
const EXPRESSIONS: [(&str, &str); 6] = [
    ("kind:tell,say", "of one of these kinds, which Tab completes"),
    ("game:12,14", "about one of these games"),
    ("from:foo", "spoken by foo"),
    ("name:foo", "mentioning foo"),
    ("word text:word", "containing this text"),
    ("\"pattern\"", "matching a regular expression"),
];
