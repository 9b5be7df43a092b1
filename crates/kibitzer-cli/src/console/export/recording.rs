//! Rows as a recording.

use kibitzer::core::game::Game;
use kibitzer::core::message::GameId;
use kibitzer::core::{Event, EventReader};
use kibitzer::transcript::Utc;

use crate::console::model::{ConsoleRow, RowContent, SessionModel};
use crate::output::{Stamp, hex_digits};

/// Bytes that replace those of a secret line.
const REDACTED: &[u8] = b"[redacted]\n";

/// Returns rows as a recording that can be decoded alone: it starts with the state of the games before the first row. `game`
/// limits that state to one game. `reader` is a new one for the connection of the first row. Bytes and games that are no longer
/// stored are missing, and so are rows that are neither frames nor sent lines. Empty without rows.
pub(crate) fn recording_of_rows(
    model: &SessionModel,
    rows: &[&ConsoleRow],
    game: Option<GameId>,
    reader: EventReader,
    utc_start: Option<Utc>,
) -> String {
    let Some(first) = rows.first() else { return String::new() };
    let line = |row: &ConsoleRow, direction, bytes: &[u8], mark| {
        let hex = hex_digits(bytes, "");
        let members = Stamp { time: row.at, utc: utc_start.map(|start| start.plus(row.at)) }.json_members();
        format!("{{\"dir\":\"{direction}\",\"hex\":\"{hex}\"{members}{mark}}}\n")
    };
    let state = state_lines_before(model, first, game, reader);
    let mut lines: Vec<_> = state.iter().map(|bytes| line(first, "rx", bytes, ",\"snapshot\":true")).collect();
    for (row, next) in rows.iter().zip((1..).map(|place| rows.get(place))) {
        lines.push(match &row.content {
            RowContent::Sent(sent) if sent.secret => line(row, "tx", REDACTED, ",\"redacted\":true"),
            RowContent::Sent(sent) => line(row, "tx", &sent.bytes, ""),
            RowContent::Disconnected | RowContent::Event(Event::Lost { .. }) => line(row, "rx", b"", ""),
            _ => match exported_bytes(model, row, next) {
                // An empty piece would end the connection.
                bytes if bytes.is_empty() => continue,
                bytes => line(row, "rx", &bytes, ""),
            },
        });
    }
    lines.concat()
}

/// Returns the bytes of a row's frame and those up to the next frame, such as line ends. Adds a line end if the line has none and
/// the next stored row is not exported.
fn exported_bytes(model: &SessionModel, row: &ConsoleRow, next: Option<&&ConsoleRow>) -> Vec<u8> {
    let Some(frame) = row.frame_range() else { return Vec::new() };
    let later = (row.number + 1..=model.rows.newest).map_while(|number| model.rows.get(number));
    let mut frames = later.take_while(|later| later.base == row.base).filter_map(ConsoleRow::frame_range);
    let end = frames.find(|later| later.start >= frame.end).map_or(frame.end, |later| later.start);
    let mut bytes: Vec<u8> = model.bytes.get(frame.start..end).1.collect();
    let is_line = row.event().is_some_and(|event| !event.raw().is_empty());
    let is_followed = next.is_some_and(|next| next.number == row.number + 1);
    if is_line && !is_followed && !bytes.contains(&b'\n') {
        bytes.extend_from_slice(b"\n\r");
    }
    bytes
}

/// Returns server lines with the state of the games in progress before a row; `game` selects one. They are derived from the
/// stored bytes of the connection, and from the snapshot if the console attached to the session.
fn state_lines_before(
    model: &SessionModel,
    row: &ConsoleRow,
    game: Option<GameId>,
    mut reader: EventReader,
) -> Vec<Vec<u8>> {
    let next = model.rows.iter().filter(|other| other.number >= row.number).find_map(ConsoleRow::frame_range);
    let end = next.map_or(model.bytes.end, |frame| frame.start);
    let bytes = model.snapshot_and_connection_bytes(row.base, end);
    let mut input = &bytes[..];
    while reader.next(&mut input).is_some() {}
    while reader.finish().is_some() {}
    let games = reader.games().iter().filter(|known| known.is_followed_and_ongoing());
    let games = games.filter(|known| game.is_none_or(|game| known.id() == game));
    games.flat_map(Game::to_snapshot_lines).map(|line| [&line[..], b"\n\r"].concat()).collect()
}
