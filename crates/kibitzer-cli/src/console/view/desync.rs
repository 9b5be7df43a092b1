//! View of a desync: the expected and the received board side by side, the move, and the line with its contradicting fields.

use std::ops::Range;

use kibitzer_core::Event;
use kibitzer_core::game::{Desync, DesyncReason};
use kibitzer_core::message::Message;
use kibitzer_core::text::decode_received;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::board::draw_compared_board;
use super::draw::{Canvas, LimitedScroll, wrap_spans, wrap_text};
use crate::console::model::ConsoleRow;
use crate::output::{TerminalSafe, numbered_move};

/// Width of one of the two boards, with a free column after it.
const BOARD_CELLS: u16 = 20;
/// Height of the boards, with the headings above and the labels below.
const BOARD_LINES: u16 = 10;
/// Minimum width, beside the boards, for the list of differing squares.
const LEAST_BESIDE: u16 = 6;

/// Draws the boards if there is room and nothing is scrolled, and the text below them. `message` is the row of the contradicting
/// message. Returns the scroll offset, limited to the last line.
pub(super) fn draw(mut canvas: Canvas<'_>, message: &ConsoleRow, desync: &Desync, scroll: usize) -> LimitedScroll {
    let area = canvas.area;
    let has_room = area.width >= 2 * BOARD_CELLS && area.height >= BOARD_LINES;
    let top = if has_room && scroll == 0 { BOARD_LINES } else { 0 };
    let played = reported_move(message);
    if top > 0 {
        draw_both_boards(canvas.sub_canvas(Rect { height: top, ..area }), desync, played.as_deref());
    }
    let lines = explanation_lines(&canvas, message, desync);
    let scroll = scroll.min(lines.len());
    let below = Rect { y: area.y + top, height: area.height - top, ..area };
    canvas.sub_canvas(below).draw_lines(lines.into_iter().skip(scroll.saturating_sub(usize::from(has_room))));
    scroll
}

/// Draws both boards with their headings, and the differing squares beside them.
fn draw_both_boards(mut canvas: Canvas<'_>, desync: &Desync, played: Option<&str>) {
    let (area, theme) = (canvas.area, canvas.theme);
    let squares = desync.differing_squares().unwrap_or_default();
    let expected = played.map_or_else(|| "expected".to_owned(), |played| format!("after {played}"));
    let received = if desync.actual.is_some() { "received" } else { "no board received" };
    let sides = [(0, &*expected, &desync.expected), (BOARD_CELLS, received, &desync.actual)];
    for (x, heading, position) in sides {
        let mut side = canvas.sub_canvas(Rect { x: area.x + x, width: BOARD_CELLS - 1, ..area });
        side.draw_line(0, &Line::styled(format!("  {heading}"), theme.emphasized()));
        if let Some(position) = position {
            let squares_area = Rect { y: side.area.y + 1, height: side.area.height - 1, ..side.area };
            draw_compared_board(side.sub_canvas(squares_area), &position.board, &squares);
        }
    }
    let beside = Rect { x: area.x + 2 * BOARD_CELLS, width: area.width - 2 * BOARD_CELLS, ..area };
    if !squares.is_empty() && beside.width >= LEAST_BESIDE {
        let names = squares.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let names = wrap_spans(&[(&names, theme.accent())], beside.width / 3 * 3);
        canvas.sub_canvas(beside).draw_lines(std::iter::once(Line::styled("differ", theme.dimmed())).chain(names));
    }
}

/// Returns the reason, the positions, and the line of the message with its contradicting fields highlighted.
fn explanation_lines(canvas: &Canvas<'_>, message: &ConsoleRow, desync: &Desync) -> Vec<Line<'static>> {
    let (theme, width) = (canvas.theme, canvas.area.width);
    let squares = desync.differing_squares();
    let squares = squares.map(|squares| squares.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    let facts = [
        Some(desync.reason.to_string()),
        reported_move(message).map(|played| format!("move: {played}")),
        desync.expected.as_ref().map(|expected| format!("expected: {expected}")),
        desync.actual.as_ref().map(|actual| format!("received: {actual}")),
        squares.map(|squares| format!("squares: {squares}")),
    ];
    let mut lines: Vec<_> = facts.into_iter().flatten().flat_map(|fact| wrap_text(&fact, width)).collect();
    let raw = message.event().map_or(&[][..], Event::raw);
    let shown = |range| TerminalSafe(&decode_received(raw.get(range).unwrap_or_default())).in_cells().into_owned();
    let (mut at, mut parts) = (0, Vec::new());
    for word in contradicting_words(message.event().and_then(Event::message), raw, desync) {
        parts.push((shown(at..word.start), Style::new()));
        parts.push((shown(word.clone()), theme.selected()));
        at = word.end;
    }
    parts.push((shown(at..raw.len()), Style::new()));
    let parts: Vec<_> = parts.iter().map(|(text, style)| (text.as_str(), *style)).collect();
    lines.push(Line::from(Span::styled("line:", theme.dimmed())));
    lines.extend(wrap_spans(&parts, width));
    lines
}

/// Returns the words of the contradicting line that differ, in ascending order: the ranks with differing squares and the move, or
/// the number of plies. Empty for messages without such words.
fn contradicting_words(message: Option<&Message>, line: &[u8], desync: &Desync) -> Vec<Range<usize>> {
    let is_ply = matches!(desync.reason, DesyncReason::WrongPly { .. });
    let squares = desync.differing_squares().unwrap_or_default();
    // The numbers of docs/protocol.md: ranks from the eighth on are words 1 to 8 of a board.
    let numbers: Vec<usize> = match message {
        Some(Message::Style12(_)) if line.starts_with(b"<12>") && !is_ply => {
            let is_rank = |word: &usize| squares.iter().any(|square| usize::from(square.rank()) + word == 8);
            (1..=8).filter(is_rank).chain([27, 29]).collect()
        }
        Some(Message::Delta(_)) if is_ply => vec![2],
        Some(Message::Delta(_)) => vec![3, 4],
        _ => Vec::new(),
    };
    let words = line.split(|&byte| byte == b' ').scan(0, |end, word| {
        let start = *end;
        *end = start + word.len() + 1;
        Some(start..start + word.len())
    });
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    numbers.into_iter().filter_map(|number| words.get(number).cloned()).collect()
}

/// Returns the move that the contradicting message reports.
fn reported_move(message: &ConsoleRow) -> Option<String> {
    let event = message.event()?;
    match event.message()? {
        Message::Delta(delta) => Some(TerminalSafe(delta.san.as_str()).in_cells().into_owned()),
        _ => numbered_move(event.board()?),
    }
}
