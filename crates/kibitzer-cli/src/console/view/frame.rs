//! Detail view of a row's frame: its class, position and line.

use std::ops::Range;

use kibitzer::core::Event;
use kibitzer::core::game::Desync;
use kibitzer::core::message::{Control, Message, Received};
use kibitzer::core::text::decode_received;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::draw::{Canvas, LimitedScroll, wrap_spans};
use crate::console::app::App;
use crate::console::model::{ConsoleRow, FrameField, RowContent};
use crate::output::{TerminalSafe, hex_digits};

/// Maximum number of bytes of a line that the view shows; the hex view shows all.
const MAX_BYTES: usize = 16 << 10;

/// Maximum number of bytes that are shown after the name of the field at the cursor.
const MAX_FIELD_BYTES: usize = 12;

/// Draws the properties of the frame and of the field at the byte cursor, then the line, with that field highlighted. Returns the scroll
/// offset, limited to the last line.
pub(super) fn draw(mut canvas: Canvas<'_>, app: &App, row: Option<&ConsoleRow>, scroll: usize) -> LimitedScroll {
    let Some(row) = row else { return 0 };
    let Canvas { area, theme, .. } = canvas;
    let field = app.field_at_cursor();
    let selected = field
        .as_ref()
        .map(|field| ("field", describe_field(field, app.model.message_row_or_self(row), &app.model.row_bytes(row))));
    let frame_fields = frame_properties(row).into_iter().chain(selected).map(|(name, fact)| {
        Line::from(vec![
            Span::styled(format!("{name:<8}"), theme.dimmed()),
            Span::raw(TerminalSafe(&fact).in_cells().into_owned()),
        ])
    });
    let frame_fields: Vec<_> = frame_fields.collect();
    let parts = split_text_at_field(app.model.message_row_or_self(row), field.map_or(0..0, |field| field.in_line))
        .map(|text| TerminalSafe(&text).in_cells().into_owned());
    let [before, field, after] = &parts;
    let styled = [(before.as_str(), Style::new()), (field, theme.selected()), (after, Style::new())];
    let line = wrap_spans(&styled, area.width);
    let scroll = scroll.min(line.len().saturating_sub(1));
    canvas.draw_lines(frame_fields.into_iter().chain(line.into_iter().skip(scroll)));
    scroll
}

/// Returns the name of a field, its position in the stream and its first bytes.
fn describe_field(field: &FrameField, row: &ConsoleRow, frame: &[u8]) -> String {
    let Range { start, end } = field.in_frame;
    let bytes = frame.get(start..end.min(start + MAX_FIELD_BYTES)).unwrap_or_default();
    let more = if end - start > MAX_FIELD_BYTES { " ..." } else { "" };
    format!(
        "{}: {} to {}: {}{more}",
        field.name,
        row.position_in_connection(start),
        row.position_in_connection(end),
        hex_digits(bytes, " ")
    )
}

/// Returns the text of a row, up to 16 KiB of an event's line, in three parts: before a field, the field, and after it. `field`
/// is the range of its bytes in the line. A row without an event is the first part as a whole.
fn split_text_at_field(row: &ConsoleRow, field: Range<usize>) -> [String; 3] {
    let text = match &row.content {
        RowContent::Event(event) => {
            let raw = event.raw();
            let raw = raw.get(..MAX_BYTES).unwrap_or(raw);
            let (start, end) = (field.start.min(raw.len()), field.end.min(raw.len()));
            let ranges = [0..start, start..end, end..raw.len()];
            return ranges.map(|range| decode_received(raw.get(range).unwrap_or_default()).into_owned());
        }
        RowContent::Sent(sent) => sent.text_or_mask(),
        RowContent::Bot(event) => event.to_string(),
        RowContent::Mark(text) => text.clone(),
        RowContent::Gap(_) | RowContent::Disconnected => row.summary_line(),
    };
    [text, String::new(), String::new()]
}

/// Returns the properties of a row's frame, as names and values.
fn frame_properties(row: &ConsoleRow) -> Vec<(&'static str, String)> {
    match &row.content {
        RowContent::Event(event) => match event {
            Event::Received { received, .. } => received_properties(received, event.raw().len()),
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
        RowContent::Gap(_) | RowContent::Disconnected => vec![("class", "none; of the console".to_owned())],
    }
}

/// Returns class, stream positions and length of a received frame.
fn received_properties(received: &Received, line_bytes: usize) -> Vec<(&'static str, String)> {
    let (from, to) = (received.offset, received.end());
    let bell = if received.bell { ", bell" } else { "" };
    let length = match line_bytes {
        0 => String::new(),
        n => format!("; line of {n}"),
    };
    vec![
        ("class", frame_class(received)),
        ("offset", format!("{from} to {to}: {} bytes{length}{bell}", to.saturating_sub(from))),
    ]
}

/// Returns the class of a frame, in words.
fn frame_class(received: &Received) -> String {
    match &received.message {
        Message::Control(Control::Prompt) => "prompt".to_owned(),
        Message::Control(Control::LoginPrompt) => "login prompt".to_owned(),
        Message::Control(Control::PasswordPrompt) => "password prompt".to_owned(),
        Message::Control(Control::GuestPrompt(name)) => format!("guest prompt for {name}"),
        Message::Control(Control::BlockStart { id, code }) => format!("block {id} begins, command {code}"),
        Message::Control(Control::BlockEnd { id, complete: true }) => format!("block {id} ends"),
        Message::Control(Control::BlockEnd { id, .. }) => format!("block {id} is cut"),
        Message::Control(Control::Telnet { command, option }) => {
            let option = option.map_or_else(String::new, |option| format!(" {option}"));
            format!("telnet command {command}{option}")
        }
        Message::Control(Control::Ping) => "timeseal ping".to_owned(),
        Message::Datagram(_) => "level-2 unit".to_owned(),
        Message::Control(Control::UnitStart(_)) => "level-1 unit begins".to_owned(),
        Message::Control(Control::UnitEnd) => "level-1 unit ends".to_owned(),
        Message::Control(Control::Overflow) => "output dropped".to_owned(),
        Message::OverLong(line) => format!("over-long line of {} bytes", line.length),
        _ => match received.raw().split_inclusive(|&byte| byte == b'>').next() {
            Some(tag @ [b'<', .., b'>']) if tag.len() <= 5 => format!("line with tag {}", decode_received(tag)),
            _ => "line".to_owned(),
        },
    }
}
