//! Detail views of a row's frame: its class, position and line; and its bytes.

use std::ops::Range;

use kibitzer_core::Event;
use kibitzer_core::game::Desync;
use kibitzer_core::message::Received;
use kibitzer_core::text::decode_received;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::draw::{Canvas, LimitedScroll, wrap_text};
use super::theme::Theme;
use crate::console::model::{ConsoleRow, RowContent, Search, SessionModel};
use crate::output::TerminalSafe;

/// Maximum number of bytes of a line that the view shows; the hex view shows all.
const MAX_BYTES: usize = 16 << 10;

/// Maximum number of bytes shown after a frame, such as line ends and blanks.
const MAX_GAP: u64 = 64;
/// Maximum number of later rows searched for the start of the next frame.
const ROWS_AHEAD: u64 = 16;

/// Draws the properties of the frame, then the line; of a desync, that of the contradicting message. Returns the scroll offset, limited to the last line.
pub(super) fn draw_frame(
    mut canvas: Canvas<'_>,
    model: &SessionModel,
    row: &ConsoleRow,
    scroll: usize,
) -> LimitedScroll {
    let Canvas { area, theme, .. } = canvas;
    let properties = frame_properties(row).into_iter().map(|(name, fact)| {
        let fact = TerminalSafe(&fact).in_cells().into_owned();
        Line::from(vec![Span::styled(format!("{name:<8}"), theme.dimmed()), Span::raw(fact)])
    });
    let line = wrap_text(&TerminalSafe(&row_text(model.message_row_or_self(row))).in_cells(), area.width);
    let scroll = scroll.min(line.len().saturating_sub(1));
    canvas.draw_lines(properties.chain(line.into_iter().skip(scroll)));
    scroll
}

/// Returns the text of a row; of an event, its line up to 16 KiB.
pub(crate) fn row_text(row: &ConsoleRow) -> String {
    match &row.content {
        RowContent::Event(event) => {
            let raw = event.raw();
            decode_received(raw.get(..MAX_BYTES).unwrap_or(raw)).into_owned()
        }
        RowContent::Sent(sent) => sent.text_or_mask(),
        RowContent::Bot(event) => event.to_string(),
        RowContent::Mark(text) | RowContent::Stored(_, text) => text.clone(),
        RowContent::Gap(_) | RowContent::Disconnected => row.summary_line(),
    }
}

/// Returns the properties of a row's frame, as names and values.
pub(crate) fn frame_properties(row: &ConsoleRow) -> Vec<(&'static str, String)> {
    match &row.content {
        RowContent::Event(event) => match event {
            Event::Received { received, .. } => received_properties(event, received),
            Event::Desync(Desync { offset, .. }) | Event::Missed { offset, .. } => {
                vec![("class", "none; found by the games".to_owned()), ("offset", offset.to_string())]
            }
            _ => vec![("class", "none; of the connection".to_owned())],
        },
        RowContent::Sent(sent) => {
            let reply = sent.reply.as_ref().map_or_else(|| "none yet".to_owned(), ToString::to_string);
            vec![("class", "line sent".to_owned()), ("answer", reply)]
        }
        RowContent::Bot(_) => vec![("class", "none; of the bot".to_owned())],
        RowContent::Mark(_) => vec![("class", "mark".to_owned())],
        RowContent::Stored(..) => vec![("class", "none; of the session".to_owned())],
        RowContent::Gap(_) | RowContent::Disconnected => vec![("class", "none; of the console".to_owned())],
    }
}

/// Returns class, stream positions and length of a received frame.
fn received_properties(event: &Event, received: &Received) -> Vec<(&'static str, String)> {
    let (from, to) = (received.offset, received.end());
    let bell = if received.has_bell() { ", bell" } else { "" };
    let length = match event.raw().len() {
        0 => String::new(),
        n => format!("; line of {n}"),
    };
    vec![
        ("class", frame_class(event, received)),
        ("offset", format!("{from} to {to}: {} bytes{length}{bell}", to.saturating_sub(from))),
    ]
}

/// Returns the class of a frame: a line, with its tag, or the kind of a frame without a line.
fn frame_class(event: &Event, received: &Received) -> String {
    match received.raw().split_inclusive(|&byte| byte == b'>').next() {
        None => event.kind().as_str().replace('_', " "),
        Some(tag @ [b'<', .., b'>']) if tag.len() <= 5 => format!("line with tag {}", decode_received(tag)),
        Some(_) => "line".to_owned(),
    }
}

/// A byte of the hex view, and whether it belongs to the frame of the row; otherwise it follows the frame.
type ByteCell = (u8, bool);

/// Draws the bytes in hexadecimal and as characters, and highlights those that the last search found. Returns the scroll offset,
/// limited to the last line.
pub(super) fn draw_bytes(
    mut canvas: Canvas<'_>,
    model: &SessionModel,
    row: &ConsoleRow,
    search: Option<&Search>,
    scroll: usize,
) -> LimitedScroll {
    let Canvas { area, theme, .. } = canvas;
    let row = model.message_row_or_self(row);
    let (start, cells) = byte_cells(model, row);
    if cells.is_empty() {
        canvas.draw_line(0, &Line::styled(why_no_bytes(row), theme.dimmed()));
        return 0;
    }
    let found = search.and_then(|search| search.match_range(model, row)).unwrap_or_default();
    let per_line = bytes_per_line(area.width);
    let scroll = scroll.min(cells.len().div_ceil(per_line) - 1);
    let styled = cells.iter().enumerate().map(|(at, &(byte, is_own))| {
        let style = byte_style(theme, byte, is_own);
        (byte, if found.contains(&at) { style.patch(theme.selected()) } else { style })
    });
    let styled: Vec<_> = styled.collect();
    let lines = (start..).step_by(per_line).zip(styled.chunks(per_line)).skip(scroll).take(area.height.into());
    canvas.draw_lines(lines.map(|(offset, cells)| hex_line(theme, offset, cells, per_line)));
    scroll
}

/// Returns why a row has no bytes to show.
fn why_no_bytes(row: &ConsoleRow) -> &'static str {
    match &row.content {
        RowContent::Sent(sent) if sent.secret => "secret",
        RowContent::Event(_) if row.frame_range().is_some() => "no longer kept",
        _ => "none",
    }
}

/// Returns the title's note: the number of bytes.
pub(super) fn bytes_note(model: &SessionModel, row: &ConsoleRow) -> String {
    let row = model.message_row_or_self(row);
    match &row.content {
        RowContent::Event(_) => row.frame_range().map_or_else(String::new, |Range { start: from, end: to }| {
            let gap = end_of_unframed_bytes(model, row, to) - to;
            let gap = if gap > 0 { format!(", {gap} after it") } else { String::new() };
            format!("{} in the frame{gap}", to.saturating_sub(from))
        }),
        RowContent::Sent(sent) if !sent.secret => format!("{} sent", sent.bytes.len()),
        _ => String::new(),
    }
}

/// Returns the bytes per line: 16, 8 or 4, depending on the width.
const fn bytes_per_line(width: u16) -> usize {
    match width {
        75.. => 16,
        42.. => 8,
        _ => 4,
    }
}

/// Returns the bytes of a row that are still stored, with those between its frame and the next one, and the offset of the first.
/// The offset counts from the start of the connection; of a sent line, from its start. A row without bytes has no cells.
fn byte_cells(model: &SessionModel, row: &ConsoleRow) -> (u64, Vec<ByteCell>) {
    match &row.content {
        RowContent::Sent(sent) => (0, sent.bytes.iter().map(|&byte| (byte, true)).collect()),
        RowContent::Event(_) => row.frame_range().map_or((0, Vec::new()), |Range { start: from, end: to }| {
            let (start, bytes) = model.bytes.get(from..end_of_unframed_bytes(model, row, to));
            let cells = (start..).zip(bytes).map(|(at, byte)| (byte, at < to)).collect();
            (start.saturating_sub(row.base), cells)
        }),
        _ => (0, Vec::new()),
    }
}

/// Returns the position up to which the bytes after a frame, which ends at `end`, belong to no other frame; at most 64 bytes
/// later, and `end` itself if none of the next 16 rows has a later frame.
fn end_of_unframed_bytes(model: &SessionModel, row: &ConsoleRow, end: u64) -> u64 {
    let later = (row.number + 1..=row.number + ROWS_AHEAD).filter_map(|number| model.rows.get(number));
    let next = later.filter_map(ConsoleRow::frame_range).map(|frame| frame.start).find(|from| *from >= end);
    next.unwrap_or(end).min(end.saturating_add(MAX_GAP))
}

/// Returns a line of the hex view: offset, bytes in hexadecimal, and as characters.
fn hex_line(theme: Theme, offset: u64, cells: &[(u8, Style)], per_line: usize) -> Line<'static> {
    let mut spans = vec![Span::styled(format!("{offset:08x}  "), theme.dimmed())];
    spans.extend(cells.iter().map(|&(byte, style)| Span::styled(format!("{byte:02x} "), style)));
    let gap = (per_line - cells.len()) * 3 + 1;
    spans.push(Span::raw(" ".repeat(gap)));
    spans.extend(cells.iter().map(|&(byte, style)| {
        let character = if matches!(byte, b' '..=b'~') { char::from(byte) } else { '.' };
        Span::styled(character.to_string(), style)
    }));
    Line::from(spans)
}

/// Returns the style of a byte; `own` is whether it belongs to the frame of the row.
fn byte_style(theme: Theme, byte: u8, own: bool) -> Style {
    match (own, byte) {
        (false, _) => theme.dimmed(),
        (true, b' '..=b'~') => Style::new(),
        (true, _) => theme.accent(),
    }
}
