//! Detail view of a row's event: its fields with names and units, and its board.

use std::iter::once;

use kibitzer_bot::BotEvent;
use kibitzer_core::Event;
use kibitzer_core::game::ChangeKind;
use kibitzer_core::message::ClockReading;
use ratatui::layout::Constraint::{Fill, Length};
use ratatui::layout::Layout;
use ratatui::text::{Line, Span};

use super::board::draw_event_board;
use super::desync;
use super::draw::{Canvas, LimitedScroll, wrap_text};
use super::theme::Theme;
use crate::console::model::{ConsoleRow, RowContent, SentLine, SessionModel};
use crate::filter::ShortDuration;
use crate::output::TerminalSafe;

/// Maximum size of all values of an event together; the rest is cut.
const MAX_BYTES: usize = 64 << 10;
/// Width of the column of names. A longer name has a line of its own.
const NAME_CELLS: u16 = 18;
/// Width of the board beside the fields.
const BOARD_CELLS: u16 = 18;
/// Minimum width and height of a view that draws a board beside the fields.
const LEAST_WITH_BOARD: (u16, u16) = (48, 9);

/// Name and value of a field, as the view shows them.
type NameAndValue = (String, String);

/// Draws the fields, and beside them the board that the event reports. Returns the scroll offset, limited to the last line.
pub(super) fn draw(mut canvas: Canvas<'_>, model: &SessionModel, row: &ConsoleRow, scroll: usize) -> LimitedScroll {
    if let Some(Event::Desync(desync)) = row.event()
        && desync.expected.is_some()
    {
        return desync::draw(canvas, model.message_row_or_self(row), desync, scroll);
    }
    let (area, theme) = (canvas.area, canvas.theme);
    let has_room = area.width >= LEAST_WITH_BOARD.0 && area.height >= LEAST_WITH_BOARD.1;
    let event = row.event().filter(|_| has_room);
    let reported = event.and_then(|event| Some((event.board()?, event.reported_move())));
    let (gap, board_width) = if reported.is_some() { (2, BOARD_CELLS) } else { (0, 0) };
    let [of_fields, _, of_board] = Layout::horizontal([Fill(1), Length(gap), Length(board_width)]).areas(area);
    if let Some((board, played)) = reported {
        draw_event_board(canvas.sub_canvas(of_board), board, played);
    }
    let fields = row_fields(row);
    let lines: Vec<_> = fields.iter().flat_map(|field| field_lines(theme, field, of_fields.width)).collect();
    let scroll = scroll.min(lines.len().saturating_sub(1));
    canvas.sub_canvas(of_fields).draw_lines(lines.into_iter().skip(scroll));
    scroll
}

/// Returns the fields that the view shows for a row, by its content.
fn row_fields(row: &ConsoleRow) -> Vec<NameAndValue> {
    let field = |name: &str, value: String| (name.to_owned(), value);
    match &row.content {
        RowContent::Event(event) => event_fields(event),
        RowContent::Sent(sent) => sent_fields(sent),
        RowContent::Bot(BotEvent::Acted { action, game, player, reason, .. }) => {
            let game = game.map(|game| field("game", game.to_string()));
            let player = player.as_ref().map(|player| field("player", player.to_string()));
            let action = [field("action", format!("{action:?}"))].into_iter();
            action.chain(game).chain(player).chain([field("reason", reason.clone())]).collect()
        }
        RowContent::Bot(event) => vec![field("action", event.to_string())],
        RowContent::Mark(text) => vec![field("mark", text.clone())],
        RowContent::Stored(_, json) => vec![field("json", json.clone())],
        RowContent::Gap(silence) => vec![field("silence", ShortDuration(*silence).to_string())],
        RowContent::Disconnected => vec![field("connection", "ended".to_owned())],
    }
}

/// Returns the fields that have a value, and the change of the event to its game. Names and values beyond 64 KiB in all are cut
/// or left out.
fn event_fields(event: &Event) -> Vec<NameAndValue> {
    let (mut fields, mut room) = (Vec::new(), MAX_BYTES);
    event.visit_fields(&mut |key, value| {
        let value = value.to_string();
        let (name, mut value) = humanized_field(key, value);
        if let Some(cut) = value.get(value.floor_char_boundary(room)..).filter(|cut| !cut.is_empty()) {
            value.truncate(value.len() - cut.len());
            value.push_str("...");
        }
        room = room.saturating_sub(name.len() + value.len());
        if room > 0 || fields.is_empty() {
            fields.push((name, value));
        }
    });
    fields.extend(event.change().map(|change| ("change".to_owned(), change_text(change.kind))));
    fields
}

/// Converts the JSON key and the value of a field to its readable name and value: the unit moves from the key to the value, and
/// numbers of relations become words.
fn humanized_field(key: &str, value: String) -> NameAndValue {
    let number = value.parse::<i64>().ok();
    let (name, value) = match (key, number) {
        ("relation", Some(relation)) => (key, relation_text(relation).to_owned()),
        (_, Some(ms)) if key.ends_with("clock_ms") => {
            (key.trim_end_matches("_ms"), ClockReading::from_ms(ms).to_string())
        }
        (_, Some(ms)) if key.ends_with("_ms") => (key.trim_end_matches("_ms"), format_milliseconds(ms)),
        (_, Some(s)) if key.ends_with("_s") && s > 0 && s % 60 == 0 => {
            (key.trim_end_matches("_s"), format!("{} min", s / 60))
        }
        (_, Some(s)) if key.ends_with("_s") => (key.trim_end_matches("_s"), format!("{s} s")),
        (_, Some(min)) if key.ends_with("_min") && !key.starts_with("rating") => {
            (key.trim_end_matches("_min"), format!("{min} min"))
        }
        _ => (key, value),
    };
    (name.replace(['_', '.'], " "), value)
}

/// Formats a duration as milliseconds, from a second on as seconds.
fn format_milliseconds(ms: i64) -> String {
    match ms {
        -999..1_000 => format!("{ms} ms"),
        _ => format!("{}.{:03} s", ms / 1_000, (ms % 1_000).abs()),
    }
}

/// Returns the meaning of the server's number for the role of this login.
const fn relation_text(relation: i64) -> &'static str {
    match relation {
        1 => "played by this login, which is to move",
        -1 => "played by this login; the opponent is to move",
        0 => "observed",
        2 => "examined by this login",
        -2 => "observed while it is examined",
        -3 => "printed on request",
        -4 => "start of a move list",
        _ => "unknown",
    }
}

/// Returns what an event changed in its game, in words.
fn change_text(kind: ChangeKind) -> String {
    let text = match kind {
        ChangeKind::Opened => "first board of the game",
        ChangeKind::Moved => "one move was played",
        ChangeKind::Repeated => "the same board again",
        ChangeKind::TookBack { plies, .. } => return format!("went back by {plies} plies"),
        ChangeKind::Jumped => "advanced by several plies, whose moves are unknown",
        ChangeKind::Replaced => "another game or position now has this number",
        ChangeKind::Holding => "pieces in reserve",
        ChangeKind::Info => "terms of the game",
        ChangeKind::Ended => "the game is over",
        ChangeKind::Left => "the game is no longer followed",
        ChangeKind::Followed => "the game is followed",
        other => return format!("{other:?}"),
    };
    text.to_owned()
}

/// Returns the fields of a sent line: its text or a mask, its length and its reply.
fn sent_fields(sent: &SentLine) -> Vec<NameAndValue> {
    let reply = sent.reply.as_ref().map_or_else(
        || "none yet".to_owned(),
        |reply| {
            let found_by =
                if reply.is_guessed { "as the output before the next prompt" } else { "it has the number of the line" };
            format!("row #{} after {}: {found_by}", reply.row, ShortDuration(reply.after))
        },
    );
    let bytes = if sent.secret {
        "withheld, as it contains a password".to_owned()
    } else {
        format!("{} bytes", sent.bytes.len())
    };
    [("line", sent.text_or_mask()), ("length", bytes), ("reply", reply)]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
}

/// Returns the lines of a field: the name, then the value, wrapped in a column of its own.
fn field_lines(theme: Theme, (name, value): &NameAndValue, width: u16) -> Vec<Line<'static>> {
    let value = TerminalSafe(value).in_cells().into_owned();
    let names = NAME_CELLS.min(width / 2);
    let mut values = wrap_text(&value, width.saturating_sub(names)).into_iter();
    let cells = usize::from(names);
    let mut first = vec![Span::styled(format!("{name:<cells$}"), theme.dimmed())];
    if name.len() < cells {
        first.extend(values.next().into_iter().flatten());
    }
    let indented = |line: Line<'static>| once(Span::raw(" ".repeat(cells))).chain(line).collect();
    once(Line::from(first)).chain(values.map(indented)).collect()
}

#[cfg(test)]
mod tests;
