//! Hex view of a row's bytes.

use std::ops::Range;

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::draw::{Canvas, LimitedScroll};
use super::theme::Theme;
use crate::console::app::App;
use crate::console::model::{ConsoleRow, RowContent, SessionModel};

/// Maximum number of bytes shown after a frame, such as line ends and blanks.
const MAX_GAP: u64 = 64;
/// Maximum number of later rows searched for the start of the next frame.
const ROWS_AHEAD: u64 = 16;

/// A byte of the hex view, and whether it belongs to the frame of the row; otherwise it follows the frame.
type ByteCell = (u8, bool);

/// Draws the bytes in hexadecimal and as characters, and highlights the byte cursor and its field, or the fields that contradict
/// a game. Returns the scroll offset, limited to the last line, and to lines that show the cursor.
pub(super) fn draw(mut canvas: Canvas<'_>, app: &App, row: Option<&ConsoleRow>, scroll: usize) -> LimitedScroll {
    let model = &app.model;
    let Canvas { area, theme, .. } = canvas;
    let contradicting = row.map_or_else(Vec::new, |row| model.contradicting_fields(row));
    let row = row.map(|row| model.message_row_or_self(row));
    let (start, cells) = row.map_or((0, Vec::new()), |row| byte_cells(model, row));
    if cells.is_empty() {
        canvas.draw_line(0, &Line::styled(why_no_bytes(row), theme.dimmed()));
        return 0;
    }
    let per_line = bytes_per_line(area.width);
    let cursor = app.byte_cursor();
    let mut scroll = scroll.min(cells.len().div_ceil(per_line) - 1);
    if let Some(line) = cursor.map(|at| at / per_line) {
        scroll = scroll.clamp((line + 1).saturating_sub(area.height.into()), line);
    }
    let selected = app.field_at_cursor().map_or(contradicting, |field| vec![field]);
    let styled = cells.iter().enumerate().map(|(at, &(byte, is_own))| {
        let style = byte_style(theme, byte, is_own);
        let is_selected = selected.iter().any(|field| field.in_frame.contains(&at));
        let style = if is_selected { style.patch(theme.selected()) } else { style };
        (byte, if cursor == Some(at) { style.add_modifier(Modifier::REVERSED | Modifier::UNDERLINED) } else { style })
    });
    let styled: Vec<_> = styled.collect();
    let lines = (start..).step_by(per_line).zip(styled.chunks(per_line)).skip(scroll).take(area.height.into());
    canvas.draw_lines(lines.map(|(offset, cells)| hex_line(theme, offset, cells, per_line)));
    scroll
}

/// Returns why there are no bytes to show.
fn why_no_bytes(row: Option<&ConsoleRow>) -> &'static str {
    match row.map(|row| &row.content) {
        Some(RowContent::Sent(sent)) if sent.secret => "secret",
        Some(RowContent::Event(_)) if row.is_some_and(|row| row.frame_range().is_some()) => "no longer kept",
        _ => "none",
    }
}

/// Returns the title's note: the number of bytes; with a byte cursor, its field and position.
pub(super) fn title_note(app: &App, row: &ConsoleRow) -> String {
    let model = &app.model;
    let row = model.message_row_or_self(row);
    if let Some(at) = app.byte_cursor() {
        let field = app.field_at_cursor().map_or_else(|| "between fields".to_owned(), |field| field.name);
        return format!("{field}, {:08x}", row.position_in_connection(at));
    }
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
