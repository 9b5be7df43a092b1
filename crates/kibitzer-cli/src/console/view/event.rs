//! Detail view of a row's event: every field, from its `Debug` output.

use std::fmt::{self, Write as _};

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::draw::{Canvas, wrap_text};
use super::theme::Theme;
use crate::console::model::{ConsoleRow, RowContent, SentLine};
use crate::filter::ReplyMatch;
use crate::output::TerminalSafe;

/// Maximum size of the `Debug` output; the other views show the whole line.
const MAX_BYTES: usize = 64 << 10;

/// Returns the title's note: number and kind of the row.
pub(super) fn note(row: Option<&ConsoleRow>) -> String {
    row.map_or_else(String::new, |row| format!("#{} {}", row.number, row.kind()))
}

/// Draws the fields. Returns the scroll offset, limited to the last line.
pub(super) fn draw(mut canvas: Canvas<'_>, row: Option<&ConsoleRow>, scroll: usize) -> usize {
    let Some(row) = row else { return 0 };
    let fields = fields(row);
    let lines: Vec<_> = fields.iter().flat_map(|field| field_lines(canvas.theme, field, canvas.area.width)).collect();
    let scroll = scroll.min(lines.len().saturating_sub(1));
    canvas.lines(lines.into_iter().skip(scroll));
    scroll
}

fn fields(row: &ConsoleRow) -> Vec<String> {
    match &row.content {
        RowContent::Event(event) => compact_debug(&printed(event), FIRST_FIELDS),
        RowContent::Sent(sent) => sent_fields(sent),
        RowContent::Bot(event) => compact_debug(&printed(event), &[]),
        RowContent::Mark(text) => vec![format!("Mark {text:?}")],
        RowContent::Gap(silence) => vec![format!("silence: {silence:?}")],
        RowContent::Disconnected => Vec::new(),
    }
}

fn sent_fields(sent: &SentLine) -> Vec<String> {
    let mut fields = vec![format!("line: {:?}", sent.text()), format!("secret: {}", sent.secret)];
    match &sent.reply {
        Some(ReplyMatch { after, row, confidence }) => {
            fields.extend([
                format!("reply: #{row}"),
                format!("after: {after:?}"),
                format!("confidence: {confidence:?}"),
            ]);
        }
        None => fields.push("reply: none".to_owned()),
    }
    fields
}

/// Returns the `Debug` output of an event, cut at [`MAX_BYTES`].
fn printed(event: &impl fmt::Debug) -> String {
    let mut printed = BoundedText(String::new());
    // Fails at the limit, by design of `BoundedText`.
    if write!(printed, "{event:#?}").is_err() {
        printed.0.push_str("...");
    }
    printed.0
}

/// A writer that fails beyond [`MAX_BYTES`].
struct BoundedText(String);

impl fmt::Write for BoundedText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_BYTES {
            let room = text.floor_char_boundary(MAX_BYTES - self.0.len());
            self.0.push_str(text.get(..room).unwrap_or_default());
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// Returns the lines of a field, its name dimmed.
fn field_lines(theme: Theme, field: &str, width: u16) -> Vec<Line<'static>> {
    let shown = TerminalSafe(field).in_cells();
    if shown.chars().count() > usize::from(width) {
        return wrap_text(&shown, width, 0, usize::MAX, Style::new());
    }
    let spans = match shown.split_once(": ") {
        Some((name, value)) if !name.contains('"') => {
            vec![Span::styled(format!("{name}: "), theme.dimmed()), Span::raw(value.to_owned())]
        }
        _ => vec![Span::raw(shown.into_owned())],
    };
    vec![Line::from(spans)]
}

/// Fields are joined on one line while they are shorter than this together.
const SHORT: usize = 32;

/// The most important fields, shown first.
const FIRST_FIELDS: &[&str] = &["message: ", "change: "];

/// Compacts `{:#?}` output: a wrapper shares the line of its content, and trailing commas are removed. The content of the
/// outermost brackets, and of its first field's, is unindented, the fields in `first` before the others.
fn compact_debug(printed: &str, first: &[&str]) -> Vec<String> {
    let mut lines = printed.lines().peekable();
    let mut nodes = Vec::new();
    while let Some(node) = DebugNode::read(&mut lines) {
        nodes.push(node);
    }
    for _ in 0..2 {
        if nodes.first().is_some_and(|node| node.is_struct() && !first.iter().any(|name| node.head.starts_with(name))) {
            let outer = nodes.remove(0);
            nodes.splice(0..0, outer.inside);
        }
    }
    nodes.sort_by_key(|node| first.iter().position(|name| node.head.starts_with(name)).unwrap_or(first.len()));
    let mut out = Vec::new();
    for node in nodes {
        node.write(0, &mut out);
    }
    out
}

/// A line of `{:#?}` output, with the lines nested in its brackets.
struct DebugNode<'a> {
    head: String,
    inside: Vec<Self>,
    close: &'a str,
}

impl<'a> DebugNode<'a> {
    /// Parses a line and its nested lines. Strings never contain line ends, because `Debug` escapes them.
    fn read(lines: &mut std::iter::Peekable<std::str::Lines<'a>>) -> Option<Self> {
        let line = lines.next()?.trim();
        let mut node = Self { head: line.trim_end_matches(',').to_owned(), inside: Vec::new(), close: "" };
        if !line.ends_with(['(', '{', '[']) {
            return Some(node);
        }
        while let Some(next) = lines.peek() {
            let next = next.trim().trim_end_matches(',');
            if matches!(next, ")" | "}" | "]") {
                node.close = next;
                lines.next();
                break;
            }
            node.inside.extend(Self::read(lines));
        }
        Some(node)
    }

    /// Returns whether nothing is nested in the line.
    const fn is_leaf(&self) -> bool {
        self.inside.is_empty() && self.close.is_empty()
    }

    /// Returns whether the line has fields, or wraps a struct.
    fn is_struct(&self) -> bool {
        self.head.ends_with('{') || matches!(&self.inside[..], [only] if only.head.ends_with('{'))
    }

    fn write(self, depth: usize, out: &mut Vec<String>) {
        let (mut head, mut inside, mut close) = (self.head, self.inside, self.close.to_owned());
        while head.ends_with('(')
            && inside.len() == 1
            && let Some(only) = inside.pop()
        {
            head.push_str(&only.head);
            close.insert_str(0, only.close);
            inside = only.inside;
            if inside.is_empty() {
                break;
            }
        }
        let indent = "  ".repeat(depth.min(20));
        if inside.is_empty() {
            out.push(format!("{indent}{head}{close}"));
            return;
        }
        let room: usize = inside.iter().map(|node| if node.is_leaf() { node.head.len() + 2 } else { SHORT }).sum();
        if room < SHORT && head.ends_with(['{', '(', '[']) {
            let fields = inside.iter().map(|node| node.head.as_str()).collect::<Vec<_>>().join(", ");
            let gap = if head.ends_with('{') { " " } else { "" };
            out.push(format!("{indent}{head}{gap}{fields}{gap}{close}"));
            return;
        }
        out.push(format!("{indent}{head}"));
        for node in inside {
            node.write(depth + 1, out);
        }
        out.push(format!("{indent}{close}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_stand_on_the_line_of_what_they_wrap() {
        let printed = "A {\n    id: G(\n        7,\n    ),\n    last: Some(\n        Move {\n            to: e4,\n        },\n    ),\n    \
            text: \"x (\",\n    none: [],\n    two: (\n        1,\n        2,\n    ),\n}";
        let want = "text: \"x (\"\nid: G(7)\nlast: Some(Move { to: e4 })\nnone: []\ntwo: (1, 2)";
        assert_eq!(compact_debug(printed, &["text: "]).join("\n"), want);
    }

    #[test]
    fn truncated_debug_output_is_compacted() {
        assert_eq!(compact_debug("A {\n    x: 1,\n    b: Some(\n        C {\n...", &[]), ["x: 1", "b: Some(C { ... "]);
        assert_eq!(compact_debug(")\n}", &[]), [")", "}"]);
        assert!(!compact_debug(&"(\n".repeat(2_000), &[]).is_empty());
    }
}
