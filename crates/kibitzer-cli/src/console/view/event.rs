//! A row as it was parsed: every field.

use std::fmt::{self, Write as _};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::draw::{draw_lines, wrap_text};
use super::theme::Theme;
use crate::console::model::reply_matcher::ReplyMatch;
use crate::console::model::row::{Row, RowContent, SentLine};
use crate::output::TerminalSafe;

/// Bytes of what is printed. What is behind it can be seen in the other views.
const MAX_BYTES: usize = 64 << 10;

/// What it is.
pub(super) fn note(row: Option<&Row>) -> String {
    row.map_or_else(String::new, |row| format!("#{} {}", row.number, row.kind()))
}

/// Draws the fields, so many lines down; how far down they are.
pub(super) fn draw(buffer: &mut Buffer, area: Rect, theme: Theme, row: Option<&Row>, scroll: usize) -> usize {
    let Some(row) = row else { return 0 };
    let fields = fields(row);
    let lines: Vec<_> = fields.iter().flat_map(|field| broken(theme, field, area.width)).collect();
    let scroll = scroll.min(lines.len().saturating_sub(1));
    draw_lines(buffer, area, lines.into_iter().skip(scroll));
    scroll
}

fn fields(row: &Row) -> Vec<String> {
    match &row.content {
        RowContent::Event(event) => compact_debug(&printed(event), FIRST_FIELDS),
        RowContent::Sent(sent) => sent_fields(sent),
        RowContent::Mark(text) => vec![format!("Mark {text:?}")],
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

/// Every field of the event, as the library prints it.
fn printed(event: &kibitzer::core::Event) -> String {
    let mut printed = BoundedText(String::new());
    // It fails where the limit is reached, which is what it is for.
    if write!(printed, "{event:#?}").is_err() {
        printed.0.push_str("...");
    }
    printed.0
}

/// Text up to [`MAX_BYTES`].
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

/// A field, broken where the part ends, its name less loud than its value.
fn broken(theme: Theme, field: &str, width: u16) -> Vec<Line<'static>> {
    let shown = TerminalSafe(field).in_cells();
    if shown.chars().count() > usize::from(width) {
        return wrap_text(&shown, width, 0, usize::MAX, Style::new());
    }
    let spans = match shown.split_once(": ") {
        Some((name, value)) if !name.contains('"') => {
            vec![Span::styled(format!("{name}: "), theme.quiet()), Span::raw(value.to_owned())]
        }
        _ => vec![Span::raw(shown.into_owned())],
    };
    vec![Line::from(spans)]
}

/// Fields shorter than this stand on one line together.
const SHORT: usize = 32;

/// The fields that tell most, as far as an event has them.
const FIRST_FIELDS: &[&str] = &["message: ", "change: "];

/// Brings what `{:#?}` printed into fewer lines: what wraps one thing stands on its line, and commas at the end go. What
/// is in the outermost brackets, and in those of its first field if that has some, stands at the margin, the fields that
/// are named before the others.
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

/// A line of `{:#?}`, with the lines inside its brackets.
struct DebugNode<'a> {
    head: String,
    inside: Vec<Self>,
    close: &'a str,
}

impl<'a> DebugNode<'a> {
    /// Reads a line and what belongs to it. Strings have no line ends of their own; `Debug` has escaped them.
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

    /// Whether nothing is inside it.
    const fn is_leaf(&self) -> bool {
        self.inside.is_empty() && self.close.is_empty()
    }

    /// Whether it has fields, or wraps something that does.
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
    fn what_is_cut_off_is_no_harm() {
        assert_eq!(compact_debug("A {\n    x: 1,\n    b: Some(\n        C {\n...", &[]), ["x: 1", "b: Some(C { ... "]);
        assert_eq!(compact_debug(")\n}", &[]), [")", "}"]);
        assert!(!compact_debug(&"(\n".repeat(2_000), &[]).is_empty());
    }
}
